// Tables against values that were worked out by hand; the derivation stands beside each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "couplet/base/diagnostics.hpp"
#include "couplet/modelica/tables/inflate.hpp"
#include "couplet/modelica/tables/matlab.hpp"
#include "couplet/modelica/tables/table.hpp"

namespace couplet::modelica::tables {
namespace {

using enum Smoothness;

constexpr double round_off = 1e-14;  // a handful of operations on numbers near 1

Matrix columns(const std::vector<double>& u, const std::vector<double>& y) {
  Matrix m{u.size(), 2};
  for (size_t i = 0; i < u.size(); ++i) m.values.insert(m.values.end(), {u[i], y[i]});
  return m;
}

Table1D make(const std::vector<double>& u, const std::vector<double>& y, Smoothness s,
             Extrapolation e = Extrapolation::last_two_points) {
  return Table1D(columns(u, y), {2}, s, e);
}

void expect_sample(const Sample& s, double value, double slope, double curvature = 0) {
  EXPECT_NEAR(s.value, value, round_off * 10);
  EXPECT_NEAR(s.slope, slope, round_off * 10);
  EXPECT_NEAR(s.curvature, curvature, round_off * 100);
}

TEST(Table1D, LinearSegmentsJoinThePoints) {
  const Table1D t = make({0, 1, 3}, {0, 2, 4}, linear);
  expect_sample(t.at(0.5, 1), 1, 2);
  expect_sample(t.at(2, 1), 3, 1);
  expect_sample(t.at(3, 1), 4, 1);
}

TEST(Table1D, GoesBeyondItsEndsAsAsked) {
  const std::vector<double> u = {0, 1, 3}, y = {0, 2, 4};
  expect_sample(make(u, y, linear, Extrapolation::hold).at(5, 1), 4, 0);
  expect_sample(make(u, y, linear, Extrapolation::hold).at(-5, 1), 0, 0);
  expect_sample(make(u, y, linear).at(5, 1), 6, 1);
  expect_sample(make(u, y, linear).at(-1, 1), -2, 2);
  expect_sample(make(u, y, linear, Extrapolation::periodic).at(3.5, 1), 1, 2);     // 0.5
  expect_sample(make(u, y, linear, Extrapolation::periodic).at(-1, 1), 3, 1);      // 2
  expect_sample(make(u, y, linear, Extrapolation::periodic).at(-7.5, 1), 2.5, 1);  // 1.5
  EXPECT_THROW(make(u, y, linear, Extrapolation::none).at(5, 1), base::ComputationError);
  expect_sample(make(u, y, linear, Extrapolation::none).at(3, 1), 4, 1);
}

TEST(Table1D, ConstantSegmentsHoldThePointBefore) {
  const Table1D t = make({0, 1, 3}, {5, 6, 8}, constant);
  expect_sample(t.at(0.9, 1), 5, 0);
  expect_sample(t.at(1, 1), 6, 0);
  expect_sample(t.at(3, 1), 8, 0);
  expect_sample(t.at(4, 1), 9, 1);  // the line through the last two points
}

// Divided differences 0, 0, 1, 0, continued by -1, -2 to the right: slopes 0, 0, 0, 1/2, -1/2.
// In the middle of an interval y = (y₀ + y₁)/2 + h (s₀ - s₁)/8.
TEST(Table1D, AkimaByHand) {
  const Table1D t = make({0, 1, 2, 3, 4}, {0, 0, 0, 1, 1}, continuous_derivative);
  EXPECT_NEAR(t.at(1.5, 1).value, 0, round_off);
  EXPECT_NEAR(t.at(2.5, 1).value, 0.5 - 0.5 / 8, round_off);
  EXPECT_NEAR(t.at(3.5, 1).value, 1 + 1.0 / 8, round_off);
  expect_sample(t.at(6, 1), 0, -0.5);  // along the slope of the last point
  EXPECT_NEAR(t.at(3, 1).slope, 0.5, round_off);
}

// Equal weights everywhere, so slopes are central differences, exact for a parabola.
TEST(Table1D, AkimaReproducesParabolas) {
  const Table1D t = make({0, 1, 2, 3, 4, 5}, {0, 1, 4, 9, 16, 25}, continuous_derivative);
  for (const double u : {0.0, 0.1, 2.3, 4.9, 5.0}) expect_sample(t.at(u, 1), u * u, 2 * u, 2);
}

// Differences 1, 2, 1, 4. Weights at the third point: before |4-1| = 3, after |2-1| = 1; the
// modified rule adds |4+1|/2 and |2+1|/2.
TEST(Table1D, ModifiedAkimaByHand) {
  const std::vector<double> u = {0, 1, 2, 3, 4}, y = {0, 1, 3, 4, 8};
  EXPECT_NEAR(make(u, y, continuous_derivative).at(2, 1).slope, (3 * 2 + 1) / 4.0, round_off);
  EXPECT_NEAR(make(u, y, modified).at(2, 1).slope, (5.5 * 2 + 2.5) / 8, round_off);
}

TEST(Table1D, MonotoneSlopesByHand) {
  // h = 1, 2; differences 1, 1/2: 3 (1+2) / ((1+4)/1 + (2+2)/(1/2)) = 9/13.
  EXPECT_NEAR(make({0, 1, 3}, {0, 1, 2}, monotone1).at(1, 1).slope, 9.0 / 13, round_off);
  // Steffen: (1·2 + ½·1)/3 = 5/6, below the bound 2·½.
  EXPECT_NEAR(make({0, 1, 3}, {0, 1, 2}, monotone2).at(1, 1).slope, 5.0 / 6, round_off);
  // Differences 1, 0.1: (2 + 0.1)/3 = 0.7 is cut to 2·0.1.
  EXPECT_NEAR(make({0, 1, 3}, {0, 1, 1.2}, monotone2).at(1, 1).slope, 0.2, round_off);
  for (const Smoothness s : {monotone1, monotone2})  // a local maximum
    EXPECT_EQ(make({0, 1, 2}, {0, 1, 0}, s).at(1, 1).slope, 0);
}

TEST(Table1D, DerivativesAreThoseOfTheValue) {
  const std::vector<double> u = {-1, 0.5, 1, 2.5, 4}, y = {3, 1, 2, 2, 7};
  for (const Smoothness s : {linear, continuous_derivative, monotone1, monotone2, modified}) {
    const Table1D t = make(u, y, s);
    constexpr double h = 1e-5;
    for (const double x : {-2.0, -0.3, 0.7, 1.9, 3.3, 5.0}) {
      const double low = t.at(x - h, 1).value, mid = t.at(x, 1).value, high = t.at(x + h, 1).value;
      EXPECT_NEAR(t.at(x, 1).slope, (high - low) / (2 * h), 1e-8);
      EXPECT_NEAR(t.at(x, 1).curvature, (high - 2 * mid + low) / (h * h), 1e-4);
    }
  }
}

TEST(Table1D, SmallAndWrongTables) {
  expect_sample(Table1D({1, 2, {1, 7}}, {2}, linear, Extrapolation::none).at(99, 1), 7, 0);
  expect_sample(make({0, 2}, {1, 5}, continuous_derivative).at(1, 1), 3, 2);
  EXPECT_THROW(make({0, 0}, {1, 2}, linear), base::UserError);
  EXPECT_THROW(make({1, 0}, {1, 2}, linear), base::UserError);
  EXPECT_THROW(make({0, std::nan("")}, {1, 2}, linear), base::UserError);
  EXPECT_THROW(Table1D({1, 2, {1, 7}}, {3}, linear, Extrapolation::none), base::UserError);
  EXPECT_THROW(Table1D({}, {2}, linear, Extrapolation::none), base::UserError);
  EXPECT_THROW(make({0, 1}, {1, 2}, linear).at(0, 2), base::ComputationError);
}

Matrix grid(const std::vector<double>& x, const std::vector<double>& y,
            const std::vector<double>& g, const std::vector<double>& h) {  // z = g(x) h(y)
  Matrix m{x.size() + 1, y.size() + 1};
  m.values.push_back(0);
  m.values.insert(m.values.end(), y.begin(), y.end());
  for (size_t i = 0; i < x.size(); ++i) {
    m.values.push_back(x[i]);
    for (size_t j = 0; j < y.size(); ++j) m.values.push_back(g[i] * h[j]);
  }
  return m;
}

TEST(Table2D, BilinearByHand) {
  const Table2D t({3, 3, {0, 0, 1, /**/ 0, 1, 2, /**/ 2, 3, 6}}, linear,
                  Extrapolation::last_two_points);
  const Sample2D s = t.at(1, 0.5);
  EXPECT_NEAR(s.value, 3, round_off);  // the mean of the corners
  EXPECT_NEAR(s.d1, 1.5, round_off);   // (4.5 - 1.5) / 2
  EXPECT_NEAR(s.d2, 2, round_off);     // 4 - 2
  EXPECT_NEAR(s.d12, 1, round_off);    // (6 - 3 - 2 + 1) / 2
  EXPECT_NEAR(t.at(4, 0).value, 5, round_off);
  EXPECT_EQ(
      Table2D({3, 3, {0, 0, 1, 0, 1, 2, 2, 3, 6}}, linear, Extrapolation::hold).at(4, 9).value, 6);
}

// Akima's weights of g(x) h(y) along one axis do not depend on the place on the other, so the
// surface is the product of the two curves: inside, beyond the ends, and with all derivatives.
TEST(Table2D, AkimaOfAProductIsTheProductOfAkimas) {
  const std::vector<double> x = {0, 1, 2.5, 3, 4}, g = {1, 3, 2, 5, 4};
  const std::vector<double> y = {-1, 0, 2, 3}, h = {2, 1, 4, 3};
  const Table2D surface(grid(x, y, g, h), continuous_derivative, Extrapolation::last_two_points);
  const Table1D a = make(x, g, continuous_derivative), b = make(y, h, continuous_derivative);
  for (const double u : {-0.7, 0.2, 1.0, 2.7, 3.9, 4.5})
    for (const double v : {-1.5, -0.4, 1.3, 2.0, 2.9, 3.4}) {
      const Sample2D s = surface.at(u, v);
      const Sample p = a.at(u, 1), q = b.at(v, 1);
      constexpr double tolerance = 1e-12;  // values up to 50
      EXPECT_NEAR(s.value, p.value * q.value, tolerance);
      EXPECT_NEAR(s.d1, p.slope * q.value, tolerance);
      EXPECT_NEAR(s.d2, p.value * q.slope, tolerance);
      EXPECT_NEAR(s.d11, p.curvature * q.value, tolerance * 10);
      EXPECT_NEAR(s.d12, p.slope * q.slope, tolerance * 10);
      EXPECT_NEAR(s.d22, p.value * q.curvature, tolerance * 10);
    }
}

TEST(Table2D, SmallAndWrongTables) {
  const Table2D one({2, 2, {0, 1, 1, 7}}, linear, Extrapolation::last_two_points);
  EXPECT_EQ(one.at(5, 5).value, 7);
  EXPECT_THROW(Table2D({1, 2, {0, 1}}, linear, Extrapolation::hold), base::UserError);
  EXPECT_THROW(Table2D({2, 2, {0, 1, 1, 7}}, monotone1, Extrapolation::hold), base::UserError);
}

TEST(TimeTable, JumpsHaveTwoSides) {
  const TimeTable t(columns({0, 1, 1, 2}, {0, 1, 2, 2}), {2}, linear, Extrapolation::hold, {});
  EXPECT_EQ(t.at(1, 1).value, 2);
  EXPECT_EQ(t.at(1, 1, true).value, 1);
  EXPECT_EQ(t.at(3, 1).value, 2);
  const TimeTable last(columns({0, 1, 1}, {0, 1, 2}), {2}, linear, Extrapolation::hold, {});
  EXPECT_EQ(last.at(1, 1).value, 2);
  EXPECT_EQ(last.at(1, 1, true).value, 1);
  // BooleanTable begins with two rows at its first time: before it, the first of them.
  const TimeTable first(columns({2, 2, 4}, {0, 1, 0}), {2}, Smoothness::constant,
                        Extrapolation::hold, {});
  EXPECT_EQ(first.at(1, 1).value, 0);
  EXPECT_EQ(first.at(2, 1).value, 1);
}

TEST(TimeTable, SaysWhenItJumpsOrBends) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const Matrix m = columns({0, 1, 2, 2, 3}, {0, 1, 1, 2, 2});
  const auto next = [&](TimeEvents events, double t) {
    return TimeTable(m, {2}, linear, Extrapolation::hold, {.events = events}).next_event(t);
  };
  EXPECT_EQ(next(TimeEvents::always, 0), 1);
  EXPECT_EQ(next(TimeEvents::always, 1), 2);
  EXPECT_EQ(next(TimeEvents::always, 3), never);
  EXPECT_EQ(next(TimeEvents::at_discontinuities, 0), 2);
  EXPECT_EQ(next(TimeEvents::at_discontinuities, 2), never);
  EXPECT_EQ(next(TimeEvents::none, 0), never);
}

TEST(TimeTable, PeriodsFollowOneAnother) {
  const TimeTable t(columns({0, 1}, {0, 1}), {2}, linear, Extrapolation::periodic,
                    {.events = TimeEvents::at_discontinuities});
  EXPECT_NEAR(t.at(2.25, 1).value, 0.25, round_off);
  EXPECT_EQ(t.at(1, 1).value, 0);
  EXPECT_EQ(t.at(1, 1, true).value, 1);
  EXPECT_EQ(t.next_event(0.3), 1);
  EXPECT_EQ(t.next_event(1), 2);
  EXPECT_EQ(t.next_event(7.5), 8);
}

TEST(TimeTable, StartAndShift) {
  const TimeTable t(columns({0, 4}, {0, 4}), {2}, linear, Extrapolation::hold,
                    {.start_time = 1, .shift_time = 0.5, .events = TimeEvents::always});
  EXPECT_EQ(t.at(0.9, 1).value, 0);
  EXPECT_EQ(t.at(1, 1, true).value, 0);
  EXPECT_NEAR(t.at(1.25, 1).value, 0.75, round_off);
  EXPECT_EQ(t.next_event(0), 1);
  EXPECT_EQ(t.next_event(1), 4.5);
}

// ---- files --------------------------------------------------------------------------------------

class TableFile : public testing::Test {
 protected:
  std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("couplet-tables-" + std::to_string(getpid()));
  void SetUp() override { std::filesystem::create_directories(root); }
  void TearDown() override { std::filesystem::remove_all(root); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(root / name, std::ios::binary) << text;
    return (root / name).string();
  }
};

TEST_F(TableFile, Text) {
  const std::string file =
      write("t.txt",
            "#1\ndouble a(2,2) # first\n0 1\n2 3\n\nfloat b(2,3)\n1 2 # half a row\n3,4;5 +6e1\n");
  EXPECT_EQ(read_table({file, "a"}).values, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(read_table({file, "b"}).values, (std::vector<double>{1, 2, 3, 4, 5, 60}));
  EXPECT_EQ(read_table({file, "b"}).columns, 3u);
}

TEST_F(TableFile, WrongTextIsRefusedWithItsLine) {
  const auto message = [&](const std::string& text) -> std::string {
    try {
      read_table({write("w.txt", text), "a"});
    } catch (const base::UserError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message("double a(1,1)\n1\n"), testing::HasSubstr("'#1'"));
  EXPECT_THAT(message("#1\ndouble b(1,1)\n1\n"), testing::HasSubstr("no table 'a'"));
  EXPECT_THAT(message("#1\ndouble a(2,2)\n1 2 3\n"), testing::HasSubstr("3 numbers"));
  EXPECT_THAT(message("#1\ndouble a(1,2)\n1 x\n"), testing::HasSubstr("w.txt:3"));
  EXPECT_THAT(message("#1\ndouble a(99999999999,99999999999)\n1\n"),
              testing::HasSubstr("larger than the file"));
  EXPECT_THROW(read_table({(root / "none.txt").string(), "a"}), base::UserError);
}

TEST_F(TableFile, Csv) {
  const std::string file = write("t.csv", "time;x\r\n0;1\r\n1;2.5\r\n");
  EXPECT_EQ(read_table({file, "t", ";", 1}).values, (std::vector<double>{0, 1, 1, 2.5}));
  EXPECT_THROW(read_table({file, "t", ";", 0}), base::UserError);
}

std::string bytes(std::initializer_list<uint32_t> words) {
  std::string out;
  for (const uint32_t w : words) out.append(reinterpret_cast<const char*>(&w), 4);
  return out;
}
std::string bytes(const std::vector<double>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 8};
}

// [1 2; 3 4] by columns is 1 3 2 4.
std::string level5() {
  const std::string content = bytes({6, 8, 6, 0}) + bytes({5, 8, 2, 2}) + bytes({0x00010001u}) +
                              std::string("a\0\0\0", 4) + bytes({9, 32}) +
                              bytes(std::vector<double>{1, 3, 2, 4});
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  header += std::string("\x00\x01", 2) + "IM";
  return header + bytes({14, static_cast<uint32_t>(content.size())}) + content;
}

TEST(Matlab, BothLevels) {
  const std::string four =
      bytes({0, 2, 2, 0, 2}) + std::string("a\0", 2) + bytes(std::vector<double>{1, 3, 2, 4});
  for (const std::string& file : {four, level5()}) {
    const auto m = find_matlab_matrix(file, "a");
    ASSERT_TRUE(m);
    EXPECT_EQ(m->values, (std::vector<double>{1, 2, 3, 4}));
    EXPECT_FALSE(find_matlab_matrix(file, "b"));
  }
}

TEST(Matlab, DamagedFilesAreRefused) {
  const std::string file = level5();
  for (size_t size = 0; size < file.size(); ++size) {
    try {
      find_matlab_matrix(file.substr(0, size), "a");
    } catch (const base::UserError&) {
    }
  }
  for (size_t i = 0; i < file.size(); ++i)
    for (const char c : {'\0', '\x7f', '\xff'}) {
      std::string damaged = file;
      damaged[i] = c;
      try {
        find_matlab_matrix(damaged, "a");
      } catch (const base::UserError&) {
      }
    }
}

TEST(Inflate, ThreeKindsOfBlocks) {
  // Made with zlib: fixed codes, stored, dynamic codes.
  constexpr unsigned char fixed[] = {0x78, 0xda, 0x4b, 0xce, 0x2f, 0x2d, 0xc8, 0x49, 0x2d,
                                     0x51, 0x48, 0x46, 0xa5, 0x01, 0x6e, 0x45, 0x09, 0x35};
  constexpr unsigned char stored[] = {0x78, 0x01, 0x01, 0x05, 0x00, 0xfa, 0xff, 0x70,
                                      0x6c, 0x61, 0x69, 0x6e, 0x06, 0x48, 0x02, 0x15};
  constexpr unsigned char dynamic[] = {
      0x78, 0xda, 0x25, 0x4e, 0xdb, 0x15, 0x00, 0x20, 0x14, 0x99, 0x15, 0xd7, 0xfe, 0x2b, 0x84,
      0x4e, 0x1f, 0xe5, 0x15, 0x10, 0x00, 0x92, 0xc7, 0x5c, 0x79, 0x08, 0x26, 0x8c, 0xb2, 0x40,
      0x48, 0x1e, 0xe8, 0x29, 0x2c, 0x81, 0xda, 0xc2, 0xe1, 0x8c, 0xd8, 0x6c, 0x0e, 0x41, 0x6c,
      0x34, 0xc9, 0x41, 0xba, 0xf2, 0xff, 0x93, 0x3f, 0x0f, 0x4b, 0x9a, 0x86, 0x4f, 0x12, 0xf5,
      0x1f, 0x15, 0xd5, 0xc3, 0x3d, 0xfa, 0x4d, 0x0b, 0x2a, 0x06, 0xad, 0x53, 0x8b, 0xb5, 0x87,
      0xdb, 0xf5, 0xd7, 0x15, 0x5d, 0x87, 0xb4, 0xe0, 0x01, 0x17, 0x25, 0x4c, 0x97};
  const auto text = [](const auto& data) {
    return inflate({reinterpret_cast<const char*>(data), sizeof(data)}, 1000);
  };
  EXPECT_EQ(text(fixed), "couplet couplet couplet");
  EXPECT_EQ(text(stored), "plain");
  EXPECT_TRUE(text(dynamic).starts_with("acaaabbbdbaababbcaebaeacaaaaadbab"));
  EXPECT_EQ(text(dynamic).size(), 200u);
  EXPECT_THROW(inflate({reinterpret_cast<const char*>(fixed), 6}, 1000), base::UserError);
  EXPECT_THROW(inflate({reinterpret_cast<const char*>(fixed), 18}, 5), base::UserError);
  std::string changed(reinterpret_cast<const char*>(stored), sizeof(stored));
  changed[7] = 'P';  // a letter of the text: only the check sum tells
  EXPECT_THROW(inflate(changed, 1000), base::UserError);
}

}  // namespace
}  // namespace couplet::modelica::tables
