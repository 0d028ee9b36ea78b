#include "couplet/particles/fast_multipole.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "couplet/base/diagnostics.hpp"
#include "couplet/particles/interactions.hpp"
#include "couplet/particles/translations.hpp"
#include "couplet/particles/weights.hpp"

namespace couplet::particles {
namespace {

// The largest error of potential and gradient, in the L2 norm, on the sets of
// tests/fast_multipole_test.cpp and on a grid whose particles are the corners of boxes, the worst
// of all.
struct Reached {
  double error;
  int degree;
};
constexpr Reached reached[] = {{1e-2, 3},   {3e-3, 5},  {1e-3, 6},  {3e-4, 7},  {1e-4, 9},
                               {3e-5, 10},  {1e-5, 12}, {3e-6, 13}, {1e-6, 15}, {3e-7, 17},
                               {1e-7, 20},  {3e-8, 22}, {1e-8, 25}, {3e-9, 28}, {1e-9, 31},
                               {3e-10, 34}, {1e-10, 38}};

int degree_for(double tolerance) {
  for (const auto& [error, degree] : reached)
    if (error <= tolerance) return degree;
  throw base::UserError(
      {}, fmt::format("the fast multipole method keeps no tolerance of {:g}", tolerance),
      fmt::format("give {:g} or more, or use the direct sum", std::end(reached)[-1].error));
}

/// A leaf with more particles costs more than its children. In ns: a pair 1, a translation t; s
/// particles a leaf cost each of them 20 s pairs and 130/s translations (a leaf inside has 27
/// neighbours and 189 boxes in list V, at the boundary fewer), as children 20 s/8 and 8 · 130/s.
int most_for(int degree) {
  const double t = 100 + 0.27 * std::pow(degree + 1, 3);
  return static_cast<int>(std::sqrt(52 * t));
}

/// Beyond a distance r, 1/√(r² + ε²) is 1/r but for ε²/2r², its gradient for 3ε²/2r²: boxes that do
/// not touch are at least a side apart. `epsilon` in units of the root's side.
int depth_for(double epsilon, double tolerance) {
  if (epsilon == 0) return Octree::deepest;
  const double least = epsilon * std::sqrt(1.5 / tolerance);  // side
  return std::clamp(static_cast<int>(std::floor(-std::log2(least))), 0, Octree::deepest);
}

}  // namespace

class FastMultipole::Work {
 public:
  explicit Work(const Options& options)
      : degree(options.degree > 0 ? options.degree : degree_for(options.tolerance)),
        options_(options),
        table_(degree),
        translations_(degree),
        size_(static_cast<size_t>(size_of(degree))) {}
  void calc(const Positions& positions, const Eigen::VectorXd& strengths, Field& field);

  const int degree;
  Octree tree;

 private:
  struct Job {
    int direction;
    double* to;
    const double* from;
  };
  void upward();
  void downward(int level);
  void evaluate();
  void translate(std::span<const Translation> by, const Shift& shift);
  std::span<const Sources> find_near(int box);
  double* multipole(int box) { return &multipoles_[static_cast<size_t>(box) * size_]; }
  double* local(int box) { return &locals_[static_cast<size_t>(box) * size_]; }
  const Box& box(int b) const { return tree.boxes()[static_cast<size_t>(b)]; }

