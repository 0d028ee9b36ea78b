// Work in a child: what it says arrives, and what it does wrong stays there.
#include "couplet/base/child_process.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace couplet::base {
namespace {

TEST(ChildProcess, SaysWhatItFound) {
  ChildProcess child(
      [](ChildOutput& out) { out.write(size_t{7}), out.write(std::string("seven")); });
  size_t number = 0;
  std::string text;
  EXPECT_TRUE(child.read(number) && child.read(text));
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(text, "seven");
  EXPECT_FALSE(child.read(number));  // it has ended
}

TEST(ChildProcess, MayCrash) {
  ChildProcess child([](ChildOutput&) { std::abort(); });
  size_t number = 0;
  EXPECT_FALSE(child.read(number));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ChildProcess, HasAllItsMemoryAndNoMore) {
  const auto work = [](ChildOutput& out) {
    std::vector<char> some(size_t{16} << 20, 1);
    out.write(size_t{1});
    std::vector<char> more(size_t{1} << 30, 1);  // throws std::bad_alloc
    out.write(size_t{2});
  };
  ChildProcess child(work, {.memory = size_t{64} << 20});
  size_t number = 0;
  EXPECT_TRUE(child.read(number));
  EXPECT_FALSE(child.read(number));
}
#endif

// Processor time counts, so that a busy machine ends nobody's work. Whoever speaks may go on.
TEST(ChildProcess, IsEndedWhenItComputesForEverInSilence) {
  ChildProcess child(
      [](ChildOutput& out) {
        out.write(size_t{1});
        for (volatile size_t i = 0;;) i = i + 1;
      },
      {.silence = 1});
  size_t number = 0;
  EXPECT_TRUE(child.read(number));
  EXPECT_FALSE(child.read(number));
}

}  // namespace
}  // namespace couplet::base
