// What the annotations of a function say: how to inline it, its derivatives and its inverses.
// [Modelica 3.6, sections 12.7, 12.8 and 18.3]
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

bool is_true(const ast::Modification* m) {
  return m && m->value && m->value->kind == ast::ExprKind::boolean && m->value->truth;
}

void check_input(Context& context, const Function& f, const ClassInst* c, Symbol name,
                 Range range) {
  for (const Local* input : f.inputs)
    if (input->name == name) return;
  context.error(c, range,
                fmt::format("{} has no input {}", base::quoted(f.name), base::quoted(name.text())),
                "name one of its inputs");
}

// derivative(order = 2, noDerivative = k) = f_der
void add_derivative(Context& context, Function& f, ClassInst* c, const ast::Modifier& m) {
  const ast::Expr* name = m.value->value;
  if (!name || name->kind != ast::ExprKind::ref) return;
  Entry* entry = find_path(context, c, {name->global, name->parts, name->range});
  if (!entry || !entry->is_class()) return;
  Derivative d;
  d.function = function_of(context, class_of(context, entry));
  std::vector<Symbol> no, zero;
  for (const ast::Modifier& option : m.value->modifiers) {
    const ast::Expr* v = option.value ? option.value->value : nullptr;
    if (option.path.empty()) continue;
    const std::string& key = option.path[0].name.text();
    if (key == "order" && v && v->kind != ast::ExprKind::integer)
      context.error(c, m.range, "the order of a derivative is an Integer", "write order = 2");
    if (key == "order" && v) d.order = to_int(v->number);
    if (key == "noDerivative" && v && !v->parts.empty()) no.push_back(v->parts[0].name);
    if (key == "zeroDerivative" && v && !v->parts.empty()) zero.push_back(v->parts[0].name);
  }
  for (const std::vector<Symbol>* names : {&no, &zero})
    for (const Symbol one : *names) check_input(context, f, c, one, m.range);
  d.no_derivative = context.arena.copy(no);
  d.zero_derivative = context.arena.copy(zero);
  f.derivatives.push_back(d);
}

// inverse(u = f_inv(y, k)): f(u, k) = y. One that cannot be read, say because it calls what is not
// there, is left out: it only says how to solve faster.
void add_inverses(Context& context, Function& f, ClassInst* c, const ast::Modifier& m) {
  for (const ast::Modifier& one : m.value->modifiers) {
    const ast::Expr* call = one.value ? one.value->value : nullptr;
    if (one.path.size() != 1 || !call || call->kind != ast::ExprKind::call) continue;
    check_input(context, f, c, one.path[0].name, one.range);
    if (f.outputs.size() != 1) {
      context.error(c, one.range,
                    fmt::format("{} has {} outputs: only a function with one has inverses",
                                base::quoted(f.name), f.outputs.size()),
                    "leave the annotation out");
      return;
    }
    const Muted muted(context);
    try {
      const Exp* typed = type_expression(context, {c, &f}, *call);
      if (typed->kind == ExpKind::call && !muted.failed())
        f.inverses.push_back({one.path[0].name, typed});
    } catch (const Fault&) {
      continue;
    } catch (const CannotEvaluate&) {
      continue;
    }
  }
}

}  // namespace

void read_annotations(Context& context, Function& f, ClassInst* c) {
  for (ClassInst* base : c->bases) read_annotations(context, f, base);
  const ast::Modification* a = context.library.content(c->def->annotation, *c->def->source);
  if (!a) return;
  f.inline_ = f.inline_ || is_true(find_argument(a, "Inline"));
  f.late_inline = f.late_inline || is_true(find_argument(a, "LateInline"));
  f.inline_after_index_reduction =
      f.inline_after_index_reduction || is_true(find_argument(a, "InlineAfterIndexReduction"));
  if (const ast::Modification* order = find_argument(a, "smoothOrder"); order && order->value)
    f.smooth_order = to_int(order->value->number);
}

void type_annotations(Context& context, Function& f, ClassInst* c) {
  for (ClassInst* base : c->bases) type_annotations(context, f, base);
  const ast::Modification* a = context.library.content(c->def->annotation, *c->def->source);
  if (!a) return;
  for (const ast::Modifier& m : a->modifiers) {
    if (m.path.size() != 1 || !m.value) continue;
    if (m.path[0].name.text() == "derivative") add_derivative(context, f, c, m);
    if (m.path[0].name.text() == "inverse") add_inverses(context, f, c, m);
  }
}

}  // namespace couplet::modelica
