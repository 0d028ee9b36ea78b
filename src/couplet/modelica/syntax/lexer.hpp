// From characters to tokens. [Modelica 3.6, chapter 2 and appendix A.1]
#pragma once

#include <string_view>
#include <vector>

#include "couplet/modelica/syntax/source.hpp"

namespace couplet::modelica {

enum class Token : uint8_t {
  end_of_file,
  name,
  integer,
  real,
  string,
  // punctuation
  lparen,
  rparen,
  lbracket,
  rbracket,
  lbrace,
  rbrace,
  comma,
  semicolon,
  colon,
  dot,
  equal,
  assign,
  plus,
  minus,
  times,
  divide,
  power,
  dot_plus,
  dot_minus,
  dot_times,
  dot_divide,
  dot_power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal_equal,
  not_equal,
  // keywords, in the order of keyword_table (lexer.cpp)
  kw_algorithm,
  kw_and,
  kw_annotation,
  kw_block,
  kw_break,
  kw_class,
  kw_connect,
  kw_connector,
  kw_constant,
  kw_constrainedby,
  kw_der,
  kw_discrete,
  kw_each,
  kw_else,
  kw_elseif,
  kw_elsewhen,
  kw_encapsulated,
  kw_end,
  kw_enumeration,
  kw_equation,
  kw_expandable,
  kw_extends,
  kw_external,
  kw_false,
  kw_final,
  kw_flow,
  kw_for,
  kw_function,
  kw_if,
  kw_import,
  kw_impure,
  kw_in,
  kw_initial,
  kw_inner,
  kw_input,
  kw_loop,
  kw_model,
  kw_not,
  kw_operator,
  kw_or,
  kw_outer,
  kw_output,
  kw_package,
  kw_parameter,
  kw_partial,
  kw_protected,
  kw_public,
  kw_pure,
  kw_record,
  kw_redeclare,
  kw_replaceable,
  kw_return,
  kw_stream,
  kw_then,
  kw_true,
  kw_type,
  kw_when,
  kw_while,
  kw_within,
};

struct Lexeme {
  Token token = Token::end_of_file;
  Range range;
};

/// Cuts `source`, or a part of it, into lexemes; the last is end_of_file. What is no Modelica is
/// reported and skipped.
std::vector<Lexeme> tokenize(const Source& source, base::Diagnostics& diagnostics,
                             Range part = {0, UINT32_MAX});

/// How messages call a token: "';'", "'equation'", "a name".
std::string describe(Token token);

bool is_keyword(std::string_view text);

}  // namespace couplet::modelica
