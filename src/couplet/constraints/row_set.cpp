#include "couplet/constraints/row_set.hpp"

#include <algorithm>
#include <iterator>

#include "couplet/constraints/cut_element.hpp"

namespace couplet::constraints {

RowSet::RowSet(const model::Mechanism& mechanism) : mechanism_(mechanism) {
  names_.push_back("t");
  now_.push_back(0);
  for (const model::Parameter& parameter : mechanism.model->parameters) {
    names_.push_back(Expr::symbol(parameter.name).name());
    now_.push_back(parameter.value);
  }
  bind_cuts();
  bind_constraints();
  bind_mimics();
  number_rows();
  pair_rows_.resize(info_.size());
  scratch_.resize(6);
}

void RowSet::bind_cuts() {
  const model::Model& model = *mechanism_.model;
  for (const model::CutJoint& cut : mechanism_.cuts) {
    const model::Joint& joint = model.joints[static_cast<size_t>(cut.joint)];
    const model::Joint& written =
        joint.split_for < 0 ? joint : model.joints[static_cast<size_t>(joint.split_for)];
    elements_.push_back({std::make_unique<CutElement>(cut, model::info(joint.type).closure),
                         {written.name, cut.joint}});
  }
}

void RowSet::bind_constraints() {
  const model::Model& model = *mechanism_.model;
  for (size_t i = 0; i < model.constraints.size(); ++i) {
    const Element& element = model.constraints[i];
    const Entry& entry = entry_of(element);
    const RowInfo owner{element.name, -1, static_cast<int>(i)};
    if (entry.on_bodies()) {
      elements_.push_back({entry.make_pair({model, element, names_, now_}), owner});
    } else {
      relations_.push_back({entry.make_relation(model, element), 0, element.where});
      relation_owners_.push_back(owner);
    }
  }
}

void RowSet::bind_mimics() {
  for (const model::Coupling& c : mechanism_.couplings) {
    const model::Joint& joint = mechanism_.model->joints[static_cast<size_t>(c.joint)];
    const auto q = [&](int i) {
      return Expr::symbol(mechanism_.coordinate_names[static_cast<size_t>(i)]);
    };
    relations_.push_back({q(c.iq) - c.ratio * q(c.source_iq) - c.offset, 0, joint.where});
    relation_owners_.push_back({joint.name});
  }
}

void RowSet::number_rows() {
  const auto add = [this](const Bound& bound, int first, int count) {
    const int row = rows();
    for (int k = first; k < first + count; ++k) {
      RowInfo info = bound.owner;
      info.equation = k;
      info.direction = bound.element->direction(k);
      info_.push_back(std::move(info));
      bodies_.emplace_back(bound.element->body_a, bound.element->body_b);
    }
    return row;
  };
  for (Bound& bound : elements_) bound.row = add(bound, 0, bound.element->position_rows());
  for (size_t i = 0; i < relations_.size(); ++i) {
    relations_[i].row = rows();
    info_.push_back(relation_owners_[i]);
    info_.back().direction = "relation";
    bodies_.emplace_back(-1, -1);
  }
  positions_ = rows();
  for (Bound& bound : elements_)
    bound.slip_row = add(bound, bound.element->position_rows(), bound.element->slip_rows());
}

std::vector<double*> RowSet::memory() {
  std::vector<double*> list;
  for (Bound& bound : elements_)
    std::ranges::copy(bound.element->memory(), std::back_inserter(list));
  return list;
}

void RowSet::evaluate(double t, std::span<const BodyMotion> motions,
                      std::span<const BodyAcceleration> accelerations,
                      const std::vector<char>& wanted, bool accelerated) {
  now_[0] = t;
  for (Bound& bound : elements_) {
    PairElement& element = *bound.element;
    const auto a = static_cast<size_t>(element.body_a), b = static_cast<size_t>(element.body_b);
    element.evaluate({motions[a], accelerations[a], accelerated},
                     {motions[b], accelerations[b], accelerated}, now_, wanted.data() + bound.row,
                     scratch_.data());
    const int n = element.position_rows(), slips = element.slip_rows();
    for (int k = 0; k < n; ++k)
      if (wanted[static_cast<size_t>(bound.row + k)])
        pair_rows_[static_cast<size_t>(bound.row + k)] = scratch_[static_cast<size_t>(k)];
    for (int k = 0; k < slips; ++k)
      pair_rows_[static_cast<size_t>(bound.slip_row + k)] = scratch_[static_cast<size_t>(n + k)];
  }
}

void RowSet::add_forces(int k, double lambda, std::span<const BodyMotion> motions,
                        std::span<Vec6> on_bodies) const {
  const auto [a, b] = bodies(k);
  const PairRow& row = pair_row(k);
  for (const auto& [body, factor] : {std::pair{a, lambda}, std::pair{b, -lambda}}) {
    Vec6& on_body = on_bodies[static_cast<size_t>(body)];
    const Vec3 arm = row.point - motions[static_cast<size_t>(body)].X_WB.p;
    on_body.head<3>() += factor * (row.couple + arm.cross(row.force));
    on_body.tail<3>() += factor * row.force;
  }
}

Vec6 RowSet::calc_joint_force(int joint, const VecX& lambda, const Vec3& p) const {
  Vec6 F = Vec6::Zero();
  for (int k = 0; k < rows(); ++k) {
    if (row(k).joint != joint) continue;
    const PairRow& pair = pair_row(k);
    F.head<3>() -= lambda[k] * (pair.couple + (pair.point - p).cross(pair.force));
    F.tail<3>() -= lambda[k] * pair.force;
  }
  return F;
}

// Rows of one constraint may act at different points: torques are about that of the last one.
std::vector<ConstraintForce> RowSet::calc_constraint_forces(const VecX& lambda) const {
  std::vector<ConstraintForce> out(mechanism_.model->constraints.size());
  for (int k = 0; k < rows(); ++k) {
    if (row(k).constraint < 0 || bodies(k).first < 0) continue;
    ConstraintForce& each = out[static_cast<size_t>(row(k).constraint)];
    const PairRow& pair = pair_row(k);
    each.torque += (each.point - pair.point).cross(each.force) - lambda[k] * pair.couple;
    each.point = pair.point;
    each.force -= lambda[k] * pair.force;
    if (row(k).equation == 0) each.pull = lambda[k];
  }
  return out;
}

}  // namespace couplet::constraints
