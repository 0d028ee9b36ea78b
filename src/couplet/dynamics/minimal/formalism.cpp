#include "couplet/dynamics/minimal/formalism.hpp"

#include <vector>

#include "couplet/dynamics/minimal/composite.hpp"
#include "couplet/dynamics/minimal/constraints/formalisms.hpp"
#include "couplet/dynamics/minimal/dense_solver.hpp"
#include "couplet/dynamics/minimal/kane.hpp"
#include "couplet/dynamics/minimal/particles.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/math/dense_symmetric.hpp"

namespace couplet::dynamics {
namespace {

/// O(n): articulated bodies. Mimic joints are tied by forces λ that make v̇_c - ratio v̇_s vanish;
/// one more evaluation per mimic joint gives the response to each.
class Recursive final : public Formalism {
 public:
  explicit Recursive(const Mechanism& mechanism)
      : mechanism_(mechanism), workspace_(mechanism), inverse_(mechanism), link_forces_(mechanism) {
    const int k = static_cast<int>(mechanism.couplings.size());
    responses_.resize(mechanism.nv, k);
    gap_.resize(k);
    tau_.resize(mechanism.nv);
  }

  void prepare(const Stage& stage) override {
    state_ = &stage.state;
    on_links_ = link_forces_.calc(stage);
  }
  void solve(VecX& tau, VecX& vdot) override {
    calc_forward_dynamics(mechanism_, *state_, tau, on_links_, workspace_, vdot);
    if (!mechanism_.couplings.empty()) tie(tau, vdot);
  }
  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    calc_inverse_dynamics(mechanism_, stage.state, vdot, link_forces_.calc(stage), inverse_, load);
  }

 private:
  void tie(VecX& tau, VecX& vdot) {
    const auto& couplings = mechanism_.couplings;
    const int n = static_cast<int>(couplings.size());
    VecX response = vdot;
    for (int k = 0; k < n; ++k) {
      tau_ = tau;
      tau_[couplings[k].iv] += 1;
      tau_[couplings[k].source_iv] -= couplings[k].ratio;
      response = vdot;  // prescribed entries stay
      calc_forward_dynamics(mechanism_, *state_, tau_, on_links_, workspace_, response);
      responses_.col(k) = response - vdot;
      gap_[k] = couplings[k].ratio * vdot[couplings[k].source_iv] - vdot[couplings[k].iv];
    }
    MatX compliance(n, n);
    for (int k = 0; k < n; ++k)
      compliance.row(k) = responses_.row(couplings[k].iv) -
                          couplings[k].ratio * responses_.row(couplings[k].source_iv);
    const VecX lambda = math::solve_symmetric(compliance, gap_);
    tau_ = tau;
    for (int k = 0; k < n; ++k) {
      tau_[couplings[k].iv] += lambda[k];
      tau_[couplings[k].source_iv] -= couplings[k].ratio * lambda[k];
    }
    calc_forward_dynamics(mechanism_, *state_, tau_, on_links_, workspace_, vdot);
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) tau[link.iv] = tau_[link.iv];
  }

  const Mechanism& mechanism_;
  RecursiveWorkspace<double> workspace_;
  InverseWorkspace<double> inverse_;
  LinkForces link_forces_;
  const State* state_ = nullptr;
  const double* on_links_ = nullptr;
  MatX responses_;
  VecX gap_, tau_;
};

/// O(n³), small constant: mass matrix of composite bodies, bias by inverse dynamics, Cholesky.
class Composite final : public Formalism {
 public:
  explicit Composite(const Mechanism& mechanism) : equations_(mechanism), solver_(mechanism) {}

  void prepare(const Stage& stage) override {
    equations_.form(stage);
    solver_.factorise(equations_.mass_matrix(), stage.state.t);
  }
  void solve(VecX& tau, VecX& vdot) override { solver_.solve(equations_.bias(), tau, vdot); }
  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    equations_.form(stage);
    load = equations_.bias();
    load.noalias() += equations_.mass_matrix() * vdot;
  }

 private:
  CompositeEquations equations_;
  DenseSolver solver_;
};

