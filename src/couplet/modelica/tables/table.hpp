// The interpolation tables of the Modelica Standard Library (Modelica.Blocks.Tables and
// Sources.CombiTimeTable), which declares them as external C functions. Nothing here knows of the
// language: the translator uses them for values at translation, a runtime for values in time.
#pragma once

#include <memory>
#include <variant>

#include "couplet/modelica/tables/axis.hpp"

namespace couplet::modelica::tables {

struct Matrix {
  size_t rows = 0, columns = 0;
  std::vector<double> values = {};  // by rows

  double operator()(size_t row, size_t column) const { return values[row * columns + column]; }
};

struct Sample {
  double value = 0, slope = 0, curvature = 0;  // y, dy/du, d²y/du²
};

/// [u, y₁, y₂, ...]: several functions of one variable.
class Table1D {
 public:
  /// `columns` of the matrix, from 1, become the functions 1, 2, ... Throws base::UserError.
  Table1D(const Matrix& table, const std::vector<int>& columns, Smoothness smoothness,
          Extrapolation extrapolation, Axis::Repeats repeats = Axis::Repeats::refused);

  Sample at(double u, int function, bool before = false) const;  // functions from 1
  const Axis& axis() const { return axis_; }
  int count() const { return static_cast<int>(functions_.size()); }
  Smoothness smoothness() const { return smoothness_; }
  Extrapolation extrapolation() const { return extrapolation_; }

 private:
  struct Curve {
    std::vector<double> values, slopes;
  };
  Axis axis_;
  std::vector<Curve> functions_;
  Smoothness smoothness_;
  Extrapolation extrapolation_;
};

struct Sample2D {
  double value = 0;
  double d1 = 0, d2 = 0;             // ∂y/∂u₁, ∂y/∂u₂
  double d11 = 0, d12 = 0, d22 = 0;  // second derivatives
};

/// The first column holds u₁, the first row u₂, the rest y(u₁, u₂).
class Table2D {
 public:
  Table2D(const Matrix& table, Smoothness smoothness, Extrapolation extrapolation);

  Sample2D at(double u1, double u2) const;
  const Axis& axis1() const { return axis1_; }
  const Axis& axis2() const { return axis2_; }

 private:
  void set_slopes();  // Akima, Comm. ACM 17(1), 1974

  Axis axis1_, axis2_;
  Smoothness smoothness_;
  Extrapolation extrapolation_;
  std::vector<double> z_, z1_, z2_, z12_;  // values, slopes and cross derivatives, by rows
};

/// In the order of Modelica.Blocks.Types.TimeEvents.
enum class TimeEvents : uint8_t { always, at_discontinuities, none };

/// A table whose first column is time: it may jump, and says when.
class TimeTable {
 public:
  struct Options {
    double start_time = 0;  // s; the functions are zero before
    double shift_time = 0;  // s; the table's time starts here
    TimeEvents events = TimeEvents::always;
  };
  TimeTable(const Matrix& table, const std::vector<int>& columns, Smoothness smoothness,
            Extrapolation extrapolation, Options options);

  /// `before_event`: the event at t is not handled yet, so the limit from the left is meant.
  Sample at(double t, int function, bool before_event = false) const;
  /// The first event after t; infinity when there is none.
  double next_event(double t) const;
  double lowest() const { return table_.axis().lowest(); }
  double highest() const { return table_.axis().highest(); }

 private:
  Table1D table_;
  Options options_;
  std::vector<double> events_;  // in the table's time
};

struct AnyTable {
  std::variant<Table1D, Table2D, TimeTable> table;
};

/// Where the numbers of a table come from, as the library's blocks say it.
struct TableSource {
  std::string file, name;  // "NoName" and blanks: none
  std::string delimiter = ",";
  int header_lines = 0;  // of a CSV file
};
bool names_file(const TableSource& source);  // else the matrix is an argument

/// The matrix `name` of a text file (#1), a CSV file or a MATLAB file (level 4, or 5 without HDF5).
/// Throws base::UserError.
Matrix read_table(const TableSource& source);

}  // namespace couplet::modelica::tables
