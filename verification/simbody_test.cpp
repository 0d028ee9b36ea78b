// Simbody as an independent engine.
#include "couplet/dynamics/minimal/kinematics.hpp"
#include "oracles/simbody_oracle.hpp"
#include "support/agreement.hpp"

namespace couplet::verification {
namespace {

using math::Pose;

TEST(Simbody, AgreesOnRandomTrees) { expect_agreement_on_random_trees<oracles::SimbodyOracle>(); }

/// Random loops on a tree in a given position, which closes them.
class LoopMaker {
 public:
  explicit LoopMaker(std::mt19937_64& random) : random_(random) {}

  void add(oracles::OracleTree& tree, const oracles::OracleState& state, const std::string& kind,
           bool planar) {
    const model::Mechanism mechanism = compile_tree(tree);
    dynamics::Kinematics kinematics(mechanism);
    calc_kinematics(mechanism, to_state(mechanism, tree, state), kinematics);
    const int count = static_cast<int>(tree.bodies.size());
    oracles::OracleLoop loop{
        .kind = kind, .a = below(count + 1) - 1, .b = 0, .X_AF = {}, .X_BM = {}};
    do loop.b = below(count + 1) - 1;
    while (loop.b == loop.a);
    const auto X_WB = [&](int body) {
      return kinematics.bodies[static_cast<size_t>(body + 1)].X_WB;
    };
    Pose X_WF = X_WB(loop.a) * Pose{math::Mat3::Identity(), vector(0.4)};
    X_WF.R = planar ? math::Mat3(math::Mat3::Identity()) : rotation();
    Pose X_WM = X_WF;
    if (kind == "distance") X_WM.p += vector(0.5);
    if (kind == "plane") X_WM.p += X_WF.R * math::Vec3(uniform(), uniform(), 0);
    if (kind == "revolute")
      X_WM.R = X_WF.R * Eigen::AngleAxisd(uniform(), math::Vec3::UnitZ()).toRotationMatrix();
    loop.length = (X_WM.p - X_WF.p).norm();
    loop.X_AF = plain(X_WB(loop.a).inverse() * X_WF);
    loop.X_BM = plain(X_WB(loop.b).inverse() * X_WM);
    tree.loops.push_back(loop);
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  math::Vec3 vector(double size) { return size * math::Vec3(uniform(), uniform(), uniform()); }
  math::Mat3 rotation() {
    return Eigen::Quaterniond(uniform(), uniform(), uniform(), uniform())
        .normalized()
        .toRotationMatrix();
  }
  static oracles::OraclePose plain(const Pose& X) {
    oracles::OraclePose out;
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(out.rotation.data()) = X.R;
    Eigen::Map<math::Vec3>(out.position.data()) = X.p;
    return out;
  }

  std::mt19937_64& random_;
};

/// Accelerations of a closed mechanism with random speeds and motors, ours by every formalism
/// against Simbody's.
double expect_agreement(const oracles::OracleTree& tree, oracles::OracleState state,
                        std::mt19937_64& random, const std::string& name) {
  const auto mechanism = std::make_shared<const model::Mechanism>(compile_tree(tree));
  model::State ours = to_state(*mechanism, tree, state);
  dynamics::System(mechanism).closure().project(ours);
  state = from_state(*mechanism, tree, ours);
  const std::vector<double> tau = oracles::random_speeds(tree, random, 5);
  oracles::SimbodyOracle engine(tree);
  const math::VecX theirs = to_speeds(*mechanism, tree, engine.forward_dynamics(state, tau));
  double worst = 0;
  for (const char* formalism : {"schur", "augmented", "partitioned"}) {
    dynamics::System system(mechanism, formalism);
    math::VecX our_tau = to_speeds(*mechanism, tree, tau), vdot = math::VecX::Zero(mechanism->nv);
    system.calc_vdot(ours, our_tau, vdot);
    const double difference = (vdot - theirs).norm() / (1 + theirs.norm());
    EXPECT_LT(difference, 1e-9) << name << ", " << formalism;
    worst = std::max(worst, difference);
  }
  return worst;
}

// Every kind of loop that both know, one to three of them on a tree of every joint type.
TEST(Simbody, AgreesOnRandomSpatialLoops) {
  std::mt19937_64 random(31);
  LoopMaker maker(random);
  const std::vector<std::string> kinds{"spherical", "revolute", "weld", "distance", "plane"};
  double worst = 0;
  for (int n = 0; n < 150; ++n) {
    oracles::OracleTree tree = oracles::random_tree(4 + n % 9, oracles::joint_types(), random);
    const oracles::OracleState state = oracles::random_state(tree, random);
    for (int k = 0; k <= n % 3; ++k)
      maker.add(tree, state, kinds[static_cast<size_t>(n / 3 + k) % kinds.size()], false);
    worst = std::max(worst,
                     expect_agreement(tree, state, random, "spatial loops " + std::to_string(n)));
  }
  std::printf("largest difference from Simbody, spatial loops: %.1e\n", worst);
}

// Hinges with parallel axes: spatial hinges and welds close the loops, so that three rows of a
// hinge are redundant.
TEST(Simbody, AgreesOnRandomPlanarLoops) {
  std::mt19937_64 random(32);
  LoopMaker maker(random);
  double worst = 0;
  for (int n = 0; n < 100; ++n) {
    oracles::OracleTree tree = oracles::random_tree(4 + n % 7, {"revolute"}, random);
    for (oracles::OracleBody& body : tree.bodies)
      body.X_PF.rotation = body.X_BM.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const oracles::OracleState state = oracles::random_state(tree, random);
    for (int k = 0; k <= n % 2; ++k)
      maker.add(tree, state, n % 5 == 4 ? "spherical" : "revolute", true);
    worst =
        std::max(worst, expect_agreement(tree, state, random, "planar loops " + std::to_string(n)));
  }
  std::printf("largest difference from Simbody, planar loops: %.1e\n", worst);
}

}  // namespace
}  // namespace couplet::verification
