#include "couplet/symbolic/tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/order.hpp"

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
  RegisterPool(const Order& order, std::size_t first) : next_(first), uses_(order.size()) {
    for (std::size_t i = 0; i < order.size(); ++i)
      for (int k = 0; k < order.arity(i); ++k) ++uses_[order.arg(i, k)];
    for (const std::uint32_t root : order.roots()) ++uses_[root];  // never given back
  }

  std::uint32_t take() {
    if (free_.empty()) return static_cast<std::uint32_t>(next_++);
    const std::uint32_t r = free_.back();
    free_.pop_back();
    return r;
  }

  void use(std::uint32_t node, std::uint32_t r) {
    if (--uses_[node] == 0) free_.push_back(r);
  }

  std::size_t size() const { return next_; }

 private:
  std::size_t next_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

Tape::Tape(std::span<const Expr> outputs, std::span<const std::string> input_names)
    : input_count_(input_names.size()) {
  const Order order(outputs);
  const auto inputs = index_names(input_names);
  std::vector<std::uint32_t> place(order.size());  // register of each node

  base::Diagnostics diagnostics;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) != Op::symbol) continue;
    const auto input = inputs.find(order.name(i));
    if (input == inputs.end()) {
      diagnostics.error({}, fmt::format("{} is not known here", base::quoted(order.name(i))),
                        base::suggest(order.name(i), {input_names.begin(), input_names.end()}));
      continue;
    }
    place[i] = static_cast<std::uint32_t>(used_inputs_.size());
    used_inputs_.push_back(input->second);
  }
  diagnostics.check();

  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) != Op::constant) continue;
    place[i] = static_cast<std::uint32_t>(used_inputs_.size() + constants_.size());
    constants_.push_back(order.value(i));
  }

  const std::size_t first_result = used_inputs_.size() + constants_.size();
  RegisterPool pool(order, first_result);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int arity = order.arity(i);
    if (arity == 0) continue;
    std::uint32_t args[3] = {0, 0, 0};
    for (int k = 0; k < arity; ++k) {
      args[k] = place[order.arg(i, k)];
      if (args[k] >= first_result) pool.use(order.arg(i, k), args[k]);
    }
    place[i] = pool.take();  // may be the register of an argument: read before written
    instructions_.push_back({order.op(i), place[i], args[0], args[1], args[2]});
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
    switch (in.op) {  // the four that fill most tapes run here, the others cost a call anyway
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
