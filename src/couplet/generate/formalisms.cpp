#include "couplet/generate/formalisms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/generate/program.hpp"

namespace couplet::generate {
namespace {

using dynamics::Formalism;
using dynamics::Stage;
using math::VecX;
using model::State;

// Longer code outgrows every cache and takes minutes to compile.
constexpr int most_freedoms = 100;

bool applies(const Mechanism& mechanism) {
  if (mechanism.constrained()) return false;
  return mechanism.couplings.empty() && mechanism.nv > 0 && mechanism.nv <= most_freedoms;
}

bool needs_body_forces(const Mechanism& mechanism) {
  return forces::ForceSet(mechanism).needs_motions();
}

/// Straight-line code: the tape at once, compiled code as soon as it is there, which has the same
/// results bit by bit.
class Generated final : public Formalism {
 public:
  explicit Generated(const Mechanism& mechanism)
      : Generated(mechanism, make_forward_code(mechanism, needs_body_forces(mechanism))) {}
  Generated(const Mechanism& mechanism, Code code)
      : mechanism_(mechanism), program_(mechanism, std::move(code)), link_forces_(mechanism) {}

  void prepare(const Stage& stage) override {
    state_ = &stage.state;
    on_links_ = link_forces_.calc(stage);
  }
  void solve(VecX& tau, VecX& vdot) override {
    program_.run(state_->q.data(), state_->v.data(), tau.data(), on_links_, vdot.data());
    for (const double x : vdot)
      if (!std::isfinite(x)) [[unlikely]]
        dynamics::explain_infinite(mechanism_, *state_);
  }

  std::string note() const override {
    if (program_.is_compiled()) return "compiled: " + program_.form();
    switch (program_.compiler().status()) {
      case BackgroundCompiler::Status::compiling:
        if (!BackgroundCompiler::is_installed())
          return "tape (there is no C compiler): " + program_.form();
        return "tape, while the compiler runs: " + program_.form();
      case BackgroundCompiler::Status::ready:
        return "tape, compiled from the next evaluation on: " + program_.form();
      case BackgroundCompiler::Status::unavailable:
        break;
    }
    return fmt::format("tape ({}): {}", program_.compiler().reason(), program_.form());
  }

 private:
  const Mechanism& mechanism_;
  ForwardProgram program_;
  dynamics::LinkForces link_forces_;
  const State* state_ = nullptr;
  const double* on_links_ = nullptr;
};

/// The recursion or generated code, by a count of operations: a choice by the clock, by whether
/// there is a compiler, or by when it is done, would make two runs of one command differ.
class Fast final : public Formalism {
 public:
  explicit Fast(const Mechanism& mechanism)
      : mechanism_(mechanism), recursive_(dynamics::find_formalism("recursive")->make(mechanism)) {
    if (!applies(mechanism)) {
      why_ = "generated code does not apply";
    } else {
      Code code = make_forward_code(mechanism, needs_body_forces(mechanism));
      why_ = find_objection(code.counts, static_cast<std::size_t>(mechanism.nv));
      if (why_.empty()) generated_ = std::make_unique<Generated>(mechanism, std::move(code));
    }
  }

  void prepare(const Stage& stage) override { chosen().prepare(stage); }
  void solve(VecX& tau, VecX& vdot) override { chosen().solve(tau, vdot); }
  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    recursive_->calc_load(stage, vdot, load);
  }

  /// A run that goes on elsewhere keeps to what it began with.
  std::vector<double> memory() const override { return {generated_ ? 1. : 0.}; }
  void set_memory(const std::vector<double>& all) override {
    const bool generated = !all.empty() && all[0] != 0 && applies(mechanism_);
    if (generated == (generated_ != nullptr)) return;
    why_ = "as the run began";
    generated_ = generated ? std::make_unique<Generated>(mechanism_) : nullptr;
  }

  std::string choice() const override { return generated_ ? "generated code" : "recursive"; }
  std::string note() const override {
    return generated_ ? "generated code, " + generated_->note() : "recursive: " + why_;
  }

 private:
  // Compiled code takes 0.24 ns an operation while it fits the first cache of instructions, the
  // recursion 60 to 90 ns a freedom (docs/generate.md).
  static constexpr std::size_t most_operations = 4000, most_per_freedom = 280;

  /// Why this code is not used; empty: it is.
  static std::string find_objection(const symbolic::OpCounts& counts, std::size_t freedoms) {
    const std::size_t operations = counts.multiplications + counts.additions;
    if (operations <= std::min(most_operations, most_per_freedom * freedoms)) return {};
    return fmt::format("generated code has {} operations, too many to be faster", operations);
  }

  Formalism& chosen() { return generated_ ? *generated_ : *recursive_; }

  const Mechanism& mechanism_;
  std::unique_ptr<Formalism> recursive_;
  std::unique_ptr<Generated> generated_;
  std::string why_;
};

}  // namespace

void add_formalisms() {
  dynamics::add_formalism(
      {"generated", "straight-line code, compiled in the background; up to 100 freedoms, no mimics",
       dynamics::Answers{.residuals = false, .free_motion = true}, applies,
       dynamics::make_as<Generated>});
  dynamics::add_formalism({"fast", "recursive or generated, by which has less to do",
                           dynamics::Answers{.residuals = true, .free_motion = true},
                           dynamics::is_free, dynamics::make_as<Fast>});
}

}  // namespace couplet::generate
