// Splits the text of an expression into tokens, and says where each of them stands.
#pragma once

#include <string>
#include <string_view>

#include "couplet/base/diagnostics.hpp"

namespace couplet::symbolic {

struct Token {
  enum class Kind { number, name, keyword, sign, end };
  Kind kind = Kind::end;
  std::string_view text;  // as written
  std::string name;       // canonical, of a name
  double number = 0;

  bool is(std::string_view word) const {
    return (kind == Kind::sign || kind == Kind::keyword) && text == word;
  }
  std::string str() const;  // for messages: "'+'", "the end of the expression"
};

class Lexer {
 public:
  Lexer(std::string_view text, base::SourceLocation where)
      : text_(text), where_(std::move(where)) {}

  Token next();
  [[noreturn]] void fail(const char* at, std::string what, std::string fix) const;

 private:
  Token lex_number();
  Token lex_name();
  Token lex_sign();
  void skip_quoted();
  Token token(Token::Kind kind, std::size_t begin) const {
    return {kind, text_.substr(begin, pos_ - begin), {}, 0};
  }
  char peek(std::size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }

  std::string_view text_;
  base::SourceLocation where_;
  std::size_t pos_ = 0;
};

}  // namespace couplet::symbolic
