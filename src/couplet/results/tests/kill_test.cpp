// SIGKILL at random moments, a full disk, a folder that disappears: what was flushed is there, to
// the bit, and the result can be continued.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <random>

#include "couplet/base/diagnostics.hpp"
#include "couplet/results/row_stream.hpp"
#include "support.hpp"

namespace couplet::results {
namespace {

using base::ComputationError;
using testing::HasSubstr;

constexpr size_t columns = 75;

// Counters that a child leaves behind when it is killed.
struct Shared {
  std::atomic<uint64_t> committed, flushed;
};
Shared& shared() {
  static void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *new (memory) Shared{};
}

// Runs `work` in a child that is killed `microseconds` after it has committed so many rows, however
// long it takes for them on this machine; whether it was killed by us.
template <class Work>
bool kill_after(uint64_t rows, int microseconds, const Shared& counters, const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      work();
    } catch (...) {
      ::_exit(3);
    }
    ::_exit(0);
  }
  int status = 0;
  while (counters.committed < rows) {
    ::usleep(100);
    if (::waitpid(child, &status, WNOHANG) != 0) return false;
  }
  ::usleep(static_cast<useconds_t>(microseconds));
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

void write_until_killed(const std::filesystem::path& path, Shared& counters, size_t from) {
  auto writer = from == 0 ? make_writer(path, numbered_signals(columns), {{"model", "x"}}, false)
                          : reopen_writer(path, numbered_signals(columns), {{"model", "x"}}, from,
                                          fingerprint(from, columns));
  RowStream stream(std::move(writer), columns);
  for (size_t row = from;; ++row) {
    for (size_t i = 0; i < columns; ++i) stream.row()[i] = numbered(row, i);
    stream.commit();
    counters.committed = row + 1;
    if (row % 997 == 0) {
      stream.flush();
      counters.flushed = row + 1;
    }
  }
}

// As a signal handler would, right after the last row.
[[noreturn]] void save_and_end(const std::filesystem::path& path, size_t rows) {
  RowStream stream(make_writer(path, numbered_signals(columns), {}, false), columns);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < columns; ++i) stream.row()[i] = numbered(row, i);
    stream.commit();
  }
  RowStream::save_all();
  ::_exit(7);
}

class Kill : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Results, Kill, testing::Values("csv", "h5"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(Kill, ACrashThatIsHandledLosesNothingThatWasCommitted) {
  for (const size_t rows : {1u, 100u, 5000u}) {  // 5000: more than the stream holds in memory
    const Folder folder;
    const auto path = folder / ("result." + std::string(GetParam()));
    EXPECT_EXIT(save_and_end(path, rows), testing::ExitedWithCode(7), "");
    const Recording recording = read_result(path);
    EXPECT_EQ(recording.rows(), rows);
    expect_numbered(recording, columns);
  }
}

TEST_P(Kill, AtAnyMomentLosesNothingThatWasFlushed) {
  std::mt19937 random(3);
  const Folder folder;
  const std::filesystem::path path = folder / (std::string("result.") + GetParam());
  int with_rows = 0;
  size_t from = 0, rows_before = 0;
  for (int i = 0; i < 40; ++i) {
    Shared& counters = shared();
    counters.committed = counters.flushed = from;
    // Every fourth child dies while it still opens the file, the others among their first flushes.
    const uint64_t rows = i % 4 == 3 ? 0 : from + random() % 5000;
    ASSERT_TRUE(kill_after(rows, static_cast<int>(random() % 3000), counters,
                           [&] { write_until_killed(path, counters, from); }));
    if (counters.flushed == 0) {  // killed before it could say that there is anything
      std::filesystem::remove(path);
      continue;
    }
    const Recording recording = read_result(path);
    EXPECT_GE(recording.rows(), counters.flushed);
    EXPECT_LE(recording.rows(), std::max<size_t>(counters.committed + 1, rows_before));
    expect_numbered(recording, columns);
    with_rows += recording.rows() > 0 ? 1 : 0;
    // Every other time the next child goes on from here, as `couplet resume` does.
    from = i % 2 == 0 ? counters.flushed.load() : 0;
    rows_before = from == 0 ? 0 : recording.rows();
    if (from == 0) std::filesystem::remove(path);
    if (HasFailure()) break;
  }
  EXPECT_GT(with_rows, 10);
}

// Runs `work` in a child; its exit status. What it prints on standard error does not matter here.
template <class Work>
int status_of(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_P(Kill, ByAFullDiskIsAMessageAndWhatWasWrittenStays) {
  const Folder folder;
  const std::filesystem::path path = folder / (std::string("result.") + GetParam());
  const int status = status_of([&] {
    std::signal(SIGXFSZ, SIG_IGN);  // a file may not grow beyond this: the same as a full disk
    const rlimit limit{3'000'000, 3'000'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    RowStream stream(make_writer(path, numbered_signals(columns), {}, false), columns);
    try {
      for (size_t row = 0; row < 1'000'000; ++row) {
        for (size_t i = 0; i < columns; ++i) stream.row()[i] = numbered(row, i);
        stream.commit();
        if (row == 1000) stream.flush();
      }
    } catch (const ComputationError& error) {
      const std::string text = error.what();
      return text.find("File too large") != std::string::npos &&
                     text.find("fix: ") != std::string::npos
                 ? 7
                 : 8;
    }
    return 9;
  });
  EXPECT_EQ(status, 7);
  const Recording recording = read_result(path);
  EXPECT_FALSE(recording.complete);
  EXPECT_GE(recording.rows(), 1001u);
  expect_numbered(recording, columns);
}

TEST(Disk, ThatIsFullFromTheStartIsAMessage) {
  const Folder folder;
  std::filesystem::create_symlink("/dev/full", folder / "full.csv");
  const auto writer = make_writer(folder / "full.csv", numbered_signals(2), {}, false);
  EXPECT_THAT([&] { writer->flush(); },
              testing::ThrowsMessage<ComputationError>(HasSubstr("No space left on device")));
}

TEST_P(Kill, OfTheFolderIsAMessage) {
  auto folder = std::make_unique<Folder>();
  const auto writer =
      make_writer(*folder / (std::string("result.") + GetParam()), numbered_signals(2), {}, false);
  folder.reset();
  EXPECT_THAT([&] { writer->flush(); },
              testing::ThrowsMessage<ComputationError>(HasSubstr("No such file")));
}

}  // namespace
}  // namespace couplet::results
