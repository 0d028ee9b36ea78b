#include "couplet/equations/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/math/least_squares.hpp"
#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {

using symbolic::Op;
using symbolic::Order;
using symbolic::Replacements;

SlotMap::SlotMap(const Dae& dae) {
  for (size_t v = 0; v < dae.variables.size(); ++v)
    slots_.emplace(dae.variables[v].symbol, static_cast<int>(v));
  size_ = dae.variables.size();
  const auto add = [&](const Expr& symbol) {
    slots_.emplace(symbol, static_cast<int>(size_));
    return static_cast<int>(size_++);
  };
  time_ = add(dae.time);
  relations_ = static_cast<int>(size_);
  for (const Relation& r : dae.relations) add(r.symbol);
  wholes_ = static_cast<int>(size_);
  for (const Whole& w : dae.wholes) add(w.symbol);
  samples_ = static_cast<int>(size_);
  for (const Sample& s : dae.samples) add(s.symbol);
  delays_ = static_cast<int>(size_);
  for (const Delay& d : dae.delays) add(d.symbol);
  add(dae.terminal);
  add(dae.homotopy);
}

Function::Function(std::span<const Expr> outputs, const SlotMap& map) {
  std::vector<std::string> names;
  const Order order(outputs);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order.op(i) == Op::symbol) {
      names.push_back(order.name(i));
      inputs_.push_back(map.of(order.expr(i)));
    }
  tape_.emplace(outputs, names);
  in_.resize(inputs_.size());
  registers_.resize(tape_->register_count());
}

void Function::evaluate(const std::vector<double>& slots, std::span<double> out) const {
  if (!tape_) return;
  for (size_t i = 0; i < inputs_.size(); ++i) in_[i] = slots[static_cast<size_t>(inputs_[i])];
  tape_->evaluate(in_, out, registers_);
}

Program::Program(const Dae& dae, const SlotMap& map, const System& system,
                 const std::vector<Block>& blocks, std::span<const int> wanted)
    : dae_(&dae) {
  // Blocks that are needed.
  std::vector<char> needed_slot(map.size(), 0), needed(blocks.size(), 0);
  for (const int s : wanted) needed_slot[static_cast<size_t>(s)] = 1;
  for (size_t b = blocks.size(); b-- > 0;) {
    for (const int v : blocks[b].variables)
      needed[b] = needed[b] || needed_slot[static_cast<size_t>(v)];
    if (!needed[b]) continue;
    for (const int e : blocks[b].equations)
      for (const int v : dae.variables_of(system.residuals[static_cast<size_t>(e)]))
        needed_slot[static_cast<size_t>(v)] = 1;
  }

  Replacements inlined;
  Step group;
  const auto assign = [&](int v, const Expr& value) {
    const Expr e = symbolic::substitute(value, inlined);
    inlined.insert_or_assign(dae.variables[static_cast<size_t>(v)].symbol, e);
    group.outputs.push_back(v);
    group.values.push_back(e);
  };
  const auto flush = [&] {
    if (!group.outputs.empty()) steps_.push_back(std::move(group));
    group = {};
    inlined.clear();
  };
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (!needed[b]) continue;
    const Block& block = blocks[b];
    const Solution& solution = block.solution;
    const auto torn = static_cast<int>(solution.unknowns.size());
    if (block.equations.size() > 1 || !solution.linear)
      sizes_.push_back({static_cast<int>(block.equations.size()),
                        solution.linear && torn == 1 ? 0 : torn, solution.linear, block.torn});
    if (!solution.unknowns.empty()) {
      flush();
      steps_.push_back(make_step(dae, system, block));
    }
    for (const auto& [v, value] : solution.values) assign(v, value);
  }
  flush();

  // Only what somebody reads is stored.
  std::vector<char> read(map.size(), 0);
  for (const int s : wanted) read[static_cast<size_t>(s)] = 1;
  for (size_t k = steps_.size(); k-- > 0;) {
    Step& step = steps_[k];
    if (step.unknowns.empty()) {
      std::vector<int> outputs;
      std::vector<Expr> values;
      for (size_t i = 0; i < step.outputs.size(); ++i)
        if (read[static_cast<size_t>(step.outputs[i])]) {
          outputs.push_back(step.outputs[i]);
          values.push_back(step.values[i]);
        }
      step.outputs = std::move(outputs);
      step.values = std::move(values);
    }
    step.function = Function(step.values, map);
    for (const int s : step.function.inputs()) read[static_cast<size_t>(s)] = 1;
    step.scratch.resize(step.values.size());
    step.values.clear();
    if (!step.unknowns.empty()) {
      const auto n = static_cast<long>(step.unknowns.size());
      step.J.setZero(n, n);
      step.r.setZero(n);
      step.dz.setZero(n);
    }
  }
}

