#include "couplet/equations/delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "couplet/symbolic/order.hpp"

namespace couplet::equations {
namespace {

constexpr size_t most_points = 6;   // of an interpolation
constexpr double most_returns = 5;  // of a kink: each time it is smoother by one order

double close(double t) { return 8e-12 * (1 + std::abs(t)); }  // s: times that are one

// Neville's scheme.
double interpolate(std::span<const double> t, std::span<const double> u, double s) {
  std::array<double, most_points> p{};
  std::copy(u.begin(), u.end(), p.begin());
  for (size_t k = 1; k < t.size(); ++k)
    for (size_t i = 0; i + k < t.size(); ++i)
      p[i] = ((s - t[i + k]) * p[i] + (t[i] - s) * p[i + 1]) / (t[i] - t[i + k]);
  return p[0];
}

}  // namespace

namespace {

// Variables that change at events only, and delays of what does.
class Steady {
 public:
  Steady(const Dae& dae, const System& system, const std::vector<Block>& blocks)
      : dae_(dae), variable_(dae.variables.size(), 0), delay_(dae.delays.size(), 0) {
    for (size_t v = 0; v < dae.variables.size(); ++v)
      variable_[v] = dae.variables[v].kind != Kind::continuous;
    for (bool again = true; again;) {
      again = false;
      for (const Block& block : blocks) {
        std::vector<char> before = variable_;
        for (const int v : block.variables) variable_[static_cast<size_t>(v)] = 1;
        const bool steady = std::ranges::all_of(block.equations, [&](int e) {
          return holds(system.residuals[static_cast<size_t>(e)]);
        });
        if (!steady) variable_ = before;
        again = again || variable_ != before;
      }
      for (size_t k = 0; k < delay_.size(); ++k)
        if (!delay_[k] && holds(dae.delays[k].argument)) delay_[k] = again = true;
    }
  }
  bool is(size_t delay) const { return delay_[delay] != 0; }

 private:
  bool holds(const Expr& e) const {
    const symbolic::Order order(e);
    for (size_t i = 0; i < order.size(); ++i) {
      if (order.op(i) != symbolic::Op::symbol) continue;
      const Expr symbol = order.expr(i);
      if (symbol == dae_.time) return false;
      const int v = dae_.find(symbol);
      if (v >= 0 && !variable_[static_cast<size_t>(v)]) return false;
      for (size_t k = 0; k < delay_.size(); ++k)
        if (dae_.delays[k].symbol == symbol && !delay_[k]) return false;
    }
    return true;
  }

