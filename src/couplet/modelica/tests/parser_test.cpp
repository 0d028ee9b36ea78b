#include "couplet/modelica/syntax/parser.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "couplet/modelica/syntax/printer.hpp"

namespace couplet::modelica {
namespace {

using testing::HasSubstr;

std::string expression(const std::string& text) {
  base::Diagnostics diagnostics;
  const auto parsed = parse_expression("test", text, diagnostics);
  if (diagnostics.has_errors()) return "error: " + diagnostics.list()[0].str();
  const std::string printed = print(*parsed->tree);
  EXPECT_EQ(printed, print(*parse_expression("test", printed, diagnostics)->tree));
  return printed;
}

std::string errors_of(const std::string& text) {
  base::Diagnostics diagnostics;
  parse("test.mo", text, diagnostics, {.annotations = true});
  std::string all;
  for (const auto& d : diagnostics.list()) all += d.str() + "\n";
  return all;
}

TEST(Parser, OperatorsBindAsTheSpecificationSays) {
  EXPECT_EQ(expression("1+2*3^2"), "1 + 2 * 3 ^ 2");
  EXPECT_EQ(expression("(1+2)*3"), "(1 + 2) * 3");
  EXPECT_EQ(expression("a-(b-c)"), "a - (b - c)");
  EXPECT_EQ(expression("(a-b)-c"), "a - b - c");
  EXPECT_EQ(expression("-a*b"), "-a * b");
  EXPECT_EQ(expression("(-a)*b"), "(-a) * b");
  EXPECT_EQ(expression("a*(-b)"), "a * (-b)");
  EXPECT_EQ(expression("-a^2"), "-a ^ 2");
  EXPECT_EQ(expression("(a^b)^c"), "(a ^ b) ^ c");
  EXPECT_EQ(expression("a < -b"), "a < -b");
  EXPECT_EQ(expression("not a and not b or c"), "not a and not b or c");
  EXPECT_EQ(expression("a and (b or c)"), "a and (b or c)");
  EXPECT_EQ(expression("a and (b and c)"), "a and (b and c)");
  EXPECT_EQ(expression("not (a and b)"), "not (a and b)");
  EXPECT_EQ(expression("1:2:n+1"), "1:2:n + 1");
  EXPECT_EQ(expression("if a then b elseif c then d else e"), "if a then b elseif c then d else e");
  EXPECT_EQ(expression("(if a then b else c) + 1"), "(if a then b else c) + 1");
  EXPECT_EQ(expression("a .* b ./ c .^ d .+ 1.0"), "a .* b ./ c .^ d .+ 1.0");
  EXPECT_EQ(expression("2.*x"), "2 .* x");
  EXPECT_EQ(expression("2.e3"), "2000.0");
}

TEST(Parser, ReadsReferencesCallsAndArrays) {
  EXPECT_EQ(expression("a.b[1, :].c"), "a.b[1, :].c");
  EXPECT_EQ(expression(".A.f(x, y = 2)"), ".A.f(x, y = 2)");
  EXPECT_EQ(expression("f(function g(a = 1), b = function h())"),
            "f(function g(a = 1), b = function h())");
  EXPECT_EQ(expression("{i*j for i in 1:3, j}"), "{i * j for i in 1:3, j}");
  EXPECT_EQ(expression("sum(x[i] for i in 1:3)"), "sum(x[i] for i in 1:3)");
  EXPECT_EQ(expression("[1, 2; 3, 4]"), "[1, 2; 3, 4]");
  EXPECT_EQ(expression("(a + b)[2]"), "(a + b)[2]");
  EXPECT_EQ(expression("x[end]"), "x[end]");
  EXPECT_EQ(expression("der(x) + initial()"), "der(x) + initial()");
  EXPECT_EQ(expression("'a b'.c"), "'a b'.c");
  EXPECT_EQ(expression("\"a\\\"b\""), "\"a\\\"b\"");
}

TEST(Parser, ExplainsWhatIsWrongInExpressions) {
  EXPECT_THAT(expression("2 * -3"), HasSubstr("parentheses"));
  EXPECT_THAT(expression("a < b < c"), HasSubstr("parentheses"));
  EXPECT_THAT(expression("a ^ b ^ c"), HasSubstr("parentheses"));
  EXPECT_THAT(expression("if a then b"), HasSubstr("needs a value for every case"));
  EXPECT_THAT(expression("f(1"), HasSubstr("')'"));
  EXPECT_THAT(expression("1 +"), HasSubstr("expected an expression"));
  EXPECT_THAT(expression("1e999"), HasSubstr("does not fit"));
  EXPECT_THAT(expression("\"abc"), HasSubstr("never closed"));
}

const char* const every_construct = R"(within A.B;
final encapsulated partial model M "about" 
  import A.B; import C = D.E; import F.*; import G.{H, I} "several";
  extends J.K(x = 1, redeclare replaceable model L = N(y = 2) constrainedby O, break p, break connect(a, b))
    annotation(Icon(graphics = {Line(points = {{0, 0}, {1, -1}})}));
  parameter Real p[3](each start = 1, final min = {0, 0, 0}) = {1, 2, 3} "vector" annotation(Evaluate = true);
  flow Real f, g; stream Real h; input Integer i; output Boolean o; discrete Real d; constant String s = "x";
  inner outer replaceable T t[2] if p[1] > 0 constrainedby U(z = 3) "constrained";
  redeclare final function extends ff(a = 1) output Real y; algorithm y := 1; end ff;
  type E = enumeration(one "first", two annotation(x = 1)) "numbers"; type Q = enumeration(:);
  function df = der(ff, a, b); connector Pin = flow Real[3](unit = "A");
  replaceable package P = R constrainedby S;
  operator record C "complex" operator function '+' end '+'; operator 'constructor' end 'constructor'; end C;
  expandable connector Bus end Bus; pure function pf external "C" y = pf(x, size(x, 1)) annotation(Include = "a"); end pf;
protected impure function xf external; end xf;
public
  Real x "one" + " two";
initial equation x = 1;
equation
  a = b "why"; (a, , b) = f(x); connect(a.b, c[1].d) annotation(Line()); assert(a > 0, "no");
  if a then b = 1; elseif c then b = 2; else b = 3; end if;
  for i in 1:3, j loop x[i] = j; end for;
  when {a, b} then c = 1; elsewhen d then c = 2; end when;
  if a then b else c = d;
initial algorithm
algorithm
  x := 1; (a, b) := f(c); f(x); if a then return; else break; end if;
  while a loop b := b + 1; end while; when a then b := 1; end when; for i loop end for;
  annotation(Documentation(info = "<html>"));
end M;
)";

TEST(Parser, PrintingAndParsingGivesTheSameTree) {
  base::Diagnostics diagnostics;
  std::string text = every_construct;
  text.replace(text.find("  if a then b else c = d;\n"), 26, "");
  const auto first = parse("a.mo", text, diagnostics, {.annotations = true});
  ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.list()[0].str();
  const std::string printed = print(first->tree);
  const auto second = parse("b.mo", printed, diagnostics, {.annotations = true});
  ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.list()[0].str() << printed;
  EXPECT_TRUE(same_tree(first->tree, second->tree)) << printed;
  EXPECT_EQ(printed, print(second->tree));
}

TEST(Parser, SkipsAnnotationsUntilTheyAreNeeded) {
  base::Diagnostics diagnostics;
  const auto file =
      parse("a.mo", "model M annotation(Evaluate = (true), x(y = \"(\")); end M;", diagnostics);
  const ast::Annotation* a = file->tree.classes[0].class_def->annotation;
  ASSERT_TRUE(a && !a->content);
  const ast::Modification* content =
      parse_annotation(*file->source, a->range, file->arena, diagnostics);
  ASSERT_TRUE(content);
  EXPECT_EQ(content->modifiers.size(), 2u);
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST(Parser, PointsAtTheMistakeWithACaret) {
  EXPECT_EQ(errors_of("model M\n  Real x = 1\n  Real y;\nend M;\n"),
            "test.mo:3:3: error: expected ';' after the declaration, found a name\n"
            "      Real y;\n      ^~~~\n  fix: is a ';' missing before this?\n");
  EXPECT_THAT(errors_of("model M\nend N;"), HasSubstr("write 'end M;'"));
  EXPECT_THAT(errors_of("model M Real model; end M;"),
              HasSubstr("is a keyword; choose another name"));
  EXPECT_THAT(errors_of("model M equation x := 1; end M;"), HasSubstr("write '='"));
  EXPECT_THAT(errors_of("model M algorithm x = 1; end M;"), HasSubstr("write ':='"));
  EXPECT_THAT(errors_of("model M Real x; /* no end"), HasSubstr("never closed"));
  EXPECT_THAT(errors_of("Real x;"), HasSubstr("a file holds classes"));
  EXPECT_THAT(errors_of("model M Real ä; end M;"), HasSubstr("alphabet"));
}

TEST(Parser, FindsSeveralMistakesInOneRun) {
  const std::string errors = errors_of(
      "model M\n  Real = 1;\n  Integer i;\nequation\n  x + 1;\n  y = ;\n  z = 1;\nend M;\n");
  EXPECT_THAT(errors, HasSubstr("test.mo:2:"));
  EXPECT_THAT(errors, HasSubstr("test.mo:5:"));
  EXPECT_THAT(errors, HasSubstr("test.mo:6:"));
}

TEST(Parser, BoundsNestingAndLength) {
  const std::string deep = fmt::format("{:(>100000}1{:)>100000}", "", "");
  EXPECT_THAT(expression(deep), HasSubstr("nested too deeply"));
  EXPECT_THAT(expression(std::string(100000, '{')), HasSubstr("nested too deeply"));
  EXPECT_THAT(expression(std::string(100000, '-')), HasSubstr("parentheses"));
  std::string sum = "1", nots;
  for (int i = 0; i < 100000; ++i) sum += "+1", nots += "not ";
  EXPECT_THAT(expression(sum), HasSubstr("too long"));
  EXPECT_THAT(expression(nots), HasSubstr("error"));
  std::string classes;
  for (int i = 0; i < 10000; ++i) classes += "model M ";
  EXPECT_THAT(errors_of(classes), HasSubstr("nested too deeply"));
}

// Whatever bytes come, the parser ends with a tree or a message.
TEST(Parser, SurvivesDamagedText) {
  std::mt19937 random(1);
  const std::string good = every_construct;
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (int k = 0; k < 1 + i % 4; ++k) {
      if (text.empty()) text = "model";
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        case 2:
          text.insert(at, good.substr(random() % good.size(), random() % 30));
          break;
        default:
          text.resize(at + 1);
      }
    }
    errors_of(text);
  }
  for (int i = 0; i < 500; ++i) {
    std::string bytes(random() % 200, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    errors_of(bytes);
  }
}

}  // namespace
}  // namespace couplet::modelica
