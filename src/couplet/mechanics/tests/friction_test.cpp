// Dry friction in joints: closed forms, independent equations, all formalisms, sticking and
// slipping.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

constexpr double g = 9.81;

RunOptions accurate(double t_end, const char* integrator = "dop853") {
  RunOptions options;
  options.integrator = integrator;
  options.tolerance = {1e-11, 1e-11};
  options.t_end = t_end;
  return options;
}

double column_max(const results::Recording& r, const std::string& name, double* at = nullptr) {
  const size_t column = r.find(name).value();
  size_t best = 0;
  for (size_t i = 0; i < r.rows(); ++i)
    if (r.at(i, column) > r.at(best, column)) best = i;
  if (at) *at = r.at(best, 0);
  return r.at(best, column);
}

// ---- One freedom: closed forms.

std::string incline(double mu, double v, double stick_speed = 0, const char* more = "") {
  return fmt::format(R"(
bodies: {{block: {{mass: 2, particle: true}}}}
joints:
  slide: {{type: prismatic, from: world, to: block, axis: [cos(30 deg), 0, sin(30 deg)], v: {}, friction: {{coefficient: {}, stick-speed: {}}}{}}}
)",
                     v, mu, stick_speed, more);
}

// 4 m/s uphill: a = g (sin + μ cos), then back down with g (sin - μ cos). Reference:
// contact_friction.json.
TEST(Friction, ABlockOnAnInclineStopsWhereItShouldAndSlidesBack) {
  const double down = g * (0.5 - 0.3 * std::sqrt(3) / 2);
  for (const integrate::RuleEntry& entry : integrate::rules()) {
    if (entry.order < 2) continue;
    RunOptions options = accurate(1, entry.name);
    options.tolerance = {1e-9, 1e-9};
    if (entry.control == integrate::StepControl::fixed) options.step = 0.01;
    const results::Recording r = simulate(mechanism_of(incline(0.3, 4)), options);
    double t = 0;
    EXPECT_NEAR(column_max(r, "slide.q", &t), 1.07329062093047, 1e-10) << entry.name;
    EXPECT_NEAR(t, 0.536645310465236, 1e-10) << entry.name;
    EXPECT_NEAR(last(r, "slide.q"),
                1.07329062093047 - down / 2 * std::pow(1 - 0.536645310465236, 2), 1e-10)
        << entry.name;
    EXPECT_NEAR(last(r, "slide.v"), -down * (1 - 0.536645310465236), 1e-10) << entry.name;
  }
}

TEST(Friction, OnAGentleInclineTheBlockStays) {
  const double up = g * (0.5 + 0.6 * std::sqrt(3) / 2);
  const results::Recording r =
      simulate(mechanism_of(incline(0.6, 4)), accurate(2));  // tan 30° = 0.577
  EXPECT_NEAR(last(r, "slide.q"), 8 / up, 1e-11);
  EXPECT_EQ(last(r, "slide.v"), 0);
  const results::Recording still = simulate(mechanism_of(incline(0.58, 0)), accurate(2));
  EXPECT_EQ(last(still, "slide.q"), 0);
}

TEST(Friction, OfNoCoefficientChangesNoBit) {
  const std::string without = R"(
bodies: {block: {mass: 2, particle: true}}
joints: {slide: {type: prismatic, from: world, to: block, axis: [cos(30 deg), 0, sin(30 deg)], v: 4}}
)";
  const results::Recording a = simulate(mechanism_of(without), accurate(1));
  const results::Recording b = simulate(mechanism_of(incline(0, 4)), accurate(1));
  ASSERT_EQ(a.rows(), b.rows());
  for (size_t i = 0; i < a.rows(); ++i)
    for (size_t k = 0; k < a.signals.size(); ++k) EXPECT_EQ(a.at(i, k), b.at(i, k));
}

// The regularised law creeps where the other sticks, and differs by its stick speed.
TEST(Friction, RegularisedTendsToSetValued) {
  const double exact = last(simulate(mechanism_of(incline(0.6, 4)), accurate(1)), "slide.q");
  double before = INFINITY;
  for (const double stick_speed : {1e-1, 1e-2, 1e-3}) {
    const double q =
        last(simulate(mechanism_of(incline(0.6, 4, stick_speed)), accurate(1)), "slide.q");
    EXPECT_LT(std::abs(q - exact), before / 5);
    before = std::abs(q - exact);
  }
  EXPECT_LT(before, 5e-3);
}