  const Dae& dae_;
  std::vector<char> variable_, delay_;
};

}  // namespace

Delays::Delays(const Model& model, const std::vector<Block>& blocks) {
  const Dae& dae = model.dae;
  if (dae.delays.empty()) return;
  const Steady steady(dae, model.system, blocks);
  std::vector<Expr> arguments, lengths;
  for (size_t k = 0; k < dae.delays.size(); ++k) {
    list_.emplace_back();
    list_.back().slot = model.map->delay(k);
    list_.back().steady = steady.is(k);
    arguments.push_back(dae.delays[k].argument);
    lengths.push_back(dae.delays[k].length);
  }
  arguments_ = Function(arguments, *model.map);
  lengths_ = Function(lengths, *model.map);
  program_ = Program(dae, *model.map, model.system, blocks, arguments_.inputs());
  values_.resize(list_.size());
}

bool Delays::evaluate(std::vector<double>& slots) const {
  if (!program_.run(slots)) return false;
  arguments_.evaluate(slots, values_);
  return true;
}

void Delays::start(double t, std::vector<double>& slots) {
  begin_ = t;
  lengths_.evaluate(slots, values_);
  for (size_t k = 0; k < list_.size(); ++k) {
    Delay& d = list_[k];
    if (!(values_[k] > 0))
      throw base::ComputationError(
          fmt::format("a delay of {:g} s is not possible: it has to be > 0 s", values_[k]));
    constexpr double never = -std::numeric_limits<double>::max();
    d = {d.slot, d.steady, values_[k], {}, {}, {t + values_[k]}, {1}, never, 0, never};
  }
  if (!evaluate(slots)) return;
  for (size_t k = 0; k < list_.size(); ++k) {
    list_[k].t = {t};
    list_[k].u = {values_[k]};
    slots[static_cast<size_t>(list_[k].slot)] = values_[k];
  }
}

double Delays::value(const Delay& d, double s) const {
  if (d.steady) {  // points are jumps
    auto behind = std::upper_bound(d.t.begin(), d.t.end(), s + close(s));
    while (behind != d.t.begin() && std::abs(*(behind - 1) - s) <= close(s) &&
           *(behind - 1) > d.passed)
      --behind;
    return d.u[static_cast<size_t>(std::max(behind - d.t.begin(), 1L) - 1)];
  }
  if (s <= d.t.front()) return d.u.front();
  // Between jumps, which are two points at one time: of a time at a jump itself the side behind
  // it, once it has come back.
  auto at = std::lower_bound(d.t.begin(), d.t.end(), s - close(s));
  while (at + 1 < d.t.end() && *(at + 1) == *at && *at <= s + close(s) && *at <= d.passed) ++at;
  const auto i = static_cast<size_t>(std::min(at, d.t.end() - 1) - d.t.begin());
  if (std::abs(d.t[i] - s) <= close(s)) return d.u[i];
  // Points around the interval, none much closer to each other than its ends: steps that follow an
  // event are tiny, and polynomials through such points would multiply their errors.
  const double apart = 0.4 * (d.t[i] - d.t[i - 1]);
  std::array<double, most_points> t{d.t[i - 1], d.t[i]}, u{d.u[i - 1], d.u[i]};
  size_t n = 2;
  for (size_t low = i - 1, high = i; n < most_points;) {
    size_t down = low, up = high;
    while (down > 0 && d.t[down - 1] != d.t[down] && d.t[low] - d.t[down] < apart) --down;
    while (up + 1 < d.t.size() && d.t[up + 1] != d.t[up] && d.t[up] - d.t[high] < apart) ++up;
    const bool has_down = d.t[low] - d.t[down] >= apart, has_up = d.t[up] - d.t[high] >= apart;
    if (!has_down && !has_up) break;
    const bool goes_down = has_down && (!has_up || s - d.t[down] <= d.t[up] - s);
    const size_t k = goes_down ? low = down : high = up;
    t[n] = d.t[k];
    u[n++] = d.u[k];
  }
  return interpolate({t.data(), n}, {u.data(), n}, s);
}

bool Delays::put(double t, std::vector<double>& slots) const {
  bool known = true;
  for (const Delay& d : list_) {
    if (d.t.empty()) continue;
    const double s = t - d.length;
    known = known && (d.steady || s <= d.t.back() + close(t));
    slots[static_cast<size_t>(d.slot)] = value(d, s);
  }
  return known;
}

// What no delay reaches any more.
void Delays::forget(Delay& d, double t) const {
  const auto reached = std::lower_bound(d.t.begin(), d.t.end(), t - d.length) - d.t.begin();
  const long spare = reached - 2 * static_cast<long>(most_points);
  if (spare < 4096) return;
  d.t.erase(d.t.begin(), d.t.begin() + spare);
  d.u.erase(d.u.begin(), d.u.begin() + spare);
}

void Delays::note(double t, std::vector<double>& slots) {
  if (!evaluate(slots)) return;
  for (size_t k = 0; k < list_.size(); ++k) {
    Delay& d = list_[k];
    if (d.steady || (!d.t.empty() && t <= d.t.back())) continue;
    d.t.push_back(t);
    d.u.push_back(values_[k]);
    forget(d, t);
  }
}

void Delays::note_event(double t, std::vector<double>& slots) {
  if (!evaluate(slots)) return;
  for (size_t k = 0; k < list_.size(); ++k) {
    Delay& d = list_[k];
    const double before = d.u.back(), u = values_[k];
    const bool jumps = std::abs(u - before) > 1e-12 * (1 + std::abs(u) + std::abs(before));
    if (d.steady) {
      if (!jumps) continue;
      d.t.push_back(t);
      d.u.push_back(u);
      d.coming.push_back(t + d.length);
      d.generation.push_back(1);
      forget(d, t);
      continue;
    }
    double returned = 0;
    for (const Delay& other : list_)
      if (std::abs(other.returned_at - t) <= close(t))
        returned = std::max(returned, other.returned);
    d.t.push_back(d.t.back() < t ? t : d.t.back());
    d.u.push_back(u);
    if (d.t[d.t.size() - 2] < d.t.back()) {  // the step before it ended elsewhere
      d.t.insert(d.t.end() - 1, t);
      d.u.insert(d.u.end() - 1, before);
    }
    const double generation = jumps ? 1 : returned + 1;
    if (generation <= most_returns) {
      d.coming.push_back(t + d.length);
      d.generation.push_back(generation);
    }
  }
}

void Delays::pass(double t) {
  for (Delay& d : list_) {
    if (d.coming.empty() || d.coming.front() > t + close(t)) continue;
    d.passed = std::max(d.passed, t - d.length + close(t));
    d.returned = d.generation.front();
    d.returned_at = t;
    while (!d.coming.empty() && d.coming.front() <= t + close(t)) {
      d.coming.erase(d.coming.begin());
      d.generation.erase(d.generation.begin());
    }
  }
}

double Delays::next_event(double t) const {
  double next = std::numeric_limits<double>::infinity();
  for (const Delay& d : list_)
    for (const double at : d.coming)
      if (at > t + close(t)) next = std::min(next, at);
  return next;
}

double Delays::shortest() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Delay& d : list_)
    if (!d.steady) least = std::min(least, d.length);
  return least;
}

void Delays::archive(integrate::Archive& archive) {
  for (Delay& d : list_) {
    archive(d.length);
    archive(d.t);
    archive(d.u);
    archive(d.coming);
    archive(d.generation);
    archive(d.passed);
    archive(d.returned);
    archive(d.returned_at);
  }
}

}  // namespace couplet::equations
