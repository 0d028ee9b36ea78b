#include "couplet/symbolic/tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/symbolic/external.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/schedule.hpp"

namespace couplet::symbolic {
namespace {

std::unordered_map<std::string, std::uint32_t> index_names(std::span<const std::string> names) {
  std::unordered_map<std::string, std::uint32_t> index;
  for (const std::string& name : names)
    index.emplace(canonical_name(name), static_cast<std::uint32_t>(index.size()));
  base::ensure(index.size() == names.size(), "inputs of a tape have different names");
  return index;
}

/// The register of each node. All are used again after the last read: inputs and constants are put
/// into theirs for every evaluation.
class Registers {
 public:
  Registers(std::vector<std::uint32_t> place, std::size_t count, std::vector<std::uint32_t> reads)
      : place_(std::move(place)), count_(count), reads_(std::move(reads)) {}

  std::uint32_t read(std::uint32_t node) {
    if (--reads_[node] == 0) free_.push_back(place_[node]);
    return place_[node];
  }
  /// May be the register of an operand: that is read before.
  std::uint32_t write(std::uint32_t node) { return place_[node] = take(); }
  std::uint32_t take() {
    if (free_.empty()) return static_cast<std::uint32_t>(count_++);
    const std::uint32_t r = free_.back();
    free_.pop_back();
    return r;
  }
  std::size_t count() const { return count_; }

 private:
  std::vector<std::uint32_t> place_;
  std::size_t count_;
  std::vector<std::uint32_t> reads_;  // still to come; an output keeps one until the end
  std::vector<std::uint32_t> free_;
};

std::vector<std::uint32_t> find_inputs(const Order& order, std::span<const std::string> names) {
  const auto index = index_names(names);
  base::Diagnostics diagnostics;
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) != Op::symbol) continue;
    if (const auto input = index.find(order.name(i)); input != index.end())
      found.push_back(input->second);
    else
      diagnostics.error({}, fmt::format("{} is not known here", base::quoted(order.name(i))),
                        base::suggest(order.name(i), {names.begin(), names.end()}));
  }
  diagnostics.check();
  return found;
}

}  // namespace

Tape::Tape(std::span<const Expr> outputs, std::span<const std::string> input_names)
    : input_count_(input_names.size()) {
  const Order order = Order::by_creation(outputs);
  const Plan plan(order);
  const Schedule schedule(order, plan);
  used_inputs_ = find_inputs(order, input_names);

  std::vector<std::uint32_t> place(order.size());  // register of each node
  std::uint32_t next_input = 0;
  constants_ = {1.0, -1.0, -0.0};
  const auto one = static_cast<std::uint32_t>(used_inputs_.size()), minus_one = one + 1,
             nothing = one + 2;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) == Op::symbol) place[i] = next_input++;
    if (order.op(i) != Op::constant) continue;
    place[i] = static_cast<std::uint32_t>(used_inputs_.size() + constants_.size());
    constants_.push_back(order.value(i));
  }

  Registers registers(std::move(place), used_inputs_.size() + constants_.size(), schedule.reads);
  const std::uint32_t unread = registers.take();
  const auto read = [&](std::uint32_t node) { return registers.read(node); };

  // A term of a sum: the factors of a product that only sums read, or the term and `factor`.
  using Factors = std::pair<std::uint32_t, std::uint32_t>;
  const auto term = [&](std::uint32_t node, std::uint32_t factor) -> Factors {
    if (!schedule.absorbed[node]) return {read(node), factor};
    return {read(plan.args[node][0]), read(plan.args[node][1])};
  };
  const auto sum = [&](const Schedule::Row& row, std::size_t place_in_row) -> Sum {
    const std::uint32_t i = row[place_in_row];
    if (i == Schedule::nothing) return {unread, one, one, one, one};
    ++sum_count_;
    const Op op = plan.op[i];
    const auto& args = plan.args[i];
    const bool is_minus = place_in_row == 1;
    Factors ab, cd{nothing, is_minus ? minus_one : one};
    if (op == Op::mul || op == Op::neg) {
      ab = {read(args[0]), op == Op::mul ? read(args[1]) : minus_one};
    } else {
      ab = term(args[0], one);
      cd = term(args[1], is_minus == (op == Op::sub) ? one : minus_one);
      if (place_in_row == 2 && cd.second != one) std::swap(ab, cd);
    }
    return {registers.write(i), ab.first, ab.second, cd.first, cd.second};
  };
  const auto instruction = [&](const Schedule::Other& other) -> Instruction {
    const Op op = plan.op[other.node];
    std::array<std::uint32_t, 3> from{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(info(op).arity); ++k)
      from[k] = read(plan.args[other.node][k]);
    if (op == Op::call1 || op == Op::call2) {
      from[2] = static_cast<std::uint32_t>(functions_.size());
      functions_.push_back(&function_of(order.expr(other.node).node()));
    }
    return {other.before, op, registers.write(other.node), from[0], from[1], from[2]};
  };

  auto other = schedule.others.begin();
  const auto add_others = [&] {
    for (; other != schedule.others.end() && other->before == rows_.size(); ++other)
      instructions_.push_back(instruction(*other));
  };
  for (const Schedule::Row& row : schedule.rows) {
    add_others();
    rows_.push_back({sum(row, 0), sum(row, 1), sum(row, 2)});
  }
  add_others();
  for (const std::uint32_t root : order.roots()) output_registers_.push_back(read(root));
  register_count_ = registers.count();
  if (register_count_ > 1u << 16) return;
  short_rows_ = std::vector<ShortRow>(rows_.begin(), rows_.end());
  rows_ = {};
}

