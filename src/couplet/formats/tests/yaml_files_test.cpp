// Files that are no models, sets of files that include each other, and `set`.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "couplet/formats/yaml.hpp"
#include "couplet/formats/yaml/tree.hpp"

namespace couplet::formats {
namespace {

namespace fs = std::filesystem;

class YamlFiles : public testing::Test {
 protected:
  YamlFiles() { fs::create_directories(directory_); }
  ~YamlFiles() override { fs::remove_all(directory_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  /// The message for a file, with the directory taken out.
  std::string message(const std::string& file, const ReadOptions& options = {}) const {
    base::Diagnostics warnings;
    try {
      read_yaml(file, options, warnings);
      return "no error";
    } catch (const base::UserError& error) {
      std::string text = error.what();
      const std::string prefix = directory_.string() + "/";
      for (size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
      return text;
    }
  }

  const fs::path directory_ =
      fs::temp_directory_path() / ("couplet_yaml_" + std::to_string(::getpid()));
};

TEST_F(YamlFiles, ThatCannotBeReadSayWhy) {
  EXPECT_EQ(message(path("no.yaml")),
            "no.yaml: error: file 'no.yaml' does not exist\n  fix: check the path");
  EXPECT_EQ(message(directory_.string()),
            directory_.string() + ": error: the file is a directory\n  fix: name a file in it");
  EXPECT_EQ(message("/dev/zero"),
            "/dev/zero: error: the file is not a regular file\n  fix: give a file on a disk");
  const std::string secret = write("secret.yaml", "couplet: 1\n");
  fs::permissions(secret, fs::perms::none);
  if (!std::ifstream(secret)) {  // root may read everything
    EXPECT_EQ(message(secret).substr(0, 55),
              "secret.yaml: error: the file cannot be read: Permission");
  }
}

TEST_F(YamlFiles, OfOneGigabyteAreRefusedAtOnce) {
  write("huge.yaml", "couplet: 1\n");
  fs::resize_file(path("huge.yaml"), 1u << 30);  // sparse
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(message(path("huge.yaml")),
            "huge.yaml: error: the file has 1073741824 bytes; the limit is 64 MB\n"
            "  fix: check that this is the file you meant");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_F(YamlFiles, ThatAreNoTextAreRefused) {
  const std::string fix = "\n  fix: give a model in YAML or JSON, saved as UTF-8";
  EXPECT_EQ(message(write("a.yaml", std::string("\x7f"
                                                "ELF\x02\x01\x01\0\0",
                                                9))),
            "a.yaml:1:1: error: the file is not UTF-8 text (byte 0x7f)" + fix);
  EXPECT_EQ(message(write("b.yaml", "couplet: 1\nname: \xff\xfe\n")),
            "b.yaml:2:7: error: the file is not UTF-8 text (byte 0xff)" + fix);
  EXPECT_EQ(message(write("c.yaml", std::string("c\0o\0u\0", 6))),
            "c.yaml:1:2: error: the file is not UTF-8 text (byte 0x00)" + fix);
  EXPECT_EQ(message(write("d.yaml",
                          "\xef\xbb\xbf"
                          "couplet: 1\n")),
            "no error");  // byte order mark
  EXPECT_EQ(message(write("e.yaml", "couplet: 1\r\nname: x\r\n")), "no error");
}

TEST_F(YamlFiles, NestedDeeplyAreRefused) {
  const int deep = 100000;
  std::string braces, dashes, indented = "couplet: 1\n";
  for (int i = 0; i < deep; ++i) braces += "{a: ", dashes += "- ";
  for (int i = 0; i < 1000; ++i) indented += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  for (const std::string& text : {std::string(deep, '['), "couplet: " + std::string(deep, '['),
                                  braces, "couplet: 1\nbodies: " + braces, dashes, indented,
                                  std::string(deep, '?'), std::string(deep, '&')})
    EXPECT_NE(message(write("a.yaml", text)), "no error") << text.substr(0, 40);
  EXPECT_NE(message(write("a.yaml", dashes)).find("nested more than 100 levels deep"),
            std::string::npos);
}

TEST_F(YamlFiles, ThatIncludeEachOtherPrintTheCycle) {
  write("a.yaml", "couplet: 1\nsubsystems: {s: {file: b.yaml}}\n");
  write("b.yaml", "couplet: 1\nsubsystems:\n  s: {file: ./c.yaml}\n");
  write("c.yaml", "couplet: 1\nsubsystems: {s: {file: b.yaml}}\n");
  EXPECT_EQ(message(path("a.yaml")),
            "c.yaml:2:24: error: subsystem files form a cycle: b.yaml → c.yaml → b.yaml\n"
            "  fix: a model cannot contain itself");
}

TEST_F(YamlFiles, InLongChainsAreRefused) {
  for (int i = 0; i < 40; ++i)
    write("f" + std::to_string(i) + ".yaml",
          "couplet: 1\nsubsystems: {s: {file: f" + std::to_string(i + 1) + ".yaml}}\n");
  EXPECT_EQ(message(path("f0.yaml")),
            "f30.yaml:2:14: error: subsystems are nested more than 30 levels deep\n"
            "  fix: check whether subsystem files include each other");
}

TEST_F(YamlFiles, ThatMultiplyAreRefused) {  // ten subsystems in each of ten in each of ten …
  std::string ten;
  for (int i = 0; i < 10; ++i) ten += "  s" + std::to_string(i) + ": {file: NEXT}\n";
  for (int i = 0; i < 12; ++i) {
    std::string text = "couplet: 1\nsubsystems:\n" + ten;
    for (size_t at; (at = text.find("NEXT")) != std::string::npos;)
      text.replace(at, 4, "f" + std::to_string(i + 1) + ".yaml");
    write("f" + std::to_string(i) + ".yaml", text);
  }
  write("f12.yaml", "couplet: 1\n");
  EXPECT_NE(message(path("f0.yaml")).find("the model has more than 100000 subsystems"),
            std::string::npos);
}

TEST_F(YamlFiles, UsedTwiceReportTheirMistakesOnce) {
  write("part.yaml", "couplet: 1\nbodies: {b: {mass: -1, particle: true}}\ngravity: none\n");
  const std::string text = message(
      write("a.yaml", "couplet: 1\nsubsystems:\n  s: {file: part.yaml}\n  t: {file: part.yaml}\n"));
  EXPECT_EQ(text,
            "part.yaml:3:10: warning: the gravity of subsystem 's' is ignored\n"
            "  fix: give gravity in the outermost model only\n"
            "part.yaml:2:20: error: body 's.b' has mass -1 kg\n"
            "  fix: give a mass > 0, or 0 for a body without mass");
}

TEST_F(YamlFiles, TakeNewValuesOfParameters) {
  write("part.yaml", "couplet: 1\nparameters: {length: 1 m, twice: 2*length}\n");
  const std::string file =
      write("a.yaml",
            "couplet: 1\nparameters: {size: 2 m}\n"
            "subsystems: {s: {file: part.yaml, parameters: {length: size}}}\n");
  base::Diagnostics warnings;
  const auto value = [&](const ReadOptions& options, const char* name) {
    const model::Model model = read_yaml(file, options, warnings);
    return model.parameters[static_cast<size_t>(model.find_parameter(name).value())].value;
  };
  EXPECT_EQ(value({}, "s.twice"), 4);
  EXPECT_EQ(value({{{"size", "30 cm"}}}, "s.twice"), 0.6);
  EXPECT_EQ(value({{{"s.length", "5"}}}, "s.twice"), 10);
  EXPECT_EQ(value({{{"s.length", "5"}}}, "size"), 2);
  EXPECT_EQ(value({{{"s.length", "3*twice"}, {"s.twice", "7"}}}, "s.length"), 21);

  EXPECT_EQ(message(file, {{{"sise", "1"}}}),
            "`set` sise=1: error: the model has no parameter 'sise'\n  fix: did you mean 'size'?");
  EXPECT_EQ(message(file, {{{"size", "1 kg"}}}),
            "`set` size=1 kg: error: the parameter is in m, the new value in kg\n"
            "  fix: give a value of the same dimension");
  EXPECT_EQ(message(file, {{{"size", "abc"}}}),
            "`set` size=abc: error: unknown name 'abc'\n  fix: choose one of size");
}

}  // namespace
}  // namespace couplet::formats
