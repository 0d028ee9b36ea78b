#include "couplet/generate/formalisms.hpp"

#include <fmt/format.h>

#include <chrono>
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

/// Straight-line code: the tape at once, compiled code as soon as it is there.
class Generated final : public Formalism {
 public:
  explicit Generated(const Mechanism& mechanism)
      : mechanism_(mechanism),
        program_(mechanism, needs_body_forces(mechanism)),
        link_forces_(mechanism) {}

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
        return "tape, while the compiler runs: " + program_.form();
      case BackgroundCompiler::Status::ready:
        return "tape, compiled from the next evaluation on: " + program_.form();
      case BackgroundCompiler::Status::unavailable:
        break;
    }
    return fmt::format("tape ({}): {}", program_.compiler().reason(), program_.form());
  }

  ForwardProgram& program() { return program_; }

 private:
  const Mechanism& mechanism_;
  ForwardProgram program_;
  dynamics::LinkForces link_forces_;
  const State* state_ = nullptr;
  const double* on_links_ = nullptr;
};

/// The recursion, until generated code is there and turns out to be faster on this machine.
class Fast final : public Formalism {
 public:
  explicit Fast(const Mechanism& mechanism)
      : recursive_(dynamics::find_formalism("recursive")->make(mechanism)),
        scratch_(VecX::Zero(mechanism.nv)),
        tau_(VecX::Zero(mechanism.nv)) {
    if (applies(mechanism)) generated_ = std::make_unique<Generated>(mechanism);
  }

  void prepare(const Stage& stage) override {
    if (generated_ && !decided_) decide(stage);
    chosen().prepare(stage);
  }
  void solve(VecX& tau, VecX& vdot) override { chosen().solve(tau, vdot); }
  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    recursive_->calc_load(stage, vdot, load);
  }

  std::string note() const override {
    if (!generated_) return "recursive: generated code does not apply";
    if (decided_ && recursive_ns_ > 0)
      return fmt::format("{}: recursive {:.0f} ns, generated {:.0f} ns",
                         uses_generated_ ? "generated" : "recursive", recursive_ns_, generated_ns_);
    return fmt::format("recursive, generated code is not there: {}", generated_->note());
  }

 private:
  Formalism& chosen() { return uses_generated_ ? *generated_ : *recursive_; }

  void decide(const Stage& stage) {
    ForwardProgram& program = generated_->program();
    program.update();
    if (!program.is_compiled()) {
      decided_ = program.compiler().status() == BackgroundCompiler::Status::unavailable;
      return;
    }
    decided_ = true;
    const auto time = [&](Formalism& formalism) {
      double best = 1e30;
      for (int round = 0; round < 5; ++round) {  // the best of some: others use the machine, too
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 20; ++i) {
          tau_ = stage.applied.tau;
          scratch_.setZero();
          formalism.prepare(stage);
          formalism.solve(tau_, scratch_);
        }
        const std::chrono::duration<double, std::nano> ns =
            std::chrono::steady_clock::now() - start;
        best = std::min(best, ns.count() / 20);
      }
      return best;
    };
    recursive_ns_ = time(*recursive_);
    generated_ns_ = time(*generated_);
    uses_generated_ = generated_ns_ < recursive_ns_;
  }

  std::unique_ptr<Formalism> recursive_;
  std::unique_ptr<Generated> generated_;
  bool decided_ = false, uses_generated_ = false;
  double recursive_ns_ = 0, generated_ns_ = 0;
  VecX scratch_, tau_;
};

template <class F>
std::unique_ptr<Formalism> make(const Mechanism& mechanism) {
  return std::make_unique<F>(mechanism);
}
bool is_free(const Mechanism& mechanism) { return !mechanism.constrained(); }

}  // namespace

void add_formalisms() {
  dynamics::add_formalism(
      {"generated", "straight-line code, compiled in the background; up to 100 freedoms, no mimics",
       dynamics::Answers{.residuals = false, .free_motion = true}, applies, make<Generated>});
  dynamics::add_formalism({"fast", "whichever of recursive and generated is faster here",
                           dynamics::Answers{.residuals = true, .free_motion = true}, is_free,
                           make<Fast>});
}

}  // namespace couplet::generate
