// Dormand-Prince 5(4) while the problem is not stiff, Radau IIA while it is. (L. R. Petzold, SIAM
// J. Sci. Stat. Comput. 4, 1983, did it with the formulas of Adams and BDF; here both are one-step
// rules, so that a change costs nothing but a Jacobian.)
#include "couplet/integrate/implicit.hpp"
#include "couplet/integrate/rules/runge_kutta.hpp"
#include "couplet/integrate/stiffness.hpp"

namespace couplet::integrate {
namespace {

constexpr double share_explicit = 0.03, share_implicit = 0.1;  // of the run's tolerance, a step
constexpr double reach = 3.3;                                  // of Dormand-Prince 5(4)

class Auto final : public Rule {
 public:
  Auto(Problem& problem, const Tolerance& tolerance)
      : Rule(problem, tolerance),
        explicit_(problem, tolerance, dormand_prince_5),
        watch_(problem.layout(), reach) {}

  void start(double t, const VecX& y, double h) override {
    Rule::start(t, y, h);
    if (changes_) change();
    rule().start(t, y, h);
  }
  Trial attempt(double h) override {
    begin_attempt(Needs::point);
    if (changes_) {
      change();
      rule().start(from_.t, from_.y, h);
    }
    const Trial trial = rule().attempt(h);
    if (trial.finite) take_end();
    return count(), trial;
  }
  void shorten(double t) override {
    rule().shorten(t);
    take_end();
    count();
  }
  void accept() override {
    rule().set_end(to_.t);
    rule().accept();
    Rule::accept();
    if (!tolerance_.given()) return;
    const long every = is_stiff_ ? 1 : 10;  // steps: implicit ones are few
    const auto awaited = is_stiff_ ? StiffnessWatch::For::mild : StiffnessWatch::For::stiff;
    changes_ = watch_.look(problem_, rule(), awaited, every);
    count();
  }
  void interpolate(double t, VecX& y) override {
    rule().set_end(to_.t);
    rule().interpolate(t, y);
    count();
  }
  std::string_view method() const override { return is_stiff_ ? "radau5" : "dopri5"; }

  bool restarts_at_checkpoints() const override { return is_stiff_; }
  void archive(Archive& archive) override {
    Rule::archive(archive);
    watch_.archive(archive);
    archive(is_stiff_);
    archive(changes_);
    rule().archive(archive);
  }

 private:
  /// The one that steps. It goes on with all counts, and count() takes them back.
  Rule& rule() {
    if (is_stiff_ && !implicit_) make_implicit();
    current().counts() = counts_;
    return current();
  }
  Rule& current() { return is_stiff_ ? *implicit_ : explicit_; }
  void count() {
    counts_ = current().counts();
    worst_ = current().worst_component();
  }
  void make_implicit() {
    constexpr double more = share_implicit / share_explicit;
    implicit_ = make_radau5(problem_, {more * tolerance_.relative, more * tolerance_.absolute}, {});
  }
  void change() {
    is_stiff_ = !is_stiff_;
    changes_ = false;
    watch_.reset();
  }
  void take_end() {
    to_.t = current().t_to();
    to_.y = current().y_to();
    to_.ydot_known = to_.loose = false;
  }

  RungeKutta explicit_;
  std::unique_ptr<Rule> implicit_;  // null: not wanted yet
  StiffnessWatch watch_;
  bool is_stiff_ = false;
  bool changes_ = false;  // with the next step
};

}  // namespace

template <>
const RuleEntry& rule_entry<struct AutoRule>() {
  static constexpr RuleEntry entry{
      .name = "auto",
      .doc = "dopri5 while the problem is not stiff, radau5 while it is",
      .order = 5,
      .error_order = 5,
      .control = StepControl::error,
      .share = 0.03,
      .asks = Asks::residuals,
      .make = make_as<Auto>,
  };
  return entry;
}

}  // namespace couplet::integrate