class Kane final : public Formalism {
 public:
  explicit Kane(const Mechanism& mechanism) : equations_(mechanism), solver_(mechanism) {}

  void prepare(const Stage& stage) override {
    equations_.form(stage.state, stage.applied);
    solver_.factorise(equations_.mass_matrix(), stage.state.t);
  }
  void solve(VecX& tau, VecX& vdot) override { solver_.solve(equations_.bias(), tau, vdot); }
  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    equations_.form(stage.state, stage.applied);
    load = equations_.bias();
    load.noalias() += equations_.mass_matrix() * vdot;
  }

 private:
  KaneEquations equations_;
  DenseSolver solver_;
};

template <class F>
std::unique_ptr<Formalism> make(const Mechanism& mechanism) {
  return std::make_unique<F>(mechanism);
}
bool is_free(const Mechanism& mechanism) { return !mechanism.constrained(); }
bool is_constrained(const Mechanism& mechanism) { return mechanism.constrained(); }

constexpr Answers everything{.residuals = true, .free_motion = true},
    no_free_motion{.residuals = true, .free_motion = false};

constexpr FormalismEntry entries[] = {
    {"recursive", "articulated bodies, O(n): the fastest", everything, is_free, make<Recursive>},
    {"composite", "mass matrix of composite bodies and Cholesky, O(n³) with a small constant",
     everything, is_free, make<Composite>},
    {"kane", "Kane's method through partial velocities, O(n³), in the user's own frames",
     everything, is_free, make<Kane>},
    {"particles", "Newton's law for free particles, O(n)", everything, is_particle_system,
     make<Particles>},
    {"schur", "closed loops: forces of the constraints first, M⁻¹ by the O(n) recursion",
     everything, is_constrained, make_schur},
    {"augmented", "closed loops: the saddle-point system of mass matrix and constraints",
     no_free_motion, is_constrained, make_augmented},
    {"partitioned",
     "closed loops: dependent coordinates follow independent ones, switching when they must",
     no_free_motion, is_constrained, make_partitioned},
};

/// Those of this room first, then what other rooms have added.
std::vector<FormalismEntry>& all_entries() {
  static std::vector<FormalismEntry> all(std::begin(entries), std::end(entries));
  return all;
}

}  // namespace

std::span<const FormalismEntry> formalisms() { return all_entries(); }

void add_formalism(const FormalismEntry& entry) { all_entries().push_back(entry); }

const FormalismEntry* find_formalism(std::string_view name) {
  for (const FormalismEntry& entry : formalisms())
    if (name == entry.name) return &entry;
  return nullptr;
}

void Formalism::calc_load(const Stage&, const VecX&, VecX&) {
  base::ensure(false, "a formalism was asked for residuals that it does not have");
}

void Formalism::calc_free_vdot(const Stage& stage, VecX& tau, VecX& vdot) {
  base::ensure(lambda() == nullptr,
               "a formalism was asked for a free motion that it does not have");
  prepare(stage);
  solve(tau, vdot);
}

const double* LinkForces::calc(const forces::AppliedForces& applied, const Kinematics& kinematics) {
  if (!applied.any_on_bodies) return nullptr;
  on_links_.setZero();
  for (size_t b = 1; b < mechanism_.bodies.size(); ++b) {
    const model::BodyPlacement& body = mechanism_.bodies[b];
    if (body.link < 0) continue;
    const math::Mat3& R_WB = kinematics.bodies[b].X_WB.R;
    Vec6 F_B;
    F_B << R_WB.transpose() * applied.on_bodies[b].head<3>(),
        R_WB.transpose() * applied.on_bodies[b].tail<3>();
    on_links_.segment<6>(6 * body.link) += body.X_LB.push(F_B);
  }
  return on_links_.data();
}

}  // namespace couplet::dynamics
