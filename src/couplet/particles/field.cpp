#include "couplet/particles/field.hpp"

#include <fmt/format.h>

#include "couplet/base/diagnostics.hpp"

namespace couplet::particles {

void check_particles(const Positions& positions, const Eigen::VectorXd& strengths,
                     double softening) {
  if (positions.cols() != strengths.size())
    throw base::UserError(
        {}, fmt::format("{} particles have {} strengths", positions.cols(), strengths.size()),
        "give one for each");
  if (!(softening >= 0) || !std::isfinite(softening))
    throw base::UserError({}, fmt::format("a softening of {} m is not possible", softening),
                          "give a length of 0 or more");
  const auto check = [](bool fine, const char* what, Eigen::Index i) {
    if (!fine)
      throw base::ComputationError(fmt::format("the {} of particle {} is not finite", what, i + 1));
  };
  for (Eigen::Index i = 0; i < strengths.size(); ++i) {
    check(positions.col(i).allFinite(), "position", i);
    check(std::isfinite(strengths[i]), "strength", i);
  }
}

void SortedField::start(const Octree& tree, const Eigen::VectorXd& strengths) {
  const size_t n = static_cast<size_t>(strengths.size());
  strengths_.resize(n);
  for (size_t i = 0; i < n; ++i) strengths_[i] = strengths[tree.order()[i]];
  for (std::vector<double>& sum : sums_) sum.assign(n, 0);
}

Sources SortedField::sources(const Octree& tree, const Box& box) const {
  return {tree.x(0).data() + box.first, tree.x(1).data() + box.first, tree.x(2).data() + box.first,
          strengths_.data() + box.first, box.count()};
}

Targets SortedField::targets(const Octree& tree, const Box& box) {
  const auto sum = [&](size_t i) { return sums_[i].data() + box.first; };
  return {tree.x(0).data() + box.first,
          tree.x(1).data() + box.first,
          tree.x(2).data() + box.first,
          sum(0),
          sum(1),
          sum(2),
          sum(3),
          box.count()};
}

void SortedField::finish(const Octree& tree, Field& field) const {
  const Eigen::Index n = static_cast<Eigen::Index>(strengths_.size());
  field.potential.resize(n);
  field.gradient.resize(3, n);
  const double unit = 1 / tree.unit();
  for (size_t i = 0; i < strengths_.size(); ++i) {
    const Eigen::Index to = tree.order()[i];
    field.potential[to] = unit * sums_[0][i];
    for (int k = 0; k < 3; ++k)
      field.gradient(k, to) = unit * (unit * sums_[static_cast<size_t>(k) + 1][i]);
  }
}

void calc_direct(const Positions& positions, const Eigen::VectorXd& strengths, double softening,
                 Field& field) {
  check_particles(positions, strengths, softening);
  Octree tree;
  tree.build(positions, static_cast<int>(positions.cols()));
  SortedField sorted;
  sorted.start(tree, strengths);
  const Box& all = tree.boxes().front();
  const double epsilon = softening / tree.unit();
  kernels().sum(sorted.sources(tree, all), epsilon * epsilon, sorted.targets(tree, all));
  sorted.finish(tree, field);
}

}  // namespace couplet::particles
