#include "couplet/symbolic/parse.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

namespace couplet::symbolic {
namespace {

Expr s(const char* name) { return Expr::symbol(name); }

TEST(Parse, ReadsForceLaws) {
  EXPECT_EQ(parse("k*(target - q) - d*v"), s("k") * (s("target") - s("q")) - s("d") * s("v"));
  EXPECT_EQ(parse("left.arm.elbow.q"), s("left.arm.elbow.q"));
  EXPECT_EQ(parse("'left arm'.'it\\'s'.q + 1"), s("'left arm'.'it\\'s'.q") + 1);
  EXPECT_EQ(parse("if q < 0 then -k*q else 0"), select(less(s("q"), 0), -(s("k") * s("q")), 0));
  EXPECT_EQ(parse(" 2.5e-3\t*\n t "), 0.0025 * s("t"));
  EXPECT_EQ(parse("atan2(y, x) + max(1, 2)"), atan2(s("y"), s("x")) + 2);
}

TEST(Parse, OperatorsBindAsInMathematics) {
  const auto value = [](const char* text) { return parse(text).value(); };
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("8 - 4 - 2"), 2);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("1 < 2 and not 3 < 2"), 1);
  EXPECT_EQ(value("true or false and false"), 1);
  EXPECT_EQ(value("not 1 == 2"), 1);
  EXPECT_EQ(value("1 + 1 >= 2"), 1);
  EXPECT_EQ(value("if 1 > 2 then 10 else if 1 != 2 then 20 else 30"), 20);
  EXPECT_EQ(value("2*(if true then 3 else 4)"), 6);
  EXPECT_EQ(value("mod(-1, 3)"), 2);
  EXPECT_EQ(value("pi"), std::numbers::pi);
  EXPECT_EQ(value(".5 + 1."), 1.5);
}

struct Bad {
  std::string text;
  int column;
  std::string what;
  std::string fix;
};

TEST(Parse, EveryMistakeHasItsColumnItsMessageAndAFix) {
  const Bad list[] = {
      {"", 10, "the expression is empty", "write a number, a name or a formula"},
      {"   ", 13, "the expression is empty", "write a number, a name or a formula"},
      {"1 +", 13, "expected a number, a name or '(', found the end of the expression",
       "complete the expression"},
      {"1 + * 2", 14, "expected a number, a name or '(', found '*'", "write an operand here"},
      {"2x", 11, "expected an operator, found 'x'", "write '*' in front of it to multiply"},
      {"2(x)", 11, "expected an operator, found '('", "write '*' in front of it to multiply"},
      {"a b", 12, "expected an operator, found 'b'", "write '*' in front of it to multiply"},
      {"(a + b", 10, "this '(' is not closed", "add a ')'"},
      {"a + b)", 15, "expected an operator, found ')'", "remove it, or open a '(' in front"},
      {"sni(x)", 10, "there is no function 'sni'", "did you mean 'sin'?"},
      {"a.sin(x)", 10, "there is no function 'a.sin'", "did you mean 'asin'?"},
      {"1 + sin(x, y)", 14, "sin takes 1 argument, but has 2", "write sin(x)"},
      {"atan2(x)", 10, "atan2 takes 2 arguments, but has 1", "write atan2(a, b)"},
      {"sin()", 10, "sin takes 1 argument, but has 0", "write sin(x)"},
      {"sin(x", 13, "this '(' is not closed", "add a ')'"},
      {"a < b < c", 16, "comparisons cannot be chained", "write a < b and b < c"},
      {"a = b", 12, "'=' has no meaning here", "write '==' to compare"},
      {"a && b", 12, "'&&' has no meaning here", "write 'and'"},
      {"a || b", 12, "'||' has no meaning here", "write 'or'"},
      {"!a", 10, "'!' has no meaning here", "write 'not'"},
      {"a ** 2", 12, "'**' has no meaning here", "write '^' for powers"},
      {"q[2]", 11, "'[' has no meaning here", "write names with dots, as in chain.2.q"},
      {"if a then b", 21, "expected 'else', found the end of the expression",
       "write if condition then value else value; both values are needed"},
      {"if a b", 15, "expected 'then', found 'b'", "write if condition then value else value"},
      {"1 + if a then b else c", 14, "an 'if' inside a formula needs parentheses",
       "write (if c then a else b)"},
      {"a then b", 12, "expected an operator, found 'then'",
       "write if condition then value else value"},
      {"1,5", 11, "expected an operator, found ','", "remove it; decimals are written with a dot"},
      {"1e999", 10, "'1e999' is not a number that fits",
       "write a number between 1e-307 and 1e308, or 0"},
      {"a.", 12, "a name ends with a dot", "remove the dot, or write the name behind it"},
      {"a + 'open", 14, "the quote that opens this name is not closed",
       "add a ' at the end of the name"},
      {"a + $", 14, "'$' has no meaning here",
       "write unusual names in single quotes, or remove the character"},
      {"'ä' + é", 16, "'é' has no meaning here",
       "write unusual names in single quotes, or remove the character"},
  };
  const auto file = base::FileName("arm.yaml");
  for (const Bad& bad : list) {
    try {
      parse(bad.text, {file, 3, 10});
      ADD_FAILURE() << bad.text << ": must not parse";
    } catch (const base::UserError& error) {
      ASSERT_EQ(error.diagnostics().size(), 1u);
      const base::Diagnostic& d = error.diagnostics()[0];
      EXPECT_EQ(d.where.str(), "arm.yaml:3:" + std::to_string(bad.column)) << bad.text;
      EXPECT_EQ(d.what, bad.what) << bad.text;
      EXPECT_EQ(d.fix, bad.fix) << bad.text;
    }
  }
}

std::string message(const std::string& text) {
  try {
    parse(text, {{}, 3, 10});
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "parsed";
}

TEST(Parse, CountsLinesOfLongTexts) {
  EXPECT_TRUE(message("a +\n  b +\n    $").starts_with(":5:5: error: '$'")) << message("a +\n$");
}

TEST(Parse, DepthAndLengthAreBounded) {
  const std::string deep = "nested more than 1000 levels deep";
  for (const char* level :
       {"(", "-", "not ", "sin(", "2^", "if a then b else ", "a or b and c==d+e*("}) {
    std::string text;
    while (text.size() < 100000) text += level;
    EXPECT_NE(message(text).find(deep), std::string::npos) << level;
  }
  EXPECT_EQ(message(fmt::format("{0:(>900}x{0:)>900}", "")), "parsed");
  EXPECT_NE(message(std::string(2000000, '1')).find("bytes long"), std::string::npos);

  std::string sum = "a0";
  for (int i = 1; sum.size() < 1000000; ++i) sum += " + a" + std::to_string(i % 1000) + "*b";
  EXPECT_EQ(message(sum), "parsed");  // long is fine
}

TEST(Parse, ArbitraryBytesGiveAMessageOrAnExpression) {
  std::mt19937 random(20240501);
  const std::string alphabet = "aqx.'12e+-*/^()<>=!, \n\\sincosifthenelseandornotpi$\xc3\xa4";
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 40, ' ');
    for (char& c : text)
      c = i % 2 ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
    EXPECT_FALSE(message(text).empty());
  }
}

}  // namespace
}  // namespace couplet::symbolic