// A block on a belt that moves with V, on a spring: it sticks until k x = μ m g, at t = μ g m/(k
// V), then x = μ m g/k + V/ω sin ω(t - t1).
TEST(Friction, ABlockOnABeltSticksUntilTheSpringPullsItOff) {
  const results::Recording r = simulate(mechanism_of(R"(
bodies:
  belt: {mass: 1, particle: true}
  block: {mass: 1, particle: true}
joints:
  drive: {type: prismatic, from: world, to: belt, axis: x, motion: 0.1*t}
  slide: {type: prismatic, from: belt, to: block, axis: x, friction: {coefficient: 0.4}, force: -100*(drive.q + slide.q)}
)"),
                                        accurate(0.9));
  const double t1 = 0.4 * g / 10;
  EXPECT_NEAR(last(r, "slide.q") + 0.09, 0.4 * g / 100 + 0.01 * std::sin(10 * (0.9 - t1)), 1e-9);
  for (size_t i = 0; i < r.rows(); ++i)
    if (r.at(i, 0) < t1 - 1e-9) {
      EXPECT_NEAR(r.at(i, r.find("slide.q").value()), 0, 1e-15);
    }
}

// I θ̈ = -m g l sin θ - μ r N s, N² = (m g cos θ + m l θ̇²)² + (m g sin θ + m l θ̈)²: implicit in θ̈.
double pendulum_acceleration(double theta, double w, double s) {
  constexpr double m = 2, l = 0.6, I = 2 * 0.36 + 0.1, arm = 0.4 * 0.1;
  double a = 0;
  for (int i = 0; i < 200; ++i) {
    const double N =
        std::hypot(m * g * std::cos(theta) + m * l * w * w, m * g * std::sin(theta) + m * l * a);
    a = (-m * g * l * std::sin(theta) - arm * N * s) / I;
  }
  return a;
}

