#include "couplet/formats/yaml/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/dimensions.hpp"
#include "couplet/symbolic/external.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/parse.hpp"

namespace couplet::formats::yaml {
namespace {

using base::quoted;
using symbolic::is_digit;
using symbolic::is_letter;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
bool is_unit_letter(char c) { return (is_letter(c) && c != '_') || (c & 0x80); }

/// Rewrites a text from left to right and remembers which byte came from where.
class Rewriter {
 public:
  /// `as_symbols`: what has a unit, or a name, becomes a symbol of dimensions.hpp.
  Rewriter(std::string_view text, const Lookup& lookup, const KnownNames& known,
           const Functions& functions, bool as_symbols = false)
      : in_(text), lookup_(lookup), known_(known), functions_(functions), as_symbols_(as_symbols) {
    while (at_ < in_.size()) {
      if (is_letter(in_[at_]) || in_[at_] == '\'')
        rewrite_name();
      else if (is_digit(in_[at_]) || (in_[at_] == '.' && is_digit(peek(1))))
        rewrite_number();
      else
        put(at_, is_space(in_[at_]) ? " " : in_.substr(at_, 1)), ++at_;
    }
  }

  std::string out;
  std::vector<size_t> origin;  // of each byte of `out`
  std::vector<Problem> problems;
  std::optional<Dimension> dimension;                // of the name that was met last
  std::vector<std::optional<Dimension>> dimensions;  // of symbols

 private:
  void put_symbol(size_t from, const std::optional<Dimension>& of) {
    put(from, fmt::format("d_{}", dimensions.size()));
    dimensions.push_back(of);
  }

  char peek(size_t ahead) const { return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }
  void put(size_t from, std::string_view text) {
    out += text;
    origin.insert(origin.end(), text.size(), from);
  }
  void put_verbatim(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) put(i, in_.substr(i, 1));
  }

  void skip_name() {
    while (at_ < in_.size()) {
      if (in_[at_] == '\'') {
        for (++at_; at_ < in_.size() && in_[at_] != '\''; ++at_)
          if (in_[at_] == '\\') ++at_;
        at_ = std::min(at_ + 1, in_.size());
      } else if (is_letter(in_[at_]) || is_digit(in_[at_]) || in_[at_] == '.') {
        ++at_;
      } else {
        return;
      }
    }
  }

  void rewrite_name() {
    const size_t start = at_;
    skip_name();
    const std::string_view written = in_.substr(start, at_ - start);
    size_t next = at_;
    while (next < in_.size() && is_space(in_[next])) ++next;
    const bool is_call = next < in_.size() && in_[next] == '(';
    const std::vector<std::string> segments = symbolic::split_path(written);
    if (is_call && segments.size() == 1 && !symbolic::is_keyword(written))
      return rewrite_function(start, written);
    if (is_call || symbolic::is_keyword(written) || segments.empty()) {  // for the parser to judge
      put_verbatim(start, at_);
      return;
    }
    std::string name;
    for (const std::string& segment : segments) name += (name.empty() ? "" : ".") + segment;
    const std::optional<Name> found = lookup_(name);
    if (!found) {
      const std::vector<std::string> known = known_();
      if (name == "t")
        problems.push_back({start, "the value cannot depend on the time t",
                            "give one that stays (1 t is a tonne); forces, motions, lengths and "
                            "relations may use t"});
      else
        problems.push_back({start, "unknown name " + quoted(name),
                            find_unit(name) ? "a unit stands behind a number: 1 " + name
                            : known.empty() ? "write a number, with a unit if you like: 12 mm"
                                            : base::suggest(name, known)});
      return;
    }
    dimension = found->dimension;
    if (as_symbols_) return put_symbol(start, found->dimension);
    put(start, found->text);
  }

  // A function of every model, or a table of this one.
  void rewrite_function(size_t start, std::string_view written) {
    const auto table = functions_.find(std::string(written));
    if (table != functions_.end()) return put(start, table->second);
    if (written == symbolic::distance_name) return rewrite_distance(start);
    const symbolic::ExternalFunction* external = symbolic::find_external(written);
    if (symbolic::find_function(written) || (external && !external->table))
      return put_verbatim(start, at_);
    std::vector<std::string> names = symbolic::function_names();
    for (std::string& name : symbolic::external_names()) names.push_back(std::move(name));
    for (const auto& [name, function] : functions_) names.push_back(name);
    problems.push_back(
        {start, "there is no function " + quoted(written), base::suggest(written, names)});
  }

