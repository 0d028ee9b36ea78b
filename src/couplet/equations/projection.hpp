// Sets of states whose constraints hold them together: some of them, chosen while it runs, are
// found from the others.
#pragma once

#include "couplet/equations/model.hpp"
#include "couplet/math/dense_lu.hpp"

namespace couplet::equations {

class Projection {
 public:
  Projection() = default;
  Projection(const Model& model, const std::vector<Block>& blocks);

  bool empty() const { return levels_.empty(); }
  /// Which states are found from the others, by their places in model.states.
  const std::vector<char>& dependent() const { return dependent_; }

  /// Finds them; what they are in `slots` is the guess. False: failure() says which equation does
  /// not come to 0.
  bool solve(std::vector<double>& slots) const;
  const std::string& failure() const { return failure_; }
  /// Those that depend most on the others here.
  void choose(std::vector<double>& slots);
  /// Whether others would be much better by now.
  bool is_poor(std::vector<double>& slots) const;
  /// As it was chosen before.
  void set_dependent(const std::vector<char>& dependent);

 private:
  struct Level {
    std::vector<int> states, equations;  // variables; of the Dae
    std::vector<size_t> places;          // of the states
    std::vector<long> dependent;         // among the states
    VecX scale;
    Program program;  // what the residuals need
    Function residuals;
    VecX r, moved, change;
    MatX J;       // of all states
    MatX square;  // of the dependent ones
    math::DenseLu<double> lu;
    bool is_known = false;  // lu
  };
  bool solve(Level& level, std::vector<double>& slots) const;
  bool calc_residuals(const Level& level, std::vector<double>& slots, VecX& r) const;
  bool differentiate(Level& level, std::vector<double>& slots, bool all) const;
  double calc_pivot(const Level& level, const std::vector<long>& columns) const;
  std::vector<long> find_best(const Level& level) const;

  const Model* model_ = nullptr;
  mutable std::vector<Level> levels_;
  std::vector<char> dependent_;
  mutable std::string failure_;
};

}  // namespace couplet::equations
