#include "couplet/generate/program.hpp"

#include <algorithm>
#include <cstring>

#include "couplet/base/diagnostics.hpp"
#include "couplet/dynamics/minimal/kernels.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/order.hpp"

namespace couplet::generate {
namespace {

using symbolic::CFunction;
using symbolic::Op;

std::vector<Expr> outputs_of(const CFunction& function) {
  std::vector<Expr> all;
  for (const CFunction::Output& output : function.outputs)
    all.insert(all.end(), output.values.begin(), output.values.end());
  return all;
}

/// Distinct arguments of sine and cosine, in order.
std::vector<Expr> find_angles(const std::vector<Expr>& expressions) {
  const auto order = symbolic::Order::by_creation(expressions);
  std::vector<Expr> angles;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) != Op::sin && order.op(i) != Op::cos) continue;
    const Expr angle = order.expr(order.arg(i, 0));
    if (std::ranges::find(angles, angle) == angles.end()) angles.push_back(angle);
  }
  return angles;
}

dynamics::AngleSums affine_parts(const std::vector<Expr>& angles,
                                 const std::vector<std::string>& q_names) {
  const std::vector<Expr> q = symbols(q_names);
  symbolic::Replacements zero;
  for (const Expr& x : q) zero[x] = 0;
  dynamics::AngleSums sums;
  for (const Expr& angle : angles) {
    sums.offset.push_back(symbolic::substitute(angle, zero).value());
    for (const symbolic::JacobianEntry& entry : symbolic::differentiate({&angle, 1}, q)) {
      base::ensure(entry.value.is_constant(), "joint angles are affine in the coordinates");
      sums.coordinate.push_back(static_cast<int>(entry.column));
      sums.factor.push_back(entry.value.value());
    }
    sums.end.push_back(static_cast<int>(sums.factor.size()));
  }
  return sums;
}

std::size_t padded(std::size_t n) { return (n + 3) / 4 * 4; }  // whole packs

std::vector<std::string> all_names(const CFunction& function) {
  std::vector<std::string> names;
  for (const CFunction::Input& input : function.inputs)
    names.insert(names.end(), input.symbols.begin(), input.symbols.end());
  return names;
}

}  // namespace

Code make_code(const Formulas::Function& original) {
  Code code;
  code.form = original.form;
  code.counts = original.counts;
  code.function = original.code;
  code.function.name = "couplet_function";
  const CFunction::Input& q = original.code.inputs[0];
  const std::vector<Expr> old = outputs_of(original.code);
  const std::vector<Expr> angles = find_angles(old);
  const auto count = static_cast<int>(angles.size());
  const std::vector<std::string> cosines = numbered("cosine:", count),
                                 sines = numbered("sine:", count);
  symbolic::Replacements trigonometry;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    trigonometry[cos(angles[i])] = Expr::symbol(cosines[i]);
    trigonometry[sin(angles[i])] = Expr::symbol(sines[i]);
  }
  const std::vector<Expr> values = symbolic::substitute(old, trigonometry);
  auto next = values.begin();
  for (CFunction::Output& output : code.function.outputs)
    for (Expr& value : output.values) value = *next++;
  code.function.inputs.push_back({"cosine", cosines});
  code.function.inputs.push_back({"sine", sines});
  code.angles = affine_parts(angles, q.symbols);
  return code;
}

Code make_forward_code(const Mechanism& mechanism, bool body_forces) {
  const Formulas formulas = make_formulas(mechanism, {What::forward, {}, body_forces});
  Code code = make_code(formulas.functions[0]);
  std::vector<CFunction::Input> inputs;
  for (const char* name : {"q", "v", "tau", "prescribed", "body_forces", "cosine", "sine"}) {
    inputs.push_back({name, {}});
    for (const CFunction::Input& input : code.function.inputs)
      if (input.name == name) inputs.back() = input;
  }
  code.function.inputs = std::move(inputs);
  if (code.function.outputs.size() == 1) code.function.outputs.push_back({"tau_out", {}});
  return code;
}

std::vector<std::string> machine_flags() {
  if (std::strcmp(dynamics::kernels().name, "avx2") != 0) return {};
  return {"-mavx2",
          "-mfma",
          "-ffp-contract=fast",
          "-fno-tree-vectorize",
          "-fno-math-errno",
          "-fno-trapping-math"};
}

