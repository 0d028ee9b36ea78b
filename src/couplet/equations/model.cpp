#include "couplet/equations/model.hpp"

#include <fmt/format.h>

#include <chrono>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {
namespace {

class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double s = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return s;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int count_unknowns(const Dae& dae) {
  int n = 0;
  for (size_t v = 0; v < dae.variables.size(); ++v) n += is_unknown(dae, static_cast<int>(v));
  return n;
}

std::string list_names(const Dae& dae, const std::vector<int>& variables, size_t most = 12) {
  std::string text;
  for (size_t i = 0; i < variables.size() && i < most; ++i)
    text += (i ? ", " : "") + dae.variables[static_cast<size_t>(variables[i])].name;
  return text + (variables.size() > most ? ", …" : "");
}

// Sets of states that are more than are independent.
std::string describe_projected(const Model& model) {
  std::string text;
  for (const ConstraintSet& set : model.projected) {
    size_t equations = 0;
    for (const auto& level : set.equations) equations += level.size();
    text += fmt::format("; of {}: {} at a time", list_names(model.dae, set.variables),
                        set.variables.size() - equations);
  }
  return text;
}

// A discrete variable that a block finds together with continuous ones would change between events.
void check_mixed(const Model& model) {
  for (const Block& block : model.blocks) {
    if (block.variables.size() < 2) continue;
    int discrete = -1;
    bool continuous = false;
    for (const int v : block.variables)
      if (model.dae.variables[static_cast<size_t>(v)].kind == Kind::discrete)
        discrete = v;
      else
        continuous = true;
    if (discrete >= 0 && continuous)
      throw base::UserError(
          model.dae.variables[static_cast<size_t>(discrete)].where,
          fmt::format("the discrete variable '{}' stands in a loop with continuous ones ({})",
                      model.dae.variables[static_cast<size_t>(discrete)].name,
                      list_names(model.dae, block.variables)),
          "break the loop with pre()");
  }
}

}  // namespace

std::vector<Expr> Model::gaps() const {
  std::vector<Expr> all;
  for (const Relation& r : dae.relations) all.push_back(r.gap);
  return all;
}

int Model::count_freedoms() const {
  size_t n = states.size();
  for (const ConstraintSet& set : projected)
    for (const auto& level : set.equations) n -= level.size();
  return static_cast<int>(n);
}

