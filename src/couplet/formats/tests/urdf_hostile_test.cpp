// Files that want to break the reader: large, deep, binary, endless. Each is a message or fine,
// soon.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "urdf_reading.hpp"

namespace couplet::formats {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Generous for a sanitizer build on a busy machine; what is quadratic here takes minutes.
constexpr double soon = 10;  // s

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string error_of_file(const std::string& path) {
  base::Diagnostics diagnostics;
  try {
    read_urdf(path, {}, diagnostics);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return {};
}

class UrdfFiles : public testing::Test {
 protected:
  UrdfFiles() : path_(testing::TempDir() + "couplet_hostile.urdf") {}
  ~UrdfFiles() override { std::remove(path_.c_str()); }
  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  std::string path_;
};

TEST_F(UrdfFiles, AreReadByName) {
  write(one_joint("continuous"));
  EXPECT_EQ(error_of_file(path_), "");
  write("<robot name=\"r\">\n<link/></robot>");
  EXPECT_THAT(error_of_file(path_), StartsWith(path_ + ":2:1: error: "));
}

TEST_F(UrdfFiles, MissingOnesAndDirectoriesAreRefused) {
  EXPECT_EQ(
      error_of_file("no/such/robot.urdf"),
      "no/such/robot.urdf: error: file 'no/such/robot.urdf' does not exist\n  fix: check the path");
  EXPECT_EQ(error_of_file(testing::TempDir()),
            testing::TempDir() + ": error: the file is a directory\n  fix: name a file in it");
  EXPECT_THAT(error_of_file(""), HasSubstr("file '' does not exist"));
}

TEST_F(UrdfFiles, AGigabyteIsRefusedUnread) {
  write("<robot>");
  std::filesystem::resize_file(path_, std::uintmax_t{1} << 30);  // sparse
  EXPECT_LT(
      seconds_of([&] { EXPECT_THAT(error_of_file(path_), HasSubstr("the limit is 256 MB")); }),
      0.5);
}

TEST(UrdfHostile, BinaryGarbageIsNamedAsSuch) {
  EXPECT_THAT(read(std::string("<robot>\n\0</robot>", 17)).error,
              HasSubstr("r.urdf:2:1: error: a zero byte: this is binary data"));
  EXPECT_THAT(read("\x7f"
                   "ELF\x02\x01\x01")
                  .error,
              HasSubstr("r.urdf:1:1: error: expected '<'"));
  EXPECT_THAT(read(std::string("\xff\xfe<\0r\0", 6)).error, HasSubstr("the text is UTF-16"));
  EXPECT_THAT(read("<\xff\xfe\x80>").error, HasSubstr("r.urdf:1:4: error: malformed XML"));
}

TEST(UrdfHostile, NamesMustBeUtf8ButCommentsNeedNot) {
  EXPECT_THAT(read(robot("<link name=\"caf\xe9\"/>")).error,
              HasSubstr("name of <link> is not UTF-8"));
  EXPECT_EQ(read(robot("<!-- caf\xe9 --><link name=\"a\"/>")).error, "");
}

TEST(UrdfHostile, DeepNestingIsOnlyOneUnknownTag) {
  std::string open, close;
  for (int i = 0; i < 100'000; ++i) {
    open += "<x>";
    close += "</x>";
  }
  const Reading r = read(robot("<link name=\"a\"/>" + open + close));
  EXPECT_EQ(r.error, "");
  EXPECT_THAT(r.warnings(), HasSubstr("unknown tag 'x' in <robot> is ignored"));
  EXPECT_THAT(read(robot(open)).error, HasSubstr("malformed XML: start-end tags mismatch"));
  EXPECT_THAT(read(open + close).error, HasSubstr("the root element is 'x'"));
}

TEST(UrdfHostile, TensOfMillionsOfTagsAreRefusedBeforeTheyTakeMemory) {
  std::string text;
  for (int i = 0; i <= 10'000'000; ++i) text += "<a/>";
  EXPECT_LT(seconds_of([&] {
              EXPECT_EQ(read(text).error,
                        "r.urdf: error: the file has more than 10000000 tags and attributes");
            }),
            soon);
}

TEST(UrdfHostile, EntitiesDoNotMultiply) {
  std::string dtd = "<!DOCTYPE robot [<!ENTITY a0 \"ha\">";
  for (int i = 1; i < 30; ++i) {
    const std::string next = "&a" + std::to_string(i - 1) + ";";
    dtd += "<!ENTITY a" + std::to_string(i) + " \"" + next + next + "\">";
  }
  const Reading r = read(dtd + "]>\n<robot name=\"r\"><link name=\"&a29;\"/></robot>");
  EXPECT_EQ(r.model.bodies.back().name, "&a29;");
  EXPECT_THAT(r.warnings(), HasSubstr("the DTD before this element is not read"));
}

TEST(UrdfHostile, AllErrorsAreFoundInTheOrderOfTheFile) {
  const Reading r = read(
      robot("<link name=\"a\"><inertial><mass value=\"x\"/><inertia ixx=\"1\" "
            "iyy=\"1\"/></inertial></link>\n"
            "<joint name=\"j\" type=\"hinge\"><parent link=\"a\"/><child link=\"bb\"/></joint>\n"
            "<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/></joint>\n"
            "<link name=\"a\"/>\n"));
  std::string places;
  std::stringstream lines(r.error);
  for (std::string line; std::getline(lines, line);)
    if (line.find(": error: ") != line.npos) places += line.substr(0, line.find(": error")) + " ";
  EXPECT_EQ(places, "r.urdf:2:32 r.urdf:2:43 r.urdf:3:17 r.urdf:3:55 r.urdf:4:1 r.urdf:5:1 ");
}

TEST(UrdfHostile, ManyErrorsStopAtFifty) {
  std::string body;
  for (int i = 0; i < 100'000; ++i) body += "<link/>\n";
  base::Diagnostics diagnostics;
  try {
    read_urdf_text(robot(body), "r.urdf", {}, diagnostics);
    FAIL() << "errors must throw";
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.diagnostics().size(), 50u);
  }
}

TEST(UrdfHostile, ManyUnknownNamesAreCountedNotListed) {
  std::string body = "<link name=\"a\"/>";
  for (int i = 0; i < 100'000; ++i) body += "<x" + std::to_string(i) + "/>";
  const Reading r = read(robot(body));
  EXPECT_EQ(r.diagnostics.list().size(), 21u);
  EXPECT_THAT(r.warnings(), HasSubstr("99980 more unknown tags or attributes are ignored"));
}

/// A chain in one line of text, so that columns are as large as the file.
std::string chain(int n, const std::string& name, const std::string& inside) {
  std::string body = "<link name=\"" + name + "0\"/>";
  for (int i = 1; i <= n; ++i) {
    const std::string child = name + std::to_string(i), parent = name + std::to_string(i - 1);
    body += "<link name=\"" + child + "\"/><joint name=\"j" + std::to_string(i) +
            "\" type=\"continuous\"><parent link=\"" + parent + "\"/><child link=\"" + child +
            "\"/>" + inside + "</joint>";
  }
  return "<robot name=\"r\">" + body;
}

TEST(UrdfHostile, TenThousandLinksAreReadAtOnce) {
  const std::string text = chain(10'000, "l", "<dynamics damping=\"1\"/>") + "</robot>";
  Reading r;
  const double time = seconds_of([&] { r = read(text); });
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.model.bodies.size(), 10'002u);
  EXPECT_LT(time, 2) << "a release build needs about 0.1 s";
}

TEST(UrdfHostile, LongMimicChainsAndCyclesAreLinear) {
  std::string mimics = "<robot name=\"r\"><link name=\"l0\"/>";
  for (int i = 1; i <= 10'000; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i % 10'000 + 1);
    mimics += "<link name=\"l" + n + "\"/><joint name=\"j" + n +
              "\" type=\"continuous\"><parent link=\"l0\"/><child link=\"l" + n +
              "\"/><mimic joint=\"j" + next + "\"/></joint>";
  }
  EXPECT_LT(seconds_of([&] {
              EXPECT_THAT(read(mimics + "</robot>").error,
                          HasSubstr("'j7' → 'j8' → … (10000 joints) → 'j1'"));
            }),
            soon);
  const std::string cycle = chain(10'000, "l", "") +
                            "<joint name=\"last\" type=\"fixed\"><parent link=\"l10000\"/>"
                            "<child link=\"l0\"/></joint></robot>";
  EXPECT_LT(seconds_of([&] {
              EXPECT_THAT(read(cycle).error, HasSubstr("'l7' → … (10001 links) → 'l0'"));
            }),
            soon);
}

TEST(UrdfHostile, NearestNamesOfLongNamesDoNotTakeForever) {
  const std::string text = chain(10'000, std::string(190, 'n'), "");
  std::string wrong;
  for (int i = 0; i < 100; ++i)
    wrong += "<joint name=\"w" + std::to_string(i) + "\" type=\"fixed\"><parent link=\"" +
             std::string(190, 'm') + "\"/><child link=\"y\"/></joint>";
  EXPECT_LT(seconds_of([&] {
              EXPECT_THAT(read(text + wrong + "</robot>").error, HasSubstr("there is no link"));
            }),
            soon);
}

TEST(UrdfHostile, MultipliersThatOverflowAreAnError) {
  const std::string text = robot(
      "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><link name=\"d\"/>\n"
      "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>\n"
      "<joint name=\"k\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/>"
      "<mimic joint=\"j\" multiplier=\"1e200\"/></joint>\n"
      "<joint name=\"l\" type=\"continuous\"><parent link=\"c\"/><child link=\"d\"/>"
      "<mimic joint=\"k\" multiplier=\"1e200\"/></joint>\n");
  EXPECT_THAT(read(text).error, HasSubstr("joint 'l': its multiplier or offset is infinite"));
}

}  // namespace
}  // namespace couplet::formats
