// What single components may be: prefixes that fit their classes, connectors that are complete.
// [Modelica 3.6, sections 4.4.2, 4.5.1, 9.3.1, 15.1]
#include "couplet/modelica/flatten/prefixes.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/exp.hpp"

namespace couplet::modelica {
namespace {

using ast::ClassKind;
using ast::Direction;
using ast::Flow;
using ast::Variability;

class Rules {
 public:
  Rules(Context& context, const Component& c)
      : context_(context), c_(c), text_(*c.element->component), kind_(kind_of(c.type)) {}

  void check() {
    const bool acts = kind_ == ClassKind::model || kind_ == ClassKind::block;
    const bool plain = c_.type->primitive == Primitive::none;
    if (plain && acts && c_.mod && c_.mod->value)
      refuse(fmt::format("is a {} and cannot have a value", to_string(kind_)),
             "modify its parameters: x(p = 1)");
    if (plain && (kind_ == ClassKind::package || kind_ == ClassKind::function))
      return refuse(fmt::format("is declared with the {} {}", to_string(kind_),
                                base::quoted(c_.type->path())),
                    "a component is a variable, a record, a connector, a model or a block");
    if (plain && acts && prefixed())
      refuse(fmt::format("is a {} and has a prefix of variables", to_string(kind_)),
             "prefix the variables inside instead");
    variable();
    conflicts();
    if (c_.is_connector && plain) streams(c_);
  }

 private:
  void refuse(const std::string& why, const char* fix) {
    context_.error(c_.scope, text_.range, fmt::format("{} {}", base::quoted(c_.path()), why), fix);
  }

  bool prefixed() const { return text_.direction != Direction::none || text_.flow != Flow::none; }

  void variable() {
    if (c_.type->primitive == Primitive::none) return;
    const bool moves = c_.flow != Flow::none;
    if (moves && c_.type->primitive != Primitive::real)
      refuse("is a flow or stream variable and no Real", "flow and stream variables are Real");
    if (text_.flow == Flow::flow && text_.variability <= Variability::parameter)
      refuse("cannot be a flow variable and a parameter or constant", "drop one of the two");
    if (text_.flow == Flow::stream && !in_connector())
      refuse("is a stream variable outside of a connector", "drop 'stream'");
    if (c_.type->primitive == Primitive::enumeration &&
        c_.type->primitive_class->def->open_enumeration)
      refuse("has a type without literals: enumeration(:) is to be redeclared",
             "redeclare the type with its literals");
  }

  bool in_connector() const {
    const Component* p = c_.parent;
    if (!p || p == context_.model || !p->type) return true;  // a connector on its own
    for (; p; p = p->parent)
      if (p->is_connector) return true;
    return kind_of(c_.parent->type) == ClassKind::record;
  }

  // flow C c, where C has flow variables of its own; input R r, where R has inputs.
  void conflicts() {
    if (c_.type->primitive != Primitive::none || c_.is_expandable || c_.is_array_of_classes())
      return;
    const Flow flow = flow_of(c_);
    const Direction direction = direction_of(c_);
    if (flow == Flow::none && direction == Direction::none) return;
    for (const Component* child : children(context_, const_cast<Component*>(&c_))) {
      if (!child->element || !child->type) continue;
      const bool twice = flow != Flow::none && flow_of(*child) != Flow::none;
      const bool again = direction != Direction::none && direction_of(*child) != Direction::none;
      if (twice || again)
        return refuse(fmt::format("is {}, and so is its {}",
                                  twice ? "a flow or stream variable" : "an input or output",
                                  base::quoted(child->name.text())),
                      "keep one of the two prefixes");
    }
  }

  static Flow flow_of(const Component& c) {
    if (c.element->component->flow != Flow::none) return c.element->component->flow;
    for (const ClassInst* t = c.type; t; t = definition_of(t))
      if (t->def->flow != Flow::none) return t->def->flow;
    return Flow::none;
  }

  static Direction direction_of(const Component& c) {
    if (c.element->component->direction != Direction::none) return c.element->component->direction;
    for (const ClassInst* t = c.type; t; t = definition_of(t))
      if (t->def->direction != Direction::none) return t->def->direction;
    return Direction::none;
  }

  // A connector with stream variables has one flow variable.
  void streams(const Component& c) {
    if (c.is_array_of_classes()) return;
    long flows = 0;
    bool any = false;
    for (const Component* child : children(context_, const_cast<Component*>(&c))) {
      any = any || (child->element && child->element->component->flow == Flow::stream);
      if (child->flow != Flow::flow || !child->type) continue;
      flows += child->type->primitive == Primitive::none
                   ? 1
                   : std::max(count_scalars(type_of(context_, const_cast<Component*>(child))), 0L);
    }
    if (any && flows != 1)
      refuse(fmt::format("has stream variables and {} flow variables", flows),
             "a connector with stream variables has one flow variable");
  }

  Context& context_;
  const Component& c_;
  const ast::Component& text_;
  const ClassKind kind_;
};

}  // namespace

void check_prefixes(Context& context, const Component& c) {
  if (!c.element || !c.scope || !c.type || !c.type->def || c.removed || c.inner || c.grown) return;
  if (!c.scope->def || (!c.index.empty() && c.index[0] != 1)) return;  // alike: the first stands
  Rules(context, c).check();
}

}  // namespace couplet::modelica
