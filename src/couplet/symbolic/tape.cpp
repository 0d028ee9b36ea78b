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

}  // namespace

Tape::Tape(std::span<const Expr> outputs, std::span<const std::string> input_names)
    : input_count_(input_names.size()) {
  const Order order(outputs);
  const Plan plan(order);
  used_inputs_ = find_inputs(order, input_names);

  std::vector<std::uint32_t> place(order.size());  // register of each node
  std::uint32_t next_input = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) == Op::symbol) place[i] = next_input++;
    if (order.op(i) != Op::constant) continue;
    place[i] = static_cast<std::uint32_t>(used_inputs_.size() + constants_.size());
    constants_.push_back(order.value(i));
  }

  RegisterPool pool(plan, used_inputs_.size() + constants_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.arity(i) == 0 || !plan.is_needed(i)) continue;
    std::array<std::uint32_t, 3> args{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(info(plan.op[i]).arity); ++k) {
      args[k] = place[plan.args[i][k]];
      pool.use(plan.args[i][k], args[k]);
    }
    place[i] = pool.take();  // may be the register of an argument: read before written
    if (plan.op[i] == Op::call1 || plan.op[i] == Op::call2) {
      args[2] = static_cast<std::uint32_t>(functions_.size());
      functions_.push_back(function_of(order.expr(i).node()).value);
    }
    instructions_.push_back({plan.op[i], place[i], args[0], args[1], args[2]});
  }
  for (const std::uint32_t root : order.roots()) output_registers_.push_back(place[root]);
  register_count_ = pool.size();
}

void Tape::evaluate(std::span<const double> inputs, std::span<double> outputs,
                    std::span<double> registers) const {
  if (inputs.size() != input_count_ || outputs.size() != output_count() ||
      registers.size() < register_count_) [[unlikely]]
    base::ensure(false, "a tape gets as many inputs, outputs and registers as it asks for");

  double* const r = registers.data();
  for (std::size_t i = 0; i < used_inputs_.size(); ++i) r[i] = inputs[used_inputs_[i]];
  std::ranges::copy(constants_, r + used_inputs_.size());
  for (const Instruction& in : instructions_) {
    const double a = r[in.a];
    const double b = r[in.b];
    double& result = r[in.result];
    switch (in.op) {  // what fills most tapes runs here, the others cost a call anyway
      case Op::mul:
        result = a * b;
        break;
      case Op::add:
        result = a + b;
        break;
      case Op::sub:
        result = a - b;
        break;
      case Op::neg:
        result = -a;
        break;
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
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = r[output_registers_[i]];
}

std::vector<double> Tape::evaluate(std::span<const double> inputs) const {
  std::vector<double> outputs(output_count());
  std::vector<double> registers(register_count_);
  evaluate(inputs, outputs, registers);
  return outputs;
}

}  // namespace couplet::symbolic
