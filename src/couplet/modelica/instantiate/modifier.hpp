// Modifications with the scope their expressions live in: `Resistor r(R = 2*k)` modifies a
// Resistor, and k is looked up where the r is declared. [Modelica 3.6, chapter 7]
#pragma once

#include "couplet/modelica/syntax/ast.hpp"

namespace couplet::modelica {

struct ClassInst;
struct Context;
struct Exp;
struct Mod;
using Mods = Slice<const Mod*>;  // one per name

struct Mod {
  Symbol name;
  bool each = false, final = false;
  bool spread = false;               // an array further outside has used `each`
  Range range = {};                  // in the source of `scope`, for messages
  const ast::Expr* value = nullptr;  // looked up in `scope`
  ClassInst* scope = nullptr;
  Slice<int> split = {};  // value[split]: the modified component is an array element
  const ast::Element* redeclare = nullptr;  // looked up in `redeclare_scope`
  ClassInst* redeclare_scope = nullptr;
  const Mod* over = nullptr;  // `redeclare model extends M` on top of another redeclaration of M
  bool break_out = false;     // extends A(break x)
  bool removes = false;       // x = break: no value, whatever is said further inside
  bool overruled = false;     // a value for the whole that was given further outside is stronger
  Mods nested = {};
  const Exp** typed = nullptr;  // of value, without split: shared by all elements
};

/// The redeclaration `e`, written in `scope`, with the modifications of its own text.
const Mod* make_redeclaration(Context& context, const ast::Element& e, ClassInst* scope,
                              Range range);

/// What the constraining clause of `e` modifies, or its own short definition: holds for every
/// replacement. [Modelica 3.6, section 7.3.2]
Mods constraining_mods(Context& context, const ast::Element& e, ClassInst* scope);

/// The modifications of a declaration or extends clause in `scope`.
Mods make_mods(Context& context, const ast::Modification* modification, ClassInst* scope);

/// Outer modifications win over inner ones, name by name. Reports outer changes of what is final.
Mods merge(Context& context, Mods outer, Mods inner);
const Mod* merge(Context& context, const Mod* outer, const Mod* inner);

const Mod* find_mod(Mods mods, Symbol name);

/// The modifications of one element of an array of components: what is not `each` is subscripted.
Mods split_mods(Context& context, Mods mods, Slice<int> index);

}  // namespace couplet::modelica