template <class Slip>
std::pair<double, double> integrate_pendulum(double theta, double w, double t_end,
                                             const Slip& slip) {
  const int n = 20000;
  const double h = t_end / n;
  const auto f = [&](double q, double v) { return pendulum_acceleration(q, v, slip(v)); };
  for (int i = 0; i < n; ++i) {
    const double k1 = f(theta, w), k2 = f(theta + h / 2 * w, w + h / 2 * k1),
                 k3 = f(theta + h / 2 * w + h * h / 4 * k1, w + h / 2 * k2),
                 k4 = f(theta + h * w + h * h / 2 * k2, w + h * k3);
    theta += h * w + h * h / 6 * (k1 + k2 + k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return {theta, w};
}

TEST(Friction, APendulumInABearingAgreesWithItsScalarEquation) {
  const auto pendulum = [](double stick_speed) {
    return mechanism_of(fmt::format(R"(
bodies: {{bob: {{mass: 2, com: [0, 0, -0.6], inertia: [0.1, 0.1, 0.1]}}}}
joints: {{pin: {{type: revolute, from: world, to: bob, axis: y, q: 1.2, friction: {{coefficient: 0.4, radius: 0.1, stick-speed: {}}}}}}}
)",
                                    stick_speed));
  };
  // The first swing, in one direction; then many with a smooth law.
  const auto [q, v] = integrate_pendulum(1.2, 0, 0.7, [](double) { return -1.0; });
  const results::Recording r = simulate(pendulum(0), accurate(0.7));
  EXPECT_NEAR(last(r, "pin.q"), q, 1e-9);
  EXPECT_NEAR(last(r, "pin.v"), v, 1e-9);
  const auto [q2, v2] =
      integrate_pendulum(1.2, 0, 4, [](double w) { return w / std::hypot(w, 0.1); });
  const results::Recording r2 = simulate(pendulum(0.1), accurate(4));
  EXPECT_NEAR(last(r2, "pin.q"), q2, 1e-8);
  EXPECT_NEAR(last(r2, "pin.v"), v2, 1e-8);
  // In the end it stands where the bearing can hold it: m g l sin θ ≤ μ r m g.
  const results::Recording end = simulate(pendulum(0), accurate(20));
  EXPECT_EQ(last(end, "pin.v"), 0);
  EXPECT_LE(std::abs(std::sin(last(end, "pin.q"))), 0.4 * 0.1 / 0.6);
}

// ---- Several freedoms that resist together.

// A ball on its centre, pressed by its weight: ω keeps its direction, |ω| falls with μ r m g/I.
TEST(Friction, ABallJointStopsAlongAStraightLine) {
  const auto mechanism = mechanism_of(R"(
bodies: {ball: {mass: 2, inertia: [0.5, 0.5, 0.5]}}
joints: {socket: {type: spherical, from: world, to: ball, v: [1, 2, -2], friction: {coefficient: 0.3, radius: 0.1}}}
)");
  const results::Recording r = simulate(mechanism, accurate(4));
  const double angle = 9 / 2.0 / (0.3 * 0.1 * 2 * g / 0.5);
  EXPECT_NEAR(last(r, "socket.qw"), std::cos(angle / 2), 1e-7);
  EXPECT_NEAR(last(r, "socket.qy"), std::sin(angle / 2) * 2 / 3, 1e-7);
  for (const char* name : {"socket.wx", "socket.wy", "socket.wz"}) EXPECT_EQ(last(r, name), 0);
}

TEST(Friction, APuckSlidesStraightAndTurns) {
  const results::Recording r = simulate(mechanism_of(R"(
bodies: {puck: {mass: 2, inertia: [0.02, 0.02, 0.02]}}
joints: {table: {type: planar, from: world, to: puck, v: [3, -4, 5], friction: {coefficient: 0.3, radius: 0.02}}}
)"),
                                        accurate(3));
  const double path = 25 / 2.0 / (0.3 * g);
  EXPECT_NEAR(last(r, "table.x"), 0.6 * path, 1e-7);
  EXPECT_NEAR(last(r, "table.y"), -0.8 * path, 1e-7);
  EXPECT_NEAR(last(r, "table.angle"), 25 / 2.0 / (0.3 * 0.02 * 2 * g / 0.02), 1e-7);
  EXPECT_EQ(last(r, "table.vx"), 0);
}

// ---- Beside stops.

// Up against one stop, down against the other. A slippery block ends lying on that; a rough one
// sticks where it was last thrown to.
TEST(Friction, ABlockSlidesAgainstStops) {
  for (const double mu : {0.3, 0.6}) {
    const results::Recording r = simulate(
        mechanism_of(incline(mu, 4, 0, ", limits: {lower: -0.1, upper: 0.5, restitution: 0.5}")),
        accurate(4));
    const double up = g * (0.5 + mu * std::sqrt(3) / 2), down = g * (mu * std::sqrt(3) / 2 - 0.5);
    const double below = (16 - 2 * up * 0.5) / 4 - 2 * down * 0.6;  // v² at the lower stop
    EXPECT_EQ(last(r, "slide.v"), 0);
    EXPECT_NEAR(last(r, "slide.q"), mu < 0.5 ? -0.1 : -0.1 + below / 4 / (2 * up), 1e-9);
  }
}

// A block that friction has held at its stop is let go, against the stop, and later drawn away from
// it.
TEST(Friction, AStopTakesOverWhereFrictionLetsGo) {
  const results::Recording r = simulate(mechanism_of(R"(
bodies: {block: {mass: 2, particle: true}}
joints:
  slide: {type: prismatic, from: world, to: block, axis: x, friction: {coefficient: 0.5}, limits: {upper: 0}, force: 30*sin(t)}
)"),
                                        accurate(4));
  // It sticks until 30 sin t = -μ m g, in the second half of the period.
  const double t1 = std::asin(0.5 * 2 * g / 30) + M_PI;
  for (size_t i = 0; i < r.rows(); ++i)
    if (r.at(i, 0) < t1 - 1e-9) {
      EXPECT_NEAR(r.at(i, r.find("slide.q").value()), 0, 1e-15);
    }
  const double v = (15 * (std::cos(t1) - std::cos(4.0)) + 0.5 * g * (4 - t1));
  EXPECT_NEAR(last(r, "slide.v"), v, 1e-9);
}

// ---- The balance of forces: all formalisms, loops, singular cases.

std::shared_ptr<const Mechanism> tree(double stick_speed) {
  return mechanism_of(fmt::format(R"(
bodies:
  a: {{mass: 3, com: [0.1, 0.2, 0], inertia: [0.3, 0.2, 0.25], points: {{tip: [0.4, 0.1, 0.2]}}}}
  b: {{mass: 2, com: [0, 0.1, 0.2], inertia: [0.1, 0.12, 0.15], points: {{tip: [0, 0.3, 0.2], side: [0.2, 0, 0]}}}}
  c: {{mass: 1, com: [0.1, 0, 0.1], inertia: [0.05, 0.04, 0.06], points: {{tip: [0.3, 0.3, 0]}}}}
  d: {{mass: 1.5, com: [0.1, 0.3, 0.1], inertia: [0.05, 0.04, 0.06], points: {{tip: [0.3, 0.3, 0]}}}}
  e: {{mass: 1.2, com: [0.2, 0.1, 0.1], inertia: [0.05, 0.04, 0.06]}}
joints:
  j1: {{type: revolute, from: world, to: a, axis: [1, 2, 1], q: 0.3, v: 0.8, friction: {{coefficient: 0.2, radius: 0.05, stick-speed: {0}}}}}
  j2: {{type: cylindrical, from: a.tip, to: b, axis: [0, 1, 1], q: [0.2, 0.1], v: [-0.4, 0.7], friction: {{coefficient: 0.3, radius: 0.1, stick-speed: {0}}}}}
  j3: {{type: spherical, from: b.tip, to: c, v: [0.3, -0.2, 0.5], friction: {{coefficient: 0.1, radius: 0.04, stick-speed: {0}}}}}
  j4: {{type: universal, from: b.side, to: d, q: [0.4, -0.3], v: [0.6, 0.1], friction: {{coefficient: 0.2, radius: 0.03, stick-speed: {0}}}}}
  j5: {{type: prismatic, from: d.tip, to: e, axis: [1, 0, 2], q: 0.1, v: -0.5, friction: {{coefficient: 0.25, stick-speed: {0}}}}}
)",
                                  stick_speed));
}

