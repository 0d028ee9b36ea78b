#include "couplet/modelica/library/cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace couplet::modelica {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class CacheTest : public testing::Test {
 protected:
  fs::path root = fs::temp_directory_path() / ("couplet-cache-" + std::to_string(getpid()));
  fs::path source = root / "lib" / "A.mo";
  Cache cache{root / "cache"};

  void SetUp() override {
    fs::create_directories(root / "lib");
    write(source, "model A end A;");
  }
  void TearDown() override { fs::remove_all(root); }
  // Written ten seconds ago: what is younger is not kept.
  void write(const fs::path& file, const std::string& text, std::chrono::seconds ago = 10s) {
    std::ofstream(file, std::ios::binary) << text;
    age(file, ago);
    age(file.parent_path(), ago);
  }
  static void age(const fs::path& path, std::chrono::seconds ago) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - ago);
  }
  fs::path only_entry() {
    fs::path found;
    for (const auto& e : fs::directory_iterator(root / "cache")) {
      EXPECT_TRUE(found.empty()) << "drafts are gone";
      found = e.path();
    }
    return found;
  }
};

TEST_F(CacheTest, GivesBackWhatWasStored) {
  EXPECT_FALSE(cache.find("k"));
  cache.store("k", std::string("flat\0text", 9), {source, source.parent_path()});
  EXPECT_EQ(cache.find("k"), std::string("flat\0text", 9));
  EXPECT_FALSE(cache.find("other"));
}

TEST_F(CacheTest, ForgetsWhenSomethingChanged) {
  const auto stored = [&] {
    cache.store("k", "flat", {source, source.parent_path(), root / "lib" / "absent.mo"});
    return cache.find("k").has_value();
  };
  ASSERT_TRUE(stored());
  write(source, "model A Real x; end A;", 5s);  // size and time
  EXPECT_FALSE(cache.find("k"));
  ASSERT_TRUE(stored());
  age(source, 4s);  // time alone
  EXPECT_FALSE(cache.find("k"));
  ASSERT_TRUE(stored());
  write(root / "lib" / "absent.mo", "", 5s);  // a class appears
  EXPECT_FALSE(cache.find("k"));
  ASSERT_TRUE(stored());
  fs::remove(source);
  EXPECT_FALSE(cache.find("k"));
}

TEST_F(CacheTest, DoesNotTrustWhatChangedJustNow) {
  write(source, "model A end A;", 0s);
  cache.store("k", "flat", {source});
  EXPECT_FALSE(cache.find("k"));
}

TEST_F(CacheTest, DamagedEntriesAreAsGoodAsNone) {
  cache.store("k", "flat", {source});
  const fs::path entry = only_entry();
  std::ostringstream text;
  text << std::ifstream(entry, std::ios::binary).rdbuf();
  const std::string good = text.str();
  const auto found = [&](const std::string& bytes) {
    std::ofstream(entry, std::ios::binary) << bytes;
    return cache.find("k").has_value();
  };
  ASSERT_TRUE(found(good));
  for (size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_FALSE(found(damaged)) << i;
    EXPECT_FALSE(found(good.substr(0, i))) << i;
  }
  cache.store("k", "new", {source});
  EXPECT_EQ(cache.find("k"), "new");
}

TEST_F(CacheTest, SeveralWritersLeaveOneWholeEntry) {
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([&, w] {
      for (int i = 0; i < 50; ++i) {
        cache.store("k", std::string(10000, static_cast<char>('a' + w)), {source});
        const auto found = cache.find("k");
        ASSERT_TRUE(found);
        EXPECT_EQ(found->find_first_not_of((*found)[0]), std::string::npos);
      }
    });
  for (std::thread& w : writers) w.join();
  only_entry();
}

TEST_F(CacheTest, AFolderThatCannotBeWrittenIsNoFault) {
  const Cache nowhere(source / "no folder");
  nowhere.store("k", "flat", {source});
  EXPECT_FALSE(nowhere.find("k"));
}

TEST_F(CacheTest, KeepsABoundedNumberOfEntries) {
  for (int i = 0; i < 450; ++i) cache.store(std::to_string(i), "flat", {source});
  size_t count = 0;
  for (const auto& e : fs::directory_iterator(root / "cache")) count += e.exists() ? 1 : 0;
  EXPECT_LE(count, 400u);
  EXPECT_TRUE(cache.find("449"));
}

}  // namespace
}  // namespace couplet::modelica
