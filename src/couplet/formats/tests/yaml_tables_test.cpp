// Tables of model files: what they mean in expressions, and mistakes with their places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "couplet/formats/tests/bad_yaml.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::formats {
namespace {

namespace fs = std::filesystem;
using std::numbers::pi;

model::Model read(const std::string& text) {
  base::Diagnostics warnings;
  return read_yaml_text("couplet: 1\n" + text, "m.yaml", {}, warnings);
}

/// The output `f` at the time t.
double value(const std::string& tables, const std::string& expression, double t) {
  const model::Model model =
      read("tables:\n" + tables + "outputs: {f: {value: \"" + expression + "\"}}\n");
  const std::vector<std::string> names{"t"};
  return symbolic::Tape(std::vector{model.outputs.at(0).value}, names).evaluate(std::vector{t})[0];
}

TEST(YamlTables, AreFunctionsInExpressions) {
  const std::string table = "  gas: {x: [0, 1, 3], y: [0, 10, -10], outside: hold}\n";
  EXPECT_EQ(value(table, "gas(t)", 0.5), 5);
  EXPECT_EQ(value(table, "2*gas(t + gas(0))", 2), 0);
  EXPECT_EQ(value(table, "gas(t)", 99), -10);
  const std::string line = "  gas: {x: [0, 1, 3], y: [0, 10, -10], outside: linear}\n";
  EXPECT_EQ(value(line, "gas(t)", 4), -20);
  EXPECT_TRUE(std::isnan(value("  gas: {x: [0, 1], y: [0, 1]}\n", "gas(t)", 1.01)));
}

TEST(YamlTables, UnitsBecomeSI) {
  const std::string table =
      "  lift: {x: {unit: deg, values: [0, 90, 180]}, y: [0, 20 mm, 0.5 cm]}\n";
  EXPECT_NEAR(value(table, "lift(t)", pi / 2), 0.02, 1e-15);
  EXPECT_NEAR(value(table, "lift(t)", pi), 0.005, 1e-15);
}

TEST(YamlTables, CubicOnesAreExactOnCubicsAndPeriodicOnesRepeat) {
  EXPECT_NEAR(
      value("  c: {interpolation: cubic, x: [0, 1, 2, 3, 5], y: [0, 1, 8, 27, 125]}\n", "c(t)", 4),
      64, 1e-12);
  const std::string saw = "  s: {periodic: true, x: [0, 1, 4], y: [1, 2, 1]}\n";
  EXPECT_NEAR(value(saw, "s(t)", 0.25 + 4 * 7), 1.25, 1e-14);
  EXPECT_NEAR(value(saw, "s(t)", 0.25 - 4 * 7), 1.25, 1e-14);
}

TEST(YamlTables, MapsAreFunctionsOfTwo) {
  const std::string map =
      "  m: {x: [0, 1], y: {unit: mm, values: [0, 1000, 2000]}, z: [[0, 1, 2], [10, 11, 14]]}\n";
  EXPECT_NEAR(value(map, "m(t, 0.5)", 0.5), 5.5, 1e-14);
  EXPECT_NEAR(value(map, "m(t, 1.5)", 1), 12.5, 1e-14);
}

TEST(YamlTables, ServeParametersAndBodiesAndStayInTheirSubsystem) {
  const model::Model model = read(
      "tables: {k: {x: [0, 1], y: [3, 5]}}\n"
      "parameters: {m: \"k(0.5)\"}\n"
      "bodies: {a: {mass: k(1)*m, particle: true}}\n"
      "subsystems: {s: {model: {tables: {k: {x: [0, 1], y: [1, 2]}}, parameters: {n: k(1)}}}}\n");
  EXPECT_EQ(model.parameters.at(0).value, 4);
  EXPECT_EQ(model.bodies.at(1).mass.mass, 20);
  EXPECT_EQ(model.parameters.at(1).value, 2);
  EXPECT_EQ(model.tables.at(1).name, "s.k");
  EXPECT_NE(model.tables.at(0).function, model.tables.at(1).function);
}

// A motion q(t) = t³ by five points of it: speed and acceleration are its derivatives, exactly.
TEST(YamlTables, AMotionByPointsHasTheAccelerationOfTheCurve) {
  const model::Model model = read(
      "tables: {q: {interpolation: cubic, x: [0, 0.5, 1, 2, 3], y: [0, 0.125, 1, 8, 27]}}\n"
      "bodies: {cart: {mass: 2.5, particle: true}}\n"
      "joints: {rail: {type: prismatic, from: world, to: cart, motion: q(t)}}\n");
  const symbolic::Expr time = symbolic::Expr::symbol("t");
  const symbolic::Expr q = model.joints.at(0).motion.at(0), v = symbolic::differentiate(q, time);
  const std::vector<std::string> names{"t"};
  const symbolic::Tape tape(std::vector{q, v, symbolic::differentiate(v, time)}, names);
  for (const double t : {0.1, 0.5, 1.7, 2.9}) {
    const std::vector<double> motion = tape.evaluate(std::vector{t});
    EXPECT_NEAR(motion[0], t * t * t, 1e-13);
    EXPECT_NEAR(motion[1], 3 * t * t, 1e-12);
    EXPECT_NEAR(motion[2], 6 * t, 1e-11);
  }
}

class YamlTableFiles : public testing::Test {
 protected:
  YamlTableFiles() { fs::create_directories(directory_); }
  ~YamlTableFiles() override { fs::remove_all(directory_); }

