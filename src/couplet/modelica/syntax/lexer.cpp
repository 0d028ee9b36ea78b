#include "couplet/modelica/syntax/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "couplet/base/text.hpp"

namespace couplet::modelica {
namespace {

constexpr std::array<std::string_view, 59> keyword_table = {
    "algorithm",   "and",          "annotation", "block",       "break",
    "class",       "connect",      "connector",  "constant",    "constrainedby",
    "der",         "discrete",     "each",       "else",        "elseif",
    "elsewhen",    "encapsulated", "end",        "enumeration", "equation",
    "expandable",  "extends",      "external",   "false",       "final",
    "flow",        "for",          "function",   "if",          "import",
    "impure",      "in",           "initial",    "inner",       "input",
    "loop",        "model",        "not",        "operator",    "or",
    "outer",       "output",       "package",    "parameter",   "partial",
    "protected",   "public",       "pure",       "record",      "redeclare",
    "replaceable", "return",       "stream",     "then",        "true",
    "type",        "when",         "while",      "within"};
static_assert(std::is_sorted(keyword_table.begin(), keyword_table.end()));

constexpr std::array<std::string_view, 33> punctuation_table = {
    "end of file", "a name", "a number", "a number", "a string", "(",  ")",  "[", "]",  "{",  "}",
    ",",           ";",      ":",        ".",        "=",        ":=", "+",  "-", "*",  "/",  "^",
    ".+",          ".-",     ".*",       "./",       ".^",       "<",  "<=", ">", ">=", "==", "<>"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_nondigit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

const std::string_view* find_keyword(std::string_view text) {
  if (text.size() < 2 || text.size() > 13) return nullptr;
  const auto* found = std::lower_bound(keyword_table.begin(), keyword_table.end(), text);
  return found != keyword_table.end() && *found == text ? found : nullptr;
}

class Lexer {
 public:
  Lexer(const Source& source, base::Diagnostics& diagnostics, Range part)
      : source_(source),
        text_(std::string_view(source.text).substr(0, part.end)),
        diagnostics_(diagnostics),
        at_(part.begin) {}

  std::vector<Lexeme> run() {
    lexemes_.reserve((text_.size() - at_) / 6 + 1);
    if (at_ == 0 && text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // byte order mark
    while (skip_blank()) next();
    const auto end = static_cast<uint32_t>(text_.size());
    lexemes_.push_back({Token::end_of_file, {end, end}});
    return std::move(lexemes_);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(Token token, size_t begin) {
    lexemes_.push_back({token, {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)}});
  }

  void error(size_t begin, size_t end, std::string what, std::string fix = {}) {
    report(diagnostics_, source_, {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)},
           std::move(what), std::move(fix));
  }

  // Skips white space and comments; false at the end of the text.
  bool skip_blank() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '/' && peek(1) == '*') {
        const size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos)
          error(at_, at_ + 2, "this comment is never closed", "end it with */");
        at_ = close == std::string_view::npos ? text_.size() : close + 2;
      } else {
        return true;
      }
    }
    return false;
  }

  void next() {
    const size_t begin = at_;
    const char c = text_[at_];
    if (is_nondigit(c)) return name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"') return quoted_text('"', Token::string, "string");
    if (c == '\'') return quoted_text('\'', Token::name, "quoted name");
    if (punctuation()) return;
    do ++at_;
    while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xc0) == 0x80);
    error(begin, at_,
          fmt::format("{} is not part of the Modelica alphabet",
                      base::quoted(text_.substr(begin, at_ - begin))),
          "outside of strings and comments, names use letters a-z, digits and '_'");
  }

  void name() {
    const size_t begin = at_;
    while (is_nondigit(peek()) || is_digit(peek())) ++at_;
    const auto* keyword = find_keyword(text_.substr(begin, at_ - begin));
    if (!keyword) return add(Token::name, begin);
    const auto index = static_cast<int>(keyword - keyword_table.data());
    add(static_cast<Token>(static_cast<int>(Token::kw_algorithm) + index), begin);
  }

  void digits() {
    while (is_digit(peek())) ++at_;
  }

  void number() {
    const size_t begin = at_;
    Token token = Token::integer;
    digits();
    // "1.*x" is "1 .* x": a point that starts an operator does not belong to the number.
    const bool elementwise = std::string_view("*+-/^").find(peek(1)) != std::string_view::npos;
    if (peek() == '.' && !(elementwise && peek(1) != '\0')) {
      token = Token::real;
      ++at_;
      digits();
    }
    const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      token = Token::real;
      at_ += 1 + sign;
      digits();
    }
    add(token, begin);
  }

  void quoted_text(char quote, Token token, const char* what) {
    const size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) {
      at_ = text_.size();
      error(begin, begin + 1, fmt::format("this {} is never closed", what),
            fmt::format("end it with {}", quote));
    } else {
      ++at_;
    }
    add(token, begin);
  }

  bool punctuation() {
    // Two characters before one: "<=" is not "<" "=".
    for (const size_t length : {2, 1}) {
      if (at_ + length > text_.size()) continue;
      const std::string_view text = text_.substr(at_, length);
      const auto* first = punctuation_table.begin() + static_cast<int>(Token::lparen);
      const auto* found = std::find(first, punctuation_table.end(), text);
      if (found == punctuation_table.end()) continue;
      at_ += length;
      add(static_cast<Token>(found - punctuation_table.begin()), at_ - length);
      return true;
    }
    return false;
  }

  const Source& source_;
  std::string_view text_;
  base::Diagnostics& diagnostics_;
  size_t at_;
  std::vector<Lexeme> lexemes_;
};

}  // namespace

std::vector<Lexeme> tokenize(const Source& source, base::Diagnostics& diagnostics, Range part) {
  return Lexer(source, diagnostics, part).run();
}

std::string describe(Token token) {
  const auto index = static_cast<size_t>(token);
  if (token < Token::lparen) return std::string(punctuation_table[index]);
  if (token < Token::kw_algorithm) return fmt::format("'{}'", punctuation_table[index]);
  return fmt::format("'{}'", keyword_table[index - static_cast<size_t>(Token::kw_algorithm)]);
}

bool is_keyword(std::string_view text) { return find_keyword(text) != nullptr; }

}  // namespace couplet::modelica
