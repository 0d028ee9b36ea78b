#include "couplet/equations/observables.hpp"

#include <limits>

namespace couplet::equations {
namespace {

class EquationProbe final : public simulate::Probe {
 public:
  EquationProbe(const EquationProblem& problem, std::span<const Expr> values)
      : problem_(problem), values_(values, *problem.model().map), slots_(problem.slots()) {
    const Model& m = problem.model();
    std::vector<Block> blocks;
    for (size_t b = 0; b < m.blocks.size(); ++b) {
      if (m.is_event_block[b]) continue;
      blocks.push_back(m.blocks[b]);
      for (const int v : m.blocks[b].variables) computed_.push_back(v);
    }
    program_ = Program(m.dae, *m.map, m.system, blocks, values_.inputs());
  }

  void calc(double t, const simulate::VecX& y, double* values) override {
    const Model& m = problem_.model();
    // Solutions of systems stay as they were here, so that runs do not depend on what is recorded.
    for (const int v : computed_) kept_.push_back(slots_[static_cast<size_t>(v)]);
    slots_ = problem_.slots();
    if (started_)
      for (size_t i = 0; i < computed_.size(); ++i)
        slots_[static_cast<size_t>(computed_[i])] = kept_[i];
    kept_.clear();
    started_ = true;
    slots_[static_cast<size_t>(m.map->time())] = t;
    problem_.put_delays(t, slots_);
    for (size_t i = 0; i < m.states.size(); ++i)
      slots_[static_cast<size_t>(m.states[i])] = y[static_cast<long>(i)];
    if (program_.run(slots_))
      values_.evaluate(slots_, {values, values_.size()});
    else
      std::fill_n(values, values_.size(), std::numeric_limits<double>::quiet_NaN());
  }

 private:
  const EquationProblem& problem_;
  Function values_;
  Program program_;
  std::vector<double> slots_, kept_;
  std::vector<int> computed_;
  bool started_ = false;
};

}  // namespace

EquationObservables::EquationObservables(const EquationProblem& problem) : problem_(problem) {
  const Model& m = problem.model();
  std::vector<int> component(m.dae.variables.size(), -1);
  for (size_t i = 0; i < m.states.size(); ++i)
    component[static_cast<size_t>(m.states[i])] = static_cast<int>(i);
  for (size_t v = 0; v < m.dae.variables.size(); ++v) {
    const Variable& x = m.dae.variables[v];
    if (x.hidden) continue;
    simulate::Observable o{x.name, x.unit, simulate::Kind::output, simulate::Cost::dynamics,
                           component[v]};
    if (component[v] >= 0) {
      o.kind = simulate::Kind::state;
      o.cost = simulate::Cost::none;
    } else if (x.kind == Kind::parameter) {
      o.kind = simulate::Kind::parameter;
    }
    list_.push_back(std::move(o));
    variables_.push_back(static_cast<int>(v));
  }
}

std::unique_ptr<simulate::Probe> EquationObservables::choose(std::span<const size_t> wanted) {
  const Model& m = problem_.model();
  std::vector<Expr> values;
  for (const size_t w : wanted)
    values.push_back(m.dae.resolve(m.dae.variables[static_cast<size_t>(variables_[w])].symbol));
  return std::make_unique<EquationProbe>(problem_, values);
}

}  // namespace couplet::equations
