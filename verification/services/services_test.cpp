// Every kind of model through every service of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <set>

#include "couplet/results/difference.hpp"
#include "services/kinds.hpp"

namespace couplet::verification {
namespace {

namespace fs = std::filesystem;
using simulate::Observable;
using simulate::RunOptions;
using simulate::Simulation;
using simulate::Summary;

RunOptions options_of(const ModelKind& kind, const char* integrator) {
  RunOptions options;
  options.integrator = integrator;
  options.tolerance = {1e-7, 1e-7};
  options.t_end = kind.t_end;
  options.interval = kind.t_end / 50;
  options.checkpoint_interval = kind.t_end / 9;
  return options;
}

results::Recording record(const ModelKind& kind, const RunOptions& options,
                          Summary* summary = nullptr) {
  Simulation simulation(kind.make(), options);
  return simulate::record(simulation, summary);
}

class Services : public testing::TestWithParam<ModelKind> {
 protected:
  Services() : folder_(fs::path(testing::TempDir()) / ("services_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Services() override { fs::remove_all(folder_); }

  fs::path file(const std::string& name) const { return folder_ / name; }

  /// A run that writes a file; ends where `watch` says.
  Summary write(const RunOptions& options, const fs::path& path, bool resume,
                const std::function<bool(double)>& watch = {}) {
    Simulation simulation(GetParam().make(), options);
    const fs::path beside = simulate::checkpoint_path(path);
    if (resume) {
      const simulate::Checkpoint checkpoint = simulate::read_checkpoint(beside);
      simulation.record_to(results::reopen_writer(path, simulation.signals(), {}, checkpoint.rows,
                                                  checkpoint.fingerprint));
      simulation.resume(checkpoint);
    } else {
      simulation.record_to(results::make_writer(path, simulation.signals(), {}, true));
    }
    simulation.keep_checkpoints(beside, {});
    return simulation.run(watch);
  }

 private:
  fs::path folder_;
};

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_P(Services, ObservablesHaveNamesOfTheirOwnAndFiniteValues) {
  simulate::Subject subject = GetParam().make();
  const math::VecX y = subject.problem->make_start(0, subject.problem->guess()).y;
  std::vector<Observable> all;
  for (size_t i = 0; i < subject.observables->size(); ++i) {
    all.push_back(subject.observables->at(i));
    EXPECT_EQ(all.back().kind, subject.observables->kind(i)) << all.back().name;
  }
  std::set<std::string> names;
  std::vector<size_t> everything;
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(names.insert(all[i].name).second) << all[i].name << " is there twice";
    everything.push_back(i);
  }
  for (const simulate::Output& output : subject.observables->outputs())
    EXPECT_TRUE(names.insert(output.name).second) << output.name << " is there twice";
  std::vector<double> together(all.size());
  subject.observables->choose(everything)->calc(0, y, together.data());
  for (size_t i = 0; i < all.size(); ++i) {
    double alone = 0;
    subject.observables->choose(std::span(&i, 1))->calc(0, y, &alone);
    const double expected = all[i].component >= 0 ? y[all[i].component] : together[i];
    EXPECT_TRUE(std::isfinite(alone)) << all[i].name;
    EXPECT_TRUE(all[i].component >= 0 || alone == expected) << all[i].name;
  }
  const integrate::Layout& layout = subject.problem->layout();
  for (int i = 0; i < layout.size(); ++i) {  // every component of y can be recorded
    const auto found = std::find_if(all.begin(), all.end(), [&](const Observable& each) {
      return each.component == i && each.name == layout.component(i).name;
    });
    EXPECT_NE(found, all.end()) << layout.component(i).name;
  }
}

TEST_P(Services, AConsistentStartStaysAsItIs) {
  simulate::Subject subject = GetParam().make();
  const integrate::Start first = subject.problem->make_start(0, subject.problem->guess());
  const integrate::Start second = subject.problem->make_start(0, first.y);
  EXPECT_LT((second.y - first.y).lpNorm<Eigen::Infinity>(), 1e-12);  // round-off of closing loops
  EXPECT_TRUE(second.positions.empty());
  EXPECT_TRUE(second.speeds.empty());
}

TEST_P(Services, RowsAreOnTheGridAndOnBothSidesOfEvents) {
  for (const char* integrator : GetParam().integrators) {
    Summary summary;
    const results::Recording r = record(GetParam(), options_of(GetParam(), integrator), &summary);
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << integrator << ": " << summary.outcome.message;
    EXPECT_GT(summary.counts.events, 0) << integrator;
    const std::vector<double> t = r.column(0);
    EXPECT_EQ(t.front(), 0);
    EXPECT_EQ(t.back(), GetParam().t_end);
    int pairs = 0;
    for (size_t i = 1; i < t.size(); ++i) {
      EXPECT_GE(t[i], t[i - 1]);
      pairs += t[i] == t[i - 1];
    }
    EXPECT_EQ(pairs, summary.counts.events) << integrator;
  }
}

TEST_P(Services, SignalsAreFoundByNameGlobAndExpression) {
  RunOptions options = options_of(GetParam(), GetParam().integrators.front());
  simulate::Subject subject = GetParam().make();
  const std::string state = subject.observables->at(0).name;
  const std::vector<simulate::Output>& outputs = subject.observables->outputs();
  const std::string output =
      outputs.empty() ? subject.observables->at(1).name : outputs.front().name;
  const std::string sum = "2*" + symbolic::Expr::symbol(state).name() + " + t",
                    used = "3*" + output;
  options.record = {state, sum, output, used, "*"};
  const results::Recording r = record(GetParam(), options);
  for (size_t row = 0; row < r.rows(); ++row) {
    EXPECT_EQ(r.at(row, 2), 2 * r.at(row, 1) + r.at(row, 0));
    EXPECT_NEAR(r.at(row, 4), 3 * r.at(row, 3), 1e-15 * (1 + std::abs(r.at(row, 4))));
  }
  EXPECT_EQ(r.columns(), 3 + subject.observables->size() + subject.observables->outputs().size());
  options.record = {"there.is.no.such.name"};
  EXPECT_THROW(record(GetParam(), options), base::UserError);
  options.record = {"nothing*like?this"};
  EXPECT_THROW(record(GetParam(), options), base::UserError);
}

TEST_P(Services, InterruptedRunsGoOnToTheSameBits) {
  for (const char* integrator : GetParam().integrators) {
    const RunOptions options = options_of(GetParam(), integrator);
    const fs::path whole = file("whole.csv"), parts = file("parts.csv");
    write(options, whole, false);
    const double stop = 0.55 * options.t_end;
    const Summary first = write(options, parts, false, [&](double t) { return t < stop; });
    ASSERT_EQ(first.outcome.ending, integrate::Ending::interrupted);
    const Summary second = write(options, parts, true);
    ASSERT_EQ(second.outcome.ending, integrate::Ending::reached) << second.outcome.message;
    EXPECT_EQ(text_of(parts), text_of(whole)) << GetParam().name << ", " << integrator;
  }
}

// The child dies where it stands; what it had written and its last checkpoint have to be enough.
TEST_P(Services, KilledRunsGoOnToTheSameBits) {
  for (const char* integrator : GetParam().integrators)
    for (const char* format : {".csv", ".h5"}) {
      const RunOptions options = options_of(GetParam(), integrator);
      const fs::path whole = file(std::string("whole") + format),
                     parts = file(std::string("parts") + format);
      write(options, whole, false);
      const pid_t child = ::fork();
      if (child == 0) {
        write(options, parts, false, [&](double t) {
          if (t > 0.7 * options.t_end) ::raise(SIGKILL);
          return true;
        });
        ::_exit(0);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
      write(options, parts, true);
      const results::Recording a = results::read_result(whole), b = results::read_result(parts);
      EXPECT_EQ(a.values, b.values) << GetParam().name << ", " << integrator << format;
    }
}

TEST_P(Services, CheckpointsOfOtherModelsAreRefused) {
  const RunOptions options = options_of(GetParam(), GetParam().integrators.front());
  const fs::path path = file("parts.csv");
  write(options, path, false, [&](double t) { return t < 0.5 * options.t_end; });
  simulate::Checkpoint checkpoint = simulate::read_checkpoint(simulate::checkpoint_path(path));
  const auto resume = [&] {
    Simulation simulation(GetParam().make(), options);
    simulation.record_to(results::reopen_writer(path, simulation.signals(), {}, checkpoint.rows,
                                                checkpoint.fingerprint));
    simulation.resume(checkpoint);
  };
  checkpoint.numbers.push_back(1);
  EXPECT_THROW(resume(), base::UserError);
  checkpoint.numbers.resize(checkpoint.numbers.size() / 2);
  EXPECT_THROW(resume(), base::UserError);
  checkpoint.numbers.clear();
  EXPECT_THROW(resume(), base::UserError);
}

// Two integrators describe one motion.
TEST_P(Services, IntegratorsAgreeInsideATube) {
  RunOptions options = options_of(GetParam(), GetParam().integrators.front());
  const results::Recording a = record(GetParam(), options);
  options = options_of(GetParam(), GetParam().integrators.back());
  const results::Recording b = record(GetParam(), options);
  // 1e-7 per step, and events shift by as much over their rates.
  const results::Difference difference = calc_difference(a, b, {1e-3, 1e-4, 1e-4});
  for (const results::SignalDifference& each : difference.signals)
    EXPECT_TRUE(each.inside()) << each.signal.name << " differs by " << each.largest << " at "
                               << each.at;
}

TEST_P(Services, RealTimeIsKept) {
  RunOptions options = options_of(GetParam(), GetParam().integrators.front());
  options.pace = 20;
  Summary summary;
  record(GetParam(), options, &summary);
  EXPECT_GE(summary.seconds, options.t_end / options.pace * 0.99);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Services, testing::ValuesIn(model_kinds()),
                         [](const testing::TestParamInfo<ModelKind>& kind) {
                           std::string name = kind.param.name;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
                               '_');
                           return name;
                         });

}  // namespace
}  // namespace couplet::verification
