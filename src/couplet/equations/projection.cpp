#include "couplet/equations/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/math/least_squares.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {
namespace {

constexpr double closed = 1e-13;    // a residual that needs no correction
constexpr double round_off = 1e-9;  // the largest that may be left where it does not become less
constexpr int most_corrections = 30;
constexpr double poor = 0.1;      // of the best choice's smallest pivot
constexpr double regular = 1e-3;  // where no choice is good none is changed

// Those that the model wants as states had better not be found from others.
double weight_of(Select select) {
  return select == Select::always ? 1e-3 : select == Select::prefer ? 0.1 : 1;
}

// Those that slots depend on.
std::vector<int> find_states(const Model& model, const std::vector<Block>& blocks,
                             const std::vector<int>& slots) {
  std::vector<char> needed(model.map->size(), 0);
  for (const int s : slots) needed[static_cast<size_t>(s)] = 1;
  for (size_t b = blocks.size(); b-- > 0;) {
    bool any = false;
    for (const int v : blocks[b].variables) any = any || needed[static_cast<size_t>(v)] != 0;
    if (!any) continue;
    for (const int e : blocks[b].equations)
      for (const int v : model.dae.variables_of(model.system.residuals[static_cast<size_t>(e)]))
        needed[static_cast<size_t>(v)] = 1;
  }
  std::vector<int> found;
  for (const int s : model.states)
    if (needed[static_cast<size_t>(s)]) found.push_back(s);
  return found;
}

}  // namespace

Projection::Projection(const Model& model, const std::vector<Block>& blocks) : model_(&model) {
  const Dae& dae = model.dae;
  const auto steps_to_top = [&](int v) {
    size_t n = 0;
    for (int d = dae.variables[static_cast<size_t>(v)].derivative; d >= 0 && is_unknown(dae, d);
         d = dae.variables[static_cast<size_t>(v)].derivative, ++n)
      v = d;
    return n;
  };
  const symbolic::Replacements running = dae.while_running();
  for (const ConstraintSet& set : model.projected)
    for (size_t k = 0; k < set.equations.size(); ++k) {
      Level level;
      level.equations = set.equations[k];
      std::vector<Expr> residuals;
      for (const int e : level.equations)
        residuals.push_back(
            symbolic::substitute(dae.equations[static_cast<size_t>(e)].residual, running));
      level.residuals = Function(residuals, *model.map);
      for (const int v : find_states(model, blocks, level.residuals.inputs()))
        if (steps_to_top(v) == set.equations.size() - k) level.states.push_back(v);
      level.program = Program(dae, *model.map, model.system, blocks, level.residuals.inputs());
      const auto rows = static_cast<long>(residuals.size()),
                 columns = static_cast<long>(level.states.size());
      base::ensure(rows <= columns, "constraints of states have states");
      for (const int v : level.states)
        level.places.push_back(static_cast<size_t>(
            std::find(model.states.begin(), model.states.end(), v) - model.states.begin()));
      for (long i = 0; i < rows; ++i) level.dependent.push_back(i);
      level.scale.setOnes(columns);
      for (long i = 0; i < columns; ++i) {
        const Expr& nominal =
            dae.variables[static_cast<size_t>(level.states[static_cast<size_t>(i)])].nominal;
        if (nominal.is_constant() && nominal.value() != 0 && std::isfinite(nominal.value()))
          level.scale[i] = std::abs(nominal.value());
      }
      level.r.setZero(rows);
      level.moved.setZero(rows);
      level.J.setZero(rows, columns);
      level.change.setZero(rows);
      level.square.setZero(rows, rows);
      levels_.push_back(std::move(level));
    }
  dependent_.assign(model.states.size(), 0);
}

bool Projection::solve(std::vector<double>& slots) const {
  for (Level& level : levels_)
    if (!solve(level, slots)) return false;
  return true;
}

bool Projection::calc_residuals(const Level& level, std::vector<double>& slots, VecX& r) const {
  if (!level.program.run(slots)) {
    failure_ = level.program.failure();
    return false;
  }
  level.residuals.evaluate(slots, std::span(r.data(), static_cast<size_t>(r.size())));
  return r.allFinite();
}