  const Options options_;
  const Kernels& kernels_ = kernels();
  const ExpansionTable table_;
  const Translations translations_;
  const size_t size_;
  Interactions lists_;
  SortedField sorted_;
  std::vector<double> multipoles_, locals_, scratch_, weights_;
  std::vector<Job> jobs_, by_direction_;
  std::vector<const double*> from_;
  std::vector<double*> to_;
  TranslationScratch translation_;
  std::vector<Sources> runs_;
  std::vector<int> near_;
};

void FastMultipole::Work::calc(const Positions& positions, const Eigen::VectorXd& strengths,
                               Field& field) {
  check_particles(positions, strengths, options_.softening);
  const double extent =
      positions.cols() > 0
          ? (positions.rowwise().maxCoeff() - positions.rowwise().minCoeff()).maxCoeff()
          : 0;
  tree.build(positions, options_.most_in_leaf > 0 ? options_.most_in_leaf : most_for(degree),
             extent > 0 ? depth_for(options_.softening / extent, options_.tolerance) : 0);
  find_interactions(tree, degree * degree / 4, lists_);
  sorted_.start(tree, strengths);
  multipoles_.assign(tree.boxes().size() * size_, 0);
  locals_.assign(tree.boxes().size() * size_, 0);

  upward();
  for (int level = 2; level < tree.levels(); ++level) downward(level);
  evaluate();
  sorted_.finish(tree, field);
}

// Does the jobs, those of a direction together.
void FastMultipole::Work::translate(std::span<const Translation> by, const Shift& shift) {
  std::vector<size_t> begin(by.size() + 1, 0);
  for (const Job& job : jobs_) ++begin[static_cast<size_t>(job.direction) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  by_direction_.resize(jobs_.size());
  std::vector<size_t> next(begin.begin(), begin.end() - 1);
  for (const Job& job : jobs_) by_direction_[next[static_cast<size_t>(job.direction)]++] = job;
  jobs_.clear();

  const size_t together = static_cast<size_t>(kernels_.lanes);
  from_.resize(together);
  to_.resize(together);
  for (size_t direction = 0; direction < by.size(); ++direction)
    for (size_t i = begin[direction]; i < begin[direction + 1]; i += together) {
      const size_t count = std::min(together, begin[direction + 1] - i);
      for (size_t k = 0; k < count; ++k) {
        from_[k] = by_direction_[i + k].from;
        to_[k] = by_direction_[i + k].to;
      }
      kernels_.translate(table_, by[direction], translations_.turn(by[direction]), shift,
                         from_.data(), to_.data(), static_cast<int>(count), translation_);
    }
}

// Multipoles of leaves from their particles, of others from their children.
void FastMultipole::Work::upward() {
  for (int level = tree.levels() - 1; level >= 2; --level) {
    for (int b = tree.begin(level); b < tree.begin(level + 1); ++b) {
      const Box& own = box(b);
      if (own.is_leaf())
        kernels_.to_multipole(sorted_.sources(tree, own), tree.cube(own), table_, scratch_,
                              multipole(b));
      for (int child = own.first_child; child < own.first_child + own.children; ++child)
        jobs_.push_back({Translations::child(box(child)), multipole(b), multipole(child)});
    }
    translate(translations_.family, translations_.up);
  }
}

// Local expansions from those of parents, from multipoles of boxes of the same size, from particles
// of larger leaves.
void FastMultipole::Work::downward(int level) {
  constexpr int chunk = 512;  // boxes whose translations are sorted together
  for (int begin = tree.begin(level); begin < tree.begin(level + 1); begin += chunk) {
    const int end = std::min(begin + chunk, tree.begin(level + 1));
    for (int b = begin; b < end && level > 2; ++b) {
      const Box& own = box(b);
      jobs_.push_back({Translations::child(own), local(b), local(own.parent)});
    }
    translate(translations_.family, translations_.down);
    for (int b = begin; b < end; ++b) {
      const Box& own = box(b);
      for (const int source : lists_.far.of(b))
        jobs_.push_back({Translations::direction(own, box(source)), local(b), multipole(source)});
      for (const int source : lists_.particles.of(b))
        kernels_.to_local(sorted_.sources(tree, box(source)), tree.cube(own), table_, scratch_,
                          local(b));
    }
    translate(translations_.far, translations_.over);
  }
}

// Boxes that follow each other along the Morton curve are one run of particles.
std::span<const Sources> FastMultipole::Work::find_near(int leaf) {
  runs_.clear();
  near_.assign(lists_.near.of(leaf).begin(), lists_.near.of(leaf).end());
  std::sort(near_.begin(), near_.end(), [&](int a, int b) { return box(a).first < box(b).first; });
  int last = -1;
  for (const int b : near_) {
    if (box(b).first == last)
      runs_.back().count += box(b).count();
    else
      runs_.push_back(sorted_.sources(tree, box(b)));
    last = box(b).last;
  }
  return runs_;
}

void FastMultipole::Work::evaluate() {
  const double epsilon = options_.softening / tree.unit();
  for (int b = 0; b < static_cast<int>(tree.boxes().size()); ++b) {
    if (!box(b).is_leaf()) continue;
    const Targets targets = sorted_.targets(tree, box(b));
    for (const Sources& sources : find_near(b)) kernels_.sum(sources, epsilon * epsilon, targets);
    for (const int source : lists_.multipole.of(b)) {
      const Cube cube = tree.cube(box(source));
      calc_multipole_weights(multipole(source), table_, cube.side, weights_);
      kernels_.from_multipole(weights_.data(), cube, table_, targets);
    }
    if (box(b).level < 2) continue;  // nothing is far from it
    const Cube cube = tree.cube(box(b));
    calc_local_weights(local(b), table_, cube.side, weights_);
    kernels_.from_local(weights_.data(), cube, table_, targets);
  }
}

FastMultipole::FastMultipole(const Options& options) : work_(std::make_unique<Work>(options)) {}
FastMultipole::~FastMultipole() = default;
void FastMultipole::calc(const Positions& positions, const Eigen::VectorXd& strengths,
                         Field& field) {
  work_->calc(positions, strengths, field);
}
int FastMultipole::degree() const { return work_->degree; }
const Octree& FastMultipole::tree() const { return work_->tree; }

}  // namespace couplet::particles