  // distance(a, b) of two points: the length between their positions.
  void rewrite_distance(size_t start) {
    const size_t end = std::min(in_.find(')', at_), in_.size());
    const size_t open = in_.find('(', at_);
    const std::string_view inside = in_.substr(open + 1, end - open - 1);
    const size_t comma = inside.find(',');
    std::vector<std::string> points;
    if (comma != std::string_view::npos)
      for (std::string_view each : {inside.substr(0, comma), inside.substr(comma + 1)}) {
        while (!each.empty() && is_space(each.front())) each.remove_prefix(1);
        while (!each.empty() && is_space(each.back())) each.remove_suffix(1);
        points.push_back(fmt::format("{}", fmt::join(symbolic::split_path(each), ".")));
      }
    at_ = std::min(end + 1, in_.size());
    if (points.size() != 2 || points[0].empty() || points[1].empty()) {
      problems.push_back(
          {start, "distance takes the names of two points", "write distance(wheel.hub, world)"});
      return;
    }
    std::string squares;
    for (const char* axis : {".position.x", ".position.y", ".position.z"}) {
      std::optional<Name> ends[2] = {lookup_(points[0] + axis), lookup_(points[1] + axis)};
      for (int k = 0; k < 2; ++k)
        if (!ends[k]) {
          problems.push_back({start, "there is no body or point " + quoted(points[k]),
                              base::suggest(points[k] + axis, known_())});
          return;
        }
      squares +=
          fmt::format("{}({}-{})^2", squares.empty() ? "" : "+", ends[0]->text, ends[1]->text);
    }
    dimension = model::kinds::length.dimension;
    if (as_symbols_) return put_symbol(start, dimension);
    put(start, "sqrt(" + squares + ")");
  }

  void rewrite_number() {
    const size_t start = at_;
    while (is_digit(peek(0)) || peek(0) == '.') ++at_;
    const bool has_sign = peek(1) == '+' || peek(1) == '-';
    if ((peek(0) == 'e' || peek(0) == 'E') && is_digit(peek(has_sign ? 2 : 1))) {
      at_ += has_sign ? 2 : 1;
      while (is_digit(peek(0))) ++at_;
    }
    const size_t number_end = at_;

    size_t begin = at_;
    while (begin < in_.size() && is_space(in_[begin])) ++begin;
    size_t end = skip_unit(begin);
    if (end == begin) return put_verbatim(start, number_end);
    while (const size_t next = find_next_unit(end)) end = next;
    UnitProblem problem;
    const std::optional<Unit> unit = parse_unit(in_.substr(begin, end - begin), problem);
    if (!unit) problems.push_back({begin + problem.offset, problem.what, problem.fix});
    if (as_symbols_) {
      at_ = end;
      return put_symbol(start, unit ? std::optional(unit->dimension) : std::nullopt);
    }
    put(start, "(");
    put_verbatim(start, number_end);
    put(begin, fmt::format("*{})", unit ? unit->scale : 1));
    at_ = end;
  }

  // The end of a unit with its power (mm, m^2) that begins here; `begin` itself if there is none.
  size_t skip_unit(size_t begin) const {
    size_t end = begin;
    while (end < in_.size() && is_unit_letter(in_[end])) ++end;
    if (end == begin || symbolic::is_keyword(in_.substr(begin, end - begin))) return begin;
    if (end < in_.size() &&
        std::string_view("0123456789_.(").find(in_[end]) != std::string_view::npos)
      return begin;
    if (end + 1 < in_.size() && in_[end] == '^' && is_digit(in_[end + 1]))
      for (++end; end < in_.size() && is_digit(in_[end]);) ++end;
    return end;
  }

  // The end of "*unit" or "/unit" behind a unit; 0 if what follows is no unit. What is a unit and a
  // name at once could be either: that is reported.
  size_t find_next_unit(size_t sign) {
    if (sign >= in_.size() || (in_[sign] != '*' && in_[sign] != '/')) return 0;
    const size_t end = skip_unit(sign + 1);
    const std::string word(in_.substr(sign + 1, end - sign - 1));
    if (!find_unit(word.substr(0, word.find('^')))) return 0;
    if (lookup_(word))
      problems.push_back({sign + 1, quoted(word) + " is a unit and a name: which one is meant?",
                          "put the name in front of the number, or spaces around the sign"});
    return end;
  }

