#include "couplet/base/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "couplet/base/files.hpp"

namespace couplet::base {
namespace {

int wait_for(pid_t program) {
  for (;;) {
    if (const std::optional<int> status = find_status(program)) return *status;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Program, IsFedAndHeard) {
  const ProgramOutput output = run_program({"sh", "-c", "tr a-z A-Z; exit 3"}, "some words\n");
  EXPECT_EQ(output.text, "SOME WORDS");
  EXPECT_EQ(output.status, 3);
  EXPECT_EQ(run_program({"there-is-no-such-program"}).status, -1);
}

TEST(Program, InTheBackgroundKeepsTheFileThatItIsGiven) {
  const std::string name = testing::TempDir() + "kept_" + std::to_string(::getpid());
  write_file(name, "");
  const int file = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  const pid_t program =
      start_program({"sh", "-c", "echo nobody hears; echo kept >&3; exit 4"}, file);
  ::close(file);
  ASSERT_GT(program, 0);
  EXPECT_EQ(wait_for(program), 4);
  EXPECT_EQ(std::get<std::string>(try_read_file(name, 100)), "kept\n");
  ::unlink(name.c_str());
}

TEST(Program, ThatWasKilledHasNoStatus) {
  EXPECT_EQ(wait_for(start_program({"sh", "-c", "kill -9 $$"}, 1)), -1);
  EXPECT_EQ(start_program({"there-is-no-such-program"}, 1), -1);
}

TEST(Program, IsLookedForOnThePath) {
  EXPECT_TRUE(has_program("sh"));
  EXPECT_TRUE(has_program("/bin/sh"));
  EXPECT_FALSE(has_program("there-is-no-such-program"));
  EXPECT_FALSE(has_program("/bin/there-is-no-such-program"));
}

}  // namespace
}  // namespace couplet::base
