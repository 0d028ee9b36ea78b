#include "couplet/dynamics/minimal/constraints/constraint_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::dynamics {
namespace {

using base::quoted;
using math::Pose;
using symbolic::Expr;

Expr symbol(const std::string& name) { return Expr::symbol(name); }
std::string rate_name(const std::string& coordinate) { return "rate of " + coordinate; }

void check_symbols(const Expr& e, const std::vector<std::string>& allowed,
                   const model::Constraint& owner, const char* what) {
  for (const std::string& name : symbolic::find_symbols(e))
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      throw base::UserError(owner.where,
                            fmt::format("constraint {} uses {}, which is not {}",
                                        quoted(owner.name), quoted(name), what),
                            base::suggest(name, allowed));
}

/// e and its first and second derivative by a symbol.
template <size_t n>
std::vector<Expr> with_derivatives(const std::array<Expr, n>& e, const Expr& by) {
  std::vector<Expr> all(e.begin(), e.end());
  for (size_t k = 0; k < 2 * n; ++k) all.push_back(symbolic::differentiate(Expr(all[k]), by));
  return all;
}

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

ConstraintSet::ConstraintSet(const Mechanism& mechanism) : mechanism_(mechanism) {
  now_names_.push_back("t");
  now_.push_back(0);
  for (const model::Parameter& parameter : mechanism.model->parameters) {
    now_names_.push_back(symbol(parameter.name).name());
    now_.push_back(parameter.value);
  }
  bind_elements();
  bind_relations();
  number_rows();
  make_pattern();
  g_ = known_ = gamma_ = fill_ = VecX::Zero(rows());
  pair_rows_.resize(info_.size());
  scratch_.resize(6);
  all_.assign(info_.size(), 1);
  wanted_ = all_;
  relation_inputs_.assign(now_.size() + 2 * static_cast<size_t>(mechanism.nq), 0.0);
  qdot_ = VecX::Zero(mechanism.nq);
  prescribed_.assign(static_cast<size_t>(mechanism.nv), 0);
  for (const model::Link& link : mechanism.links)
    if (link.prescribed) prescribed_[static_cast<size_t>(link.iv)] = 1;
}

// Rows with positions first: those between bodies, then relations. Slip last.
void ConstraintSet::number_rows() {
  const auto add_rows = [this](const auto& element, const RowInfo& owner, int first, int count) {
    const int row = rows();
    for (int k = first; k < first + count; ++k) {
      info_.push_back({owner.element, owner.joint, owner.constraint, k, element.direction(k)});
      bodies_.emplace_back(element.a, element.b);
    }
    return row;
  };
  for (size_t i = 0; i < elements_.size(); ++i)
    std::visit(
        [&](const auto& element) {
          elements_[i].row = add_rows(element, owners_[i], 0, element.position_rows());
        },
        elements_[i].element);
  for (size_t i = 0; i < relations_.size(); ++i) {
    relations_[i].row = rows();
    info_.push_back(owners_[elements_.size() + i]);
    bodies_.emplace_back(-1, -1);
  }
  positions_ = rows();
  for (size_t i = 0; i < elements_.size(); ++i)
    std::visit(
        [&](const auto& element) {
          elements_[i].slip_row =
              add_rows(element, owners_[i], element.position_rows(), element.slip_rows());
        },
        elements_[i].element);
}

// Freedoms that move one of the two bodies, not both.
void ConstraintSet::make_pattern() {
  const std::vector<std::vector<int>> paths = freedoms_of_bodies(mechanism_);
  size_t relation = 0;
  for (const auto& [a, b] : bodies_) {
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

template <class Element>
void ConstraintSet::add(const RowInfo& owner, Element element) {
  elements_.push_back({std::move(element), 0, 0});
  owners_.push_back(owner);
}

void ConstraintSet::bind_elements() {
  const model::Model& model = *mechanism_.model;
  for (const model::CutJoint& cut : mechanism_.cuts) {
    const model::Joint& joint = model.joints[cut.joint];
    const model::Joint& written = joint.split_for < 0 ? joint : model.joints[joint.split_for];
    add({written.name, cut.joint}, CutElement{cut.from_body, cut.to_body, cut.X_AF, cut.X_BM,
                                              model::info(joint.type).closure});
  }
  const Expr t = symbol("t"), s = symbol("s");
  const auto turned = [&](int point, const math::Mat3& R) {
    return model.points[point].X_BP * Pose{R, Vec3::Zero()};
  };
  for (size_t i = 0; i < model.constraints.size(); ++i) {
    const model::Constraint& c = model.constraints[i];
    const RowInfo owner{c.name, -1, static_cast<int>(i)};
    if (const auto* d = std::get_if<model::Distance>(&c.kind)) {
      const model::Point &a = model.points[d->a], &b = model.points[d->b];
      check_symbols(d->length, now_names_, c, "the time t or a parameter");
      add(owner,
          DistanceElement{a.body, b.body, a.X_BP.p, b.X_BP.p,
                          SmallTape(with_derivatives(std::array{d->length}, t), now_names_)});
    } else if (const auto* line = std::get_if<model::PointOnLine>(&c.kind)) {
      const model::Point &on = model.points[line->on], &p = model.points[line->point];
      add(owner, LineElement{on.body, p.body, turned(line->on, line->R_axes), p.X_BP.p, false});
    } else if (const auto* plane = std::get_if<model::PointOnPlane>(&c.kind)) {
      const model::Point &on = model.points[plane->on], &p = model.points[plane->point];
      add(owner, LineElement{on.body, p.body, turned(plane->on, plane->R_axes), p.X_BP.p, true});
    } else if (const auto* curve = std::get_if<model::PointOnCurve>(&c.kind)) {
      const model::Point &on = model.points[curve->on], &p = model.points[curve->point];
      std::vector<std::string> names{s.name()};
      names.insert(names.end(), now_names_.begin(), now_names_.end());
      for (const Expr& e : curve->curve) check_symbols(e, names, c, "s or a parameter");
      CurveElement element{
          on.body,  p.body, on.X_BP, p.X_BP.p, SmallTape(with_derivatives(curve->curve, s), names),
          curve->s0};
      element.start(now_);
      add(owner, std::move(element));
    } else if (const auto* r = std::get_if<model::Rolling>(&c.kind)) {
      const model::Point &on = model.points[r->on], &wheel = model.points[r->wheel];
      add(owner, RollingElement{c.name, on.body, wheel.body, turned(r->on, r->R_plane),
                                turned(r->wheel, r->R_axes), r->radius, r->ball});
    }
  }
}

void ConstraintSet::bind_relations() {
  const std::vector<model::Constraint>& constraints = mechanism_.model->constraints;
  for (size_t i = 0; i < constraints.size(); ++i)
    if (const auto* relation = std::get_if<model::Relation>(&constraints[i].kind))
      add_relation({constraints[i].name, -1, static_cast<int>(i)}, relation->value,
                   constraints[i].where);
  for (const model::Coupling& c : mechanism_.couplings)
    add_relation({mechanism_.model->joints[c.joint].name},
                 symbol(mechanism_.coordinate_names[c.iq]) -
                     c.ratio * symbol(mechanism_.coordinate_names[c.source_iq]) - c.offset,
                 mechanism_.model->joints[c.joint].where);
}

// D e = ∂e/∂t + Σ ∂e/∂q_i q̇_i; the second derivative along the motion is D D e, with the rates
// held.
void ConstraintSet::add_relation(const RowInfo& owner, const Expr& value,
                                 const base::SourceLocation& where) {
  std::vector<std::string> inputs = now_names_;
  for (const std::string& coordinate : mechanism_.coordinate_names)
    inputs.push_back(symbol(coordinate).name());
  check_symbols(value, inputs, {owner.element, model::Relation{value}, where},
                "a coordinate of a joint, the time t or a parameter");
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
  relations_.push_back({SmallTape(outputs, inputs), 0, coordinates, joints});
  owners_.push_back(owner);
  owners_.back().direction = "relation";
}

std::vector<double*> ConstraintSet::memory() {
  std::vector<double*> list;
  for (Bound& bound : elements_)
    if (auto* curve = std::get_if<CurveElement>(&bound.element))
      std::ranges::copy(curve->memory(), std::back_inserter(list));
  return list;
}

// ---- Evaluation.

void ConstraintSet::set_wanted(const std::vector<int>& rows) {
  wanted_.assign(info_.size(), 0);
  for (const int k : rows) wanted_[static_cast<size_t>(k)] = 1;
}

void ConstraintSet::evaluate(const State& state, const Kinematics& kinematics,
                             const std::vector<char>& wanted, Values values) {
  const bool all = values == Values::all;
  now_[0] = state.t;
  for (Bound& bound : elements_)
    std::visit(
        [&](auto& element) {
          const auto a = static_cast<size_t>(element.a), b = static_cast<size_t>(element.b);
          element.evaluate({kinematics.bodies[a], kinematics.accelerations[a], all},
                           {kinematics.bodies[b], kinematics.accelerations[b], all}, now_,
                           wanted.data() + bound.row, scratch_.data());
          const int n = element.position_rows();
          for (int k = 0; k < n; ++k)
            if (wanted[static_cast<size_t>(bound.row + k)])
              set(bound.row + k, scratch_[static_cast<size_t>(k)], kinematics, values);
          for (int k = 0; k < element.slip_rows(); ++k)
            set(bound.slip_row + k, scratch_[static_cast<size_t>(n + k)], kinematics, values);
        },
        bound.element);
  if (relations_.empty()) return;
  std::copy(now_.begin(), now_.end(), relation_inputs_.begin());
  mechanism_.calc_qdot(state.q, state.v, qdot_);
  double* inputs = relation_inputs_.data() + now_.size();
  std::copy_n(state.q.data(), mechanism_.nq, inputs);
  std::copy_n(qdot_.data(), mechanism_.nq, inputs + mechanism_.nq);
  for (Relation& relation : relations_) evaluate(relation, state);
}

void ConstraintSet::set(int row, const PairRow& in, const Kinematics& kinematics, Values values) {
  pair_rows_[static_cast<size_t>(row)] = in;
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
    const auto [a, b] = bodies_[static_cast<size_t>(k)];
    if (lambda[k] == 0) continue;
    if (a < 0) {
      G_.add_to(k, -lambda[k], out.tau);
      continue;
    }
    const PairRow& row = pair_rows_[static_cast<size_t>(k)];
    for (const auto& [body, factor] : {std::pair{a, lambda[k]}, std::pair{b, -lambda[k]}}) {
      Vec6& on_body = out.on_bodies[static_cast<size_t>(body)];
      const Vec3 arm = row.point - kinematics.bodies[static_cast<size_t>(body)].X_WB.p;
      on_body.head<3>() += factor * (row.couple + arm.cross(row.force));
      on_body.tail<3>() += factor * row.force;
    }
    out.any_on_bodies = true;
  }
}

Vec6 ConstraintSet::calc_joint_force(int joint, const VecX& lambda, const Vec3& p) const {
  Vec6 F = Vec6::Zero();
  for (int k = 0; k < rows(); ++k) {
    if (info_[static_cast<size_t>(k)].joint != joint) continue;
    const PairRow& row = pair_rows_[static_cast<size_t>(k)];
    F.head<3>() -= lambda[k] * (row.couple + (row.point - p).cross(row.force));
    F.tail<3>() -= lambda[k] * row.force;
  }
  return F;
}

std::vector<ConstraintForce> ConstraintSet::calc_constraint_forces(const VecX& lambda) const {
  const std::vector<model::Constraint>& constraints = mechanism_.model->constraints;
  std::vector<ConstraintForce> out(constraints.size());
  for (int k = 0; k < rows(); ++k) {
    const int index = info_[static_cast<size_t>(k)].constraint;
    if (index < 0) continue;
    ConstraintForce& each = out[static_cast<size_t>(index)];
    if (bodies_[static_cast<size_t>(k)].first < 0) {
      for (int e = G_.begin[k]; e < G_.begin[k + 1]; ++e)
        each.on_freedoms.push_back({G_.column[e], -lambda[k] * G_.value[e]});
      continue;
    }
    const PairRow& row = pair_rows_[static_cast<size_t>(k)];
    each.point = row.point;
    each.force -= lambda[k] * row.force;
    if (std::holds_alternative<model::Distance>(constraints[static_cast<size_t>(index)].kind))
      each.pull = lambda[k];
  }
  return out;
}

}  // namespace couplet::dynamics