Program::Step Program::make_step(const Dae& dae, const System& system, const Block& block) {
  const Solution& solution = block.solution;
  Step step;
  step.linear = solution.linear;
  step.searches = system.careful && !solution.linear && solution.unknowns.size() == 1;
  step.unknowns = solution.unknowns;
  step.values = solution.residuals;
  for (const auto& entry : solution.jacobian) {
    step.entries.emplace_back(static_cast<int>(entry.row), static_cast<int>(entry.column));
    step.values.push_back(entry.value);
  }
  for (const int v : step.unknowns) {
    const Expr& nominal = dae.variables[static_cast<size_t>(v)].nominal;
    step.nominal.push_back(nominal.is_constant() && nominal.value() != 0 ? std::abs(nominal.value())
                                                                         : 1);
  }
  for (const int e : block.residuals) {
    step.where.push_back(system.where[static_cast<size_t>(e)]);
    step.texts.push_back(to_text(system.residuals[static_cast<size_t>(e)]));
  }
  return step;
}

size_t Program::instructions() const {
  size_t sum = 0;
  for (const Step& s : steps_) sum += s.function.instructions();
  return sum;
}

bool Program::run(std::vector<double>& slots) const {
  for (Step& step : steps_)
    if (!run(step, slots)) return false;
  return true;
}

bool Program::run(std::vector<double>& slots, const std::vector<char>& steps) const {
  for (size_t k = 0; k < steps_.size(); ++k)
    if (steps[k] && !run(steps_[k], slots)) return false;
  return true;
}

bool Program::run(Step& step, std::vector<double>& slots) const {
  if (!step.unknowns.empty())
    return step.linear ? solve_linear(step, slots) : solve_nonlinear(step, slots);
  step.function.evaluate(slots, step.scratch);
  for (size_t i = 0; i < step.outputs.size(); ++i)
    slots[static_cast<size_t>(step.outputs[i])] = step.scratch[i];
  return true;
}

void Program::find_steps(std::span<const int> wanted, std::vector<char>& steps) const {
  std::vector<char> needed;
  const auto need = [&](int s) {
    if (static_cast<size_t>(s) >= needed.size()) needed.resize(static_cast<size_t>(s) + 1, 0);
    needed[static_cast<size_t>(s)] = 1;
  };
  for (const int s : wanted) need(s);
  steps.assign(steps_.size(), 0);
  for (size_t k = steps_.size(); k-- > 0;) {
    const Step& step = steps_[k];
    for (const int v : step.unknowns.empty() ? step.outputs : step.unknowns)
      if (static_cast<size_t>(v) < needed.size() && needed[static_cast<size_t>(v)]) steps[k] = 1;
    if (steps[k])
      for (const int s : step.function.inputs()) need(s);
  }
}

void Program::fill(Step& step, const std::vector<double>& slots) const {
  step.function.evaluate(slots, step.scratch);
  const size_t n = step.unknowns.size();
  for (size_t i = 0; i < n; ++i) step.r[static_cast<long>(i)] = step.scratch[i];
  for (size_t k = 0; k < step.entries.size(); ++k)
    step.J(step.entries[k].first, step.entries[k].second) = step.scratch[n + k];
}

