#include "couplet/dynamics/minimal/constraints/constraint_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::dynamics {
namespace {

using base::quoted;
using symbolic::Expr;

Expr symbol(const std::string& name) { return Expr::symbol(name); }
std::string rate_name(const std::string& coordinate) { return "rate of " + coordinate; }

int freedoms_of(const Mechanism& mechanism, const model::TreeJoint& slot) {
  return model::info(mechanism.model->joints[slot.joint].type).nv;
}

std::vector<std::vector<int>> freedoms_of_bodies(const Mechanism& mechanism) {
  std::vector<std::vector<int>> paths(mechanism.bodies.size());
  for (const model::TreeJoint& slot : mechanism.joints) {  // parents first
    std::vector<int>& path = paths[slot.child_body];
    path = paths[slot.parent_body];
    for (int k = 0; k < freedoms_of(mechanism, slot); ++k) path.push_back(slot.iv + k);
  }
  return paths;
}

constexpr double rounding = 1e-10;  // of an entry of G, relative

}  // namespace

ConstraintSet::ConstraintSet(const Mechanism& mechanism) : mechanism_(mechanism), set_(mechanism) {
  for (const constraints::RelationRow& relation : set_.relations()) add_relation(relation);
  make_pattern();
  g_ = known_ = gamma_ = fill_ = VecX::Zero(rows());
  all_.assign(static_cast<size_t>(rows()), 1);
  wanted_ = all_;
  relation_inputs_.assign(set_.now().size() + 2 * static_cast<size_t>(mechanism.nq), 0.0);
  qdot_ = VecX::Zero(mechanism.nq);
  prescribed_.assign(static_cast<size_t>(mechanism.nv), 0);
  for (const model::Link& link : mechanism.links)
    if (link.prescribed) prescribed_[static_cast<size_t>(link.iv)] = 1;
}

// Freedoms that move one of the two bodies, not both.
void ConstraintSet::make_pattern() {
  const std::vector<std::vector<int>> paths = freedoms_of_bodies(mechanism_);
  size_t relation = 0;
  for (int row = 0; row < rows(); ++row) {
    const auto [a, b] = set_.bodies(row);
    std::map<int, double> entries;
    if (a < 0) {
      for (const model::TreeJoint* slot : relations_[relation].joints)
        for (int k = 0; k < freedoms_of(mechanism_, *slot); ++k) entries[slot->iv + k] = 1;
      ++relation;
    } else {
      for (const int j : paths[static_cast<size_t>(b)]) entries[j] = 1;
      for (const int j : paths[static_cast<size_t>(a)])
        if (entries.erase(j) == 0) entries[j] = -1;
    }
    for (const auto& [j, sign] : entries) G_.column.push_back(j), sign_.push_back(sign);
    G_.begin.push_back(static_cast<int>(G_.column.size()));
  }
  G_.value.assign(G_.column.size(), 0.0);
}

// D e = ∂e/∂t + Σ ∂e/∂q_i q̇_i; the second derivative along the motion is D D e, with the rates
// held.
void ConstraintSet::add_relation(const constraints::RelationRow& relation) {
  const Expr& value = relation.value;
  std::vector<std::string> inputs = set_.names();
  for (const std::string& coordinate : mechanism_.coordinate_names)
    inputs.push_back(symbol(coordinate).name());
  for (const std::string& name : symbolic::find_symbols(value))
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
      throw base::UserError(relation.where,
                            fmt::format("constraint {} uses {}, which is not a coordinate of a "
                                        "joint, the time t or a parameter",
                                        quoted(row(relation.row).element), quoted(name)),
                            base::suggest(name, inputs));
  for (const std::string& coordinate : mechanism_.coordinate_names)
    inputs.push_back(symbol(rate_name(coordinate)).name());

  std::vector<int> coordinates;
  for (int i = 0; i < mechanism_.nq; ++i)
    if (!symbolic::differentiate(value, symbol(mechanism_.coordinate_names[i])).is_constant(0))
      coordinates.push_back(i);
  const auto along_motion = [&](const Expr& e) {
    Expr sum = symbolic::differentiate(e, symbol("t"));
    for (const int i : coordinates)
      sum = sum + symbolic::differentiate(e, symbol(mechanism_.coordinate_names[i])) *
                      symbol(rate_name(mechanism_.coordinate_names[i]));
    return sum;
  };
  std::vector<Expr> outputs{value, symbolic::differentiate(value, symbol("t")),
                            along_motion(along_motion(value))};
  for (const int i : coordinates)
    outputs.push_back(symbolic::differentiate(value, symbol(mechanism_.coordinate_names[i])));

  std::vector<const model::TreeJoint*> joints;
  for (const model::TreeJoint& slot : mechanism_.joints) {
    const int nq = model::info(mechanism_.model->joints[slot.joint].type).nq;
    if (std::any_of(coordinates.begin(), coordinates.end(),
                    [&](int i) { return i >= slot.iq && i < slot.iq + nq; }))
      joints.push_back(&slot);
  }
  relations_.push_back(
      {constraints::SmallTape(outputs, inputs), relation.row, coordinates, joints});
}

// ---- Evaluation.

void ConstraintSet::set_wanted(const std::vector<int>& rows) {
  wanted_.assign(all_.size(), 0);
  for (const int k : rows) wanted_[static_cast<size_t>(k)] = 1;
}

