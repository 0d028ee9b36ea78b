#include "couplet/model/expression_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::model {

ExpressionInputs::ExpressionInputs(const Mechanism& mechanism,
                                   const std::vector<std::string>& added)
    : count_(mechanism.model->parameters.size()) {
  const auto add = [this](const std::string& name) { names_.push_back(Expr::symbol(name).name()); };
  add("t");
  for (const std::string& name : mechanism.coordinate_names) add(name);
  for (const std::string& name : mechanism.speed_names) add(name);
  for (const StateVariable& state : mechanism.model->states) add(state.name);
  parameters_ = names_.size();
  for (const Parameter& parameter : mechanism.model->parameters) add(parameter.name);
  for (const std::string& name : added) add(name);
  values_.assign(names_.size(), 0);
  for (size_t i = 0; i < count_; ++i) parameters()[i] = mechanism.model->parameters[i].value;
}

void ExpressionInputs::set(const State& state) {
  values_[0] = state.t;
  double* out = values_.data() + 1;
  for (const VecX* part : {&state.q, &state.v, &state.x})
    out = std::copy(part->data(), part->data() + part->size(), out);
  base::ensure(out == values_.data() + parameters_, "a state has all coordinates, speeds and x");
}

void ExpressionInputs::set(double t, const VecX& y) {
  values_[0] = t;
  std::copy(y.data(), y.data() + y.size(), values_.data() + 1);
}

void ExpressionInputs::check_symbols(const Expr& expression, const std::string& owner,
                                     const SourceLocation& where) const {
  for (const std::string& name : symbolic::find_symbols(expression))
    if (std::find(names_.begin(), names_.end(), name) == names_.end())
      throw base::UserError(where,
                            fmt::format("{} uses {}, which is not a parameter, the time t, a "
                                        "coordinate of a joint or a state",
                                        owner, base::quoted(name)),
                            base::suggest(name, names_));
}

}  // namespace couplet::model