bool Program::fail(const Step& step, const std::vector<double>& slots, std::string_view why) const {
  long worst = 0;
  for (long i = 1; i < step.r.size(); ++i)
    if (!(std::abs(step.r[i]) <= std::abs(step.r[worst]))) worst = i;
  std::string names;
  for (size_t i = 0; i < step.unknowns.size() && i < 6; ++i)
    names += fmt::format("{}{} = {:.6g}", i ? ", " : "",
                         dae_->variables[static_cast<size_t>(step.unknowns[i])].name,
                         slots[static_cast<size_t>(step.unknowns[i])]);
  failure_ = fmt::format(
      "a {} system of {} equations {}: the residual of {} ({}) is {:.3g}; unknowns: {}{}",
      step.linear ? "linear" : "nonlinear", step.unknowns.size(), why,
      step.where[static_cast<size_t>(worst)].str(), step.texts[static_cast<size_t>(worst)],
      step.r[worst], names, step.unknowns.size() > 6 ? ", …" : "");
  return false;
}

bool Program::solve_linear(Step& step, std::vector<double>& slots) const {
  fill(step, slots);
  step.lu.compute(step.J);
  if (is_regular(step)) {
    step.lu.solve(step.r, step.dz);
    if (step.dz.allFinite()) {
      for (size_t i = 0; i < step.unknowns.size(); ++i)
        slots[static_cast<size_t>(step.unknowns[i])] = -step.dz[static_cast<long>(i)];
      return true;
    }
  }
  return solve_singular(step, slots);
}

// Pivots against the largest entry: a cheap test that lets pass what is badly scaled, for what it
// stops is solved all the same.
bool Program::is_regular(const Step& step) {
  return step.lu.calc_smallest_pivot() > 1e-13 * step.J.cwiseAbs().maxCoeff();
}

// Equations that depend on each other and agree: of all solutions the one that is nearest to the
// values that the unknowns have. [For friction that is locked where the acceleration is given, the
// friction torque stays 0; of two brakes that hold one shaft, both hold as before.]
bool Program::solve_singular(Step& step, std::vector<double>& slots) const {
  const auto n = static_cast<long>(step.unknowns.size());
  MatX A = step.J;
  VecX b = step.r;
  if (!A.allFinite() || !b.allFinite()) return fail(step, slots, "has no finite coefficients");
  for (long j = 0; j < n; ++j) {
    const auto k = static_cast<size_t>(j);
    b += step.J.col(j) * slots[static_cast<size_t>(step.unknowns[k])];
    A.col(j) *= step.nominal[k];
  }
  for (long i = 0; i < n; ++i) {
    double scale = A.row(i).cwiseAbs().maxCoeff();
    for (long j = 0; j < n; ++j)
      scale = std::max(scale,
                       std::abs(step.J(i, j) *
                                slots[static_cast<size_t>(step.unknowns[static_cast<size_t>(j)])]));
    if (scale == 0) scale = 1;
    A.row(i) /= scale;
    b[i] /= scale;
  }
  math::LeastSquares pseudo_inverse(1e-11);
  pseudo_inverse.compute(A);
  const VecX dz = pseudo_inverse.solve(b);
  const VecX left = A * dz - b;
  if (!dz.allFinite() || !(left.cwiseAbs().maxCoeff() <= 1e-8 * (1 + b.cwiseAbs().maxCoeff())))
    return fail(step, slots, "is singular");
  for (long j = 0; j < n; ++j) {
    const auto k = static_cast<size_t>(j);
    slots[static_cast<size_t>(step.unknowns[k])] -= step.nominal[k] * dz[j];
  }
  step.was_singular = true;
  return true;
}

std::vector<std::vector<int>> Program::find_singular() const {
  std::vector<std::vector<int>> found;
  for (const Step& step : steps_)
    if (step.was_singular) found.push_back(step.unknowns);
  return found;
}

