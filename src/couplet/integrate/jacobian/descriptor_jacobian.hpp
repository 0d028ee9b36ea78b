// Derivatives of the descriptor form's residual by all that it depends on, positions along the
// speeds: the parts of a Newton matrix that do not depend on the step (J̃ and M of Arnold 1998,
// section 3). What the form gives, it gives; the others by differences: columns that share no row
// together, and as many such groups at once as the form has lanes.
#pragma once

#include "couplet/integrate/implicit.hpp"

namespace couplet::integrate {

/// Where the parts of the residual begin, stacked as rows of a DescriptorPattern.
struct DescriptorRows {
  int force, xdot, algebraic, position, velocity, end;
};
/// Where the unknowns begin, as columns of a DescriptorPattern: positions along speeds, v, x, v̇, λ,
/// s.
struct DescriptorColumns {
  int q, v, x, vdot, lambda, s, end;
};
DescriptorRows rows_of(const Layout& layout, const DescriptorForm& form);
DescriptorColumns columns_of(const Layout& layout, const DescriptorForm& form);
/// Which unknown a column stands for, for messages; of a quaternion, its first component.
std::string name_of_column(const Layout& layout, const DescriptorForm& form, int column);

class DescriptorJacobian {
 public:
  DescriptorJacobian(Problem& problem, DescriptorForm& form, const ImplicitOptions& options,
                     Counts& counts);

  /// Takes sizes and pattern from the form, again when its revision changed.
  void set_structure();
  /// The derivatives at a point, in the order of the pattern's rows, into the first `entries()` of
  /// `values`. Allocates nothing.
  void differentiate(const DescriptorPoint& point, std::vector<double>& values);
  /// Only those that the form gives, where its last residual was evaluated.
  void refresh(std::vector<double>& values);

  const Pattern& pattern() const { return pattern_; }
  /// Index in `values` of the first entry of a row.
  int start_of_row(int row) const { return starts_[static_cast<size_t>(row)]; }
  int entries() const { return starts_.back(); }
  int groups() const { return static_cast<int>(groups_.size()); }

 private:
  struct Entry {
    int row, column, index;  // in values
  };
  void calc_residuals(size_t count);
  void read_residual(size_t i, VecX& out) const;
  void choose_increments(const DescriptorPoint& point);
  void perturb(const std::vector<int>& group, DescriptorPoint& point);

  Problem& problem_;
  DescriptorForm& form_;
  ImplicitOptions options_;
  Counts& counts_;
  std::vector<int> coordinates_;  // that each speed drives alone; -1: a quaternion is in between
  Pattern pattern_;
  std::vector<int> starts_;
  std::vector<std::vector<int>> groups_;      // columns that are differenced together
  std::vector<std::vector<Entry>> in_group_;  // entries in them
  std::vector<int> given_;                    // index in values of what the form gives
  std::vector<double> given_values_;
  DescriptorColumns columns_{};
  std::vector<DescriptorPoint> points_;  // a block of them, as many as the form has lanes
  std::vector<DescriptorResidual> residuals_;
  VecX increments_, dq_, at_point_, beside_;
};

}  // namespace couplet::integrate
