#include "couplet/constraints/redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "couplet/math/least_squares.hpp"

namespace couplet::constraints {
namespace {

using model::Closure;
using model::JointInfo;
using model::Model;

/// What would close only the equations of a joint that are kept, up to the names of axes.
std::string suggest(const JointInfo& type, std::span<const Closure> closure,
                    const std::vector<char>& left_out) {
  int slides = 0, turns = 0;  // that stay closed
  for (size_t k = 0; k < closure.size(); ++k)
    if (!left_out[k]) ++(closure[k].kind == Closure::Kind::along ? slides : turns);
  const char* other = slides == 3 && turns == 1   ? "universal"
                      : slides == 3 && turns == 0 ? "spherical"
                      : slides == 2 && turns == 3 ? "prismatic"
                      : slides == 2 && turns == 2 ? "cylindrical"
                      : slides == 2 && turns == 0 ? "a constraint of type on-line"
                      : slides == 1 && turns == 2 ? "planar"
                      : slides == 1 && turns == 0 ? "a constraint of type on-plane"
                      : slides == 0 && turns == 3 ? "xyz"
                                                  : nullptr;
  if (slides + turns == 0) return "leave this joint out";
  return other ? fmt::format("{} → {}", type.name, other)
               : "replace it by a joint with more freedoms";
}

/// Which equation of a weld closes the same motion.
size_t weld_equation(const Closure& closure) {
  return static_cast<size_t>(closure.kind == Closure::Kind::along ? closure.axis
                                                                  : 3 + closure.turn());
}

/// What a joint does not allow; of a screw, whose turning is its freedom, the pitch counts as
/// sliding.
std::span<const Closure> closure_of(const JointInfo& type) {
  return type.has_pitch ? info(model::JointType::revolute).closure : type.closure;
}

/// The same for a joint that kept its coordinates, from the equations of the weld that was cut
/// beside it.
std::string suggest_beside(const JointInfo& type, const std::vector<char>& left_out_of_weld) {
  const std::span<const Closure> closure = closure_of(type);
  std::vector<char> left_out;
  for (const Closure& equation : closure)
    left_out.push_back(left_out_of_weld[weld_equation(equation)]);
  const auto count = [](const std::vector<char>& list) {
    return std::count(list.begin(), list.end(), 1);
  };
  const bool others = count(left_out) != count(left_out_of_weld);  // the joint's own freedoms
  const bool pitch_stays = type.has_pitch && !left_out_of_weld[2];
  if (others || pitch_stays) return "replace it by a joint with more freedoms";
  const std::string found = suggest(type, closure, left_out);
  return found.find("constraint") == std::string::npos ? found : found + ", without coordinates";
}

/// The same for a constraint with `left_out` of its `rows` equations redundant.
std::string suggest(const Entry& type, size_t left_out, size_t rows) {
  if (left_out == rows) return "leave this constraint out";
  if (*type.weaker) return fmt::format("{} → {}", type.name, type.weaker);
  return "keep it: its other equations are needed";
}

size_t count_rows(const Equations& equations, int constraint) {
  size_t count = 0;
  for (int k = 0; k < equations.rows(); ++k)
    count += equations.row(k).constraint == constraint ? 1 : 0;
  return count;
}

/// The index of the joint that a weld between halves stands for; -1: the row is of something else.
int find_kept_joint(const Model& model, const RowInfo& row) {
  return row.joint < 0 ? -1 : model.joints[static_cast<size_t>(row.joint)].split_for;
}

/// A row between halves in a direction that the joint beside it allows.
bool is_own_freedom(const Model& model, const RowInfo& row) {
  const int kept = find_kept_joint(model, row);
  if (kept < 0) return false;
  const std::span<const Closure> closure =
      closure_of(info(model.joints[static_cast<size_t>(kept)].type));
  return std::none_of(closure.begin(), closure.end(), [&](const Closure& equation) {
    return weld_equation(equation) == static_cast<size_t>(row.equation);
  });
}

/// Rows that are left out, sorted by what is to blame.
struct LeftOut {
  std::vector<int> rows;                          // that other rows imply
  std::vector<std::vector<std::string>> motions;  // prescribed, each list one too many
};

/// Rows in the form of Gauss and Jordan: each is 1 at its pivot, where the others are 0.
struct Eliminated {
  std::vector<VecX> rows;
  std::vector<Eigen::Index> pivots;

