#include <array>

#include "couplet/modelica/syntax/lexer.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/tables/matlab.hpp"
#include "couplet/modelica/translate.hpp"
#include "targets.hpp"

namespace couplet::fuzz {
namespace {

using namespace modelica;

// Lexemes lie in the text, one after the other.
void fuzz_lexer(std::string_view input) {
  Source source{base::FileName("fuzz.mo"), std::string(input)};
  base::Diagnostics diagnostics;
  const std::vector<Lexeme> lexemes = tokenize(source, diagnostics);
  claim(!lexemes.empty() && lexemes.back().token == Token::end_of_file, "the text ends");
  uint32_t at = 0;
  for (const Lexeme& l : lexemes) {
    claim(l.range.begin >= at && l.range.end >= l.range.begin && l.range.end <= input.size(),
          "lexemes are in order");
    at = l.range.end;
  }
}

std::string messages(const base::Diagnostics& diagnostics) {
  std::string text;
  for (const base::Diagnostic& d : diagnostics.list()) text += d.str() + "\n";
  return text;
}

// What parses prints to text that parses to the same tree.
void fuzz_parser(std::string_view input) {
  base::Diagnostics first;
  const auto parsed = parse("fuzz.mo", std::string(input), first, {.annotations = true});
  messages(first);
  if (first.has_errors()) return;
  const std::string text = print(parsed->tree);
  base::Diagnostics second;
  const auto again = parse("again.mo", text, second, {.annotations = true});
  claim(!second.has_errors(), "printed text parses", text + messages(second));
  claim(same_tree(parsed->tree, again->tree), "printed text has the same tree", text);
}

// What translates gives flat Modelica that parses; check and flatten agree.
void fuzz_instantiate(std::string_view input) {
  base::Diagnostics reading;
  Library library(reading);
  const std::vector<std::string> names = library.add_text("fuzz.mo", std::string(input));
  if (names.empty() || reading.has_errors()) return;
  const CheckResult result = check(library, names.back());
  result.str();
  std::string flat;
  try {
    flat = flatten(library, names.back());
  } catch (const base::UserError&) {
    claim(!result.ok, "what checks also flattens", result.str());
    return;
  }
  claim(result.ok || reading.has_errors(), "what flattens also checks", result.str());
  base::Diagnostics again;
  parse("flat.mo", flat, again);
  claim(!again.has_errors(), "flat Modelica parses", flat + messages(again));
}

// Tables in MATLAB files: damaged ones are refused.
void fuzz_tables(std::string_view input) {
  try {
    const auto found = tables::find_matlab_matrix(input, "a");
    if (found) claim(found->values.size() == found->rows * found->columns, "the matrix is full");
  } catch (const base::UserError&) {
  }
}

// Words that change what a text means without making it unreadable at once.
constexpr std::string_view modelica_words[] = {
    "parameter ",
    "constant ",
    "discrete ",
    "input ",
    "output ",
    "flow ",
    "stream ",
    "inner ",
    "outer ",
    "final ",
    "each ",
    "redeclare ",
    "replaceable ",
    "constrainedby ",
    "partial ",
    "encapsulated ",
    "expandable ",
    "protected ",
    "extends ",
    "import ",
    "model ",
    "record ",
    "connector ",
    "function ",
    "package ",
    "block ",
    "type ",
    "operator ",
    "equation ",
    "algorithm ",
    "initial ",
    "connect(",
    "der(",
    "pre(",
    "size(",
    "sum(",
    "zeros(",
    "fill(",
    "cat(",
    "sample(",
    "when ",
    "if ",
    "then ",
    "else ",
    "elseif ",
    "for i in 1:3 loop ",
    "end for;",
    "end if;",
    "end when;",
    "while true loop ",
    "end while;",
    "break",
    "return;",
    "external \"C\" ",
    "annotation(",
    "Real ",
    "Integer ",
    "Boolean ",
    "String ",
    "time",
    "end",
    "true",
    "false",
    "not ",
    " and ",
    " or ",
    "[:]",
    "[0]",
    "[-1]",
    "[2147483647]",
    "{}",
    "[1, 2; 3, 4]",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ":",
    ".",
    "=",
    ":=",
    "+",
    "-",
    "*",
    "/",
    "^",
    ".*",
    "<>",
    "==",
    "0",
    "1",
    "-1",
    "1e308",
    "1e-308",
    "99999999999999999999",
    "0.5",
    "\"",
    "'",
    "\\",
    "//",
    "/*",
    "*/",
    "\n",
    "\xff",
    "\xc3\xa9",
};

constexpr std::string_view cases = "src/couplet/modelica/tests/models";

constexpr std::array all = {
    Target{"lexer", "bytes to lexemes", fuzz_lexer, cases, ".cases"},
    Target{"parser", "text to syntax tree, to text, to the same tree", fuzz_parser, cases,
           ".cases"},
    Target{"instantiate", "text to flat Modelica, which parses", fuzz_instantiate, cases, ".cases"},
    Target{"tables", "matrices in MATLAB files", fuzz_tables},
};

}  // namespace

std::span<const Target> targets() { return all; }
std::span<const std::string_view> words() { return modelica_words; }

const Target* find_target(std::string_view name) {
  for (const Target& t : all)
    if (t.name == name) return &t;
  return nullptr;
}

}  // namespace couplet::fuzz
