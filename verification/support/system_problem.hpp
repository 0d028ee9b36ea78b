// A mechanism in joint coordinates at the gate of the integrators: y = (q, v), q̇ = N(q) v, v̇ by a
// formalism.
#pragma once

#include <memory>

#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/integrate/problem.hpp"

namespace couplet::verification {

class SystemProblem : public integrate::Problem {
 public:
  explicit SystemProblem(std::shared_ptr<const model::Mechanism> mechanism,
                         std::string_view formalism = "recursive");

  const integrate::Layout& layout() const override { return layout_; }
  void calc_qdot(double t, const math::VecX& y, math::VecX& ydot) override;
  void calc_rates(double t, const math::VecX& y, math::VecX& ydot) override;
  void project(double t, math::VecX& y) override;

 private:
  void read(double t, const math::VecX& y);

  dynamics::System system_;
  integrate::Layout layout_;
  model::State state_;
  math::VecX qdot_, vdot_, tau_;
};

/// (q, v) of a state.
math::VecX join(const model::State& state);

}  // namespace couplet::verification
