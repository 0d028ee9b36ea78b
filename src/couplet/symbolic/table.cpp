#include "couplet/symbolic/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/hash.hpp"
#include "couplet/math/piecewise_bounds.hpp"
#include "couplet/symbolic/c_operations.hpp"
#include "couplet/symbolic/order.hpp"

namespace couplet::symbolic {
namespace {

using math::BilinearMap;
using math::PiecewisePolynomial;

std::uint64_t hash_of(std::initializer_list<double> numbers, std::uint64_t start) {
  return base::hash(std::span(numbers.begin(), numbers.size()), start);
}

std::uint64_t hash_of(const PiecewisePolynomial& p) {
  std::uint64_t hash = base::hash(std::span<const double>(p.breaks()));
  for (const auto& c : p.pieces()) hash = base::hash(std::span<const double>(c), hash);
  return hash_of({static_cast<double>(p.breaks().size()), p.period()}, hash);
}

std::uint64_t hash_of(const BilinearMap& m) {
  std::uint64_t hash = base::hash_start;
  for (const std::vector<double>* numbers : {&m.x, &m.y, &m.z})
    hash = hash_of({static_cast<double>(numbers->size())},
                   base::hash(std::span<const double>(*numbers), hash));
  return hash_of({static_cast<double>(m.outside), 1.0 * m.x_order, 1.0 * m.y_order}, hash);
}

// NaN is equal to itself here.
bool is_same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool is_same(const PiecewisePolynomial& a, const PiecewisePolynomial& b) {
  if (a.breaks() != b.breaks() || a.period() != b.period()) return false;
  for (size_t i = 0; i < a.pieces().size(); ++i)
    for (size_t k = 0; k < 4; ++k)
      if (!is_same(a.pieces()[i][k], b.pieces()[i][k])) return false;
  return true;
}
bool is_same(const BilinearMap& a, const BilinearMap& b) { return a == b; }
bool is_same(const Table& a, const Table& b) {
  if (a.name != b.name || a.data.index() != b.data.index()) return false;
  return std::visit(
      [&](const auto& x) { return is_same(x, std::get<std::decay_t<decltype(x)>>(b.data)); },
      a.data);
}

// ---- C text: the same arithmetic as in math/piecewise.cpp, number by number.

std::string c_numbers(std::span<const double> numbers) {
  std::vector<std::string> list;
  for (const double x : numbers) list.push_back(c_number(x));
  return fmt::format("{{{}}}", fmt::join(list, ", "));
}

std::string c_definition(const std::string& name, const PiecewisePolynomial& p) {
  std::string pieces;
  for (const auto& c : p.pieces()) pieces += (pieces.empty() ? "" : ",\n    ") + c_numbers(c);
  const size_t n = p.breaks().size();
  const std::string wrap = p.period() > 0
                               ? fmt::format(
                                     "  x -= {} * floor((x - at[0]) / {});\n"
                                     "  x = x < at[0] ? at[0] : x > at[{}] ? at[{}] : x;\n",
                                     c_number(p.period()), c_number(p.period()), n - 1, n - 1)
                               : "";
  return fmt::format(
      "static double {}(double x) {{\n"
      "  static const double at[{}] = {};\n"
      "  static const double c[{}][4] = {{\n    {}}};\n"
      "  int low = 0, high = {};\n  double d;\n"
      "  if (x != x) return x;\n{}"
      "  while (low < high) {{ /* how many breaks are not above x */\n"
      "    const int middle = (low + high) / 2;\n"
      "    if (at[middle] <= x) low = middle + 1; else high = middle;\n  }}\n"
      "  if (x == at[{}]) low -= 1;\n"
      "  d = x - at[low == 0 ? 0 : low - 1];\n"
      "  return c[low][0] + d * (c[low][1] + d * (c[low][2] + d * c[low][3]));\n}}\n",
      name, n, c_numbers(p.breaks()), n + 1, pieces, n, wrap, n - 1);
}

// Along one axis: the cell, and the weights of its two sides, as `a` or `b`.
std::string c_side(const std::string& at, const std::string& cell, const std::string& weights,
                   size_t n, math::Outside outside, int order) {
  std::string text = fmt::format(
      "  while ({1} < {2} && {0}s[{1} + 1] <= {0}) ++{1};\n"
      "  h = {0}s[{1} + 1] - {0}s[{1}];\n"
      "  beyond = !({0} >= {0}s[0] && {0} <= {0}s[{3}]);\n",
      at, cell, n - 2, n - 1);
  if (outside == math::Outside::refused) text += "  if (beyond) return NAN;\n";
  const std::string held = outside == math::Outside::held ? "beyond" : "0";
  if (order == 1)
    return text + fmt::format("  {0}[0] = {1} ? 0.0 : -1 / h;\n  {0}[1] = {1} ? 0.0 : 1 / h;\n",
                              weights, held);
  if (outside == math::Outside::held)
    text += fmt::format("  if (beyond) {0} = {0} < {0}s[0] ? {0}s[0] : {0}s[{1}];\n", at, n - 1);
  return text + fmt::format("  {0}[1] = ({1} - {1}s[{2}]) / h;\n  {0}[0] = 1 - {0}[1];\n", weights,
                            at, cell);
}

std::string c_definition(const std::string& name, const BilinearMap& m) {
  return fmt::format(
      "static double {}(double x, double y) {{\n"
      "  static const double xs[{}] = {};\n  static const double ys[{}] = {};\n"
      "  static const double zs[{}] = {};\n"
      "  int i = 0, j = 0, beyond;\n  double h, a[2], b[2];\n  const double *z;\n"
      "  if (x != x || y != y) return NAN;\n{}{}"
      "  (void)beyond;\n  z = zs + i * {} + j;\n"
      "  return a[0] * (b[0] * z[0] + b[1] * z[1]) + a[1] * (b[0] * z[{}] + b[1] * z[{}]);\n}}\n",
      name, m.x.size(), c_numbers(m.x), m.y.size(), c_numbers(m.y), m.z.size(), c_numbers(m.z),
      c_side("x", "i", "a", m.x.size(), m.outside, m.x_order),
      c_side("y", "j", "b", m.y.size(), m.outside, m.y_order), m.y.size(), m.y.size(),
      m.y.size() + 1);
}

// ---- functions

Expr slope_of(const Table& table, const Expr& a, const Expr& b, int k) {
  if (const auto* p = std::get_if<PiecewisePolynomial>(&table.data)) {
    PiecewisePolynomial slope = p->derivative();
    if (slope.is_zero()) return 0;
    return call(make_table_function({table.name, std::move(slope)}), a);
  }
  BilinearMap slope = std::get<BilinearMap>(table.data);
  int& order = k == 0 ? slope.x_order : slope.y_order;
  if (order == 1) return 0;
  order = 1;
  return call(make_table_function({table.name, std::move(slope)}), a, b);
}

/// None of maps.
std::function<Interval(Interval, double)> bounds_of(const Table& table) {
  const auto* p = std::get_if<PiecewisePolynomial>(&table.data);
  if (!p) return {};
  return [bounds = math::PiecewiseBounds(*p)](Interval x, double) {
    const auto [low, high] = bounds.range(x.low, x.high);
    return Interval{low, high};
  };
}

double value_of(const Table& table, double a, double b) {
  if (const auto* p = std::get_if<PiecewisePolynomial>(&table.data)) return (*p)(a);
  return std::get<BilinearMap>(table.data)(a, b);
}

}  // namespace

const ExternalFunction& make_table_function(Table given) {
  const auto table = std::make_shared<const Table>(std::move(given));
  const std::uint64_t hash = std::visit([](const auto& x) { return hash_of(x); }, table->data);
  const std::string stem = fmt::format("table_{}_{:016x}", table->name, hash);
  for (int count = 1;; ++count) {
    const std::string name = count == 1 ? stem : fmt::format("{}_{}", stem, count);
    const ExternalFunction* known = find_external(name);
    if (!known) {
      std::string c = std::visit([&](const auto& x) { return c_definition(name, x); }, table->data);
      try_add_external(
          {name, table->arity(), [table](double a, double b) { return value_of(*table, a, b); },
           [table](const Expr& a, const Expr& b, int k) { return slope_of(*table, a, b, k); },
           std::move(c), table, bounds_of(*table), true});
      known = find_external(name);
    }
    if (known->table && is_same(*known->table, *table)) return *known;
  }
}

std::vector<math::Kink> TableCall::kinks(int k) const {
  if (const auto* p = std::get_if<PiecewisePolynomial>(&table->data)) return p->kinks();
  const BilinearMap& map = std::get<BilinearMap>(table->data);
  std::vector<math::Kink> found;
  for (const double at : k == 0 ? map.x : map.y) found.push_back({at, 1});
  return found;
}

double TableCall::period() const {
  const auto* p = std::get_if<PiecewisePolynomial>(&table->data);
  return p ? p->period() : 0;
}

std::vector<TableCall> find_table_calls(std::span<const Expr> expressions) {
  std::vector<TableCall> calls;
  const Order order(expressions);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) != Op::call1 && order.op(i) != Op::call2) continue;
    const Expr e = order.expr(i);
    const ExternalFunction& function = function_of(e.node());
    if (!function.table) continue;
    calls.push_back({{e.arg(0), function.arity == 2 ? e.arg(1) : Expr()}, function.table});
  }
  return calls;
}

}  // namespace couplet::symbolic
