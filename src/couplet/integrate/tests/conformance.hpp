// What the conformance suites of rules share.
#pragma once

#include <gtest/gtest.h>

#include "couplet/integrate/driver.hpp"

namespace couplet::integrate {

class Silent final : public Observer {
 public:
  void on_step(Rule&) override {}
};

/// Tolerances are tried down to this one. Steps are as tolerance^(1/order): a rule of order 2 would
/// take 1e7 of them for twelve digits.
inline double tightest_tolerance(const RuleEntry& entry) { return entry.order <= 2 ? 1e-8 : 1e-12; }

/// Makes an archive after so many steps, and ends the run there if asked.
class Cut final : public Observer {
 public:
  Cut(Driver& driver, int steps, bool stop) : driver_(driver), left_(steps), stop_(stop) {}
  void on_step(Rule&) override {}
  bool go_on() override {
    if (--left_ == 0) driver_.archive(archive);
    return left_ != 0 || !stop_;
  }
  Archive archive;

 private:
  Driver& driver_;
  int left_;
  bool stop_;
};

struct Continuation {
  VecX start, elsewhere;  // where the run begins; where a driver stands before it loads the archive
  double t_end;
  int steps;  // until the archive
};

/// A run that is cut in two by an archive continues with the same bits.
inline void expect_same_bits_from_archive(const RuleEntry& entry, Problem& problem,
                                          const Continuation& c, const DriverOptions& options) {
  const auto make = [&] { return Driver(problem, entry, {1e-7, 1e-7}, options); };
  Driver whole = make(), first = make(), second = make();
  Cut passing(whole, c.steps, false), stopping(first, c.steps, true);
  whole.start(0, c.start);
  ASSERT_EQ(whole.run(c.t_end, passing).ending, Ending::reached) << entry.name;
  first.start(0, c.start);
  ASSERT_EQ(first.run(c.t_end, stopping).ending, Ending::interrupted) << entry.name;

  Archive loading(stopping.archive.numbers());
  second.start(0, c.elsewhere);
  second.archive(loading);
  EXPECT_TRUE(loading.exhausted()) << entry.name;
  Silent silent;
  ASSERT_EQ(second.run(c.t_end, silent).ending, Ending::reached) << entry.name;
  EXPECT_EQ(second.rule().y(), whole.rule().y()) << entry.name;
  EXPECT_EQ(second.rule().counts().steps, whole.rule().counts().steps) << entry.name;
}

/// The same with fixed steps and by the tolerance, as far as the rule has both.
inline void expect_same_bits_from_archive(const RuleEntry& entry, Problem& problem,
                                          const Continuation& c, double step) {
  if (entry.control != StepControl::own)
    expect_same_bits_from_archive(entry, problem, c, DriverOptions{.step = step});
  if (entry.control != StepControl::fixed)
    expect_same_bits_from_archive(entry, problem, c, DriverOptions{});
}

}  // namespace couplet::integrate
