#include "couplet/symbolic/tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/symbolic/external.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/plan.hpp"

namespace couplet::symbolic {
namespace {

std::unordered_map<std::string, std::uint32_t> index_names(std::span<const std::string> names) {
  std::unordered_map<std::string, std::uint32_t> index;
  for (const std::string& name : names)
    index.emplace(canonical_name(name), static_cast<std::uint32_t>(index.size()));
  base::ensure(index.size() == names.size(), "inputs of a tape have different names");
  return index;
}

/// Hands out the registers behind inputs and constants, and takes them back after the last use.
class RegisterPool {
 public:
  RegisterPool(const Plan& plan, std::size_t first)
      : first_(first), next_(first), uses_(plan.uses) {}

  std::uint32_t take() {
    if (free_.empty()) return static_cast<std::uint32_t>(next_++);
    const std::uint32_t r = free_.back();
    free_.pop_back();
    return r;
  }

  void use(std::uint32_t node, std::uint32_t r) {
    if (--uses_[node] == 0 && r >= first_) free_.push_back(r);
  }

  std::size_t size() const { return next_; }

 private:
  std::size_t first_;
  std::size_t next_;
  std::vector<std::uint32_t> uses_;  // still to come; an output keeps one for ever
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

/// Products that are read once, by a sum or a difference, which then computes them by itself.
std::vector<char> find_absorbed(const Order& order, const Plan& plan) {
  std::vector<char> absorbed(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!plan.is_needed(i) || (plan.op[i] != Op::add && plan.op[i] != Op::sub)) continue;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::uint32_t arg = plan.args[i][k];
      absorbed[arg] = order.arity(arg) > 0 && plan.op[arg] == Op::mul && plan.uses[arg] == 1;
    }
  }
  return absorbed;
}

/// The operations, those first that wait for fewest others: neighbours do not need each other, so
/// the processor works on several at once.
std::vector<std::uint32_t> by_depth(const Order& order, const Plan& plan,
                                    const std::vector<char>& absorbed) {
  std::vector<std::uint32_t> depth(order.size(), 0), sequence;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (order.arity(i) == 0 || !plan.is_needed(i)) continue;
    for (std::size_t k = 0; k < static_cast<std::size_t>(info(plan.op[i]).arity); ++k)
      depth[i] = std::max(depth[i], depth[plan.args[i][k]]);
    if (absorbed[i]) continue;
    ++depth[i];
    sequence.push_back(i);
  }
  std::ranges::stable_sort(sequence, {}, [&](std::uint32_t i) { return depth[i]; });
  return sequence;
}

}  // namespace

Tape::Tape(std::span<const Expr> outputs, std::span<const std::string> input_names)
    : input_count_(input_names.size()) {
  const Order order = Order::by_creation(outputs);
  const Plan plan(order);
  const std::vector<char> absorbed = find_absorbed(order, plan);
  used_inputs_ = find_inputs(order, input_names);

  std::vector<std::uint32_t> place(order.size());  // register of each node
  std::uint32_t next_input = 0;
  constants_ = {1.0, -0.0};
  const auto one = static_cast<std::uint32_t>(used_inputs_.size()), nothing = one + 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) == Op::symbol) place[i] = next_input++;
    if (order.op(i) != Op::constant) continue;
    place[i] = static_cast<std::uint32_t>(used_inputs_.size() + constants_.size());
    constants_.push_back(order.value(i));
  }

  RegisterPool pool(plan, used_inputs_.size() + constants_.size());
  const auto read = [&](std::uint32_t node) {
    pool.use(node, place[node]);
    return place[node];
  };
  // A term of a sum as a product: the factors of a product that only it uses, or the term times 1.
  const auto term = [&](std::uint32_t node) -> std::pair<std::uint32_t, std::uint32_t> {
    if (absorbed[node]) return {read(plan.args[node][0]), read(plan.args[node][1])};
    return {read(node), one};
  };
  for (const std::uint32_t i : by_depth(order, plan, absorbed)) {
    const Op op = plan.op[i];
    const auto& args = plan.args[i];
    if (op == Op::add || op == Op::sub) {
      const auto [a, b] = term(args[0]);
      const auto [c, d] = term(args[1]);
      place[i] = pool.take();  // may be the register of an argument: read before written
      sums_.push_back({op == Op::add ? 1.0 : -1.0, place[i], a, b, c, d});
    } else if (op == Op::mul || op == Op::neg) {
      const std::uint32_t a = read(args[0]), b = op == Op::mul ? read(args[1]) : one;
      place[i] = pool.take();
      if (op == Op::mul)
        sums_.push_back({1.0, place[i], a, b, nothing, one});
      else
        sums_.push_back({-1.0, place[i], nothing, one, a, b});
    } else {
      std::array<std::uint32_t, 3> from{};
      for (std::size_t k = 0; k < static_cast<std::size_t>(info(op).arity); ++k)
        from[k] = read(args[k]);
      place[i] = pool.take();
      if (op == Op::call1 || op == Op::call2) {
        from[2] = static_cast<std::uint32_t>(functions_.size());
        functions_.push_back(function_of(order.expr(i).node()).value);
      }
      instructions_.push_back({sums_.size(), op, place[i], from[0], from[1], from[2]});
    }
  }
  for (const std::uint32_t root : order.roots()) output_registers_.push_back(place[root]);
  register_count_ = pool.size();
  if (register_count_ > 1u << 16) return;
  for (const Sum& x : sums_) {
    const std::uint64_t a = x.a, b = x.b, c = x.c, d = x.d;
    short_sums_.push_back({x.sign, a | b << 16 | c << 32 | d << 48, x.result});
  }
  sums_ = {};
}

void Tape::run_sums(std::size_t begin, std::size_t end, double* r) const {
  if (!sums_.empty()) {
    for (const Sum& x : std::span(sums_).subspan(begin, end - begin))
      r[x.result] = r[x.a] * r[x.b] + x.sign * (r[x.c] * r[x.d]);
    return;
  }
  for (const ShortSum& x : std::span(short_sums_).subspan(begin, end - begin)) {
    const std::uint64_t i = x.abcd;
    const double ab = r[i & 0xffff] * r[i >> 16 & 0xffff], cd = r[i >> 32 & 0xffff] * r[i >> 48];
    r[x.result] = ab + x.sign * cd;
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
  std::size_t done = 0;  // sums
  for (const Instruction& in : instructions_) {
    run_sums(done, in.after, r);
    done = in.after;
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
        result = functions_[in.c](a, b);
        break;
      default:
        result = apply(in.op, a, b);
        break;
    }
  }
  run_sums(done, sum_count(), r);
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = r[output_registers_[i]];
}

std::vector<double> Tape::evaluate(std::span<const double> inputs) const {
  std::vector<double> outputs(output_count());
  std::vector<double> registers(register_count_);
  evaluate(inputs, outputs, registers);
  return outputs;
}

}  // namespace couplet::symbolic
