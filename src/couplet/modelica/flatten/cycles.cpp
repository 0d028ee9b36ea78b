// Parameters and constants must not need themselves: p = q, q = p. [Modelica 3.6, section 4.4.4]
// Arrays are left out, since their elements may well follow one after the other, and so are
// branches of if-expressions, which need not both be taken.
#include <fmt/format.h>

#include <unordered_map>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/passes.hpp"

namespace couplet::modelica {
namespace {

class Search {
 public:
  explicit Search(Translation& t) : context_(t.context), model_(t.model) {}

  void run() {
    for (const FlatVariable& v : model_.variables)
      if (v.variability <= ast::Variability::parameter && v.type.is_scalar() && v.binding)
        bindings_[v.component] = &v;
    for (const FlatVariable& v : model_.variables)
      if (bindings_.count(v.component)) visit(v);
  }

 private:
  enum class Mark : uint8_t { none, open, done };

  void visit(const FlatVariable& v) {
    Mark& mark = marks_[v.component];
    if (mark == Mark::done) return;
    if (mark == Mark::open) return report_cycle(v);
    const Deeper deeper(context_, v.component->scope, {}, "values");
    mark = Mark::open;
    path_.push_back(&v);
    follow(v.binding);
    path_.pop_back();
    marks_[v.component] = Mark::done;
  }

  void follow(const Exp* e) {
    if (!e || e->variability > ast::Variability::parameter) return;
    context_.check_stack();
    if (e->kind == ExpKind::variable && e->type.base != Primitive::none) {
      const auto found = bindings_.find(e->variable->resolve());
      if (found != bindings_.end()) visit(*found->second);
    }
    const bool only_first = e->kind == ExpKind::if_;
    for (uint32_t i = 0; i < e->args.size() && (i == 0 || !only_first); ++i) follow(e->args[i]);
  }

  void report_cycle(const FlatVariable& v) {
    std::string names;
    bool on = false;
    for (const FlatVariable* p : path_) {
      on = on || p == &v;
      if (on) names += base::quoted(p->name) + " needs ";
    }
    const Component& c = *v.component;
    context_.error(c.scope, c.element ? c.element->component->range : Range{},
                   fmt::format("the value of {} depends on itself: {}{}", base::quoted(v.name),
                               names, base::quoted(v.name)),
                   "give one of them a value of its own");
  }

  Context& context_;
  const FlatModel& model_;
  std::unordered_map<const Component*, const FlatVariable*> bindings_;
  std::unordered_map<const Component*, Mark> marks_;
  std::vector<const FlatVariable*> path_;
};

}  // namespace

void check_cycles(Translation& t) { Search(t).run(); }

}  // namespace couplet::modelica