namespace {

/// Nothing is fused: bit by bit what the tape computes, so that it does not matter when the
/// compiler gets ready. Costs up to a tenth of the speed.
std::vector<std::string> flags_without_fusing() {
  std::vector<std::string> flags = machine_flags();
  flags.emplace_back("-ffp-contract=off");  // the last one counts
  return flags;
}

}  // namespace

ForwardProgram::ForwardProgram(const Mechanism& mechanism, Code code)
    : code_(std::move(code)),
      nv_(mechanism.nv),
      has_prescribed_(mechanism.has_prescribed()),
      tape_(outputs_of(code_.function), all_names(code_.function)),
      angles_(math::VecX::Zero(padded(code_.angles.offset.size()))),
      cosine_(angles_),
      sine_(angles_),
      prescribed_(math::VecX::Zero(mechanism.nv)),
      no_forces_(math::VecX::Zero(6 * mechanism.links.size())),
      tau_out_(math::VecX::Zero(mechanism.nv)),
      inputs_(math::VecX::Zero(tape_.input_count())),
      outputs_(math::VecX::Zero(tape_.output_count())),
      registers_(math::VecX::Zero(tape_.register_count())) {
  const symbolic::CFunction& f = code_.function;
  compiler_ = std::make_unique<BackgroundCompiler>(symbolic::write_c_prelude(std::span(&f, 1)) +
                                                       symbolic::write_c_declaration(f) +
                                                       symbolic::write_c_definition(f),
                                                   flags_without_fusing());
  code_.function.outputs
      .clear();  // formulas that live on would spoil the order of the next (formulas.cpp)
}

void ForwardProgram::update() {
  if (compiled_ || !may_switch_ || compiler_->status() == BackgroundCompiler::Status::compiling)
    return;
  may_switch_ = false;
  compiled_ = reinterpret_cast<Compiled*>(compiler_->find("couplet_function"));
}

void ForwardProgram::run(const double* q, const double* v, double* tau, const double* body_forces,
                         double* vdot) {
  if (may_switch_) update();
  const dynamics::AngleSums& sums = code_.angles;
  const std::size_t n = sums.offset.size();
  for (std::size_t i = 0, k = 0; i < n; ++i) {
    double sum = sums.offset[i];
    for (; k < static_cast<std::size_t>(sums.end[i]); ++k)
      sum += sums.factor[k] * q[sums.coordinate[k]];
    angles_[i] = sum;
  }
  dynamics::kernels().sincos(static_cast<int>(n), angles_.data(), cosine_.data(), sine_.data());
  if (!body_forces) body_forces = no_forces_.data();
  if (has_prescribed_) prescribed_ = Eigen::Map<const math::VecX>(vdot, nv_);
  if (compiled_) {
    compiled_(q, v, tau, prescribed_.data(), body_forces, cosine_.data(), sine_.data(), vdot,
              tau_out_.data());
  } else {
    run_tape(q, v, tau, body_forces);
    std::copy_n(outputs_.data(), nv_, vdot);
    if (has_prescribed_) tau_out_ = outputs_.tail(nv_);
  }
  if (has_prescribed_) std::copy_n(tau_out_.data(), nv_, tau);
}

void ForwardProgram::run_tape(const double* q, const double* v, const double* tau,
                              const double* body_forces) {
  double* to = inputs_.data();
  const auto put = [&](const double* from, std::size_t count) {
    to = std::copy_n(from, count, to);
  };
  const auto& inputs = code_.function.inputs;
  put(q, inputs[0].symbols.size()), put(v, inputs[1].symbols.size());
  put(tau, inputs[2].symbols.size()), put(prescribed_.data(), inputs[3].symbols.size());
  put(body_forces, inputs[4].symbols.size());
  put(cosine_.data(), code_.angles.offset.size()), put(sine_.data(), code_.angles.offset.size());
  tape_.evaluate({inputs_.data(), static_cast<std::size_t>(inputs_.size())},
                 {outputs_.data(), static_cast<std::size_t>(outputs_.size())},
                 {registers_.data(), static_cast<std::size_t>(registers_.size())});
}

}  // namespace couplet::generate
