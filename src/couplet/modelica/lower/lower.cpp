#include "couplet/modelica/lower/lower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

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

// A number that was calculated from a parameter does not follow it.
void check_used_up(const equations::Dae& dae, const std::string& changed) {
  for (const auto& [symbol, by] : dae.used_up) {
    std::vector<int> all = dae.variables_of(symbol);
    for (size_t i = 0; i < all.size() && i < 100'000; ++i) {
      const equations::Variable& x = dae.variables[static_cast<size_t>(all[i])];
      if (x.name == changed)
        throw base::UserError({},
                              fmt::format("'{}' cannot be changed here: '{}' follows from it by a "
                                          "function that is evaluated when the model is translated",
                                          changed, by),
                              "change it in a model of your own, by a modifier");
      if (!x.value) continue;
      for (const int v : dae.variables_of(*x.value))
        if (std::find(all.begin(), all.end(), v) == all.end()) all.push_back(v);
    }
  }
}

void apply(equations::Dae& dae, const Changes& changes) {
  for (const auto& [name, text] : changes) {
    char* end = nullptr;
    const double v = std::strtod(text.c_str(), &end);
    if (text.empty() || *end)
      throw base::UserError({}, fmt::format("'{}' for parameter '{}' is no number", text, name),
                            {});
    check_used_up(dae, name);
    equations::set_parameter(dae, name, v);
  }
}

}  // namespace

Translated translate(Library& library, const std::string& class_name, const Changes& changes) {
  base::Diagnostics diagnostics;
  Context context(library, diagnostics);
  Translated result;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  try {
    FlatModel flat = flatten_class(context, class_name);
    diagnostics.check();
    const double flattened = seconds();
    result.model = std::make_unique<equations::Model>();
    equations::Dae& dae = result.model->dae;
    dae.name = class_name;
    Lowering lowering(context, flat, dae);
    lowering.variables();
    lowering.equations();
    const double lowered = seconds();
    apply(dae, changes);
    equations::translate(*result.model);
    result.experiment = read_experiment(library, *context.model->type);
    auto& stages = result.model->stages;
    stages.insert(stages.begin(),
                  {{"flatten", fmt::format("{} variables", flat.variables.size()), flattened},
                   {"lower", "scalars, functions inlined", lowered - flattened}});
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
  return result;
}

}  // namespace couplet::modelica::lower
