#include "support/loop_motions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "closed_forms/pendulum.hpp"
#include "couplet/formats/yaml.hpp"
#include "support/benchmark_models.hpp"
#include "support/references.hpp"

namespace couplet::verification {
namespace {

using dynamics::Kinematics;
using math::Mat3;
using math::Vec3;
using math::VecX;
using model::JointType;
using model::Mechanism;
using model::State;
using nlohmann::json;

std::shared_ptr<const Mechanism> share(model::Model model) {
  return std::make_shared<const Mechanism>(model::compile(std::move(model)));
}
std::shared_ptr<const Mechanism> load(const std::string& name) {
  base::Diagnostics warnings;
  return share(
      formats::read_yaml(COUPLET_SOURCE_DIR "/models/benchmarks/" + name + ".yaml", {}, warnings));
}

double largest(const VecX& found, const VecX& expected, double size) {
  base::ensure(found.size() == expected.size(), "as many numbers are observed as are known");
  double error = 0;
  for (Eigen::Index i = 0; i < found.size(); ++i)
    error =
        std::max(error, std::abs(found[i] - expected[i]) / std::max(size, std::abs(expected[i])));
  return error;
}

/// Positions and speeds of joints with one freedom, by their names.
auto coordinates(const std::shared_ptr<const Mechanism>& mechanism,
                 const std::vector<std::string>& names) {
  std::vector<std::pair<int, int>> indices;
  for (const std::string& name : names) {
    const model::TreeJoint& slot =
        mechanism->joints[mechanism->joint_slot[*mechanism->model->find_joint(name)]];
    indices.emplace_back(slot.iq, slot.iv);
  }
  return [indices](const State& state, const Kinematics&) {
    Observed out{VecX(indices.size()), VecX(indices.size())};
    for (size_t k = 0; k < indices.size(); ++k)
      out.places[static_cast<Eigen::Index>(k)] = state.q[indices[k].first],
      out.rates[static_cast<Eigen::Index>(k)] = state.v[indices[k].second];
    return out;
  };
}

/// Place and velocity of a point.
auto point_motion(const std::shared_ptr<const Mechanism>& mechanism, const std::string& name) {
  const model::Point& point = mechanism->model->points[*mechanism->model->find_point(name)];
  return [body = static_cast<size_t>(point.body), p = point.X_BP.p](const State&,
                                                                    const Kinematics& kinematics) {
    const Vec3 at = kinematics.bodies[body].X_WB * p;
    return Observed{at, kinematics.bodies[body].velocity_at(at)};
  };
}

VecX flat(const Mat3& R) { return Eigen::Map<const Eigen::Matrix<double, 9, 1>>(R.data()); }

/// Fills times and expected values from the states of a reference.
template <class Read>
void read_states(LoopMotion& motion, const json& states, Read read) {
  for (const auto& [time, state] : states.items()) motion.times.push_back(std::stod(time));
  std::sort(motion.times.begin(), motion.times.end());
  for (const double t : motion.times)
    for (const auto& [time, state] : states.items())
      if (std::stod(time) == t) motion.expected.push_back(read(state));
}

VecX pick(const json& state, const std::vector<std::string>& names) {
  VecX x(names.size());
  for (size_t i = 0; i < names.size(); ++i)
    x[static_cast<Eigen::Index>(i)] = number(state[names[i]]);
  return x;
}

}  // namespace

LoopMotion::Error LoopMotion::calc_error(size_t i, const State& state) const {
  Kinematics kinematics(*mechanism);
  calc_kinematics(*mechanism, state, kinematics);
  const Observed found = observe(state, kinematics);
  return {largest(found.places, expected[i].places, size_of_places),
          largest(found.rates, expected[i].rates, size_of_rates)};
}

// Digits of every component: no number is taken as larger than it is.
LoopMotion make_andrews() {
  LoopMotion motion{.name = "Andrews",
                    .mechanism = load("andrews_squeezer"),
                    .times = {},
                    .expected = {},
                    .observe = {}};
  motion.size_of_places = motion.size_of_rates = 0;
  motion.observe =
      coordinates(motion.mechanism, {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"});
  const json data = reference("andrews_squeezer.json");
  read_states(motion, data["states"], [](const json& s) {
    return Observed{numbers(s["q"]), numbers(s["v"])};
  });
  return motion;
}

// ψ̈ = ω² sin ψ from upright, ω² = g ((n+1)/2 + n) / ((n+1)/3 + n) / L: uprights turn, couplers only
// shift.
LoopMotion make_four_bars_motion(int n) {
  LoopMotion motion{.name = std::to_string(n) + " four-bars",
                    .mechanism = share(make_four_bars(n)),
                    .times = {1, 2, 5, 10},
                    .expected = {},
                    .observe = {}};
  const Pendulum pendulum(std::sqrt(9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n)),
                          {-std::numbers::pi, 1});
  std::vector<std::string> feet;
  for (int i = 0; i <= n; ++i) feet.push_back("foot" + std::to_string(i));
  motion.observe = coordinates(motion.mechanism, feet);
  for (const double t : motion.times) {
    const Pendulum::Motion at = pendulum.at(t);
    motion.expected.push_back(
        {VecX::Constant(n + 1, -(at.theta + std::numbers::pi)), VecX::Constant(n + 1, -at.rate)});
  }
  return motion;
}

LoopMotion make_particle_on_rod() {
  LoopMotion motion{.name = "particle on a rod",
                    .mechanism = load("pendulum"),
                    .times = {0.5, 1, 2, 5, 9.99, 10},
                    .expected = {},
                    .observe = {}};
  motion.observe = point_motion(motion.mechanism, "bob");
  const Pendulum pendulum(std::sqrt(9.81), {-std::numbers::pi / 2, 0});
  for (const double t : motion.times) {
    const Pendulum::Motion at = pendulum.at(t);
    const Vec3 p(std::sin(at.theta), -std::cos(at.theta), 0);
    motion.expected.push_back({p, at.rate * Vec3(-p.y(), p.x(), 0)});
  }
  return motion;
}

LoopMotion make_bricard() {
  LoopMotion motion{
      .name = "Bricard", .mechanism = load("bricard"), .times = {}, .expected = {}, .observe = {}};
  motion.observe = point_motion(motion.mechanism, "rod2.end");
  const json data = reference("iftomm_a04_bricard.json");
  read_states(motion, data["cuboid"]["states"], [](const json& s) {
    return Observed{numbers(s["P3"]), numbers(s["vP3"])};
  });
  return motion;
}

LoopMotion make_planar_slider_crank() {
  LoopMotion motion{.name = "planar slider-crank",
                    .mechanism = load("slider_crank"),
                    .times = {},
                    .expected = {},
                    .observe = {}};
  motion.observe = coordinates(motion.mechanism, {"q", "x", "p"});
  const json data = reference("slider_crank_planar.json");
  read_states(motion, data["states"], [](const json& s) {
    return Observed{pick(s, {"q", "x", "p"}), pick(s, {"qd", "xd", "pd"})};
  });
  return motion;
}

LoopMotion make_spatial_slider_crank() {
  LoopMotion motion{.name = "spatial slider-crank",
                    .mechanism = load("spatial_slider_crank"),
                    .times = {},
                    .expected = {},
                    .observe = {}};
  motion.observe = coordinates(motion.mechanism, {"crank", "slider"});
  const json data = reference("iftomm_spatial_slider_crank.json");
  read_states(motion, data["iftomm_spatial_slider_crank_global-x"]["states"], [](const json& s) {
    return Observed{pick(s, {"crank_angle", "slider_x"}), pick(s, {"crank_rate", "slider_v"})};
  });
  return motion;
}

// Angles of the rods from hanging (positive: the end goes to +x), the holder's centre of mass and
// its turn.
LoopMotion make_insulator_chain() {
  LoopMotion motion{.name = "insulator chain",
                    .mechanism = load("insulator_chain"),
                    .times = {},
                    .expected = {},
                    .observe = {}};
  const json data = reference("double_insulator_chain.json");
  read_states(motion, data["states"], [](const json& s) {
    Observed out{VecX(11), VecX(11)};
    out.places << numbers(s["rod_angles"]), numbers(s["holder"]);
    out.rates << numbers(s["rod_rates"]), numbers(s["holder_velocity"]);
    return out;
  });
  std::vector<size_t> rods;
  for (const char* side : {"left", "right"})
    for (int k = 1; k <= 4; ++k)
      rods.push_back(static_cast<size_t>(
          *motion.mechanism->model->find_body(std::string(side) + ".i" + std::to_string(k))));
  const auto holder = static_cast<size_t>(*motion.mechanism->model->find_body("holder"));
  motion.observe = [rods, holder](const State&, const Kinematics& kinematics) {
    Observed out{VecX(11), VecX(11)};
    const auto turn =
        [&](size_t body,
            Eigen::Index i) {  // about y, from +z to +x; positive in the reference: from -z to +x
          const Mat3& R = kinematics.bodies[body].X_WB.R;
          out.places[i] = -std::atan2(R(0, 2), R(2, 2));
          out.rates[i] = -kinematics.bodies[body].w.y();
        };
    for (size_t k = 0; k < rods.size(); ++k) turn(rods[k], static_cast<Eigen::Index>(k));
    turn(holder, 10);
    const Vec3 com = kinematics.bodies[holder].X_WB * Vec3(0, 0, -0.1),
               v = kinematics.bodies[holder].velocity_at(com);
    out.places[8] = com.x(), out.places[9] = com.z();
    out.rates[8] = v.x(), out.rates[9] = v.z();
    return out;
  };
  return motion;
}

LoopMotion make_held_top() {
  model::Model model;
  model.gravity = model::UniformGravity{{0, 0, -9.81}};
  const int top =
      model.add_body("top", {15, Vec3(0, 1, 0), Vec3(0.234375, 0.46875, 0.234375).asDiagonal()});
  const int origin = model.bodies[static_cast<size_t>(top)].origin;
  model.add_joint("flight", JointType::free, 0, origin).v0 = {0, 150, -4.61538, 0, 0, 0};
  model.add_joint("ball", JointType::spherical, 0, origin).cut = true;
  LoopMotion motion{.name = "heavy top held by a ball",
                    .mechanism = share(std::move(model)),
                    .times = {},
                    .expected = {},
                    .observe = {}};
  motion.size_of_rates = 150;  // rad/s
  motion.observe = [](const State& state, const Kinematics& kinematics) {
    return Observed{flat(kinematics.bodies[1].X_WB.R), state.v.head<3>()};
  };
  const json data = reference("heavy_top.json");
  read_states(motion, data["states"], [](const json& s) {
    const VecX q = numbers(s["quaternion_wxyz"]);
    return Observed{flat(math::rotation(math::Quaternion(q[0], q[1], q[2], q[3]))),
                    numbers(s["Omega_body"])};
  });
  return motion;
}

// R = Rz(Ω t) Ry(π/2 - lean) Rz(ψ t), ψ = -Ω R/r. The reference gives Ω = 0.674127160338888 rad/s.
LoopMotion make_rolling_disc() {
  const double r = 0.5, circle = 3, lean = 0.2, Rg = circle - r * std::sin(lean);
  const double rate = std::sqrt(9.81 * std::tan(lean) / (1.5 * Rg + r * std::sin(lean) / 4)),
               spin = -rate * circle / r;
  LoopMotion motion{.name = "rolling disc",
                    .mechanism = load("rolling_disc"),
                    .times = {1, 5, 10},
                    .expected = {},
                    .observe = {}};
  const auto turn = [](double angle, const Vec3& axis) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  };
  for (const double t : motion.times) {
    const Mat3 R_turn = turn(rate * t, Vec3::UnitZ()),
               R_lean = turn(std::numbers::pi / 2 - lean, Vec3::UnitY());
    const Mat3 R = R_turn * R_lean * turn(spin * t, Vec3::UnitZ());
    Observed out{VecX(12), VecX(6)};
    out.places << flat(R), R_turn * Vec3(Rg, 0, r * std::cos(lean));
    out.rates << rate * Vec3::UnitZ() + spin * R.col(2), R_turn * Vec3(0, rate * Rg, 0);
    motion.expected.push_back(out);
  }
  motion.observe = [](const State&, const Kinematics& kinematics) {
    const model::BodyMotion& disc = kinematics.bodies[1];
    Observed out{VecX(12), VecX(6)};
    out.places << flat(disc.X_WB.R), disc.X_WB.p;
    out.rates << disc.w, disc.v;
    return out;
  };
  return motion;
}

LoopMotion make_cut_chain(int n) {
  model::Model model;
  model.gravity = model::UniformGravity{{0, 0, -9.81}};
  // z of the frame at the world's origin is -y of the world, its x is x: angles are those of the
  // reference
  const Mat3 R = (Mat3() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished();
  const auto turned = [&](const Vec3& p) { return math::Pose{R, p}; };
  const int ground = model.add_point("ground", 0, turned(Vec3::Zero()));
  int tip = ground;
  for (int k = 0; k < n; ++k) {
    const std::string name = "rod" + std::to_string(k);
    const int rod =
        model.add_body(name, {1, Vec3(0.5, 0, 0), Vec3(0, 1 / 12.0, 1 / 12.0).asDiagonal()});
    const int start = model.add_point(name + ".start", rod, turned(Vec3::Zero()));
    model.add_joint("place of " + name, JointType::planar, ground, start).q0 = {
        static_cast<double>(k), 0, 0};
    model.add_joint("hinge" + std::to_string(k), JointType::revolute, tip, start).cut = true;
    tip = model.add_point(name + ".tip", rod, turned(Vec3::UnitX()));
  }
  LoopMotion motion{.name = "chain of " + std::to_string(n) + " cut hinges",
                    .mechanism = share(std::move(model)),
                    .times = {},
                    .expected = {},
                    .observe = {}};
  motion.observe = [n](const State& state, const Kinematics&) {
    Observed out{VecX(n), VecX(n)};
    for (int k = 0; k < n; ++k)
      out.places[k] = state.q[3 * k + 2], out.rates[k] = state.v[3 * k + 2];
    return out;
  };
  const json data = reference("chains_planar.json");
  read_states(motion, data["rods_n" + std::to_string(n)]["states"], [](const json& s) {
    return Observed{numbers(s["theta"]), numbers(s["omega"])};
  });
  return motion;
}

}  // namespace couplet::verification
