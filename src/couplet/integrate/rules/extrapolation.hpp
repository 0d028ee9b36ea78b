// Extrapolation methods with variable order and step, after Hairer, Nørsett, Wanner I, section II.9
// (their code ODEX). Line j of the tableau is a simple method with n_j substeps, T_{j,1}; its error
// is a series in powers of the substep, which the columns remove one by one. A method says how a
// line begins; the rest is common.
//
// Steps of high order are longer than what one polynomial bridges. Where the interpolant is worse
// than rows may be, whoever looks between the ends has the step taken again in two halves, which do
// the same in turn: the run itself never notices that somebody looks.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "couplet/integrate/rule.hpp"
#include "couplet/integrate/rules/crossing.hpp"
#include "couplet/integrate/rules/project_error.hpp"

namespace couplet::integrate {

class Extrapolation : public Rule {
 public:
  int looks() const override { return 4; }
  static constexpr int most_columns = 10;

  struct Scheme {
    int (*substeps)(int line);  // n_j, j = 1, 2, …
    int power;                  // the series is in h^power: 2 for symmetric methods
    bool shares_first;          // the first evaluation of a line is that of all lines
    int columns;                // at most
    int fixed_columns;          // at a fixed step, when there is no tolerance
    double columns_per_digit;   // of the tolerance: a first guess
    double rows;  // error that an interpolant may have, in tolerances of a step: some of the run
  };

  Extrapolation(Problem& problem, const Tolerance& tolerance, const Scheme& scheme);

  void start(double t, const VecX& y, double h) override;
  Trial attempt(double h) override;
  void interpolate(double t, VecX& y) override;
  void archive(Archive& archive) override;

 protected:
  /// The interpolant over the step between `from` and `to`. Returns an estimate of its error, in
  /// units of the tolerance.
  virtual double make_interpolant() = 0;
  /// That at s, from 0 to 1 over the step.
  virtual void calc_interpolant(double s, VecX& y) const = 0;
  virtual std::unique_ptr<Extrapolation> make_alike() const = 0;
  /// The best that is known at a time in the step as it was attempted.
  void look(double t, VecX& y);
  /// T_{j,1} - y0: the increment over h by n_j substeps.
  virtual void calc_first_column(int j, double h, VecX& increment) = 0;
  virtual Needs needs() const { return Needs::rates; }
  /// Takes from an error of line j what is round-off.
  virtual void forgive(int /*j*/, VecX& /*error*/) {}
  /// The largest error, in tolerances, along which constraints are looked at (project_error.hpp).
  virtual double forgivable() const { return small_error; }
  /// A rate at an end of the step, extrapolated from evaluations inside, and the last correction of
  /// that.
  struct Foretold {
    VecX rate, correction;
  };
  /// ẏ at `from` and at `to`. False: the method has no such thing.
  virtual bool foretell_rates(Foretold& /*at_start*/, Foretold& /*at_end*/) { return false; }
  /// Extrapolates column 1, in place, of the lines from `first` on; the result is the last one.
  void extrapolate(std::vector<VecX>& lines, int first, VecX& last_correction) const;

  int substeps(int j) const { return scheme_.substeps(j); }
  /// What (T_{j,k} - T_{j-1,k}) is divided by to get T_{j,k+1} - T_{j,k}.
  double divisor(int j, int k) const;
  /// T_{k,k} = Σ w_j T_{j,1}: Σ |w_j|, by which round-off of the lines grows.
  double amplification(int k) const;
  /// Another rule took the last step, over a singular position.
  bool crossed() const { return crossed_; }
  /// The lines of the last attempt.
  int lines() const { return line_; }

 private:
  bool calc_line(int j, double h);
  double foretold(int j) const;
  double wish(int k, double h) const;                                  // H_k
  double cost(int k, double h) const { return work(k) / wish(k, h); }  // W_k
  double work(int j) const {
    return work_[static_cast<size_t>(j)];
  }  // evaluations of the lines up to j
  double calc_unseen_error(double h);
  void make_halves();
  Trial choose(int line, bool good, double h, bool finite);
  bool comes_near(double h) const;
  Trial pass(double h);
  Trial cross(double h);

  const Scheme scheme_;
  const bool adaptive_;
  int target_ = 0;         // the column that should converge
  int line_ = 0;           // the column that did
  bool rejected_ = false;  // the last attempt was
  std::array<double, most_columns + 1> work_{}, errors_{};
  std::vector<VecX> table_;  // T_{j,1..j} - y0 of the newest line, from index 1
  VecX above_, next_, error_;
  Foretold at_start_, at_end_;

  // Between the ends, of the step as it was attempted.
  bool looked_ = false, halved_ = false;
  double base_ = 0, length_ = 0, dense_error_ = 0;
  int fixed_lines_ = 0;  // of a half of a step; 0: this is a whole one
  double worth_it_ = std::numeric_limits<double>::infinity();  // errors above it are round-off
  int depth_ = 0;
  std::array<std::unique_ptr<Extrapolation>, 2> halves_;
  // Over singular positions.
  std::optional<Crossing> crossing_;
  bool crosses_ = false, crossed_ = false;  // the next attempt, the last step
  double usual_ = 0;                        // s, of the step that came near one

  VecX gap_;  // between the end of the step and that of its halves
};

}  // namespace couplet::integrate
