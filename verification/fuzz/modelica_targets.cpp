#include "targets.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "couplet/modelica/syntax/lexer.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/tables/matlab.hpp"
#include "couplet/modelica/translate.hpp"

namespace couplet::fuzz {
namespace {

using namespace modelica;

void claim(bool holds, const char* what, const std::string& detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "claim does not hold: %s\n%s\n", what, detail.c_str());
  std::abort();
}

// Lexemes lie in the text, one after the other.
void fuzz_lexer(std::string_view input) {
  Source source{std::make_shared<const std::string>("fuzz.mo"), std::string(input)};
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

constexpr std::array all = {
    Target{"lexer", "bytes to lexemes", fuzz_lexer},
    Target{"parser", "text to syntax tree, to text, to the same tree", fuzz_parser},
    Target{"instantiate", "text to flat Modelica, which parses", fuzz_instantiate},
    Target{"tables", "matrices in MATLAB files", fuzz_tables},
};

}  // namespace

std::span<const Target> targets() { return all; }

const Target* find_target(std::string_view name) {
  for (const Target& t : all)
    if (t.name == name) return &t;
  return nullptr;
}

}  // namespace couplet::fuzz
