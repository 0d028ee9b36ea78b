#include "couplet/dynamics/minimal/formalism.hpp"

#include <vector>

#include "couplet/dynamics/minimal/constraints/formalisms.hpp"
#include "couplet/dynamics/minimal/dense_solver.hpp"
#include "couplet/dynamics/minimal/kane.hpp"
#include "couplet/dynamics/minimal/particles.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/math/dense_symmetric.hpp"

namespace couplet::dynamics {
namespace {

using forces::AppliedForces;

/// O(n): articulated bodies. Mimic joints are tied by forces λ that make v̇_c - ratio v̇_s vanish;
/// one more evaluation per mimic joint gives the response to each.
class Recursive final : public Formalism {
 public:
  explicit Recursive(const Mechanism& mechanism)
      : mechanism_(mechanism),
        workspace_(mechanism),
        on_links_(VecX::Zero(6 * mechanism.links.size())) {
    const int k = static_cast<int>(mechanism.couplings.size());
    responses_.resize(mechanism.nv, k);
    gap_.resize(k);
    tau_.resize(mechanism.nv);
  }

  void calc_vdot(const State& state, const AppliedForces& applied, const Kinematics& kinematics,
                 VecX& tau, VecX& vdot) override {
    const double* on_links = calc_link_forces(mechanism_, applied, kinematics, on_links_);
    calc_forward_dynamics(mechanism_, state, tau, on_links, workspace_, vdot);
    if (!mechanism_.couplings.empty()) tie(state, on_links, tau, vdot);
  }

 private:
  void tie(const State& state, const double* on_links, VecX& tau, VecX& vdot) {
    const auto& couplings = mechanism_.couplings;
    const int n = static_cast<int>(couplings.size());
    VecX response = vdot;
    for (int k = 0; k < n; ++k) {
      tau_ = tau;
      tau_[couplings[k].iv] += 1;
      tau_[couplings[k].source_iv] -= couplings[k].ratio;
      response = vdot;  // prescribed entries stay
      calc_forward_dynamics(mechanism_, state, tau_, on_links, workspace_, response);
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
    calc_forward_dynamics(mechanism_, state, tau_, on_links, workspace_, vdot);
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) tau[link.iv] = tau_[link.iv];
  }

  const Mechanism& mechanism_;
  RecursiveWorkspace<double> workspace_;
  VecX on_links_;
  MatX responses_;
  VecX gap_, tau_;
};

/// O(n³), small constant: mass matrix of composite bodies, bias by inverse dynamics, Cholesky.
class Composite final : public Formalism {
 public:
  explicit Composite(const Mechanism& mechanism)
      : mechanism_(mechanism),
        mass_(mechanism),
        inverse_(mechanism),
        solver_(mechanism),
        M_(mechanism.nv, mechanism.nv),
        h_(mechanism.nv),
        zero_(VecX::Zero(mechanism.nv)),
        on_links_(VecX::Zero(6 * mechanism.links.size())) {}

  void calc_vdot(const State& state, const AppliedForces& applied, const Kinematics& kinematics,
                 VecX& tau, VecX& vdot) override {
    const double* on_links = calc_link_forces(mechanism_, applied, kinematics, on_links_);
    calc_mass_matrix(mechanism_, state.q, mass_, M_);
    M_.triangularView<Eigen::StrictlyLower>() = M_.transpose();
    calc_inverse_dynamics(mechanism_, state, zero_, on_links, inverse_, h_);
    solver_.solve(M_, h_, state.t, tau, vdot);
  }

 private:
  const Mechanism& mechanism_;
  MassMatrixWorkspace<double> mass_;
  InverseWorkspace<double> inverse_;
  DenseSolver solver_;
  MatX M_;
  VecX h_, zero_, on_links_;
};

class Kane final : public Formalism {
 public:
  explicit Kane(const Mechanism& mechanism) : equations_(mechanism), solver_(mechanism) {}

  void calc_vdot(const State& state, const AppliedForces& applied, const Kinematics&, VecX& tau,
                 VecX& vdot) override {
    equations_.form(state, applied);
    solver_.solve(equations_.mass_matrix(), equations_.bias(), state.t, tau, vdot);
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

constexpr FormalismEntry entries[] = {
    {"recursive", "articulated bodies, O(n): the fastest", is_free, make<Recursive>},
    {"composite", "mass matrix of composite bodies and Cholesky, O(n³) with a small constant",
     is_free, make<Composite>},
    {"kane", "Kane's method through partial velocities, O(n³), in the user's own frames", is_free,
     make<Kane>},
    {"particles", "Newton's law for free particles, O(n)", is_particle_system, make<Particles>},
    {"schur", "closed loops: forces of the constraints first, M⁻¹ by the O(n) recursion",
     is_constrained, make_schur},
    {"augmented", "closed loops: the saddle-point system of mass matrix and constraints",
     is_constrained, make_augmented},
    {"partitioned",
     "closed loops: dependent coordinates follow independent ones, switching when they must",
     is_constrained, make_partitioned},
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

const double* calc_link_forces(const Mechanism& mechanism, const AppliedForces& applied,
                               const Kinematics& kinematics, VecX& on_links) {
  if (!applied.any_on_bodies) return nullptr;
  on_links.setZero();
  for (size_t b = 1; b < mechanism.bodies.size(); ++b) {
    const model::BodyPlacement& body = mechanism.bodies[b];
    if (body.link < 0) continue;
    const math::Mat3& R_WB = kinematics.bodies[b].X_WB.R;
    Vec6 F_B;
    F_B << R_WB.transpose() * applied.on_bodies[b].head<3>(),
        R_WB.transpose() * applied.on_bodies[b].tail<3>();
    on_links.segment<6>(6 * body.link) += body.X_LB.push(F_B);
  }
  return on_links.data();
}

}  // namespace couplet::dynamics
