// Formulas against the recursions on doubles and published values; operation counts.
#include "couplet/generate/formulas.hpp"

#include <gtest/gtest.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/dynamics/minimal/kinematics.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/dynamics/minimal/tests/random_mechanism.hpp"
#include "couplet/formats/yaml.hpp"
#include "run_formulas.hpp"

namespace couplet::generate {
namespace {

using dynamics::RandomMechanism;
using math::MatX;

Mechanism load(const std::string& name) {
  base::Diagnostics warnings;
  return model::compile(formats::read_yaml(COUPLET_SOURCE_DIR "/models/" + name, {}, warnings));
}
Formulas::Function only(const Mechanism& mechanism, What what, std::vector<std::string> keep = {}) {
  return make_formulas(mechanism, {what, std::move(keep), false}).functions.at(0);
}

struct Sample {
  model::State state;
  VecX tau, vdot, back;
  MatX M;

  Sample(RandomMechanism& random, const Mechanism& mechanism)
      : state(random.state(mechanism)),
        tau(random.vector(mechanism.nv, 3)),
        vdot(VecX::Constant(mechanism.nv, 0.5)),  // of prescribed joints
        back(mechanism.nv),
        M(mechanism.nv, mechanism.nv) {
    dynamics::RecursiveWorkspace<double> forward(mechanism);
    dynamics::InverseWorkspace<double> inverse(mechanism);
    dynamics::MassMatrixWorkspace<double> mass(mechanism);
    VecX forces = tau;
    calc_forward_dynamics(mechanism, state, forces, nullptr, forward, vdot);
    calc_inverse_dynamics(mechanism, state, vdot, nullptr, inverse, back);
    calc_mass_matrix(mechanism, state.q, mass, M);
    M = MatX(M.selfadjointView<Eigen::Upper>());
  }
  Arrays arrays() const { return {{"q", state.q}, {"v", state.v}, {"tau", tau}, {"vdot", vdot}}; }
};

double difference(const VecX& a, const VecX& b) { return (a - b).norm() / (1e-300 + b.norm()); }

// The claim of the README. Dymola printed 727/493 and 269/190 (Otter et al. 1994, section 7).
TEST(Counts, ManutecR3IsFarBelowDymola) {
  const Mechanism mechanism = load("manutec_r3.yaml");
  const symbolic::OpCounts forward = only(mechanism, What::forward).counts;
  EXPECT_LE(forward.multiplications, 463u);
  EXPECT_LE(forward.additions, 321u);
  const symbolic::OpCounts inverse = only(mechanism, What::inverse).counts;
  EXPECT_LE(inverse.multiplications, 208u);
  EXPECT_LE(inverse.additions, 156u);
}

TEST(Counts, TheHumanoidIsCountedWhole) {
  EXPECT_GT(only(load("humanoid.yaml"), What::forward).counts.multiplications, 1000u);
}

// Case B of the references, torques to 13 digits.
TEST(Formulas, ManutecR3HasItsPublishedTorques) {
  const Mechanism mechanism = load("manutec_r3.yaml");
  VecX q(6), v(6), vdot(6), tau(6);
  q << 0.3, -0.5, 0.8, 0.4, -0.6, 1.1;
  v << 1, -0.7, 1.5, 2, -1.2, 0.9;
  vdot << 0.5, 1, -1.5, 2, 0.7, -3;
  tau << 6.670339676145, 402.188398147084, 73.554169669624, 7.313424152674, 32.869988366558,
      -0.155420783930;
  const Arrays in{{"q", q}, {"v", v}, {"vdot", vdot}, {"tau", tau}};
  EXPECT_LT((run(only(mechanism, What::inverse), in).at("tau") - tau).norm(), 1e-9);
  EXPECT_LT((run(only(mechanism, What::forward), in).at("vdot") - vdot).norm(), 1e-9);
}

TEST(Formulas, EqualTheRecursionsOnRandomTrees) {
  RandomMechanism random(5);
  for (int n = 1; n <= 7; ++n) {
    for (const bool prescribed : {false, true}) {
      const Mechanism mechanism = random.tree(n, 0.6, prescribed);
      if (mechanism.nv == 0) continue;
      const Sample s(random, mechanism);
      Arrays in = s.arrays();
      in["prescribed"] = s.vdot;
      EXPECT_LT(difference(run(only(mechanism, What::forward), in).at("vdot"), s.vdot), 1e-9) << n;
      EXPECT_LT(difference(run(only(mechanism, What::inverse), in).at("tau"), s.back), 1e-11) << n;
      const VecX h = run(only(mechanism, What::bias), in).at("h");
      const MatX M = by_rows(run(only(mechanism, What::mass_matrix), in).at("M"), mechanism.nv);
      EXPECT_LT((M - s.M).norm(), 1e-12 * s.M.norm()) << n;
      EXPECT_LT(difference(s.M * s.vdot + h, s.back), 1e-11) << n;
    }
  }
}

TEST(Formulas, MotionsOfBodiesEqualTheKinematics) {
  RandomMechanism random(6);
  for (int n = 1; n <= 6; ++n) {
    const Mechanism mechanism = random.tree(n, 0.6);
    const Sample s(random, mechanism);
    dynamics::Kinematics expected(mechanism);
    calc_kinematics(mechanism, s.state, expected);
    const Arrays motion = run(only(mechanism, What::kinematics), s.arrays());
    const VecX J = run(only(mechanism, What::jacobian), s.arrays()).at("J");
    for (int b = 1; b < static_cast<int>(mechanism.bodies.size()); ++b) {
      const model::BodyMotion& body = expected.bodies[b];
      const MatX R = by_rows(motion.at("rotation").segment(9 * (b - 1), 9), 3);
      EXPECT_LT((R - body.X_WB.R).norm(), 1e-13);
      EXPECT_LT((motion.at("position").segment(3 * (b - 1), 3) - body.X_WB.p).norm(), 1e-12);
      EXPECT_LT((motion.at("angular_velocity").segment(3 * (b - 1), 3) - body.w).norm(), 1e-12);
      EXPECT_LT((motion.at("velocity").segment(3 * (b - 1), 3) - body.v).norm(), 1e-11);
      const int size = 6 * mechanism.nv;
      if (size == 0) continue;
      const MatX J_b = by_rows(J.segment(size * (b - 1), size), 6);
      EXPECT_LT((J_b - calc_jacobian(mechanism, expected, b, math::Vec3::Zero())).norm(), 1e-12);
    }
  }
}

// Central differences along the speeds; the step balances h² against rounding.
MatX differences(const Formulas::Function& f, const Arrays& in, const char* what, const char* out,
                 const Mechanism& mechanism) {
  const VecX f0 = run(f, in).at(out);
  const bool is_q = std::string(what) == "q";
  const auto n = is_q ? mechanism.nv : in.at(what).size();
  MatX D(f0.size(), n);
  const double h = 1e-5;
  for (Eigen::Index k = 0; k < n; ++k) {
    VecX direction = VecX::Unit(n, k);
    if (is_q) {
      VecX qdot(mechanism.nq);
      mechanism.calc_qdot(in.at("q"), direction, qdot);
      direction = qdot;
    }
    const auto at = [&](double step) {
      Arrays moved = in;
      moved[what] += step * direction;
      return run(f, moved).at(out);
    };
    D.col(k) = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  }
  return D;
}

TEST(Formulas, GradientsEqualCentralDifferences) {
  RandomMechanism random(7);
  for (int n = 1; n <= 4; ++n) {
    const Mechanism mechanism = random.tree(n, 0.7);
    if (mechanism.nv == 0) continue;
    const std::vector<std::string> keep{"mass", "length", "com", "inertia", "gravity"};
    const Formulas gradients = make_formulas(mechanism, {What::gradients, keep, false});
    const Sample s(random, mechanism);
    Arrays in = s.arrays();
    VecX& p = in["p"];
    for (const Parameter& each : gradients.parameters) {
      p.conservativeResize(p.size() + 1);
      p[p.size() - 1] = each.value;
    }
    const Arrays of_vdot = run(gradients.functions[0], in),
                 of_tau = run(gradients.functions[1], in);
    const Formulas::Function forward = only(mechanism, What::forward, keep),
                             inverse = only(mechanism, What::inverse, keep);
    for (const char* x : {"q", "v", "tau", "p"}) {
      const MatX D = differences(forward, in, x, "vdot", mechanism);
      const MatX exact = by_rows(of_vdot.at(std::string("dvdot_d") + x), mechanism.nv);
      EXPECT_LT((exact - D).norm(), 1e-7 * (1 + D.norm())) << n << " vdot by " << x;
    }
    for (const char* x : {"q", "v", "vdot", "p"}) {
      const MatX D = differences(inverse, in, x, "tau", mechanism);
      const MatX exact = by_rows(of_tau.at(std::string("dtau_d") + x), mechanism.nv);
      EXPECT_LT((exact - D).norm(), 1e-7 * (1 + D.norm())) << n << " tau by " << x;
    }
  }
}

TEST(Formulas, ForcesOnLinksAreArguments) {
  RandomMechanism random(8);
  const Mechanism mechanism = random.limbs({3, 2}, true);
  const model::State state = random.state(mechanism);
  const VecX F = random.vector(6 * static_cast<int>(mechanism.links.size()), 2);
  VecX tau = random.vector(mechanism.nv, 2), vdot(mechanism.nv);
  dynamics::RecursiveWorkspace<double> workspace(mechanism);
  calc_forward_dynamics(mechanism, state, tau, F.data(), workspace, vdot);
  const Formulas f = make_formulas(mechanism, {What::forward, {}, true});
  const Arrays out =
      run(f.functions[0], {{"q", state.q}, {"v", state.v}, {"tau", tau}, {"body_forces", F}});
  EXPECT_LT(difference(out.at("vdot"), vdot), 1e-10);
}

TEST(Formulas, UnknownWordsAndMimicJointsAreRefused) {
  const Mechanism r3 = load("manutec_r3.yaml");
  try {
    make_formulas(r3, {What::forward, {"masses"}, false});
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_NE(std::string(error.what()).find("'masses' cannot be kept"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("mass"), std::string::npos);
  }
  EXPECT_EQ(find_what("forwards"), nullptr);
}

}  // namespace
}  // namespace couplet::generate
