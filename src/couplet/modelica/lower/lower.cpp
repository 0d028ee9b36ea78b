#include "couplet/modelica/lower/lower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/passes.hpp"
#include "couplet/modelica/lower/lowering.hpp"
#include "couplet/modelica/translate.hpp"

namespace couplet::modelica::lower {
namespace {

Experiment read_experiment(Library& library, const ClassInst& c) {
  Experiment x;
  const ast::Modification* a = library.content(c.def->annotation, *c.def->source);
  const ast::Modification* experiment = find_argument(a, "experiment");
  if (!experiment) return x;
  for (const ast::Modifier& m : experiment->modifiers) {
    if (m.path.size() != 1 || !m.value || !m.value->value) continue;
    const ast::Expr* e = m.value->value;
    double v = e->number;
    if (!(e->kind == ast::ExprKind::real || e->kind == ast::ExprKind::integer)) continue;
    const std::string& name = m.path[0].name.text();
    if (name == "StartTime") x.start = v;
    if (name == "StopTime") x.stop = v;
    if (name == "Tolerance") x.tolerance = v;
    if (name == "Interval") x.interval = v;
  }
  return x;
}

// Which function used up the number that a parameter had, so that something does not follow it.
const std::string* find_user(const equations::Dae& dae, const std::string& changed) {
  for (const auto& [symbol, by] : dae.used_up) {
    std::vector<int> all = dae.variables_of(symbol);
    for (size_t i = 0; i < all.size() && i < 100'000; ++i) {
      const equations::Variable& x = dae.variables[static_cast<size_t>(all[i])];
      if (x.name == changed) return &by;
      if (!x.value) continue;
      for (const int v : dae.variables_of(*x.value))
        if (std::find(all.begin(), all.end(), v) == all.end()) all.push_back(v);
    }
  }
  return nullptr;
}

// Whether equations follow it as they are: else its value has shaped them.
bool is_free(const equations::Dae& dae, const std::string& name) {
  const int v = dae.find(Expr::symbol(name));
  if (v < 0) return false;
  const equations::Variable& x = dae.variables[static_cast<size_t>(v)];
  return x.kind == equations::Kind::parameter && !dae.replaced.contains(x.symbol) &&
         !find_user(dae, name);
}

const FlatVariable* find_parameter(const FlatModel& flat, const std::string& name) {
  for (const FlatVariable& v : flat.variables)
    if (v.name == name && v.variability == ast::Variability::parameter) return &v;
  return nullptr;
}

void check_changeable(const FlatModel& flat, const std::string& name) {
  const FlatVariable* v = find_parameter(flat, name);
  if (!v) return;  // an element of an array, or none: whoever sets it says so
  for (const Component* c = v->component; c; c = c->parent)
    if (c->is_final)
      throw base::UserError({},
                            fmt::format("the parameter '{}' is final: it cannot be changed", name),
                            "change what it follows from");
}

void set_values(equations::Dae& dae, const Changes& changes) {
  for (const auto& [name, text] : changes) {
    const auto number = base::parse_double(text);
    if (!number)
      throw base::UserError({}, fmt::format("'{}' for parameter '{}' is no number", text, name),
                            {});
    equations::set_parameter(dae, name, *number);
  }
}

// A class that modifies another one: a.b.n = 5 becomes a(b(n = 5)).
std::string derive(Library& library, const std::string& class_name, const Changes& changes) {
  const std::string name = "'with other parameters'";
  std::string text = "model " + name + "\n  extends " + class_name + "(";
  for (const auto& [path, value] : changes) {
    std::string before = &path == &changes.front().first ? "" : ", ", after;
    size_t begin = 0;
    bool quoted = false;
    for (size_t i = 0; i <= path.size(); ++i) {
      if (i < path.size() && path[i] == '\'') quoted = !quoted;
      if (i < path.size() && (quoted || path[i] != '.')) continue;
      const std::string part = path.substr(begin, i - begin);
      if (part.empty() || part.find('[') != std::string::npos)
        throw base::UserError(
            {}, fmt::format("'{}' shapes the model, and is an element of an array", path),
            "change it in a model of your own, by a modifier");
      before += part + (i < path.size() ? "(" : "");
      after += i < path.size() ? ")" : "";
      begin = i + 1;
    }
    text += before + " = " + value + after;
  }
  text += ");\nend " + name + ";\n";
  library.add_text("changed parameters", text);
  return name;
}

// What stops a translation, as what is wrong with the class.
template <class Work>
void guarded(const base::Diagnostics& diagnostics, Work work) {
  try {
    work();
  } catch (const Fault&) {
    diagnostics.check();
    throw;
  } catch (const TooDeep&) {
    diagnostics.check();
    throw base::UserError({}, "this model is too deep or too large to be translated", {});
  } catch (const CannotEvaluate& reason) {
    throw base::UserError({}, reason.why, {});
  } catch (const Refused& reason) {
    throw base::UserError({}, reason.what + " is not covered by the simulation of Modelica models",
                          reason.fix);
  }
}

// A class as a system of equations, with what rules of derivatives in it refer to.
struct Lowered {
  Lowered(Library& library, const std::string& class_name, const Formulation& formulation)
      : context(library, diagnostics) {
    const auto begin = std::chrono::steady_clock::now();
    guarded(diagnostics, [&] {
      flat = flatten_class(context, class_name);
      diagnostics.check();
      flattened = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      experiment = read_experiment(library, *context.model->type);
      for (const auto& change : formulation.set) check_changeable(flat, change.first);
      lowering.emplace(context, flat, model->dae, formulation);
      lowering->variables();
      lowering->equations();
    });
    for (const auto& change : formulation.set)
      if (!is_free(model->dae, change.first) && find_parameter(flat, change.first))
        structural.push_back(change);
  }

  base::Diagnostics diagnostics;
  Context context;
  FlatModel flat;
  std::unique_ptr<equations::Model> model = std::make_unique<equations::Model>();
  std::optional<Lowering> lowering;
  Experiment experiment;
  Changes structural;    // of the changes: those that equations do not follow as they are
  double flattened = 0;  // s
};

}  // namespace

Translated translate(Library& library, const std::string& class_name,
                     const Formulation& formulation) {
  const auto begin = std::chrono::steady_clock::now();
  auto lowered = std::make_unique<Lowered>(library, class_name, formulation);
  Translated result;
  result.experiment = lowered->experiment;
  Formulation left = formulation;
  if (!lowered->structural.empty()) {
    for (const auto& change : lowered->structural) {
      result.structural.push_back(change.first);
      std::erase(left.set, change);
    }
    const std::string derived = derive(library, class_name, lowered->structural);
    lowered = std::make_unique<Lowered>(library, derived, left);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.model = std::move(lowered->model);
  equations::Dae& dae = result.model->dae;
  dae.name = class_name;
  dae.continued = formulation.continued && dae.has_homotopy;
  set_values(dae, left.set);
  guarded(lowered->diagnostics, [&] { equations::translate(*result.model); });
  auto& stages = result.model->stages;
  stages.insert(
      stages.begin(),
      {{"flatten", fmt::format("{} variables", lowered->flat.variables.size()), lowered->flattened},
       {"lower", "scalars, functions inlined", seconds - lowered->flattened}});
  return result;
}

}  // namespace couplet::modelica::lower
