// The constraints of a mechanism in its joint coordinates, for assembly and analysis.
#pragma once

#include "couplet/dynamics/minimal/system.hpp"

namespace couplet::dynamics {

class JointEquations : public constraints::Equations {
 public:
  /// Of a system with constraints.
  explicit JointEquations(System& system);

  int speeds() const override { return system_.mechanism().nv; }
  int rows() const override { return set_.rows(); }
  int positions() const override { return set_.positions(); }
  const RowInfo& row(int k) const override { return set_.row(k); }
  const std::string& owner(int speed) const override;
  bool is_prescribed(int speed) const override { return prescribed_[static_cast<size_t>(speed)]; }
  void move(const VecX& step, VecX& q) const override { system_.mechanism().move(step, q); }
  void evaluate(const State& state) override {
    system_.stages().evaluate_constraints(state, Stages::Rows::all);
  }
  const VecX& errors() const override { return set_.errors(); }
  const SparseRows& G() const override { return set_.G(); }
  const VecX& known() const override { return set_.known(); }

 private:
  System& system_;
  const ConstraintSet& set_;
  std::vector<char> prescribed_;  // per speed
};

}  // namespace couplet::dynamics