void ConstraintSet::evaluate(const State& state, const Kinematics& kinematics,
                             const std::vector<char>& wanted, Values values) {
  set_.evaluate(state.t, kinematics.bodies, kinematics.accelerations, wanted,
                values == Values::all);
  for (int k = 0; k < rows(); ++k)  // slip always counts
    if (set_.bodies(k).first >= 0 && (k >= positions() || wanted[static_cast<size_t>(k)]))
      project(k, kinematics, values);
  if (relations_.empty()) return;
  std::ranges::copy(set_.now(), relation_inputs_.begin());
  mechanism_.calc_qdot(state.q, state.v, qdot_);
  double* inputs = relation_inputs_.data() + set_.now().size();
  std::copy_n(state.q.data(), mechanism_.nq, inputs);
  std::copy_n(qdot_.data(), mechanism_.nq, inputs + mechanism_.nq);
  for (Relation& relation : relations_) evaluate(relation, state);
}

void ConstraintSet::project(int row, const Kinematics& kinematics, Values values) {
  const constraints::PairRow& in = set_.pair_row(row);
  g_[row] = in.error;
  known_[row] = in.known;
  const auto for_freedoms = [&](const auto& function) {
    for (int e = G_.begin[row]; e < G_.begin[row + 1]; ++e) {
      const FreedomMotion& freedom = kinematics.freedoms[static_cast<size_t>(G_.column[e])];
      function(e, freedom.w, Vec3(freedom.v + freedom.w.cross(in.point - freedom.p)));
    }
  };
  for_freedoms([&](int e, const Vec3& w, const Vec3& v) {
    G_.value[e] = sign_[e] * (in.couple.dot(w) + in.force.dot(v));
  });
  if (values == Values::rows) return;
  gamma_[row] = in.bias;
  double largest = 0, possible = 0;
  for_freedoms([&](int e, const Vec3& w, const Vec3& v) {
    if (!prescribed_[static_cast<size_t>(G_.column[e])])
      largest = std::max(largest, std::abs(G_.value[e]));
    possible = std::max(possible, in.couple.squaredNorm() * w.squaredNorm() +
                                      in.force.squaredNorm() * v.squaredNorm());
  });
  fill_[row] = possible > 0 ? largest / std::sqrt(possible) : 0;
}

void ConstraintSet::evaluate(Relation& relation, const State& state) {
  const std::span<const double> out = relation.tape.evaluate(relation_inputs_);
  const int row = relation.row;
  g_[row] = out[0];
  known_[row] = out[1];
  gamma_[row] = out[2];
  const auto by = [&](int i) {  // ∂value/∂q_i
    const auto found =
        std::lower_bound(relation.coordinates.begin(), relation.coordinates.end(), i);
    return found == relation.coordinates.end() || *found != i
               ? 0.0
               : out[3 + (found - relation.coordinates.begin())];
  };
  int e = G_.begin[row];
  double largest = 0, largest_free = 0;
  for (const model::TreeJoint* slot : relation.joints) {
    const model::JointInfo& type = model::info(mechanism_.model->joints[slot->joint].type);
    const double *q = state.q.data() + slot->iq, *v = state.v.data() + slot->iv;
    double rates[7], unit[6] = {};
    for (int k = 0; k < type.nv; ++k, ++e) {  // column k of N
      unit[k] = 1;
      type.qdot(q, unit, rates);
      unit[k] = 0;
      G_.value[e] = 0;
      for (int i = 0; i < type.nq; ++i) G_.value[e] += by(slot->iq + i) * rates[i];
      largest = std::max(largest, std::abs(G_.value[e]));
      if (!prescribed_[static_cast<size_t>(G_.column[e])])
        largest_free = std::max(largest_free, std::abs(G_.value[e]));
    }
    if (!type.on_quaternion()) continue;
    // Ṅ v: the quaternion's rate is bilinear in q and ω; a position moves by R v, whose rate is R
    // (ω × v).
    double change[7] = {};
    type.qdot(qdot_.data() + slot->iq, v, change);
    if (type.nq == 7) {
      const Vec3 moved = math::rotation(math::Quaternion(q[0], q[1], q[2], q[3])) *
                         Vec3(v[0], v[1], v[2]).cross(Vec3(v[3], v[4], v[5]));
      for (int i = 0; i < 3; ++i) change[4 + i] = moved[i];
    }
    for (int i = 0; i < type.nq; ++i) gamma_[row] += by(slot->iq + i) * change[i];
  }
  fill_[row] = largest_free > rounding * largest ? 1 : 0;
}

void ConstraintSet::add_forces(const VecX& lambda, const Kinematics& kinematics,
                               forces::AppliedForces& out) const {
  for (int k = 0; k < rows(); ++k) {
    if (lambda[k] == 0) continue;
    if (set_.bodies(k).first < 0) {
      G_.add_to(k, -lambda[k], out.tau);
      continue;
    }
    set_.add_forces(k, lambda[k], kinematics.bodies, out.on_bodies);
    out.any_on_bodies = true;
  }
}

std::vector<ConstraintForce> ConstraintSet::calc_constraint_forces(const VecX& lambda) const {
  std::vector<ConstraintForce> out = set_.calc_constraint_forces(lambda);
  for (const Relation& relation : relations_) {
    const int index = row(relation.row).constraint;
    if (index < 0) continue;
    for (int e = G_.begin[relation.row]; e < G_.begin[relation.row + 1]; ++e)
      out[static_cast<size_t>(index)].on_freedoms.push_back(
          {G_.column[e], -lambda[relation.row] * G_.value[e]});
  }
  return out;
}

}  // namespace couplet::dynamics
