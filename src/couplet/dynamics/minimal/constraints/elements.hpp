// The constraints between two bodies: each gives its rows at the present state of bodies A and B.
//
// An element is a value with `a`, `b` (bodies), position_rows(), slip_rows(), direction(row) and
// evaluate(), which may leave out rows that are not wanted; adding one is a struct and its name in
// PairElement.
#pragma once

#include <array>
#include <span>
#include <string>
#include <variant>

#include "couplet/dynamics/minimal/constraints/pair_row.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::dynamics {

/// Time first, then the model's parameters.
using TimeAndParameters = std::span<const double>;

/// A few expressions of named inputs with the scratch to evaluate them.
class SmallTape {
 public:
  SmallTape(std::span<const symbolic::Expr> outputs, std::span<const std::string> input_names);
  std::span<const double> evaluate(std::span<const double> inputs);

 private:
  symbolic::Tape tape_;
  std::vector<double> outputs_, registers_;
};

struct CutElement {
  int a, b;
  math::Pose X_AF, X_BM;
  std::span<const model::Closure> closure;

  int position_rows() const { return static_cast<int>(closure.size()); }
  int slip_rows() const { return 0; }
  std::string direction(int row) const;
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters, const char* wanted,
                PairRow* rows);
};

/// A point of B on the z axis of a frame on A (two rows), or in its xy plane (one row).
struct LineElement {
  int a, b;
  math::Pose X_AF;
  Vec3 p_B;
  bool plane;

  int position_rows() const { return plane ? 1 : 2; }
  int slip_rows() const { return 0; }
  std::string direction(int row) const;
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters, const char* wanted,
                PairRow* rows);
};

struct DistanceElement {
  int a, b;
  Vec3 p_A, p_B;
  SmallTape length;  // L, L̇, L̈ of time and parameters

  int position_rows() const { return 1; }
  int slip_rows() const { return 0; }
  std::string direction(int) const { return "distance"; }
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now, const char* wanted,
                PairRow* rows);
};

/// A point of B on a curve of A. The curve's parameter is where the distance to the point is
/// stationary: both directions normal to the curve there are closed.
struct CurveElement {
  int a, b;
  math::Pose X_AF;
  Vec3 p_B;
  SmallTape curve;  // c, c', c'' of s, time and parameters (time is not used)
  double s;         // at the start, then at the last evaluation
  Vec3 across =
      Vec3::Zero();  // in F, normal to the plane that the curve bends in; see choose_normals

  int position_rows() const { return 2; }
  int slip_rows() const { return 0; }
  std::string direction(int row) const;
  void start(TimeAndParameters now);
  void choose_normals(TimeAndParameters now);
  std::vector<double*> memory();
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now, const char* wanted,
                PairRow* rows);
  std::span<const double> find(const Vec3& p_F, TimeAndParameters now);  // c, c', c'' there

  /// Where the point was, and s there. Integrators go back and forth in time and far beyond steps
  /// that they reject later: the place to look first is that of the nearest point, not of the last
  /// one.
  struct Place {
    std::array<double, 3> p;  // in F
    double s;
  };
  std::array<Place, 32> places{};
  double next = 0;  // of `places`, to be replaced

  std::vector<double> inputs{};  // scratch
};

struct RollingElement {
  std::string name;
  int a, b;
  math::Pose X_AF;  // plane: z is its normal
  math::Pose X_BM;  // wheel: z is its axis
  double radius;
  bool ball;

  int position_rows() const { return 1; }
  int slip_rows() const { return 2; }
  std::string direction(int row) const;
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters, const char* wanted,
                PairRow* rows);
};

using PairElement =
    std::variant<CutElement, LineElement, DistanceElement, CurveElement, RollingElement>;

}  // namespace couplet::dynamics
