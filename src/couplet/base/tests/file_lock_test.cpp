#include "couplet/base/file_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

namespace couplet::base {
namespace {

namespace fs = std::filesystem;

class Locks : public testing::Test {
 protected:
  Locks() {
    std::string name = (fs::temp_directory_path() / "couplet_locks_XXXXXX").string();
    folder = ::mkdtemp(name.data());
    path = folder / "x.lock";
  }
  ~Locks() override { fs::remove_all(folder); }
  bool is_free() const { return std::holds_alternative<FileLock>(FileLock::try_take(path)); }

  fs::path folder, path;
};

TEST_F(Locks, OneHasIt) {
  {
    const auto mine = FileLock::try_take(path);
    ASSERT_TRUE(std::holds_alternative<FileLock>(mine));
    const auto other = FileLock::try_take(path);
    ASSERT_TRUE(std::holds_alternative<FileLock::Holder>(other));
    EXPECT_EQ(std::get<FileLock::Holder>(other).process, std::to_string(::getpid()));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(is_free());
}

TEST_F(Locks, TheDeadKeepNone) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto mine = FileLock::try_take(path);
    [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
    while (true) ::pause();
  }
  char c = 0;
  ASSERT_EQ(::read(ready[0], &c, 1), 1);
  EXPECT_FALSE(is_free());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(path));  // what is left of it locks nobody out
  EXPECT_TRUE(is_free());
}

// Holders come and go, each removing the file: never are there two.
TEST_F(Locks, NeverTwo) {
  std::atomic<int> inside = 0, taken = 0;
  std::atomic<bool> good = true;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (taken < 2000) {
        const auto mine = FileLock::try_take(path);
        if (!std::holds_alternative<FileLock>(mine)) continue;
        if (++inside != 1) good = false;
        ++taken;
        --inside;
      }
    });
  threads.clear();
  EXPECT_TRUE(good);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Locks, LinksAreNotFollowed) {
  fs::create_symlink(folder / "elsewhere", path);
  EXPECT_THROW(FileLock::try_take(path), std::system_error);
  EXPECT_FALSE(fs::exists(folder / "elsewhere"));
}

}  // namespace
}  // namespace couplet::base