Tape::ShortRow::ShortRow(const Row& row) {
  const auto pack = [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    return a | b << 16 | c << 32 | d << 48;
  };
  plus = pack(row[0].a, row[0].b, row[0].c, row[0].d);
  minus = pack(row[1].a, row[1].b, row[1].c, row[1].d);
  third = pack(row[2].a, row[2].b, row[2].c, row[2].result);
  results = row[0].result | row[1].result << 16;
}

void Tape::run_rows(std::size_t begin, std::size_t end, double* r) const {
  if (!rows_.empty()) {
    for (const auto& [x, y, z] : std::span(rows_).subspan(begin, end - begin)) {
      r[x.result] = r[x.a] * r[x.b] + r[x.c] * r[x.d];
      r[y.result] = r[y.a] * r[y.b] - r[y.c] * r[y.d];
      r[z.result] = r[z.a] * r[z.b] + r[z.c];
    }
    return;
  }
  const auto low = [](std::uint64_t i) { return static_cast<std::uint32_t>(i); };
  const auto high = [](std::uint64_t i) { return static_cast<std::uint32_t>(i >> 32); };
  const auto product = [r](std::uint32_t i) { return r[i & 0xffff] * r[i >> 16]; };
  for (const ShortRow& x : std::span(short_rows_).subspan(begin, end - begin)) {
    r[x.results & 0xffff] = product(low(x.plus)) + product(high(x.plus));
    r[x.results >> 16] = product(low(x.minus)) - product(high(x.minus));
    r[high(x.third) >> 16] = product(low(x.third)) + r[high(x.third) & 0xffff];
  }
}

void Tape::evaluate(std::span<const double> inputs, std::span<double> outputs,
                    std::span<double> registers) const {
  if (inputs.size() != input_count_ || outputs.size() != output_count() ||
      registers.size() < register_count_) [[unlikely]]
    base::ensure(false, "a tape gets as many inputs, outputs and registers as it asks for");

  double* const r = registers.data();
  for (std::size_t i = 0; i < used_inputs_.size(); ++i) r[i] = inputs[used_inputs_[i]];
  std::ranges::copy(constants_, r + used_inputs_.size());
  std::size_t done = 0;  // rows
  for (const Instruction& in : instructions_) {
    run_rows(done, in.before, r);
    done = in.before;
    const double a = r[in.a];
    const double b = r[in.b];
    double& result = r[in.result];
    switch (in.op) {
      case Op::div:
        result = a / b;
        break;
      case Op::select:
        result = a != 0 ? b : r[in.c];
        break;
      case Op::call1:
      case Op::call2:
        result = functions_[in.c]->value(a, b);
        break;
      default:
        result = apply(in.op, a, b);
        break;
    }
  }
  run_rows(done, row_count(), r);
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = r[output_registers_[i]];
}

std::vector<double> Tape::evaluate(std::span<const double> inputs) const {
  std::vector<double> outputs(output_count());
  std::vector<double> registers(register_count_);
  evaluate(inputs, outputs, registers);
  return outputs;
}

}  // namespace couplet::symbolic
