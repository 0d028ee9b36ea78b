#include "couplet/model/state_rates.hpp"

#include "couplet/base/text.hpp"

namespace couplet::model {

StateRates::StateRates(const Mechanism& mechanism) : count_(mechanism.model->states.size()) {
  if (count_ == 0) return;
  ExpressionInputs inputs(mechanism);
  std::vector<Expr> rates;
  for (const StateVariable& state : mechanism.model->states) {
    inputs.check_symbols(state.rate, "the rate of state " + base::quoted(state.name), state.where);
    rates.push_back(state.rate);
  }
  tape_.emplace(rates, inputs.names());
  registers_.assign(tape_->register_count(), 0);
}

void StateRates::calc(const ExpressionInputs& inputs, double* xdot) {
  if (tape_) tape_->evaluate(inputs.values(), {xdot, count_}, registers_);
}

}  // namespace couplet::model
