// Every format: what is written is read, to the bit; what exists is not lost; what is damaged is a
// message.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <random>

#include "couplet/base/diagnostics.hpp"
#include "support.hpp"

namespace couplet::results {
namespace {

using base::UserError;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class EveryFormat : public testing::TestWithParam<const char*> {
 protected:
  Folder folder;
  std::filesystem::path path = folder / (std::string("result") + GetParam());
  std::vector<Signal> signals = numbered_signals(3);

  void write(size_t rows, bool overwrite = false) {
    const auto writer = make_writer(path, signals, {}, overwrite);
    writer->append(numbered_rows(0, rows, 3));
    writer->close();
  }
};
INSTANTIATE_TEST_SUITE_P(Results, EveryFormat, testing::Values(".csv", ".h5"),
                         [](const auto& each) { return std::string(each.param + 1); });

TEST_P(EveryFormat, ReadsBackTheSameBits) {
  std::mt19937_64 random(1);
  std::vector<double> values{0.0,
                             -0.0,
                             1.0,
                             0.1,
                             5e-324,
                             1.7976931348623157e308,
                             -2.2250738585072014e-308,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()};
  while (values.size() < 3 * 5000) {
    const uint64_t bits = random();
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isnan(x)) values.push_back(x);
  }
  const auto writer = make_writer(path, signals, {}, false);
  writer->append(values);
  writer->close();
  const Recording recording = read_result(path);
  EXPECT_TRUE(recording.complete) << recording.note;
  EXPECT_EQ(recording.signals, signals);
  ASSERT_EQ(recording.rows(), 5000u);
  EXPECT_EQ(std::memcmp(recording.values.data(), values.data(), values.size() * sizeof(double)), 0);
}

TEST_P(EveryFormat, KeepsWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto writer = make_writer(path, signals, {}, false);
  writer->append(std::vector<double>{0, nan, std::copysign(nan, -1)});
  writer->close();
  const Recording recording = read_result(path);
  ASSERT_EQ(recording.rows(), 1u);
  EXPECT_TRUE(std::isnan(recording.at(0, 1)) && std::isnan(recording.at(0, 2)));
}

TEST_P(EveryFormat, KeepsAwkwardNamesAndUnits) {
  signals = {{"t", "s"},         {"a,b \"c\"", "N·m"},
             {"x [3]", ""},      {"body[2].r", "m/s²"},
             {"two\nlines", ""}, {"", ""}};
  const auto writer = make_writer(path, signals, {}, false);
  writer->append(std::vector<double>{0, 1, 2, 3, 4, 5});
  writer->close();
  EXPECT_EQ(read_result(path).signals, signals);
}

TEST_P(EveryFormat, HoldsNoRowsOrManySignals) {
  write(0);
  EXPECT_EQ(read_result(path).rows(), 0u);
  signals = numbered_signals(20000);
  const auto writer = make_writer(path, signals, {}, true);
  writer->append(numbered_rows(0, 3, 20000));
  writer->close();
  const Recording recording = read_result(path);
  EXPECT_EQ(recording.rows(), 3u);
  expect_numbered(recording, 20000);
}

TEST_P(EveryFormat, IsReadableWhileItIsWritten) {
  const auto writer = make_writer(path, signals, {}, false);
  for (size_t row = 0; row < 5000; row += 1000) {
    writer->append(numbered_rows(row, 1000, 3));
    writer->flush();
    const Recording recording = read_result(path);
    EXPECT_EQ(recording.rows(), row + 1000);
    expect_numbered(recording, 3);
  }
}

TEST_P(EveryFormat, IsNotReplacedUnlessAsked) {
  write(2);
  EXPECT_THAT([&] { write(3); }, ThrowsMessage<UserError>(HasSubstr("`overwrite`")));
  EXPECT_EQ(read_result(path).rows(), 2u);
  write(3, true);
  EXPECT_EQ(read_result(path).rows(), 3u);
}

TEST_P(EveryFormat, ReplacesTheOldResultWithTheFirstFlushOnly) {
  write(2);
  {
    const auto writer = make_writer(path, signals, {}, true);
    writer->append(numbered_rows(0, 7, 3));
    EXPECT_EQ(read_result(path).rows(), 2u);
  }  // a run that fails before its first flush
  EXPECT_EQ(read_result(path).rows(), 2u);
  EXPECT_THAT(folder.names(), ElementsAre(path.filename().string()));
  const auto writer = make_writer(path, signals, {}, true);
  writer->append(numbered_rows(0, 7, 3));
  writer->flush();
  EXPECT_EQ(read_result(path).rows(), 7u);
}

TEST_P(EveryFormat, DoesNotDestroyAFileThatAppearsMeanwhile) {
  const auto writer = make_writer(path, signals, {}, false);
  write(4);  // another run is faster
  writer->append(numbered_rows(0, 7, 3));
  EXPECT_THROW(writer->flush(), UserError);
  EXPECT_EQ(read_result(path).rows(), 4u);
}

TEST_P(EveryFormat, IsContinuedAfterAnyRow) {
  for (const size_t rows : {0u, 1u, 60u, 100u}) {
    write(100, true);
    const auto writer = reopen_writer(path, signals, {}, rows, fingerprint(rows, 3));
    writer->append(numbered_rows(rows, 50, 3));
    writer->close();
    const Recording recording = read_result(path);
    EXPECT_TRUE(recording.complete);
    EXPECT_EQ(recording.rows(), rows + 50);
    expect_numbered(recording, 3);
  }
  EXPECT_THAT(folder.names(), ElementsAre(path.filename().string()));
}

TEST_P(EveryFormat, IsNotContinuedWithOtherSignalsOrMissingRows) {
  write(10);
  EXPECT_THAT([&] { reopen_writer(path, numbered_signals(4), {}, 5, fingerprint(5, 3)); },
              ThrowsMessage<UserError>(HasSubstr("other signals")));
  EXPECT_THAT([&] { reopen_writer(path, signals, {}, 11, fingerprint(11, 3)); },
              ThrowsMessage<UserError>(HasSubstr("this result has 10 rows; 11 are needed")));
  EXPECT_THROW(reopen_writer(folder / "none.csv", signals, {}, 1, fingerprint(1, 3)), UserError);
  EXPECT_EQ(read_result(path).rows(), 10u);
}

// A row more, a row less, or one number other by its last bit: the rows are of another run.
TEST_P(EveryFormat, IsNotContinuedAfterRowsOfAnotherRun) {
  write(10);
  for (const size_t rows : {4u, 6u})
    EXPECT_THAT([&] { reopen_writer(path, signals, {}, 5, fingerprint(rows, 3)); },
                ThrowsMessage<UserError>(HasSubstr("not those that the checkpoint")));
  for (const size_t changed : {0u, 7u, 14u}) {
    std::vector<double> numbers = numbered_rows(0, 5, 3);
    numbers[changed] = std::nextafter(numbers[changed], 1e9);
    EXPECT_THROW(reopen_writer(path, signals, {}, 5, base::hash(numbers)), UserError);
  }
  EXPECT_EQ(read_result(path).rows(), 10u);
  EXPECT_THAT(folder.names(), ElementsAre(path.filename().string()));
}

TEST_P(EveryFormat, HasOneWriter) {
  write(10);
  {
    const auto mine = claim_result(path);
    ASSERT_TRUE(mine);
    EXPECT_THAT([&] { claim_result(path); },
                ThrowsMessage<UserError>(HasSubstr(
                    fmt::format("another run (process {}) is writing this result", ::getpid()))));
    std::filesystem::create_symlink(path, folder / "link");  // another name for the same
    EXPECT_THROW(claim_result(folder / "link"), UserError);
    EXPECT_EQ(read_result(path).rows(), 10u);  // readers do not ask
    std::filesystem::remove(folder / "link");
  }
  EXPECT_TRUE(claim_result(path));
  EXPECT_THAT(folder.names(), ElementsAre(path.filename().string()));
}

TEST_P(EveryFormat, SaysWhyItCannotBeCreated) {
  path = folder / (std::string("missing/deeper/result") + GetParam());
  EXPECT_THAT([&] { write(1); }, ThrowsMessage<UserError>(HasSubstr("there is no folder")));
  path = folder.path();
  path += GetParam();
  std::filesystem::create_directory(path);
  EXPECT_THAT([&] { write(1); }, ThrowsMessage<UserError>(HasSubstr("this is a folder")));
  EXPECT_THAT([&] { read_result(path); }, ThrowsMessage<UserError>(HasSubstr("is a directory")));
  std::filesystem::remove(path);
  if (::geteuid() == 0) return;  // root may write anywhere
  ::chmod(folder.path().c_str(), 0555);
  path = folder / (std::string("result") + GetParam());
  EXPECT_THAT([&] { write(1); }, ThrowsMessage<UserError>(HasSubstr("may not be written to")));
  ::chmod(folder.path().c_str(), 0755);
}

TEST_P(EveryFormat, FollowsALinkInsteadOfReplacingIt) {
  write(1);
  const std::filesystem::path link = folder / (std::string("latest") + GetParam());
  std::filesystem::create_symlink(path, link);
  const auto writer = make_writer(link, signals, {}, true);
  writer->append(numbered_rows(0, 9, 3));
  writer->close();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_result(path).rows(), 9u);
}

