#include "couplet/symbolic/schedule.hpp"

#include <algorithm>
#include <queue>
#include <span>

namespace couplet::symbolic {
namespace {

// A result is read this many rows later or more: until then it is on its way through the memory.
constexpr std::size_t delay = 3;

enum Kind : std::size_t { two_products, difference, one_product, simple, other, kinds };

// What fits into each place of a row, the most particular first.
constexpr std::array<std::array<Kind, 3>, 3> fitting{{{two_products, one_product, simple},
                                                      {difference, simple, simple},
                                                      {one_product, simple, simple}}};

bool is_operation(const Order& order, const Plan& plan, std::size_t i) {
  return order.arity(i) > 0 && plan.is_needed(i);
}

std::span<const std::uint32_t> arguments(const Plan& plan, std::size_t i) {
  return {plan.args[i].data(), static_cast<std::size_t>(info(plan.op[i]).arity)};
}

bool is_sum(Op op) { return op == Op::add || op == Op::sub; }

std::vector<char> find_absorbed(const Order& order, const Plan& plan) {
  std::vector<char> absorbed(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!is_operation(order, plan, i)) continue;
    absorbed[i] = plan.op[i] == Op::mul;
    if (is_sum(plan.op[i])) continue;
    for (const std::uint32_t arg : arguments(plan, i)) absorbed[arg] = 0;
  }
  for (const std::uint32_t root : order.roots()) absorbed[root] = 0;
  return absorbed;
}

Kind kind(const Plan& plan, const std::vector<char>& absorbed, std::uint32_t i) {
  const Op op = plan.op[i];
  if (op == Op::mul || op == Op::neg) return simple;
  if (!is_sum(op)) return other;
  const int products = absorbed[plan.args[i][0]] + absorbed[plan.args[i][1]];
  if (products == 0) return simple;  // x ± 1·y
  return op == Op::sub ? difference : products == 2 ? two_products : one_product;
}

}  // namespace

Schedule::Schedule(const Order& order, const Plan& plan)
    : absorbed(find_absorbed(order, plan)), reads(order.size(), 0) {
  const auto for_each_operand = [&](std::uint32_t i, auto visit) {
    for (const std::uint32_t arg : arguments(plan, i))
      if (absorbed[arg])
        visit(plan.args[arg][0]), visit(plan.args[arg][1]);
      else
        visit(arg);
  };

  // How long a chain of operations waits for each, and for how many operands it waits itself.
  std::vector<std::uint32_t> height(order.size(), 0), missing(order.size(), 0);
  std::vector<std::vector<std::uint32_t>> readers(order.size());
  std::size_t left = 0;
  for (const std::uint32_t root : order.roots()) ++reads[root];
  for (auto i = static_cast<std::uint32_t>(order.size()); i-- > 0;) {
    if (!is_operation(order, plan, i) || absorbed[i]) continue;
    ++left;
    for_each_operand(i, [&](std::uint32_t operand) {
      ++reads[operand];
      if (!is_operation(order, plan, operand)) return;
      ++missing[i];
      readers[operand].push_back(i);
      height[operand] = std::max(height[operand], height[i] + 1);
    });
  }

  // Row by row: of what is ready, that for which most is waiting.
  using Queue = std::priority_queue<std::pair<std::uint32_t, std::uint32_t>>;  // height, ~node
  std::array<Queue, kinds> ready;
  const auto make_ready = [&](std::uint32_t i) {
    ready[kind(plan, absorbed, i)].emplace(height[i], ~i);
  };
  for (std::uint32_t i = 0; i < order.size(); ++i)
    if (is_operation(order, plan, i) && !absorbed[i] && missing[i] == 0) make_ready(i);
  std::array<std::vector<std::uint32_t>, delay> on_the_way;
  for (std::size_t time = 0; left > 0; ++time) {
    std::vector<std::uint32_t>& batch = on_the_way[time % delay];
    for (const std::uint32_t i : batch)
      for (const std::uint32_t reader : readers[i])
        if (--missing[reader] == 0) make_ready(reader);
    batch.clear();
    const auto take = [&](Queue& queue) {
      const std::uint32_t i = ~queue.top().second;
      queue.pop();
      batch.push_back(i), --left;
      return i;
    };
    while (!ready[other].empty()) others.push_back({rows.size(), take(ready[other])});
    Row row{nothing, nothing, nothing};
    for (std::size_t place = 0; place < row.size(); ++place)
      for (const Kind fit : fitting[place])
        if (row[place] == nothing && !ready[fit].empty()) row[place] = take(ready[fit]);
    if (row != Row{nothing, nothing, nothing}) rows.push_back(row);
  }
}

}  // namespace couplet::symbolic