  /// False: x depends on the rows, up to `small`.
  bool add(VecX x, double small) {
    if (x.size() == 0) return false;
    for (size_t i = 0; i < rows.size(); ++i) x -= VecX(x[pivots[i]] * rows[i]);
    Eigen::Index pivot = 0;
    if (!(x.cwiseAbs().maxCoeff(&pivot) > small)) return false;
    x /= double(x[pivot]);
    for (VecX& row : rows) row -= VecX(row[pivot] * x);
    rows.push_back(x);
    pivots.push_back(pivot);
    return true;
  }
};

// A row that does not count is a sum of those that do, as far as freedoms go that are not
// prescribed. If prescribed ones remain in it, their motions depend on each other. If it is a
// freedom of the joint itself, a row of that sum is named instead: the joint cannot be blamed for
// what it allows.
LeftOut find_left_out(const Model& model, const Equations& equations, std::vector<int> chosen) {
  LeftOut found;
  std::vector<int> left;
  for (int k = 0; k < equations.rows(); ++k)
    if (!std::binary_search(chosen.begin(), chosen.end(), k)) left.push_back(k);
  if (left.empty() || equations.rows() > most_rows) {
    found.rows = left;
    return found;
  }
  const auto own = [&](int k) { return is_own_freedom(model, equations.row(k)); };
  std::stable_partition(left.begin(), left.end(), own);
  MatX given = make_dense(equations.G(), equations.speeds());  // by freedoms that are prescribed
  MatX open = given;                                           // by the others
  for (int j = 0; j < equations.speeds(); ++j)
    if (equations.is_prescribed(j)) open.col(j).setZero();
  given -= open;
  constexpr double small = 1e-6;
  Eliminated motions;
  math::LeastSquares basis;
  const auto decompose = [&] {
    if (!chosen.empty()) basis.compute(open(chosen, Eigen::all).transpose());
  };
  decompose();
  for (const int k : left) {
    const VecX shares = chosen.empty() ? VecX() : VecX(basis.solve(open.row(k).transpose()));
    const VecX rest = given.row(k).transpose() - given(chosen, Eigen::all).transpose() * shares;
    if (motions.add(rest, small * (1 + shares.norm()))) continue;
    int blamed = k;
    if (own(k)) {
      double most = small;
      for (size_t i = 0; i < chosen.size(); ++i)
        if (const double share = std::abs(shares[static_cast<Eigen::Index>(i)]);
            share > most && !own(chosen[i]))
          most = share, blamed = chosen[i];
      std::replace(chosen.begin(), chosen.end(), blamed, k);
      if (blamed != k) decompose();
    }
    found.rows.push_back(blamed);
  }
  std::sort(found.rows.begin(), found.rows.end());
  for (const VecX& each : motions.rows) {
    std::vector<std::string>& names = found.motions.emplace_back();
    for (int j = 0; j < equations.speeds(); ++j)
      if (std::abs(each[j]) > small && (names.empty() || names.back() != equations.owner(j)))
        names.push_back(equations.owner(j));
  }
  std::sort(found.motions.begin(), found.motions.end());
  return found;
}

std::vector<Redundancy> find_redundant(const Model& model, const Equations& equations,
                                       const std::vector<int>& rows) {
  std::vector<Redundancy> found;
  std::vector<std::vector<char>> left_out;
  std::vector<RowInfo> first;  // of each
  for (const int k : rows) {
    const RowInfo& row = equations.row(k);
    auto at = std::find_if(first.begin(), first.end(), [&](const RowInfo& r) {
      return r.element == row.element && r.joint == row.joint && r.constraint == row.constraint;
    });
    if (at == first.end()) {
      const int kept = find_kept_joint(model, row);
      found.push_back({row.element, kept < 0 ? row.joint : kept, {}, "leave this constraint out"});
      left_out.emplace_back(6, 0);
      first.push_back(row);
      at = first.end() - 1;
    }
    const auto i = static_cast<size_t>(at - first.begin());
    found[i].directions.push_back(row.direction);
    left_out[i][static_cast<size_t>(row.equation)] = 1;
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].joint >= 0) {
      const JointInfo& type = info(model.joints[static_cast<size_t>(found[i].joint)].type);
      found[i].suggestion = find_kept_joint(model, first[i]) < 0
                                ? suggest(type, type.closure, left_out[i])
                                : suggest_beside(type, left_out[i]);
    } else if (first[i].constraint >= 0) {
      found[i].suggestion =
          suggest(entry_of(model.constraints[static_cast<size_t>(first[i].constraint)]),
                  found[i].directions.size(), count_rows(equations, first[i].constraint));
    }
  }
  return found;
}

}  // namespace

MatX make_dense(const SparseRows& rows, int columns) {
  MatX G = MatX::Zero(rows.rows(), columns);
  for (int k = 0; k < rows.rows(); ++k)
    for (int e = rows.begin[k]; e < rows.begin[k + 1]; ++e) G(k, rows.column[e]) = rows.value[e];
  return G;
}

Surplus find_surplus(const Model& model, const Equations& equations,
                     const std::vector<int>& chosen) {
  LeftOut left_out = find_left_out(model, equations, chosen);
  return {find_redundant(model, equations, left_out.rows), std::move(left_out.motions)};
}

}  // namespace couplet::constraints