// Crank and slider with friction in every joint; it closes without redundancy, in the plane x-z.
std::shared_ptr<const Mechanism> slider_crank(double stick_speed, double v = 5,
                                              const char* gas = "-20") {
  return mechanism_of(fmt::format(R"(
parameters: {{r: 0.1, l: 0.3, start: 0.7, swing: asin(r*sin(start)/l), speed: {1}, swing_speed: r*cos(start)*speed/(l*cos(swing))}}
bodies:
  crank: {{mass: 2, com: [0.03, 0, 0], inertia: [0.01, 0.02, 0.02], points: {{pin: [r, 0, 0]}}}}
  rod: {{mass: 1, com: [0.1, 0, 0.01], inertia: [0.001, 0.008, 0.008], points: {{end: [l, 0, 0]}}}}
  piston: {{mass: 0.5, com: [0.02, 0, 0.01], inertia: [0.001, 0.001, 0.001]}}
joints:
  main: {{type: revolute, from: world, to: crank, axis: -y, q: start, v: speed, friction: {{coefficient: 0.2, radius: 0.03, stick-speed: {0}}}}}
  pin: {{type: revolute, from: crank.pin, to: rod, axis: -y, q: -swing - start, v: -swing_speed - speed, friction: {{coefficient: 0.3, radius: 0.02, stick-speed: {0}}}}}
  wrist: {{type: revolute, from: rod.end, to: piston, axis: -y, q: swing, v: swing_speed, friction: {{coefficient: 0.25, radius: 0.01, stick-speed: {0}}}}}
  cylinder: {{type: prismatic, from: world, to: piston, axis: x, q: r*cos(start) + l*cos(swing), v: -r*sin(start)*speed - l*sin(swing)*swing_speed, friction: {{coefficient: 0.15, stick-speed: {0}}}, force: {2}}}
)",
                                  stick_speed, v, gas));
}

struct Evaluation {
  model::State state;
  VecX vdot, tau;
};

Evaluation evaluate(const std::shared_ptr<const Mechanism>& mechanism, dynamics::System& system) {
  Evaluation out{mechanism->default_state(), VecX::Zero(mechanism->nv), VecX::Zero(mechanism->nv)};
  system.make_consistent(out.state);
  dynamics::assemble(system, out.state);
  system.calc_vdot(out.state, out.tau, out.vdot);
  return out;
}