  std::string_view in_;
  size_t at_ = 0;
  const Lookup& lookup_;
  const KnownNames& known_;
  const Functions& functions_;
  bool as_symbols_;
};

// "[sign] number [unit]" and nothing else: the only place where compound units can stand.
bool parse_quantity(std::string_view text, Expression& result) {
  size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const size_t digits = at;
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.')) ++at;
  if (at == digits) return false;
  const bool has_exponent = at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E') &&
                            text.find_first_of("0123456789", at) <= at + 2 &&
                            (is_digit(text[at + 1]) || text[at + 1] == '-' || text[at + 1] == '+');
  if (has_exponent)
    for (at += 2; at < text.size() && is_digit(text[at]);) ++at;
  const std::optional<double> number = base::parse_double(text.substr(0, at));
  if (!number) {
    result.problems.push_back({0, quoted(text.substr(0, at)) + " is not a number that fits",
                               "write a number such as 1.5 or 2e-3"});
    return true;
  }
  size_t unit_start = at;
  while (unit_start < text.size() && is_space(text[unit_start])) ++unit_start;
  if (unit_start == text.size()) {
    result.value = *number;
    return true;
  }
  if (!is_unit_letter(text[unit_start])) return false;
  if (text.find(' ', unit_start) != std::string_view::npos) return false;  // 3 N * m is a product
  UnitProblem problem;
  const std::optional<Unit> unit = parse_unit(text.substr(unit_start), problem);
  if (!unit) return false;  // an expression then, which has its own say on units
  result.value = *number * unit->scale;
  result.dimension = unit->dimension;
  return true;
}

bool is_not_finite(std::string_view text) {
  std::string word;
  for (const char c : text)
    if (c != '.' && c != '-' && c != '+')
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word == "nan" || word == "inf" || word == "infinity";
}

// What is certain of the dimensions of a text that has been parsed before.
Judgement judge(std::string_view text, const Lookup& lookup, const KnownNames& known,
                const Functions& functions) {
  constexpr size_t longest = 2000;  // bytes; sums of thousands of terms are nested as deeply
  if (text.size() > longest) return {};
  const Rewriter rewritten(text, lookup, known, functions, true);
  return judge_dimensions(symbolic::parse(rewritten.out), rewritten.dimensions);
}

}  // namespace

Expression parse_expression(std::string_view text, const Lookup& lookup, const KnownNames& known,
                            const Functions& functions) {
  Expression result;
  if (is_not_finite(text)) {
    result.problems.push_back(
        {0, quoted(text) + " is not a finite number", "give a finite number"});
    return result;
  }
  if (parse_quantity(text, result)) return result;

  std::map<std::string, std::optional<Name>> asked;  // names may report, and shall do so once
  const Lookup once = [&](const std::string& name) {
    const auto [found, fresh] = asked.try_emplace(name);
    if (fresh) found->second = lookup(name);
    return found->second;
  };
  const Rewriter rewritten(text, once, known, functions);
  result.problems = rewritten.problems;
  if (!result.problems.empty()) return result;
  try {
    result.value = symbolic::parse(rewritten.out);
    if (!symbolic::split_path(text).empty()) {
      result.dimension = rewritten.dimension;
    } else {
      const Judgement judgement = judge(text, once, known, functions);
      result.dimension = judgement.dimension;
      if (!judgement.fault.empty())
        result.problems.push_back({0, quoted(text) + ": " + judgement.fault,
                                   "check the units of its numbers and parameters"});
    }
  } catch (const base::UserError& error) {  // its column counts characters of the rewritten text
    const base::Diagnostic& first = error.diagnostics().front();
    size_t at = 0;
    for (int column = 1; column < first.where.column && at < rewritten.out.size(); ++column)
      for (++at; at < rewritten.out.size() && is_continuation(rewritten.out[at]);) ++at;
    const size_t offset = at < rewritten.origin.size() ? rewritten.origin[at] : text.size();
    result.problems.push_back({offset, first.what, first.fix});
  }
  return result;
}

std::string symbol_name(std::string_view path) { return symbolic::canonical_name(path); }

}  // namespace couplet::formats::yaml
