// Claims about the flat model that hold after every pass. Each pass is asked only about what it
// added, so all of them together walk the model once.
#include <fmt/format.h>

#include <stdexcept>
#include <unordered_set>

#include "couplet/modelica/flatten/memo.hpp"
#include "couplet/modelica/flatten/passes.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

class Verifier {
 public:
  explicit Verifier(std::string_view pass) : pass_(pass) {}

  void variable(const FlatVariable& v) {
    where_ = v.name;
    seen_.forget();
    claim(v.component && v.component->type, "it has a component");
    claim(v.type.base != Primitive::none && !v.type.record, "it is no record");
    for (const int d : v.type.dims) claim(d >= 0, "its size is known");
    claim(names_.insert(v.name).second, "its name is its own");
    if (v.binding) {
      expression(v.binding);
      same_shape(v.type, v.binding->type);
    }
    for (const Attribute& a : v.attributes) {
      claim(a.value != nullptr, "attributes have values");
      expression(a.value);
    }
  }

  void equation(const FlatEquation& e) {
    where_ = "a connection";
    source_ = e.source;
    range_ = e.range;
    seen_.forget();
    switch (e.kind) {
      case FlatEquation::Kind::equality:
        claim(e.left && e.right, "it has two sides");
        expression(e.left);
        expression(e.right);
        if (e.left->kind != ExpKind::tuple) same_shape(e.left->type, e.right->type);
        return;
      case FlatEquation::Kind::call:
        claim(e.left && !e.right, "it is a call");
        return expression(e.left);
      case FlatEquation::Kind::if_:
      case FlatEquation::Kind::when:
        claim(!e.branches.empty(), "it has branches");
        for (const auto& b : e.branches) {
          if (b.condition) expression(b.condition);
          for (const FlatEquation& inside : b.body) equation(inside);
        }
    }
  }

 private:
  void claim(bool holds, const char* what) const {
    if (holds) return;
    const std::string where = source_ ? source_->locate(range_.begin).str() : std::string(where_);
    throw std::logic_error(
        fmt::format("after pass '{}': {}: not true that {}", pass_, where, what));
  }

  void same_shape(const Type& a, const Type& b) const {
    if (count_scalars(a) == 0 && count_scalars(b) == 0) return;  // x[0, 3] = {}
    claim(a.rank() == b.rank(), "both sides have as many dimensions");
    for (size_t i = 0; i < a.rank(); ++i)
      claim(a.dims[i] == b.dims[i] || a.dims[i] == unknown_size || b.dims[i] == unknown_size,
            "both sides have the same size");
  }

  // Trees share parts: each is looked at once.
  void expression(const Exp* root) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const Exp* e = stack_.back();
      stack_.pop_back();
      if (!e || seen_.find(e)) continue;
      if (!e->args.empty()) seen_.keep(e, true);
      if (e->kind == ExpKind::variable) {
        claim(e->variable && !e->variable->removed, "its variables exist");
        claim(!e->variable->inner, "outer components are resolved");
      }
      if (e->kind == ExpKind::call) claim(e->function, "its functions are known");
      if (e->kind == ExpKind::record)
        claim(e->type.record && e->args.size() == e->type.record->fields.size(),
              "records are complete");
      stack_.insert(stack_.end(), e->args.begin(), e->args.end());
    }
  }

  std::string_view pass_;
  std::string_view where_ = "a connection";
  const Source* source_ = nullptr;
  Range range_;
  std::unordered_set<std::string_view> names_;
  Memo<bool> seen_;
  std::vector<const Exp*> stack_;
};

}  // namespace

void verify(Translation& t, std::string_view pass) {
  Verifier verifier(pass);
  const FlatModel& m = t.model;
  for (; t.verified_variables < m.variables.size(); ++t.verified_variables)
    verifier.variable(m.variables[t.verified_variables]);
  for (; t.verified_equations < m.equations.size(); ++t.verified_equations)
    verifier.equation(m.equations[t.verified_equations]);
  for (; t.verified_initial < m.initial_equations.size(); ++t.verified_initial)
    verifier.equation(m.initial_equations[t.verified_initial]);
}

}  // namespace couplet::modelica
