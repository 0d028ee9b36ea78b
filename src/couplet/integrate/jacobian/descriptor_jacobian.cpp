#include "couplet/integrate/jacobian/descriptor_jacobian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/integrate/jacobian/colouring.hpp"

namespace couplet::integrate {
namespace {

const double root_eps = std::sqrt(std::numeric_limits<double>::epsilon());

// The index of the coordinate that a speed drives alone; -1: there is none, a quaternion is in
// between.
std::vector<int> coordinates_of_speeds(const Layout& layout) {
  std::vector<int> of(static_cast<size_t>(layout.nv), -1);
  if (layout.blocks.empty())
    for (int i = 0; i < layout.nv; ++i) of[static_cast<size_t>(i)] = i;
  for (const Block& block : layout.blocks)
    for (int i = 0; i < block.nv && block.flat(); ++i)
      of[static_cast<size_t>(block.iv + i)] = block.iq + i;
  return of;
}

// Multipliers and algebraic unknowns have no nominal value: that of the largest stands in, or
// else 1.
double common_size(const VecX& x) {
  return std::max(1.0, x.size() ? x.lpNorm<Eigen::Infinity>() : 0.0);
}

}  // namespace

DescriptorRows rows_of(const Layout& layout, const DescriptorForm& form) {
  const int xdot = layout.nv, algebraic = xdot + layout.nx, position = algebraic + form.algebraic(),
            velocity = position + form.positions();
  return {0, xdot, algebraic, position, velocity, velocity + form.rows()};
}

DescriptorColumns columns_of(const Layout& layout, const DescriptorForm& form) {
  const int x = 2 * layout.nv, vdot = x + layout.nx, lambda = vdot + layout.nv,
            s = lambda + form.rows();
  return {0, layout.nv, x, vdot, lambda, s, s + form.algebraic()};
}

std::string name_of_column(const Layout& layout, const DescriptorForm& form, int column) {
  const DescriptorColumns at = columns_of(layout, form);
  if (column >= at.s) return fmt::format("algebraic unknown {}", column - at.s);
  if (column >= at.lambda) return fmt::format("multiplier {}", column - at.lambda);
  int i = column >= at.v ? layout.nq + (column - at.v) % (at.vdot - at.v)
                         : column;  // v̇ goes by the name of v
  for (const Block& block : layout.blocks)
    if (column >= block.iv && column < block.iv + block.nv)
      i = block.iq + (block.flat() ? column - block.iv : 0);
  return layout.component(i).name;
}

DescriptorJacobian::DescriptorJacobian(Problem& problem, DescriptorForm& form,
                                       const ImplicitOptions& options, Counts& counts)
    : problem_(problem),
      form_(form),
      options_(options),
      counts_(counts),
      coordinates_(coordinates_of_speeds(problem.layout())) {
  set_structure();
}

void DescriptorJacobian::set_structure() {
  const Layout& layout = problem_.layout();
  pattern_ = form_.pattern();
  columns_ = columns_of(layout, form_);
  starts_.assign(1, 0);
  for (const std::vector<int>& row : pattern_.rows)
    starts_.push_back(starts_.back() + static_cast<int>(row.size()));

  Pattern rest = pattern_;  // what is left to differences
  given_.clear();
  for (size_t row = 0; row < form_.given().rows.size() && options_.given; ++row)
    for (const int column : form_.given().rows[row]) {
      const std::vector<int>& all = pattern_.rows[row];
      given_.push_back(
          starts_[row] +
          static_cast<int>(std::lower_bound(all.begin(), all.end(), column) - all.begin()));
      std::erase(rest.rows[row], column);
    }
  given_values_.assign(given_.size(), 0);

  groups_.clear();
  if (options_.coloured) groups_ = colour_columns(rest);
  for (int column = 0; column < pattern_.columns && !options_.coloured; ++column)
    groups_.push_back({column});
  std::vector<size_t> group_of(static_cast<size_t>(pattern_.columns), 0);
  for (size_t g = 0; g < groups_.size(); ++g)
    for (const int column : groups_[g]) group_of[static_cast<size_t>(column)] = g;
  in_group_.assign(groups_.size(), {});
  for (size_t row = 0; row < pattern_.rows.size(); ++row)
    for (size_t k = 0; k < pattern_.rows[row].size(); ++k) {
      const int column = pattern_.rows[row][k];
      if (!std::binary_search(rest.rows[row].begin(), rest.rows[row].end(), column)) continue;
      in_group_[group_of[static_cast<size_t>(column)]].push_back(
          {static_cast<int>(row), column, starts_[row] + static_cast<int>(k)});
    }
  increments_ = VecX::Zero(pattern_.columns);
  dq_ = VecX::Zero(layout.nv);
  at_point_ = beside_ = VecX::Zero(rows_of(layout, form_).end);
  const size_t block = options_.batched ? static_cast<size_t>(form_.lanes()) : 1;
  points_.resize(block);
  residuals_.resize(block);
}

// Of the first `count` points of the block.
void DescriptorJacobian::calc_residuals(size_t count) {
  if (points_.size() == 1)
    form_.calc_residual(points_[0], residuals_[0]);
  else
    form_.calc_residuals({points_.data(), count}, {residuals_.data(), count});
  counts_.residuals += static_cast<long>(count);
}

void DescriptorJacobian::read_residual(size_t i, VecX& out) const {
  const DescriptorResidual& r = residuals_[i];
  out << r.force, r.xdot, r.algebraic, r.position, r.velocity;
}

// √ε of each unknown's size, where truncation and round-off balance; where v̇ enters linearly, any
// size will do.
void DescriptorJacobian::choose_increments(const DescriptorPoint& point) {
  const Layout& layout = problem_.layout();
  const int nq = layout.nq, nv = layout.nv;
  const auto size = [&](int i) {  // of the state y[i]
    return std::max(std::abs(point.y[i]), layout.nominal(i));
  };
  for (int i = 0; i < nv; ++i) {
    const int coordinate = coordinates_[static_cast<size_t>(i)];
    increments_[i] = root_eps * (coordinate < 0 ? 1 : size(coordinate));
  }
  for (int i = 0; i < nv + layout.nx; ++i) increments_[columns_.v + i] = root_eps * size(nq + i);
  const double share = form_.linear_in_vdot() ? 1 : root_eps;
  for (int i = 0; i < nv; ++i)
    increments_[columns_.vdot + i] = share * std::max(std::abs(point.vdot[i]), size(nq + i));
  increments_.segment(columns_.lambda, form_.rows())
      .setConstant(root_eps * common_size(point.lambda));
  increments_.tail(form_.algebraic()).setConstant(root_eps * common_size(point.s));
}

void DescriptorJacobian::perturb(const std::vector<int>& group, DescriptorPoint& point) {
  const Layout& layout = problem_.layout();
  dq_.setZero();
  bool moves = false;
  for (const int column : group) {
    double& increment = increments_[column];
    const auto shift = [&](double& x) {  // by a difference that is exact in floating point
      const volatile double shifted = x + increment;
      increment = shifted - x;
      x = shifted;
    };
    if (column < columns_.v)
      dq_[column] = increment, moves = true;
    else if (column < columns_.vdot)
      shift(point.y[layout.nq + column - columns_.v]);
    else if (column < columns_.lambda)
      shift(point.vdot[column - columns_.vdot]);
    else if (column < columns_.s)
      shift(point.lambda[column - columns_.lambda]);
    else
      shift(point.s[column - columns_.s]);
  }
  if (moves) problem_.move(dq_, point.y);
}

void DescriptorJacobian::refresh(std::vector<double>& values) {
  if (given_.empty()) return;
  form_.calc_given(given_values_);
  for (size_t i = 0; i < given_.size(); ++i)
    values[static_cast<size_t>(given_[i])] = given_values_[i];
}

// The point itself is the last of the first block: the form gives its derivatives there, and both
// sides of every difference come from the same code, so that what a column does not touch has a
// derivative of exactly zero.
void DescriptorJacobian::differentiate(const DescriptorPoint& point, std::vector<double>& values) {
  ++counts_.jacobians;
  choose_increments(point);
  bool first = true;
  for (size_t g = 0; first || g < groups_.size(); first = false) {
    const size_t count = std::min(points_.size() - (first ? 1 : 0), groups_.size() - g);
    for (size_t i = 0; i < count; ++i) {
      points_[i] = point;
      perturb(groups_[g + i], points_[i]);
    }
    if (first) points_[count] = point;
    calc_residuals(count + (first ? 1 : 0));
    if (first) {
      read_residual(count, at_point_);
      refresh(values);
    }
    for (size_t i = 0; i < count; ++i, ++g) {
      read_residual(i, beside_);
      for (const Entry& e : in_group_[g])
        values[static_cast<size_t>(e.index)] =
            (beside_[e.row] - at_point_[e.row]) / increments_[e.column];
    }
  }
}

}  // namespace couplet::integrate
