// Do the oracles agree with each other and with the conventions? On random trees of up to 30 bodies
// with every joint type:
//   agreement   Simbody's and MuJoCo's accelerations and forces, relative difference below 1e-9
//   round trip  inverse dynamics undoes forward dynamics, each engine by itself, below 1e-9
//   power       dE/dt = tau·v with the energy of oracle_energy.hpp; central differences, below 1e-6
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>

#include "mujoco_oracle.hpp"
#include "oracle_energy.hpp"
#include "random_tree.hpp"
#include "simbody_oracle.hpp"

namespace couplet::oracles {
namespace {

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return INFINITY;
    difference = std::max(difference, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return scale > 0 ? difference / scale : difference;
}

double power_error(const OracleTree& tree, const OracleState& state, const std::vector<double>& tau,
                   const std::vector<double>& vdot) {
  const double h = 1e-6;
  const double gain = calc_energy(tree, move(tree, state, vdot, h)) -
                      calc_energy(tree, move(tree, state, vdot, -h));
  double power = 0, scale = 0;
  for (std::size_t i = 0; i < tau.size(); ++i) {
    power += tau[i] * state.v[i];
    scale += std::abs(tau[i] * state.v[i]);
  }
  return std::abs(gain / (2 * h) - power) / (scale + std::abs(calc_energy(tree, state)));
}

struct Claim {
  double limit;
  double worst = 0;
  void see(double error) { worst = std::max(worst, std::isnan(error) ? INFINITY : error); }
};

using Claims = std::map<std::string, Claim>;

void check_tree(const OracleTree& tree, std::mt19937_64& random, Claims& claims) {
  const OracleState state = random_state(tree, random);
  const std::vector<double> tau = random_speeds(tree, random, 5);
  SimbodyOracle simbody(tree);
  MujocoOracle mujoco(tree);

  const std::vector<double> vdot = simbody.forward_dynamics(state, tau);
  const std::vector<double> vdot_mujoco = mujoco.forward_dynamics(state, tau);
  claims.at("forward dynamics agree").see(relative_difference(vdot_mujoco, vdot));
  const std::vector<double> any = random_speeds(tree, random, 5);
  claims.at("inverse dynamics agree")
      .see(relative_difference(mujoco.inverse_dynamics(state, any),
                               simbody.inverse_dynamics(state, any)));
  claims.at("Simbody round trip")
      .see(relative_difference(
          simbody.forward_dynamics(state, simbody.inverse_dynamics(state, any)), any));
  claims.at("MuJoCo round trip")
      .see(relative_difference(mujoco.forward_dynamics(state, mujoco.inverse_dynamics(state, any)),
                               any));
  claims.at("power balance").see(power_error(tree, state, tau, vdot));
}

}  // namespace
}  // namespace couplet::oracles

int main() {
  using namespace couplet::oracles;
  Claims claims{{"forward dynamics agree", {1e-9}},
                {"inverse dynamics agree", {1e-9}},
                {"Simbody round trip", {1e-9}},
                {"MuJoCo round trip", {1e-9}},
                {"power balance", {1e-6}}};
  std::mt19937_64 random(20);
  int trees = 0;
  for (const std::string& type : joint_types()) {  // alone: an error shows which joint it is
    for (int i = 0; i < 20; ++i, ++trees)
      check_tree(random_tree(1 + i % 4, {type, "revolute"}, random), random, claims);
  }
  for (int i = 0; i < 300; ++i, ++trees)
    check_tree(random_tree(1 + i % 30, joint_types(), random), random, claims);

  bool ok = true;
  std::printf("%d random trees\n", trees);
  for (const auto& [name, claim] : claims) {
    const bool holds = claim.worst <= claim.limit;
    ok = ok && holds;
    std::printf("  %-24s worst %.1e, limit %.0e  %s\n", name.c_str(), claim.worst, claim.limit,
                holds ? "ok" : "FAILED");
  }
  return ok ? 0 : 1;
}
