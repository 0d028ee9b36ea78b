#include "couplet/equations/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/symbolic/differentiate.hpp"
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

namespace {

bool depends_on(const Dae& dae, const Expr& e, const std::vector<char>& marked) {
  for (const int v : dae.variables_of(e))
    if (marked[static_cast<size_t>(v)]) return true;
  return false;
}

}  // namespace

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
  const auto symbol = [&](int v) -> const Expr& {
    return dae.variables[static_cast<size_t>(v)].symbol;
  };
  const auto assign = [&](int v, const Expr& value) {
    const Expr e = symbolic::substitute(value, inlined);
    inlined.insert_or_assign(symbol(v), e);
    group.outputs.push_back(v);
    group.values.push_back(e);
  };
  const auto flush = [&] {
    if (!group.outputs.empty()) steps_.push_back(std::move(group));
    group = {};
    inlined.clear();
  };
  const auto solved = [&](int e, int v) -> std::optional<Expr> {
    const auto form = isolate(system.residuals[static_cast<size_t>(e)], symbol(v));
    if (!form || form->coefficient.is_constant(0)) return {};
    return -form->rest / form->coefficient;
  };

  std::vector<char> marked(dae.variables.size(), 0);
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (!needed[b]) continue;
    Block block = blocks[b];
    if (block.equations.size() == 1) {
      if (const auto value = solved(block.equations[0], block.variables[0])) {
        assign(block.variables[0], *value);
        continue;
      }
      block.torn = block.variables;
      block.residuals = block.equations;
    } else {
      tear(dae, system, block);
    }
    for (const int v : block.torn)
      if (!dae.variables[static_cast<size_t>(v)].real)
        throw base::UserError(
            dae.variables[static_cast<size_t>(v)].where,
            fmt::format(
                "'{}' is not Real and stands in a system of {} equations that has to be solved "
                "for it, such as {} at {}",
                dae.variables[static_cast<size_t>(v)].name, block.equations.size(),
                to_text(system.residuals[static_cast<size_t>(block.residuals[0])]),
                system.where[static_cast<size_t>(block.residuals[0])].str()),
            "break the loop with pre()");
    // Residuals in terms of the torn variables.
    Replacements inner;
    std::vector<std::pair<int, Expr>> inner_values;
    for (const auto& [e, v] : block.inner) {
      const Expr value = symbolic::substitute(*solved(e, v), inner);
      inner.insert_or_assign(symbol(v), value);
      inner_values.emplace_back(v, value);
    }
    std::vector<Expr> residuals, unknowns;
    for (const int e : block.residuals)
      residuals.push_back(symbolic::substitute(system.residuals[static_cast<size_t>(e)], inner));
    for (const int v : block.torn) unknowns.push_back(symbol(v));
    const auto jacobian = symbolic::differentiate(residuals, unknowns);
    for (const int v : block.torn) marked[static_cast<size_t>(v)] = 1;
    bool linear = true;
    for (const auto& entry : jacobian) linear = linear && !depends_on(dae, entry.value, marked);
    // What is no function of derivatives, such as floor, hides a dependence.
    Replacements zero;
    for (const Expr& z : unknowns) zero.emplace(z, 0);
    if (linear)
      for (const Expr& r : residuals) {
        Expr rest = r;
        for (const Expr& z : unknowns) {
          const auto form = isolate(rest, z);
          if (!form) {
            linear = false;
            break;
          }
          rest = form->rest;
        }
        if (!linear) break;
      }
    for (const int v : block.torn) marked[static_cast<size_t>(v)] = 0;
    const auto n = static_cast<int>(unknowns.size());
    if (block.equations.size() > 1 || !linear)
      sizes_.push_back(
          {static_cast<int>(block.equations.size()), linear && n == 1 ? 0 : n, linear, block.torn});
    if (linear && n == 1 && !jacobian.empty()) {
      assign(block.torn[0], -symbolic::substitute(residuals[0], zero) / jacobian[0].value);
      for (const auto& [v, value] : inner_values) assign(v, value);
      continue;
    }
    flush();
    Step step;
    step.solves = true;
    step.linear = linear;
    step.unknowns = block.torn;
    step.values = linear ? symbolic::substitute(residuals, zero) : residuals;
    for (const auto& entry : jacobian) {
      step.entries.emplace_back(static_cast<int>(entry.row), static_cast<int>(entry.column));
      step.values.push_back(entry.value);
    }
    for (const int v : block.torn) {
      const Expr& nominal = dae.variables[static_cast<size_t>(v)].nominal;
      step.nominal.push_back(
          nominal.is_constant() && nominal.value() != 0 ? std::abs(nominal.value()) : 1);
    }
    for (const int e : block.residuals) {
      step.where.push_back(system.where[static_cast<size_t>(e)]);
      step.texts.push_back(to_text(system.residuals[static_cast<size_t>(e)]));
    }
    steps_.push_back(std::move(step));
    for (const auto& [v, value] : inner_values) assign(v, value);
  }
  flush();

  // Only what somebody reads is stored.
  std::vector<char> read(map.size(), 0);
  for (const int s : wanted) read[static_cast<size_t>(s)] = 1;
  for (size_t k = steps_.size(); k-- > 0;) {
    Step& step = steps_[k];
    if (!step.solves) {
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
    if (step.solves) {
      const auto n = static_cast<long>(step.unknowns.size());
      step.J.setZero(n, n);
      step.r.setZero(n);
      step.dz.setZero(n);
    }
  }
}

size_t Program::instructions() const {
  size_t sum = 0;
  for (const Step& s : steps_) sum += s.function.instructions();
  return sum;
}

bool Program::run(std::vector<double>& slots) const {
  for (Step& step : steps_) {
    if (!step.solves) {
      step.function.evaluate(slots, step.scratch);
      for (size_t i = 0; i < step.outputs.size(); ++i)
        slots[static_cast<size_t>(step.outputs[i])] = step.scratch[i];
    } else if (!(step.linear ? solve_linear(step, slots) : solve_nonlinear(step, slots))) {
      return false;
    }
  }
  return true;
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
  step.lu.solve(step.r, step.dz);
  if (!step.dz.allFinite()) return fail(step, slots, "is singular");
  for (size_t i = 0; i < step.unknowns.size(); ++i)
    slots[static_cast<size_t>(step.unknowns[i])] = -step.dz[static_cast<long>(i)];
  return true;
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
    return false;
  };
  fill(step, slots);
  if (!step.r.allFinite()) return give_up("has no residual at the start values");
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
