// A parameter that is changed in a compiled mechanism gives the same mechanism as one that is given
// when the file is read: every parameter of every model.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "couplet/constraints/entry.hpp"
#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/model/parametric.hpp"
#include "support/example_mechanism.hpp"

namespace couplet::verification {
namespace {

using math::VecX;
using model::Mechanism;
using model::ParametricMechanism;

std::vector<std::string> model_files() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(COUPLET_SOURCE_DIR "/models"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

Mechanism compile_file(const std::string& path, const formats::ReadOptions& options = {}) {
  base::Diagnostics warnings;
  return model::compile(formats::read_yaml(path, options, warnings));
}

/// The largest difference, relative to the size of the numbers.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0, size = 1e-3;
  for (size_t i = 0; i < a.size(); ++i) size = std::max(size, std::abs(b[i]));
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]) / size);
  return worst;
}

std::vector<double> numbers_of(const Mechanism& m) {
  std::vector<double> all;
  for (const model::Link& link : m.links) {
    const double* x = &link.x.a;
    all.insert(all.end(), x, x + sizeof(link.x) / sizeof(double));
    all.insert(all.end(), {double(link.plain), double(link.simple)});
  }
  for (const model::FrameNumbers& f : m.quaternion_frames) {
    all.insert(all.end(), f.R, f.R + 9);
    all.insert(all.end(), f.p, f.p + 3);
  }
  const auto add = [&](const math::Pose& X) {
    all.insert(all.end(), X.R.data(), X.R.data() + 9);
    all.insert(all.end(), X.p.data(), X.p.data() + 3);
  };
  for (const model::BodyPlacement& body : m.bodies) add(body.X_LB);
  for (const model::TreeJoint& joint : m.joints) add(joint.X_PF), add(joint.X_MB);
  for (const model::CutJoint& cut : m.cuts) add(cut.X_AF), add(cut.X_BM);
  for (const model::Point& point : m.model->points) add(point.X_BP);
  for (const model::Parameter& parameter : m.model->parameters) all.push_back(parameter.value);
  for (const model::Joint& joint : m.model->joints)
    for (const model::Limits& limits : joint.limits)
      all.insert(all.end(),
                 {std::clamp(limits.lower, -1e9, 1e9), std::clamp(limits.upper, -1e9, 1e9)});
  return all;
}

/// Accelerations, multipliers, errors of constraints, energies, reactions and the start, near the
/// start of `start`, in motion: rows then have all their terms.
std::vector<double> evaluate(const Mechanism& m, const Mechanism& start) {
  dynamics::System system(std::make_shared<const Mechanism>(m));
  model::State state = start.default_state();
  state.t = 0.1;
  VecX step(m.nv);
  for (int i = 0; i < m.nv; ++i) {
    step[i] = 0.01 * std::cos(1.0 + i);
    state.v[i] += 0.1 * std::sin(1.0 + i);
  }
  m.move(step, state.q);
  system.set_ties(state);
  VecX tau = VecX::Zero(m.nv), vdot = tau;
  if (system.constraints()) system.closure().choose_rows(state);
  system.calc_vdot(state, tau, vdot);
  std::vector<double> all(vdot.begin(), vdot.end());
  const model::State own = m.default_state();
  all.insert(all.end(), own.q.begin(), own.q.end());
  all.insert(all.end(), own.v.begin(), own.v.end());
  all.insert(all.end(), own.x.begin(), own.x.end());
  if (system.constraints()) {
    all.insert(all.end(), system.lambda().begin(), system.lambda().end());
    const VecX& errors = system.constraints()->set().errors();
    all.insert(all.end(), errors.begin(), errors.end());
  }
  all.push_back(system.calc_potential_energy(state));
  for (const dynamics::Reaction& reaction :
       system.reactions().calc_joints(state, vdot, system.lambda())) {
    all.insert(all.end(), reaction.force.begin(), reaction.force.end());
    all.insert(all.end(), reaction.torque.begin(), reaction.torque.end());
  }
  return all;
}

// Round-off: expressions of parameters are evaluated in another order than numbers are folded.
constexpr double round_off = 1e-12;
constexpr double round_off_of_loops = 1e-9;  // their equations are solved

TEST(Parameters, ChangedInPlaceAreAsReadAgain) {
  int equal = 0, fixed = 0;
  for (const std::string& file : model_files()) {
    const Mechanism first = compile_file(file);
    for (const model::Parameter& parameter : first.model->parameters) {
      SCOPED_TRACE(file + ": " + parameter.name);
      const double value = parameter.value == 0 ? 0.01 : 1.05 * parameter.value;
      ParametricMechanism changed(first);
      try {
        changed.set(parameter.name, value);
      } catch (const base::UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("uses it as a number"));
        ++fixed;
        continue;
      }
      const Mechanism again = compile_file(file, {{{parameter.name, fmt::format("{}", value)}}});
      const Mechanism& now = *changed.mechanism();
      EXPECT_LT(difference(numbers_of(now), numbers_of(again)), round_off);
      EXPECT_LT(difference(evaluate(now, again), evaluate(again, again)),
                again.constrained() ? round_off_of_loops : round_off);
      ++equal;

      changed.set(parameter.name, parameter.value);  // and back
      EXPECT_LT(difference(numbers_of(now), numbers_of(first)), round_off);
    }
  }
  RecordProperty("equal", equal);
  EXPECT_GE(equal, 40);
  EXPECT_LE(fixed, 20);
}

// Every number in the example of every constraint becomes a parameter, one at a time; units stay:
// p*1 cm.
TEST(Parameters, OfEveryNumberInEveryConstraintChangeInPlace) {
  const std::regex number(R"([0-9]+(\.[0-9]+)?)");
  int changes = 0;
  for (const constraints::Entry* entry : constraints::entries()) {
    const std::string example = entry->example;
    int own = 0;
    for (std::sregex_iterator at(example.begin(), example.end(), number), end; at != end; ++at) {
      const auto place = static_cast<size_t>(at->position());
      const bool is_name = place > 0 && (std::isalnum(example[place - 1]) != 0);  // bore.q1
      if (is_name) continue;
      const std::string inside = example.substr(0, place) + "p*1" +
                                 example.substr(place + static_cast<size_t>(at->length()));
      const auto compile = [&](double p) {
        base::Diagnostics warnings;
        return model::compile(formats::read_yaml_text(
            example_mechanism +
                fmt::format("parameters: {{p: {}}}\nconstraints:\n  c: {}\n", p, inside),
            "example.yaml", {}, warnings));
      };
      SCOPED_TRACE(inside);
      const double value = std::stod(at->str());
      const double other = value == 0 ? 0.1 : 1.2 * value;
      const Mechanism first = compile(value), again = compile(other);
      ParametricMechanism changed(first);
      changed.set("p", other);
      const std::vector<double> now = evaluate(*changed.mechanism(), again);
      const std::vector<double> expected = evaluate(again, again);
      EXPECT_LT(difference(now, expected), round_off_of_loops);
      // The test could fail: what the number says does matter.
      if (difference(evaluate(first, again), expected) > 1e-6) ++own;
    }
    changes += own;
    RecordProperty(entry->name, own);
  }
  RecordProperty("changes", changes);
  EXPECT_GE(changes, 10);
}

}  // namespace
}  // namespace couplet::verification