  std::string message(const std::string& csv, const std::string& keys = "file: t.csv") const {
    std::ofstream(directory_ / "t.csv", std::ios::binary) << csv;
    base::Diagnostics warnings;
    try {
      read_yaml_text("couplet: 1\ntables:\n  g: {" + keys +
                         "}\noutputs: {f: {value: \"g(1)\"}, h: {value: \"g(2)\"}}\n",
                     (directory_ / "m.yaml").string(), {}, warnings);
      return "fine";
    } catch (const base::UserError& error) {
      std::string text = error.what();
      const std::string prefix = directory_.string() + "/";
      for (size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
      return text;
    }
  }

  const fs::path directory_ =
      fs::temp_directory_path() / ("couplet_tables_" + std::to_string(::getpid()));
};

TEST_F(YamlTableFiles, AreReadWithUnitsAndColumnsByName) {
  EXPECT_EQ(message("x,y\n0,1\n3,2\n"), "fine");
  EXPECT_EQ(message("x,y\r\n0,1\r\n\r\n3,2"), "fine");  // no line feed at the end
  EXPECT_EQ(message("a [mm],t [s],b [N]\n0,1,2\n3000,2,3\n", "file: t.csv, x: a, y: b"), "fine");
}

TEST_F(YamlTableFiles, MistakesHaveTheirPlace) {
  using testing::HasSubstr;
  EXPECT_THAT(message("x,y\n0,1\n"), HasSubstr("t.csv:1: error: table 'g': 'x' has 1 value"));
  EXPECT_THAT(message("x,y\n"), HasSubstr("'x' has 0 values"));
  EXPECT_THAT(message(""), HasSubstr("this file has no header"));
  EXPECT_THAT(message("0,1\n1,2\n"), HasSubstr("numbers where names should be"));
  EXPECT_THAT(message("x;y\n0;1\n"), HasSubstr("not separated by commas"));
  EXPECT_THAT(message("x,y\n0,1\n\n2,3\n1,2\n"),
              HasSubstr("t.csv:5: error: table 'g': 'x' does not increase: 1 comes after 2"));
  EXPECT_THAT(message("x,y\n0,1\n2,\n"),
              HasSubstr("t.csv:3: error: table 'g': value 2 of 'y' is missing or not a number"));
  EXPECT_THAT(message("x,y\n0,1\nnan,2\n"), HasSubstr("t.csv:3: error: table 'g': value 2 of 'x'"));
  EXPECT_THAT(message("x,y\n0,1\n2,inf\n"), HasSubstr("value 2 of 'y' is out of range"));
  EXPECT_THAT(message("x,y\n0,1,2\n"), HasSubstr("t.csv:2:5: error: table 'g': this row has more"));
  EXPECT_THAT(message("x,y\n0\n"), HasSubstr("this row has 1 values, the header 2 names"));
  EXPECT_THAT(message("x,y\n0,one\n"), HasSubstr("'one' is not a number"));
  EXPECT_THAT(message("x [foo],y\n0,1\n2,3\n"),
              HasSubstr("t.csv:1: error: table 'g': unknown unit 'foo'"));
  EXPECT_THAT(message("x,y,z\n0,1,2\n"), HasSubstr("has 3 columns, a table needs two"));
  EXPECT_THAT(message("x,y\n0,1\n2,3\n", "file: t.csv, x: X, y: y"),
              HasSubstr("m.yaml:3:23: error: table 'g': t.csv has no column 'X'"));
  EXPECT_THAT(message("", "file: no.csv"), HasSubstr("m.yaml:3:13: error: table 'g': file 'no.csv' "
                                                     "does not exist"));
  EXPECT_THAT(message("", "file: ."), HasSubstr("is a directory"));
  ASSERT_EQ(::mkfifo((directory_ / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(message("", "file: fifo"), HasSubstr("is not a regular file"));
  fs::resize_file(directory_ / "t.csv", 65L << 20);
  std::ofstream(directory_ / "huge.csv") << "x,y\n";
  fs::resize_file(directory_ / "huge.csv", 65L << 20);
  EXPECT_THAT(message("", "file: huge.csv"), HasSubstr("the limit is 64 MB"));
}

std::string table(const std::string& keys) {
  return bad_yaml::model("tables:\n  g: {" + keys + "}\n");
}

const std::vector<bad_yaml::BadYaml> cases = {
    {"NoX", table("y: [1, 2]"), "3:6: error: table 'g' has no 'x'", "add the key x"},
    {"NotAList", table("x: 1, y: [1, 2]"),
     "3:10: error: table 'g': expected a list of numbers for x, got '1'", "write [0, 1.5"},
    {"NotANumber", table("x: [0, a], y: [1, 2]"), "3:14: error: unknown name 'a'",
     "write a number, with a unit"},
    {"OneRow", table("x: [0], y: [1]"), "3:10: error: table 'g': 'x' has 1 value",
     "give at least two points"},
    {"Empty", table("x: [], y: []"), "3:10: error: table 'g': 'x' has 0 values",
     "give at least two points"},
    {"Lengths", table("x: [0, 1, 2], y: [1, 2]"),
     "3:24: error: table 'g': 'x' has 3 values, 'y' has 2", "give one value for each point"},
    {"NotAscending", table("x: [0, 2, 2], y: [1, 2, 3]"),
     "3:17: error: table 'g': 'x' does not increase: 2 comes after 2", "sort the rows"},
    {"NaN", table("x: [0, .nan], y: [1, 2]"), "3:14: error: '.nan' is not a finite number",
     "give a finite number"},
    {"EmptyCell", table("x: [0, ~], y: [1, 2]"),
     "3:14: error: expected a value (any unit), got nothing", "write a number"},
    {"Unit", table("x: {unit: mn, values: [0, 1]}, y: [1, 2]"),
     "3:17: error: table 'g': unknown unit 'mn'", "did you mean"},
    {"UnitTwice", table("x: {unit: mm, values: [0, 1 mm]}, y: [1, 2]"),
     "3:33: error: table 'g': expected a number, got '1 mm'", "the unit of the column counts"},
    {"Interpolation", table("x: [0, 1], y: [1, 2], interpolation: cubik"),
     "3:44: error: table 'g': interpolation cannot be 'cubik'", "did you mean 'cubic'?"},
    {"Outside", table("x: [0, 1], y: [1, 2], outside: extrapolate"),
     "3:38: error: table 'g': outside cannot be 'extrapolate'",
     "choose one of refuse, hold, linear"},
    {"PeriodicOutside", table("x: [0, 1], y: [1, 1], periodic: true, outside: hold"),
     "3:45: error: table 'g': a periodic table has no outside", "leave out one"},
    {"NotPeriodic", table("x: [0, 1], y: [1, 2], periodic: true"),
     "3:25: error: table 'g': a periodic table ends with the value it begins with, here 1, not 2",
     "repeat the first value"},
    {"TooSteep", table("x: [0, 1e-300], y: [0, 1e55]"),
     "3:11: error: table 'g': the points are too close to each other: the slope is infinite",
     "leave out rows"},
    {"CubicMap", table("x: [0, 1], y: [1, 2], z: [[0, 1], [2, 3]], interpolation: cubic"),
     "3:29: error: table 'g': a table of x and y is linear, not periodic and no file",
     "leave out interpolation"},
    {"MapRows", table("x: [0, 1], y: [1, 2], z: [[0, 1]]"),
     "3:32: error: table 'g': z has one row for each of the 2 values of x", "write [[z("},
    {"MapColumns", table("x: [0, 1], y: [1, 2], z: [[0, 1], [2]]"),
     "3:41: error: table 'g': this row of z has 1 values, y has 2", "give one value"},
    {"NameOfAFunction", bad_yaml::model("tables: {sin: {x: [0, 1], y: [0, 1]}}\n"),
     "2:10: error: a table cannot be called 'sin': there is a function of that name",
     "use letters"},
    {"NoSuchTable", table("x: [0, 1], y: [0, 1]") + "outputs: {a: {value: \"gg(1)\"}}\n",
     "4:23: error: there is no function 'gg'", "did you mean 'g'?"},
    {"TwoArguments", table("x: [0, 1], y: [0, 1]") + "outputs: {a: {value: \"g(1, 2)\"}}\n",
     "4:23: error: g takes 1 argument, but has 2", "write g(x)"},
};

TEST(YamlTables, MistakesAreReportedWithTheirPlace) { bad_yaml::expect_messages(cases); }

}  // namespace
}  // namespace couplet::formats