// By differences from level.r: constraints may depend on the states by way of systems of equations.
bool Projection::differentiate(Level& level, std::vector<double>& slots, bool all) const {
  const auto column = [&](long k, Eigen::Ref<VecX> into) {
    double& y = slots[static_cast<size_t>(level.states[static_cast<size_t>(k)])];
    const double before = y, h = 1e-7 * std::max(level.scale[k], std::abs(y));
    y += h;
    const bool good = calc_residuals(level, slots, level.moved);
    y = before;
    into = (level.moved - level.r) * (level.scale[k] / h);
    return good;
  };
  bool good = true;
  if (all)
    for (long k = 0; k < level.J.cols(); ++k) good = column(k, level.J.col(k)) && good;
  else
    for (size_t i = 0; i < level.dependent.size(); ++i)
      good = column(level.dependent[i], level.square.col(static_cast<long>(i))) && good;
  return good;
}

bool Projection::solve(Level& level, std::vector<double>& slots) const {
  const auto give_up = [&] {
    long worst = 0;
    level.r.cwiseAbs().maxCoeff(&worst);
    const Equation& e =
        model_->dae.equations[static_cast<size_t>(level.equations[static_cast<size_t>(worst)])];
    failure_ = fmt::format("no states are found that fulfil {} ({}); it is wrong by {:.3g}",
                           e.where.str(), to_text(e.residual), level.r[worst]);
    level.is_known = false;
    return false;
  };
  if (!calc_residuals(level, slots, level.r)) return give_up();
  double size = level.r.cwiseAbs().maxCoeff();
  for (int round = 0; round < most_corrections; ++round) {
    if (size <= closed) return true;
    if (!level.is_known) {
      if (!differentiate(level, slots, false)) return give_up();
      level.lu.compute(level.square);
    }
    const bool fresh = !level.is_known;
    level.is_known = true;
    level.lu.solve(level.r, level.change);
    if (!level.change.allFinite()) return give_up();
    for (size_t i = 0; i < level.dependent.size(); ++i)
      slots[static_cast<size_t>(level.states[static_cast<size_t>(level.dependent[i])])] -=
          level.scale[level.dependent[i]] * level.change[static_cast<long>(i)];
    const double before = size;
    if (!calc_residuals(level, slots, level.r)) return give_up();
    size = level.r.cwiseAbs().maxCoeff();
    if (size > before / 4 && size <= round_off && fresh) return true;
    if (size > before / 10) level.is_known = false;
  }
  return give_up();
}

// Columns of J, the most independent first, as many as there are equations.
std::vector<long> Projection::find_best(const Level& level) const {
  MatX A = level.J;
  for (size_t i = 0; i < level.states.size(); ++i)
    A.col(static_cast<long>(i)) *=
        weight_of(model_->dae.variables[static_cast<size_t>(level.states[i])].select);
  std::vector<long> best;
  for (const int c : math::order_columns(A))
    if (best.size() < level.equations.size()) best.push_back(c);
  return best;
}

double Projection::calc_pivot(const Level& level, const std::vector<long>& columns) const {
  MatX A(level.J.rows(), static_cast<long>(columns.size()));
  for (size_t i = 0; i < columns.size(); ++i) A.col(static_cast<long>(i)) = level.J.col(columns[i]);
  math::DenseLu<double> lu;
  lu.compute(A);
  return lu.calc_smallest_pivot();
}

void Projection::choose(std::vector<double>& slots) {
  std::vector<char> dependent(model_->states.size(), 0);
  for (Level& level : levels_) {
    if (calc_residuals(level, slots, level.r) && differentiate(level, slots, true))
      level.dependent = find_best(level);
    for (const long k : level.dependent) dependent[level.places[static_cast<size_t>(k)]] = 1;
    level.is_known = false;
    calc_residuals(level, slots, level.r);
  }
  dependent_ = std::move(dependent);
}

bool Projection::is_poor(std::vector<double>& slots) const {
  for (Level& level : levels_) {
    if (!calc_residuals(level, slots, level.r) || !differentiate(level, slots, true)) continue;
    const double best = calc_pivot(level, find_best(level)),
                 now = calc_pivot(level, level.dependent);
    if (best > regular * level.J.cwiseAbs().maxCoeff() && now < poor * best) return true;
  }
  return false;
}

void Projection::set_dependent(const std::vector<char>& dependent) {
  dependent_ = dependent;
  for (Level& level : levels_) {
    level.dependent.clear();
    for (size_t i = 0; i < level.places.size(); ++i)
      if (dependent_[level.places[i]]) level.dependent.push_back(static_cast<long>(i));
    level.is_known = false;
  }
}

}  // namespace couplet::equations