void translate(Model& translated) {
  Model* const model = &translated;
  Dae& dae = model->dae;
  Clock clock;
  const auto note = [&](std::string name, std::string text) {
    model->stages.push_back({std::move(name), std::move(text), clock.lap()});
  };
  note("flat",
       fmt::format("{} scalar unknowns, {} equations", count_unknowns(dae), dae.equations.size()));
  fold_parameters(dae);
  note("fold", "choices that parameters decide are made");
  const Simplified simple = simplify(dae);
  note("simplify",
       fmt::format(
           "{} aliases, {} constants and {} functions of parameters taken out: {} unknowns, {} "
           "equations left",
           simple.aliases, simple.constants, simple.parameters, count_unknowns(dae),
           dae.equations.size()));
  const int added = reduce_index(dae);
  note("index", fmt::format("{} equations differentiated: {} unknowns, {} equations", added,
                            count_unknowns(dae), dae.equations.size()));
  model->map = std::make_unique<SlotMap>(dae);
  make_parameter_system(*model);
  note("parameters", fmt::format("{}", model->parameters.size()));
  States states = select_states(dae);
  for (Equation& e : dae.equations) e.derivative_rule = {};  // they belong to whoever made the Dae
  model->states = std::move(states.variables);
  model->projected = std::move(states.projected);
  note("states", fmt::format("{}: {}{}", model->count_freedoms(), list_names(dae, model->states),
                             describe_projected(*model)));

  const symbolic::Replacements running = dae.while_running();
  std::vector<char> is_state(dae.variables.size(), 0);
  for (const int s : model->states) is_state[static_cast<size_t>(s)] = 1;
  std::vector<char> kept(dae.equations.size(), 0);  // by projection
  for (const ConstraintSet& set : model->projected)
    for (const auto& level : set.equations)
      for (const int e : level) kept[static_cast<size_t>(e)] = 1;
  for (size_t e = 0; e < dae.equations.size(); ++e) {
    if (kept[e]) continue;
    model->system.residuals.push_back(symbolic::substitute(dae.equations[e].residual, running));
    model->system.where.push_back(dae.equations[e].where);
  }
  for (size_t v = 0; v < dae.variables.size(); ++v)
    if (is_unknown(dae, static_cast<int>(v)) && !is_state[v])
      model->system.unknowns.push_back(static_cast<int>(v));
  for (const int s : model->states)
    model->rates.push_back(dae.resolve(
        dae.variables[static_cast<size_t>(dae.variables[static_cast<size_t>(s)].derivative)]
            .symbol));
  for (const int s : model->states) {
    const int rate = dae.variables[static_cast<size_t>(s)].derivative;
    if (is_unknown(dae, rate) && !is_state[static_cast<size_t>(rate)])
      model->system.preferred.push_back(rate);
  }
  model->blocks = sort(dae, model->system);
  check_mixed(*model);
  for (Block& b : model->blocks) solve(dae, model->system, b);
  size_t largest = 0, systems = 0;
  for (const Block& b : model->blocks) {
    largest = std::max(largest, b.equations.size());
    systems += b.equations.size() > 1;
    model->is_event_block.push_back(dae.variables[static_cast<size_t>(b.variables[0])].kind ==
                                    Kind::discrete);
  }
  for (const int v : model->system.unknowns)
    if (dae.variables[static_cast<size_t>(v)].kind == Kind::discrete)
      model->event_variables.push_back(v);
  note("sort", fmt::format("{} blocks, {} systems of equations, the largest of {}",
                           model->blocks.size(), systems, largest));
  for (const Reinit& r : dae.reinits)
    if (!is_state[static_cast<size_t>(r.variable)] || !is_unknown(dae, r.variable))
      throw base::UserError(r.where,
                            fmt::format("reinit of '{}', which is no state",
                                        dae.variables[static_cast<size_t>(r.variable)].name),
                            "give it stateSelect = StateSelect.always");
  make_initial_system(*model);
  for (Block& b : model->initial_blocks) solve(dae, model->initial_system, b);
  note("initial", fmt::format("{} equations in {} blocks{}", model->initial_system.residuals.size(),
                              model->initial_blocks.size(),
                              model->assumed.empty() ? std::string()
                                                     : ", start values taken as fixed: " +
                                                           list_names(dae, model->assumed)));
}

void set_parameter(Dae& dae, const std::string& name, double value) {
  std::vector<std::string> names;
  for (Variable& v : dae.variables) {
    if (v.kind != Kind::parameter || v.hidden) continue;
    if (v.name == name) {
      if (dae.replaced.contains(v.symbol))
        throw base::UserError({}, fmt::format("'{}' has shaped the model", name),
                              "change it in a model of your own, by a modifier");
      v.value = value;
      return;
    }
    names.push_back(v.name);
  }
  throw base::UserError(
      {},
      fmt::format("there is no parameter '{}' that can be changed without translating again", name),
      base::suggest(name, names));
}

int find_changeable(const Model& model, const std::string& name, double value) {
  const Dae& dae = model.dae;
  const int v = dae.find(Expr::symbol(name));
  if (v < 0) return -1;
  const Expr symbol = dae.variables[static_cast<size_t>(v)].symbol;
  const auto now = dae.numbers.find(symbol);
  const bool known = now != dae.numbers.end() && now->second.is_constant();
  if (!known || now->second.is_constant(0) || value == 0 || dae.replaced.contains(symbol))
    return -1;
  std::vector<char> seen(dae.variables.size(), 0);
  std::vector<int> used;  // by choices that were made, and by what functions gave
  const auto look = [&](const Expr& e) {
    for (const int u : dae.variables_of(e))
      if (!std::exchange(seen[static_cast<size_t>(u)], 1)) used.push_back(u);
  };
  for (const Expr& e : dae.deciding) look(e);
  for (const auto& [e, by] : dae.used_up) look(e);
  for (size_t i = 0; i < used.size(); ++i)
    if (const auto& value_of = dae.variables[static_cast<size_t>(used[i])].value) look(*value_of);
  return seen[static_cast<size_t>(v)] ? -1 : v;
}

}  // namespace couplet::equations
