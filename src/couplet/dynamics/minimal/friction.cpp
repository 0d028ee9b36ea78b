#include "couplet/dynamics/minimal/friction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"

namespace couplet::dynamics {
namespace {

// Slower than this (rad/s, m/s) counts as at rest when it is decided what sticks.
constexpr double at_rest = 1e-9;

// Whether a force on the group could stop it, given accelerations without and per unit force. Where
// a mechanism carries a joint through a dead centre it cannot: the joint slips on, where its
// acceleration says.
template <class Columns>
bool can_hold(FrictionGroup& group, const Columns& columns, const MatX& a, double pressing) {
  constexpr double hopeless = 1e7;  // times all that presses
  Vec3 free = Vec3::Zero();
  bool possible = true;
  for (size_t c = 0; c < columns.size(); ++c) {
    const int k = columns[c].iv - group.iv;
    if (columns[c].group < 0 || k < 0 || k >= group.n) continue;
    const auto row = static_cast<Eigen::Index>(c);
    free[k] = a(row, 0);
    possible &= std::abs(free[k]) <= hopeless * group.hold(pressing) * std::abs(a(row, row + 1));
  }
  if (!possible) group.direction = free.normalized();
  return possible;
}

}  // namespace

Vec3 FrictionGroup::speed(const VecX& v) const {
  Vec3 out = Vec3::Zero();
  for (int k = 0; k < n; ++k) out[k] = v[iv + k];
  return out;
}

Vec3 FrictionGroup::slip(const VecX& v) const {
  const Vec3 w = speed(v);
  const double size = w.norm();
  if (stick_speed > 0) return w / std::sqrt(size * size + stick_speed * stick_speed);
  if (driven) return size > 0 ? Vec3(w / size) : Vec3::Zero();
  if (n == 1 || size < at_rest) return direction;  // smooth through v = 0: an event changes it
  return w.dot(direction) < 0 ? Vec3(-w / size) : Vec3(w / size);
}

// Where the stick speed has let friction grow to what it is, within 6 %, it still is the static
// one.
double FrictionGroup::arm_at(const VecX& v) const {
  if (stick_speed == 0 || static_arm == arm) return arm;
  const double x = speed(v).squaredNorm() / (100 * stick_speed * stick_speed);
  return arm + (static_arm - arm) * std::exp(-x * x);
}

JointFriction::JointFriction(const Mechanism& mechanism) : mechanism_(mechanism) {
  for (const model::TreeJoint& slot : mechanism.joints) add_joint(mechanism, slot);
  most_changes_ = 4 * groups_.size() + 4;
  phi_ = vdot_ = VecX::Zero(mechanism.nv);
  pressed_ = VecX::Zero(3 * static_cast<Eigen::Index>(loads_.size()));
}

void JointFriction::add_joint(const Mechanism& mechanism, const model::TreeJoint& slot) {
  const model::Joint& joint = mechanism.model->joints[static_cast<size_t>(slot.joint)];
  if (!joint.friction || joint.friction->none()) return;
  const model::JointInfo& type = info(joint.type);
  const auto turns = [&](int k) { return (type.angular >> k & 1u) != 0; };

  // P: without the directions in which the joint slides. They span the same in F and in M, wherever
  // the joint is.
  const math::Cols6 S = type.motion_subspace(model::zero_position(type).data(), joint.pitch);
  math::Mat3 P_M = math::Mat3::Identity();
  for (int k = 0; k < type.nv; ++k)
    if (!turns(k)) P_M -= S.col(k).tail<3>() * S.col(k).tail<3>().transpose();
  if (P_M.isZero() && joint.friction->force == 0) return;  // slides everywhere: nothing presses
  const math::Mat3 R_LM =
      mechanism.bodies[static_cast<size_t>(slot.child_body)].X_LB.R * slot.X_MB.R.transpose();
  const int load = static_cast<int>(loads_.size());
  const double kinetic = joint.friction->coefficient,
               sticking = joint.friction->static_coefficient.value_or(kinetic);
  loads_.push_back({slot.joint, slot.link, R_LM * P_M * R_LM.transpose()});

  for (int k = 0; k < type.nv; ++k) {
    const bool joins = k > 0 && turns(k) == turns(k - 1) && (!turns(k) || type.on_quaternion());
    if (joins) {
      ++groups_.back().n;
      groups_.back().name = joint.name;
      continue;
    }
    groups_.push_back({.name = mechanism.dof_names[static_cast<size_t>(slot.iv + k)],
                       .joint = slot.joint,
                       .load = load,
                       .iv = slot.iv + k,
                       .n = 1,
                       .arm = kinetic * (turns(k) ? joint.friction->radius : 1),
                       .static_arm = sticking * (turns(k) ? joint.friction->radius : 1),
                       .constant = turns(k) ? joint.friction->torque : joint.friction->force,
                       .stick_speed = joint.friction->stick_speed,
                       .driven = !joint.motion.empty()});
  }
}

void JointFriction::read_loads(const InverseWorkspace<double>& inverse, VecX& loads) const {
  loads.resize(3 * static_cast<Eigen::Index>(loads_.size()));
  for (size_t i = 0; i < loads_.size(); ++i) {
    const InverseScratch<double>& s = inverse.links[static_cast<size_t>(loads_[i].link)];
    loads.segment<3>(3 * static_cast<Eigen::Index>(i)) = loads_[i].P * Vec3(s.f.x, s.f.y, s.f.z);
  }
}

bool JointFriction::is_explicit() const {
  return held_.empty() &&
         std::none_of(groups_.begin(), groups_.end(), [&](const FrictionGroup& group) {
           return group.switches() && (group.sticks || !remembers_);
         });
}

void JointFriction::add_forces(const VecX& v, const VecX& loads, VecX& tau) const {
  for (const FrictionGroup& group : groups_) {
    const Vec3 s = group.slip(v);
    const double N = loads.segment<3>(3 * static_cast<Eigen::Index>(group.load)).norm();
    const double size = group.arm_at(v) * N + group.constant;
    for (int k = 0; k < group.n; ++k) tau[group.iv + k] -= size * s[k];
  }
}

// ---- Responses to unit forces.

// Freedoms on which an unknown force acts. One that a stop holds is left to it.
void JointFriction::choose_columns() {
  columns_.clear();
  for (size_t g = 0; g < groups_.size(); ++g) {
    const FrictionGroup& group = groups_[g];
    if (group.n == 1 && std::find(held_.begin(), held_.end(), group.iv) != held_.end()) continue;
    for (int k = 0; k < group.n; ++k)
      columns_.push_back({group.iv + k, static_cast<int>(g), k, 0, 0, 0});
  }
  for (size_t k = 0; k < held_.size(); ++k)
    columns_.push_back({held_[k], -1, static_cast<int>(k), 0, 0, 0});
}

void JointFriction::respond(const Response& response) {
  choose_columns();
  const auto n = static_cast<Eigen::Index>(columns_.size()), m = pressed_.size();
  a_.resize(n, n + 1);
  F_.resize(m, n + 1);
  phi_.setZero();
  for (Eigen::Index c = 0; c <= n; ++c) {
    if (c > 0) phi_[columns_[static_cast<size_t>(c - 1)].iv] = 1;
    response(phi_, vdot_, pressed_);
    if (c > 0) phi_[columns_[static_cast<size_t>(c - 1)].iv] = 0;
    F_.col(c) = pressed_;
    for (Eigen::Index r = 0; r < n; ++r) a_(r, c) = vdot_[columns_[static_cast<size_t>(r)].iv];
    if (c == 0) continue;
    F_.col(c) -= F_.col(0);
    a_.col(c) -= a_.col(0);
  }
}

// ---- The equations of x = (N, h) for what sticks and slips at present.

// φ = φ⁰ + B x, φ⁰ = -c s of what slips; D = (∂F/∂φ) B, A = (∂v̇/∂φ) B of the rows that are held,
// scaled to numbers of forces.
void JointFriction::form(const State& state) {
  const auto K = static_cast<Eigen::Index>(loads_.size());
  unknowns_ = static_cast<int>(K);
  for (Column& column : columns_) {
    const FrictionGroup* group =
        column.group < 0 ? nullptr : &groups_[static_cast<size_t>(column.group)];
    const bool holds = !group || (group->switches() && group->sticks);
    column.s = holds ? 0 : group->slip(state.v)[column.k];
    column.arm = holds ? 0 : group->arm_at(state.v);
    column.unknown = holds ? unknowns_++ : group->load;
  }
  const Eigen::Index n = unknowns_;
  D_.setZero(3 * K, n);
  A_.setZero(n - K, n);
  a0_.resize(n - K);
  const auto factor = [&](const Column& column) {
    if (column.group < 0) return 1.0;
    const FrictionGroup& group = groups_[static_cast<size_t>(column.group)];
    return column.unknown < K ? -column.arm * column.s : group.unit();
  };
  F0_ = F_.col(0);
  for (size_t c = 0; c < columns_.size(); ++c) {
    const auto F = F_.col(static_cast<Eigen::Index>(c) + 1);
    D_.col(columns_[c].unknown) += factor(columns_[c]) * F;
    F0_ += constant_force(columns_[c]) * F;
  }
  for (size_t r = 0; r < columns_.size(); ++r) {
    const Eigen::Index row = columns_[r].unknown - K;
    if (row < 0) continue;
    const auto a = a_.row(static_cast<Eigen::Index>(r));
    a0_[row] = a[0];
    for (size_t c = 0; c < columns_.size(); ++c) {
      const double per_force = a[static_cast<Eigen::Index>(c) + 1];
      A_(row, columns_[c].unknown) += factor(columns_[c]) * per_force;
      a0_[row] += constant_force(columns_[c]) * per_force;
    }
    const double scale = A_.row(row).lpNorm<Eigen::Infinity>();
    if (scale == 0) continue;  // nothing can move it
    A_.row(row) /= scale;
    a0_[row] /= scale;
  }
}

// -c s where it slips.
double JointFriction::constant_force(const Column& column) const {
  if (column.group < 0 || column.unknown >= static_cast<Eigen::Index>(loads_.size())) return 0;
  return -groups_[static_cast<size_t>(column.group)].constant * column.s;
}

double JointFriction::calc_residual(const VecX& x, VecX& r) {
  const auto K = static_cast<Eigen::Index>(loads_.size());
  pressed_ = F0_;
  pressed_.noalias() += D_ * x;
  r.resize(x.size());
  for (Eigen::Index i = 0; i < K; ++i) r[i] = x[i] - pressed_.segment<3>(3 * i).norm();
  r.tail(x.size() - K) = a0_;
  r.tail(x.size() - K).noalias() += A_ * x;
  return r.lpNorm<Eigen::Infinity>();
}

// From no friction, damped. Forces that hold each other in a loop are not determined: the smallest
// are taken, in units of what each can do.
void JointFriction::newton(double t) {
  constexpr int most = 60;
  constexpr double exact = 4e-16,
                   good = 1e-11;  // relative: where to stop, and what must be reached
  constexpr double small =
      1e-8;  // steps below this only follow the rounding of joints that hold each other
  const auto K = static_cast<Eigen::Index>(loads_.size());
  x_.setZero(unknowns_);
  double error = calc_residual(x_, r_);
  const double size = error;
  for (int iteration = 0; iteration < most; ++iteration) {
    const double scale = std::max(size, x_.lpNorm<Eigen::Infinity>());
    if (error <= exact * scale) return;
    J_.setIdentity(unknowns_, unknowns_);
    for (Eigen::Index i = 0; i < K; ++i) {
      const Vec3 F = pressed_.segment<3>(3 * i);
      if (F.norm() > 0) J_.row(i) -= (F / F.norm()).transpose() * D_.middleRows<3>(3 * i);
    }
    J_.bottomRows(unknowns_ - K) = A_;
    if (unknowns_ == K) {
      lu_.compute(J_);
      lu_.solve(r_, step_);
    } else {
      smallest_.compute(J_);
      smallest_.solve(r_, step_);
    }
    double factor = 1, next = INFINITY;
    for (; factor > 1e-7; factor /= 2) {
      tried_ = x_ - factor * step_;
      next = calc_residual(tried_, r_tried_);
      if (next <= (1 - factor / 4) * error) break;
    }
    if (!(next < error)) {
      calc_residual(x_, r_);
      if (error <= good * scale || step_.lpNorm<Eigen::Infinity>() <= small * scale) return;
      explain(t);
    }
    x_.swap(tried_);
    r_.swap(r_tried_);
    error = next;
  }
  if (!(error <= good * std::max(size, x_.lpNorm<Eigen::Infinity>()))) explain(t);
}

void JointFriction::explain(double t) const {
  Eigen::Index worst = 0;
  r_.head(static_cast<Eigen::Index>(loads_.size())).cwiseAbs().maxCoeff(&worst);
  const int joint = loads_[static_cast<size_t>(worst)].joint;
  throw base::ComputationError(fmt::format(
      "t = {:.9g}: the friction of joint {} has no solution: the force that the joint transmits "
      "would grow faster "
      "than its own friction (Painlevé's paradox); its coefficient is too large for this motion",
      t, base::quoted(mechanism_.model->joints[static_cast<size_t>(joint)].name)));
}

void JointFriction::keep_forces() {
  const auto K = static_cast<Eigen::Index>(loads_.size());
  phi_.setZero();
  on_columns_.resize(static_cast<Eigen::Index>(columns_.size()));
  held_forces_.setZero(static_cast<Eigen::Index>(held_.size()));
  for (FrictionGroup& group : groups_) group.force.setZero();
  for (size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    FrictionGroup* group = column.group < 0 ? nullptr : &groups_[static_cast<size_t>(column.group)];
    const double per_unknown = !group               ? 1.0
                               : column.unknown < K ? -column.s * column.arm
                                                    : group->unit();
    const double force = per_unknown * x_[column.unknown] + constant_force(column);
    (group ? group->force[column.k] : held_forces_[column.k]) = force;
    phi_[column.iv] += force;
    on_columns_[static_cast<Eigen::Index>(c)] = force;
  }
  for (FrictionGroup& group : groups_)
    group.reserve = (group.sticks ? group.static_arm : group.arm) * x_[group.load] +
                    group.constant - group.force.norm();
}

void JointFriction::balance(const State& state) {
  form(state);
  newton(state.t);
  keep_forces();
}

const VecX& JointFriction::solve(const State& state, const Response& response) {
  if (remembers_) {
    respond(response);
    balance(state);
  } else {
    decide(state, {}, response);
  }
  return phi_;
}

// ---- What sticks.

/// Of a group that slips, along its direction.
double JointFriction::acceleration(const FrictionGroup& group) const {
  double sum = 0;
  for (size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    if (column.group < 0 || &groups_[static_cast<size_t>(column.group)] != &group) continue;
    const auto a = a_.row(static_cast<Eigen::Index>(c));
    sum += group.direction[column.k] * (a[0] + a.tail(a.size() - 1).dot(on_columns_));
  }
  return sum;
}

bool JointFriction::rests(const FrictionGroup& group, const State& state) const {
  return group.switches() && group.speed(state.v).norm() <= at_rest;
}

// The group that is not what it should be: the one that has to hold most beyond its limit, or one
// that moves against its friction. groups_.size(): there is none.
size_t JointFriction::find_contradiction(const State& state) const {
  size_t found = groups_.size();
  double worst = 1;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const FrictionGroup& group = groups_[g];
    if (!group.switches() || !group.sticks || group.reserve >= 0) continue;
    const double force = group.force.norm(), use = force / (force + group.reserve);
    if (found == groups_.size() || !(use <= worst)) found = g, worst = use;
  }
  if (found < groups_.size()) return found;
  const double size = a_.col(0).lpNorm<Eigen::Infinity>();
  for (size_t g = 0; g < groups_.size(); ++g)
    if (rests(groups_[g], state) && !groups_[g].sticks && acceleration(groups_[g]) < -1e-9 * size)
      found = g;
  return found;
}

