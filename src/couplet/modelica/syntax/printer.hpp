// From syntax tree to text that parses to the same tree. Language comments (// and /* */) are not
// part of the tree; description strings and annotations are.
#pragma once

#include <string>

#include "couplet/modelica/syntax/ast.hpp"

namespace couplet::modelica {

std::string print(const ast::StoredDefinition& file);
std::string print(const ast::Expr& expression);

/// A real as Modelica reads it back bit for bit: 0.1, 1e-06, 3.0.
std::string print_real(double value);

/// Whether two trees say the same: all but their place in the text.
bool same_tree(const ast::StoredDefinition& a, const ast::StoredDefinition& b);
bool same_tree(const ast::Expr& a, const ast::Expr& b);

std::string_view to_string(ast::Op op);
std::string_view to_string(ast::ClassKind kind);

}  // namespace couplet::modelica
