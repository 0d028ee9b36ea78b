#include "couplet/base/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/hash.hpp"

namespace couplet::base {
namespace {

namespace fs = std::filesystem;
using Kind = ReadTrouble::Kind;

/// A folder that is removed at the end.
class Files : public testing::Test {
 protected:
  Files() {
    std::string name = (fs::temp_directory_path() / "couplet_files_XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder); }

  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename());
    return found;
  }
  static std::string read(const fs::path& path) {
    return std::get<std::string>(try_read_file(path, 1 << 20));
  }
  static Kind trouble(const fs::path& path, std::uintmax_t most = 1 << 20) {
    return std::get<ReadTrouble>(try_read_file(path, most)).kind;
  }

  fs::path folder;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string content("a\0b\n\xff", 5);
  write_file(folder / "x", content);
  EXPECT_EQ(read(folder / "x"), content);
  write_file(folder / "x", "");
  EXPECT_EQ(read(folder / "x"), "");
  EXPECT_EQ(names(), std::set<std::string>{"x"});
}

TEST_F(Files, TroubleHasAName) {
  fs::create_directory(folder / "d");
  std::ofstream(folder / "large") << std::string(100, 'x');
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(trouble(folder / "none"), Kind::missing);
  EXPECT_EQ(trouble(folder / "large" / "none"), Kind::missing);
  EXPECT_EQ(trouble(folder / "d"), Kind::directory);
  EXPECT_EQ(trouble(folder / "large", 99), Kind::too_large);
  EXPECT_EQ(read(folder / "large").size(), 100u);
  EXPECT_EQ(trouble(folder / "pipe"), Kind::special);  // and does not wait for somebody to write
  EXPECT_EQ(trouble("/dev/zero"), Kind::special);
}

// What the shell's <( ) gives: a pipe that is open. It ends when its writer says so, or at the
// limit.
TEST_F(Files, AnOpenPipeIsRead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string content(200000, 'y');
  std::thread writer([&] {
    std::string_view rest = content;
    while (!rest.empty())
      rest.remove_prefix(static_cast<size_t>(::write(ends[1], rest.data(), rest.size())));
    ::close(ends[1]);
  });
  EXPECT_EQ(read("/dev/fd/" + std::to_string(ends[0])), content);
  writer.join();
  ::close(ends[0]);
}

TEST_F(Files, DevicesAreWrittenToAndStay) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THAT(
      [] {
        save_file({"/dev/full", "the table"}, "x");
      },
      testing::ThrowsMessage<UserError>(
          testing::HasSubstr("the table cannot be written: No space left")));
}

TEST_F(Files, NothingIsLeftOfAFileThatWasNotPublished) {
  write_file(folder / "x", "old");
  {
    TemporaryFile file(folder / "x");
    file.write("new");
    EXPECT_EQ(names().size(), 2u);
  }
  EXPECT_EQ(read(folder / "x"), "old");
  EXPECT_EQ(names(), std::set<std::string>{"x"});
  EXPECT_THROW(write_file(folder / "no" / "x", ""), std::system_error);
}

TEST_F(Files, AFileThatAppearedMeanwhileStays) {
  TemporaryFile file(folder / "x");
  file.write("mine");
  write_file(folder / "x", "theirs");
  try {
    file.publish(Existing::refuse);
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), EEXIST);
  }
  EXPECT_EQ(read(folder / "x"), "theirs");
}

// Links that somebody puts where a temporary file is going to be, or is a target: neither is
// written through.
TEST_F(Files, LinksAreNotFollowed) {
  write_file(folder / "precious", "kept");
  fs::create_symlink(folder / "precious", folder / "x");
  for (int i = 0; i < 50; ++i)
    fs::create_symlink(folder / "precious", folder / ("x." + std::to_string(::getpid()) + "-" +
                                                      std::to_string(i) + ".part"));
  write_file(folder / "x", "new");
  EXPECT_EQ(read(folder / "precious"), "kept");
  EXPECT_EQ(read(folder / "x"), "new");
  EXPECT_FALSE(fs::is_symlink(folder / "x"));
}

TEST_F(Files, CacheFoldersArePrivate) {
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string old = before ? before : "";
  ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  const fs::path made = make_cache_folder("one");
  EXPECT_EQ(made, folder / "cache/couplet/one");
  EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all);
  fs::permissions(folder / "cache/couplet",
                  fs::perms(0755));  // others may see that there is something
  EXPECT_EQ(make_cache_folder("two"), folder / "cache/couplet/two");
  fs::permissions(made, fs::perms(0755));
  EXPECT_THAT([] { make_cache_folder("one"); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("0700")));
  fs::permissions(folder / "cache/couplet", fs::perms(0777));
  EXPECT_THROW(make_cache_folder("two"), std::runtime_error);
  if (before)
    ::setenv("XDG_CACHE_HOME", old.c_str(), 1);
  else
    ::unsetenv("XDG_CACHE_HOME");
}

// Test vectors of the authors: http://www.isthe.com/chongo/src/fnv/test_fnv.c
TEST(Hash, IsFnv1a) {
  EXPECT_EQ(hash(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(hash("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(hash("foobar"), 0x85944171f73967e8ull);
  EXPECT_EQ(hash("bar", hash("foo")), hash("foobar"));
  EXPECT_NE(name_of_content("a"), name_of_content("b"));
}

}  // namespace
}  // namespace couplet::base