// At the beginning, of one unknown that Newton's method does not find: where its residual changes
// its sign between powers of ten, the nearest to where it was; by bisection. A pole is none.
bool Program::find_crossing(Step& step, std::vector<double>& slots) const {
  constexpr int decades = 20;
  double& z = slots[static_cast<size_t>(step.unknowns[0])];
  const double begin = z;
  const auto residual = [&](double at) {
    z = at;
    fill(step, slots);
    return step.r[0];
  };
  std::vector<double> points{0, begin};
  for (int k = -decades; k <= decades; ++k)
    for (const double sign : {-1.0, 1.0}) {
      points.push_back(sign * step.nominal[0] * std::pow(10, k));
      points.push_back(begin + points.back());
    }
  std::sort(points.begin(), points.end());
  std::optional<double> found;
  double last = residual(points[0]);
  for (size_t i = 1; i < points.size(); ++i) {
    const double before = last;
    last = residual(points[i]);
    if (!std::isfinite(before) || !std::isfinite(last) || (before < 0) == (last < 0)) continue;
    double a = points[i - 1], b = points[i], r = last;
    for (int round = 0; round < 2000; ++round) {
      const double m = a + (b - a) / 2;
      if (!(m > a && m < b)) break;
      r = residual(m);
      ((r < 0) == (before < 0) ? a : b) = m;
    }
    const bool is_pole = !(std::abs(r) <= std::min(std::abs(before), std::abs(last)) * 1e-3);
    if (!is_pole && (!found || std::abs(b - begin) < std::abs(*found - begin))) found = b;
  }
  z = found.value_or(begin);
  return found.has_value();
}

bool Program::solve_nonlinear(Step& step, std::vector<double>& slots) const {
  const size_t n = step.unknowns.size();
  constexpr int most = 100;
  const auto put = [&](const VecX& z) {
    for (size_t i = 0; i < n; ++i)
      slots[static_cast<size_t>(step.unknowns[i])] = z[static_cast<long>(i)];
  };
  VecX z(static_cast<long>(n)), trial, scale(static_cast<long>(n));
  for (size_t i = 0; i < n; ++i)
    z[static_cast<long>(i)] = slots[static_cast<size_t>(step.unknowns[i])];
  const VecX begin = z;
  const auto give_up = [&](std::string_view why) {
    fail(step, slots, why);
    put(begin);
    return step.searches && find_crossing(step, slots);
  };
  fill(step, slots);
  if (!step.r.allFinite()) {  // 0 is what unknowns are when nothing is said, and may be a pole
    for (size_t i = 0; i < n; ++i)
      if (z[static_cast<long>(i)] == 0) z[static_cast<long>(i)] = step.nominal[i];
    put(z);
    fill(step, slots);
    if (!step.r.allFinite()) return give_up("has no residual at the start values");
  }
  for (int k = 0; k < most; ++k) {
    step.lu.compute(step.J);
    step.lu.solve(step.r, step.dz);
    if (!step.dz.allFinite()) return give_up("is singular");
    const VecX dz = step.dz;
    double change = 0;
    for (size_t i = 0; i < n; ++i)
      change = std::max(change, std::abs(dz[static_cast<long>(i)]) /
                                    (step.nominal[i] + std::abs(z[static_cast<long>(i)])));
    const VecX r = step.r;
    // Residuals are weighed by what the first Jacobian makes of them: the natural level function.
    const math::DenseLu<double> lu = step.lu;
    double factor = 1;
    const double level = dz.norm();
    for (;; factor /= 2) {
      trial = z - factor * dz;
      put(trial);
      fill(step, slots);
      if (step.r.allFinite()) {
        if (change < 1e-9) break;
        VecX simplified(static_cast<long>(n));
        lu.solve(step.r, simplified);
        if (simplified.norm() <= (1 - factor / 4) * level) break;
      }
      if (factor < 1e-6) {
        put(z);
        fill(step, slots);
        return give_up("does not converge");
      }
    }
    z = trial;
    if (factor == 1 && change < 1e-10) return true;
  }
  return give_up("does not converge in 100 iterations");
}

}  // namespace couplet::equations