TEST(Friction, AllFormalismsAgree) {
  int compared = 0;
  for (const auto& mechanism : {tree(0.2), tree(0), slider_crank(0.2), slider_crank(0)}) {
    dynamics::System usual(mechanism);
    const Evaluation first = evaluate(mechanism, usual);
    for (const dynamics::FormalismEntry& entry : dynamics::formalisms()) {
      if (!entry.applies(*mechanism)) continue;
      dynamics::System system(mechanism, entry.name);
      const Evaluation other = evaluate(mechanism, system);
      EXPECT_LT((other.vdot - first.vdot).norm(), 1e-9 * (1 + first.vdot.norm())) << entry.name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 12);
}

// M v̇ + Gᵀλ = f(λ) holds at the solution, in the form that implicit rules use.
TEST(Friction, TheResidualOfTheSolutionVanishes) {
  for (const auto& mechanism :
       {tree(0.2), tree(0), slider_crank(0.2), slider_crank(0), slider_crank(0, 0)}) {
    dynamics::System system(mechanism);
    const Evaluation at = evaluate(mechanism, system);
    const VecX lambda = system.constraints() ? system.lambda() : VecX();
    VecX residual(mechanism->nv);
    system.balance().calc_residual(at.state, VecX::Zero(at.vdot.size()), at.vdot, lambda, residual);
    EXPECT_LT(residual.norm(), 1e-9 * (1 + at.vdot.norm()));
  }
}

// Planar Newton-Euler equations of crank, rod and piston: 9 accelerations, 2 + 2 + 2 forces in the
// pins, force and moment of the cylinder; friction by iteration on its magnitudes. x to the right,
// z up, angles from x to z.
struct Maximal {
  double vdot[4];  // of main, pin, wrist, cylinder
};

Maximal solve_maximal(const model::State& s, double stick_speed) {
  using Vec2 = Eigen::Vector2d;
  const auto turned = [](double angle, const Vec2& p) {
    return Vec2(std::cos(angle) * p.x() - std::sin(angle) * p.y(),
                std::sin(angle) * p.x() + std::cos(angle) * p.y());
  };
  const auto slip = [&](double v) { return v / std::hypot(v, stick_speed); };
  const double angle[3] = {s.q[0], s.q[0] + s.q[1], 0}, w[3] = {s.v[0], s.v[0] + s.v[1], 0};
  const double mass[3] = {2, 1, 0.5}, inertia[3] = {0.02, 0.008, 0.001};
  const Vec2 com[3] = {{0.03, 0}, {0.1, 0.01}, {0.02, 0.01}};
  // Pins: on body b at p_b, on body c at p_c; b = -1: the world.
  const struct {
    int b, c;
    Vec2 p_b, p_c;
    double arm, rate;
  } pins[3] = {{-1, 0, {0, 0}, {0, 0}, 0.2 * 0.03, w[0]},
               {0, 1, {0.1, 0}, {0, 0}, 0.3 * 0.02, w[1] - w[0]},
               {1, 2, {0.3, 0}, {0, 0}, 0.25 * 0.01, w[2] - w[1]}};
  double N[4] = {};
  VecX x;
  for (int iteration = 0; iteration < 300; ++iteration) {
    MatX A = MatX::Zero(17, 17);
    VecX b = VecX::Zero(17);
    for (int i = 0; i < 3; ++i) {  // rows 3i: m a = forces, I α = moments about the centre of mass
      A(3 * i, 3 * i) = A(3 * i + 1, 3 * i + 1) = mass[i];
      A(3 * i + 2, 3 * i + 2) = inertia[i];
      b[3 * i + 1] = -mass[i] * g;
    }
    for (int k = 0; k < 3; ++k) {  // force of pin k on body c: unknowns 9 + 2k, 10 + 2k
      const double torque = -pins[k].arm * N[k] * slip(pins[k].rate);
      for (const auto& [body, p, sign] :
           {std::tuple{pins[k].c, pins[k].p_c, 1.0}, std::tuple{pins[k].b, pins[k].p_b, -1.0}}) {
        if (body < 0) continue;
        const Vec2 arm = turned(angle[body], p - com[body]);
        A(3 * body, 9 + 2 * k) -= sign;
        A(3 * body + 1, 10 + 2 * k) -= sign;
        A(3 * body + 2, 9 + 2 * k) += sign * arm.y();
        A(3 * body + 2, 10 + 2 * k) -= sign * arm.x();
        b[3 * body + 2] += sign * torque;
        // Rows 9 + 2k: the point's acceleration is the same on both.
        const Vec2 centripetal = -w[body] * w[body] * arm;
        A(9 + 2 * k, 3 * body) += sign;
        A(10 + 2 * k, 3 * body + 1) += sign;
        A(9 + 2 * k, 3 * body + 2) -= sign * arm.y();
        A(10 + 2 * k, 3 * body + 2) += sign * arm.x();
        b[9 + 2 * k] -= sign * centripetal.x();
        b[10 + 2 * k] -= sign * centripetal.y();
      }
    }
    // The cylinder: normal force (unknown 15) and moment (16) keep z and the angle; along x gas and
    // friction, at the wrist.
    A(7, 15) = -1;
    A(8, 15) = com[2].x();
    A(8, 16) = -1;
    const double along = -20 - 0.15 * N[3] * slip(s.v[3]);
    b[6] += along;
    b[8] += com[2].y() * along;
    A(15, 7) = 1;
    A(16, 8) = 1;
    x = A.partialPivLu().solve(b);
    for (int k = 0; k < 3; ++k) N[k] = std::hypot(x[9 + 2 * k], x[10 + 2 * k]);
    N[3] = std::abs(x[15]);
  }
  return {{x[2], x[5] - x[2], x[8] - x[5], x[6]}};
}

TEST(Friction, InALoopAgreesWithMaximalCoordinates) {
  for (const double stick_speed : {0.2, 0.0}) {
    const auto mechanism = slider_crank(stick_speed);
    for (const char* formalism : {"schur", "augmented", "partitioned", "dca"}) {
      dynamics::System system(mechanism, formalism);
      const Evaluation at = evaluate(mechanism, system);
      model::State s = at.state;  // in the order of the joints
      VecX q(4), v(4), vdot(4);
      const char* names[] = {"main", "pin", "wrist", "cylinder"};
      for (int k = 0; k < 4; ++k) {
        const model::TreeJoint& slot =
            mechanism->joints[mechanism->joint_slot[*mechanism->model->find_joint(names[k])]];
        q[k] = s.q[slot.iq], v[k] = s.v[slot.iv], vdot[k] = at.vdot[slot.iv];
      }
      s.q = q, s.v = v;
      const Maximal expected = solve_maximal(s, stick_speed);
      for (int k = 0; k < 4; ++k)
        EXPECT_NEAR(vdot[k], expected.vdot[k], 1e-9 * (1 + std::abs(expected.vdot[k]))) << names[k];
    }
  }
}

// Joints that stick in a loop hold each other: what each does is not determined, that nothing moves
// is.
TEST(Friction, ALoopComesToRest) {
  for (const char* rule : {"dop853", "hem5"}) {
    const results::Recording r = simulate(slider_crank(0), accurate(3, rule));
    for (const char* name : {"main.v", "pin.v", "wrist.v", "cylinder.v"})
      EXPECT_NEAR(last(r, name), 0, 1e-12) << rule << name;
  }
}

// Through reversals, dead centres and rest, from which the gas tears the loop loose again.
TEST(Friction, InALoopRegularisedTendsToSetValued) {
  for (const auto& [speed, gas, t_end] :
       {std::tuple{5.0, "-20", 0.6}, std::tuple{0.0, "60*sin(2*t)", 6.0}}) {
    RunOptions options = accurate(t_end, "dopri5");
    options.tolerance = {1e-8, 1e-8};
    const double exact = last(simulate(slider_crank(0, speed, gas), options), "main.q");
    const double coarse = last(simulate(slider_crank(1e-2, speed, gas), options), "main.q");
    const double fine = last(simulate(slider_crank(1e-3, speed, gas), options), "main.q");
    EXPECT_LT(std::abs(fine - exact), std::abs(coarse - exact) / 3) << gas;
    EXPECT_LT(std::abs(fine - exact), 2e-3) << gas;
  }
}

// f(λ) in the residual: rules on the descriptor form agree with explicit ones, for both laws.
TEST(Friction, ImplicitAndHalfExplicitRulesAgree) {
  for (const double stick_speed : {0.2, 0.0}) {
    const double expected = last(simulate(slider_crank(stick_speed), accurate(0.3)), "main.q");
    for (const char* rule : {"hem5", "ida", "radau5"}) {
      if (std::none_of(
              integrate::rules().begin(), integrate::rules().end(),
              [&](const integrate::RuleEntry& entry) { return std::string(entry.name) == rule; }))
        continue;
      RunOptions options = accurate(0.3, rule);
      options.tolerance = {1e-8, 1e-8};
      Summary summary;
      const results::Recording r = simulate(slider_crank(stick_speed), options, &summary);
      EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
          << rule << summary.outcome.message;
      EXPECT_NEAR(last(r, "main.q"), expected, 2e-5) << rule << stick_speed;
    }
  }
}

// models/slider_crank.yaml: pins that stick and slip, a piston with a stick speed, and gas whose
// force jumps at both dead centres, 27 turns in 2 s. A run may err by its tolerance, relative to
// the angle (168 rad), at each of the 54 events; the reference is two tight runs of different
// kinds, which agree to 2e-8.
TEST(Friction, RulesAgreeOnTheSliderCrankOfTheExamples) {
  base::Diagnostics warnings;
  const auto mechanism = std::make_shared<const Mechanism>(model::compile(
      formats::read_yaml(COUPLET_SOURCE_DIR "/models/slider_crank.yaml", {}, warnings)));
  const auto angle = [&](const char* rule, double tolerance) {
    RunOptions options = accurate(2, rule);
    options.tolerance = {tolerance, tolerance};
    options.record = {"main.q"};
    options.interval = 1;
    Summary summary;
    const results::Recording r = simulate(mechanism, options, &summary);
    // 54 where it begins to stick or to slip, and 53 where the load changes with the direction.
    EXPECT_EQ(summary.counts.events, 107) << rule;
    return last(r, "main.q");
  };
  const double expected = angle("dop853", 1e-11);
  EXPECT_NEAR(angle("mexx", 1e-10), expected, 5e-8);
  for (const char* rule : {"dop853", "hem5", "mexx", "ida"})
    EXPECT_NEAR(angle(rule, 1e-8), expected, 54 * 168e-8) << rule;
}

// A light cart under an almost upright rod: F = F0 + R φ with R = m s c/(m0 + m s²). Sliding one
// way, N = F0/(1 + μ R); the other way, for μ R > 1, no N fits.
TEST(Friction, PainleveIsReported) {
  const auto cart = [](double v) {
    return mechanism_of(fmt::format(R"(
bodies:
  cart: {{mass: 0.01, particle: true}}
  rod: {{mass: 1, com: [0, 0, 1], inertia: [0.001, 0.001, 0.001]}}
joints:
  rail: {{type: prismatic, from: world, to: cart, axis: x, v: {}, friction: {{coefficient: 1, stick-speed: 0.00001}}}}
  hinge: {{type: revolute, from: cart, to: rod, axis: y, q: 0.1}}
)",
                                    v));
  };
  const auto good = cart(1);
  dynamics::System system(good);
  const Evaluation at = evaluate(good, system);
  const double s = std::sin(0.1), c = std::cos(0.1), Io = 1.001, M = 1.01 - c * c / Io,
               R = s * c / Io / M;
  // φ = 0: (m0 + m) a + m l (c θ̈) = 0, Io θ̈ + m l c a = m g l s.
  const double a0 = -c * g * s / Io / M, alpha0 = (g * s - c * a0) / Io, F0 = 1.01 * g - s * alpha0,
               N = F0 / (1 + R);
  EXPECT_NEAR(at.vdot[0], a0 - N / M, 1e-6);
  EXPECT_GT(R, 1);
  const auto bad = cart(-1);
  dynamics::System stuck(bad);
  try {
    evaluate(bad, stuck);
    FAIL() << "a solution that is none";
  } catch (const base::ComputationError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'rail'"));
    EXPECT_THAT(error.what(), testing::HasSubstr("t = 0"));
  }
}

// What sticks, where the others slip to and how much is left of each hold survive a checkpoint.
TEST(Friction, AnArchivedProblemGoesOnBitForBit) {
  const auto mechanism = slider_crank(0);
  MechanismProblem one(mechanism), two(mechanism);
  VecX y = one.make_y(mechanism->default_state()), rates(y.size()), again(y.size());
  two.make_y(slider_crank(0, 0)->default_state());  // sticks
  integrate::Archive saved;
  one.archive(saved);
  integrate::Archive loading(saved.numbers());
  two.archive(loading);
  EXPECT_TRUE(loading.exhausted());
  rates.setZero();
  again.setZero();
  one.calc_rates(0, y, rates);
  two.calc_rates(0, y, again);
  EXPECT_TRUE(rates == again);
}

}  // namespace
}  // namespace couplet::mechanics