// All that is at rest sticks, until the one that has to hold most beyond its limit gives way, and
// again; one that would then move against its friction slips the other way, or sticks after all.
void JointFriction::decide(const State& state, std::span<const size_t> released,
                           const Response& response) {
  respond(response);
  for (FrictionGroup& group : groups_) {
    if (!group.switches()) continue;
    const bool at_rest_now = rests(group, state);
    group.sticks =
        at_rest_now && can_hold(group, columns_, a_, F_.col(0).lpNorm<Eigen::Infinity>());
    if (!at_rest_now) group.direction = group.speed(state.v).normalized();
  }
  balance(state);
  const auto release = [](FrictionGroup& group) {
    group.sticks = false;
    group.direction = -group.force.normalized();
  };
  for (const size_t g : released)
    if (groups_[g].sticks && groups_[g].force.norm() > 0) release(groups_[g]);
  if (!released.empty()) balance(state);
  std::vector<char> turned(groups_.size(), 0);
  for (size_t change = 0;; ++change) {
    const size_t wrong = find_contradiction(state);
    if (wrong == groups_.size()) return;
    FrictionGroup& group = groups_[wrong];
    if (change == most_changes_)
      throw base::ComputationError(fmt::format(
          "t = {:.9g}: it cannot be decided whether joint {} sticks or slips: {} changes of what "
          "sticks and slips "
          "led to no state that all friction agrees with; a stick-speed on this joint avoids the "
          "question",
          state.t, base::quoted(mechanism_.model->joints[static_cast<size_t>(group.joint)].name),
          change));
    if (group.sticks) {
      release(group);
    } else {
      group.sticks = turned[wrong] != 0;
      group.direction *= -1;
      turned[wrong] = 1;
    }
    balance(state);
  }
}

}  // namespace couplet::dynamics
