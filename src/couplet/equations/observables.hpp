// Everything that can be recorded of a translated model: each variable by its name, also those
// that were eliminated. What is chosen costs the blocks that it needs, and no others.
#pragma once

#include "couplet/equations/runtime.hpp"
#include "couplet/simulate/observables.hpp"

namespace couplet::equations {

class EquationObservables final : public simulate::Observables {
 public:
  /// The problem outlives this.
  explicit EquationObservables(const EquationProblem& problem);
  size_t size() const override { return list_.size(); }
  simulate::Observable at(size_t i) const override { return list_[i]; }
  const std::vector<simulate::Output>& outputs() const override { return outputs_; }
  std::unique_ptr<simulate::Probe> choose(std::span<const size_t> wanted) override;

 private:
  const EquationProblem& problem_;
  std::vector<simulate::Observable> list_;
  std::vector<int> variables_;  // of each
  std::vector<simulate::Output> outputs_;
};

}  // namespace couplet::equations
