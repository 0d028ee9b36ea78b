#include "couplet/model/expression_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::model {

ExpressionInputs::ExpressionInputs(const Mechanism& mechanism, std::vector<std::string> added)
    : mechanism_(&mechanism),
      added_(std::move(added)),
      parameters_(1 + static_cast<size_t>(mechanism.nq + mechanism.nv + mechanism.nx)),
      count_(mechanism.model->parameters.size()) {
  values_.assign(parameters_ + count_ + added_.size(), 0);
  for (size_t i = 0; i < count_; ++i) parameters()[i] = mechanism.model->parameters[i].value;
}

std::vector<std::string> ExpressionInputs::names() const {
  std::vector<std::string> names;
  names.reserve(values_.size());
  const auto add = [&](const std::string& name) { names.push_back(Expr::symbol(name).name()); };
  add("t");
  for (const std::string& name : mechanism_->coordinate_names) add(name);
  for (const std::string& name : mechanism_->speed_names) add(name);
  for (const StateVariable& state : mechanism_->model->states) add(state.name);
  for (const Parameter& parameter : mechanism_->model->parameters) add(parameter.name);
  for (const std::string& name : added_) add(name);
  return names;
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
                                     const SourceLocation& where) {
  for (const std::string& name : symbolic::find_symbols(expression)) {
    if (known_.empty())
      for (std::string& each : names()) known_.insert(std::move(each));
    if (!known_.contains(name))
      throw base::UserError(where,
                            fmt::format("{} uses {}, which is not a parameter, the time t, a "
                                        "coordinate of a joint or a state",
                                        owner, base::quoted(name)),
                            base::suggest(name, names()));
  }
}

}  // namespace couplet::model
