#include "couplet/symbolic/lexer.hpp"

#include <fmt/format.h>

#include <array>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/name.hpp"

namespace couplet::symbolic {
namespace {

constexpr std::array<std::string_view, 15> signs{"<=", ">=", "==", "!=", "<", ">", "+", "-",
                                                 "*",  "/",  "^",  "(",  ")", ",", "."};

struct Habit {  // from other languages
  std::string_view written, fix;
};
constexpr std::array habits{
    Habit{"&&", "write 'and'"},
    Habit{"||", "write 'or'"},
    Habit{"**", "write '^' for powers"},
    Habit{"<>", "write '!='"},
    Habit{"=<", "write '<='"},
    Habit{"=>", "write '>='"},
    Habit{"=", "write '==' to compare"},
    Habit{"!", "write 'not'"},
    Habit{"[", "write names with dots, as in chain.2.q"},
    Habit{"{", "group with ( and )"},
    Habit{"}", "group with ( and )"},
    Habit{"\"", "write unusual names in single quotes"},
    Habit{"?", "write 'if c then a else b'"},
    Habit{"%", "write mod(a, b)"},
};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }  // of UTF-8

}  // namespace

std::string Token::str() const {
  return kind == Kind::end ? "the end of the expression" : base::quoted(text);
}

void Lexer::fail(const char* at, std::string what, std::string fix) const {
  base::SourceLocation place = where_;
  if (place.line == 0) place.line = place.column = 1;
  if (place.column == 0) place.column = 1;
  for (const char* c = text_.data(); c != at; ++c) {
    if (*c == '\n') {
      ++place.line;
      place.column = 1;
    } else if (!is_continuation(*c)) {
      ++place.column;
    }
  }
  throw base::UserError(std::move(place), std::move(what), std::move(fix));
}

Token Lexer::next() {
  while (pos_ < text_.size() &&
         std::string_view(" \t\r\n").find(text_[pos_]) != std::string_view::npos)
    ++pos_;
  if (pos_ == text_.size()) return token(Token::Kind::end, pos_);
  const char c = peek();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return lex_number();
  if (is_letter(c) || c == '\'') return lex_name();
  return lex_sign();
}

Token Lexer::lex_number() {
  const std::size_t begin = pos_;
  while (is_digit(peek())) ++pos_;
  if (peek() == '.') ++pos_;
  while (is_digit(peek())) ++pos_;
  const bool has_sign = peek(1) == '+' || peek(1) == '-';
  if ((peek() == 'e' || peek() == 'E') && is_digit(peek(has_sign ? 2 : 1))) {
    pos_ += has_sign ? 2 : 1;
    while (is_digit(peek())) ++pos_;
  }
  Token number = token(Token::Kind::number, begin);
  const auto value = base::parse_double(number.text);
  if (!value)
    fail(text_.data() + begin,
         fmt::format("{} is not a number that fits", base::quoted(number.text)),
         "write a number between 1e-307 and 1e308, or 0");
  number.number = *value;
  return number;
}

Token Lexer::lex_name() {
  const std::size_t begin = pos_;
  while (true) {
    const std::size_t segment = pos_;
    if (peek() == '\'')
      skip_quoted();
    else
      while (is_letter(peek()) || is_digit(peek())) ++pos_;
    if (pos_ == segment)
      fail(text_.data() + pos_, "a name ends with a dot",
           "remove the dot, or write the name behind it");
    if (peek() != '.') break;
    ++pos_;
  }
  Token name = token(Token::Kind::name, begin);
  if (is_keyword(name.text))
    name.kind = Token::Kind::keyword;
  else
    name.name = canonical_name(name.text);
  return name;
}

void Lexer::skip_quoted() {
  const std::size_t begin = pos_;
  for (++pos_; pos_ < text_.size() && text_[pos_] != '\''; ++pos_)
    if (text_[pos_] == '\\') ++pos_;
  if (pos_ >= text_.size())
    fail(text_.data() + begin, "the quote that opens this name is not closed",
         "add a ' at the end of the name");
  ++pos_;
}

Token Lexer::lex_sign() {
  const std::size_t begin = pos_;
  const std::string_view rest = text_.substr(pos_);
  for (const Habit& habit : habits)
    if (rest.starts_with(habit.written) && !rest.starts_with("==") && !rest.starts_with("!="))
      fail(rest.data(), fmt::format("{} has no meaning here", base::quoted(habit.written)),
           std::string(habit.fix));
  for (const std::string_view sign : signs) {
    if (!rest.starts_with(sign)) continue;
    pos_ += sign.size();
    return token(Token::Kind::sign, begin);
  }
  std::size_t size = 1;
  while (size < rest.size() && size < 4 && is_continuation(rest[size])) ++size;
  fail(rest.data(), fmt::format("{} has no meaning here", base::quoted(rest.substr(0, size))),
       "write unusual names in single quotes, or remove the character");
}

}  // namespace couplet::symbolic