TEST_P(EveryFormat,
       SurvivesDamageAnywhere) {  // a message or a shorter recording, never a crash or a hang
  write(200);
  const std::string whole = text_of(path);
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    std::string text = whole;
    if (i % 3 == 0) text.resize(random() % text.size());
    for (int k = 0; k < 1 + i % 20; ++k)
      if (!text.empty())
        text[random() % std::min<size_t>(text.size(), 4000)] = static_cast<char>(random());
    write_text(path, text);
    try {
      EXPECT_LE(read_result(path).rows(), 100000u);
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("fix: "));
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

TEST(Formats, AreChosenByTheEnding) {
  const Folder folder;
  EXPECT_THAT([&] { make_writer(folder / "result.xlsx", numbered_signals(2), {}, false); },
              ThrowsMessage<UserError>(HasSubstr("choose one of .csv, .h5, .hdf5")));
  EXPECT_THAT([&] { make_writer(folder / "result", numbered_signals(2), {}, false); },
              ThrowsMessage<UserError>(HasSubstr("needs an ending")));
  make_writer(folder / "upper.HDF5", numbered_signals(2), {}, false)->close();
  EXPECT_EQ(text_of(folder / "upper.HDF5").substr(1, 3), "HDF");
  EXPECT_THAT([&] { read_result(folder / "none.h5"); },
              ThrowsMessage<UserError>(HasSubstr("does not exist")));
}

TEST(Hdf5, KeepsWhereItComesFrom) {
  const Folder folder;
  const About about{{"model", "pendulum.yaml"},
                    {"command", std::string(200000, 'x')},
                    {"integrator", "dopri5"},
                    {"formalism", ""},
                    {"note", "größer"},
                    {"f", "6"},
                    {"g", "7"},
                    {"h", "8"},
                    {"i", "9"},
                    {"a", "10"}};
  const auto writer = make_writer(folder / "result.h5", numbered_signals(2), about, false);
  writer->close();
  EXPECT_TRUE(read_result(folder / "result.h5").about == about);
}

TEST(Hdf5, NeedsARegularFile) {
  const Folder folder;
  std::filesystem::create_symlink("/dev/null", folder / "null.h5");
  EXPECT_THAT([&] { make_writer(folder / "null.h5", numbered_signals(2), {}, true); },
              ThrowsMessage<UserError>(HasSubstr("needs a regular file")));
}

}  // namespace
}  // namespace couplet::results
