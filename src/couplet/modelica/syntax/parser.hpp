// From text to syntax tree. Errors are collected and the parser goes on after the next ';', so that
// a person sees all of them at once; the tree is then incomplete, and must not be used.
#pragma once

#include <memory>

#include "couplet/modelica/syntax/ast.hpp"

namespace couplet::modelica {

/// A parsed file: the text, the tree, and the memory of both.
struct ParsedFile {
  std::unique_ptr<Source> source;
  Arena arena;
  ast::StoredDefinition tree;
};

struct ParseOptions {
  bool annotations = false;  // build their trees too; otherwise only their range is kept
};

std::unique_ptr<ParsedFile> parse(std::string path, std::string text,
                                  base::Diagnostics& diagnostics, ParseOptions options = {});

/// The tree of an annotation that parse() skipped.
const ast::Modification* parse_annotation(const Source& source, Range range, Arena& arena,
                                          base::Diagnostics& diagnostics);

/// One expression on its own, e.g. from the command line.
struct ParsedExpression {
  std::unique_ptr<Source> source;
  Arena arena;
  const ast::Expr* tree = nullptr;
};
std::unique_ptr<ParsedExpression> parse_expression(std::string path, std::string text,
                                                   base::Diagnostics& diagnostics);

/// Bounds that keep every later pass from overflowing its stack.
constexpr int max_nesting = 400;       // parentheses, classes, if in if
constexpr int max_tree_height = 2000;  // terms in one a + b + c + ...

}  // namespace couplet::modelica
