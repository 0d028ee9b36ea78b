// Models with loops and constraints start assembled, and are cut where one would cut them.
#include "support/closure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/model/spanning_tree.hpp"
#include "support/benchmark_models.hpp"

namespace couplet::verification {
namespace {

using model::Mechanism;
using testing::ElementsAre;

Mechanism compile_file(const std::string& path) {
  base::Diagnostics warnings;
  return model::compile(formats::read_yaml(path, {}, warnings));
}

Mechanism benchmark(const std::string& name) {
  return compile_file(COUPLET_SOURCE_DIR "/models/benchmarks/" + name + ".yaml");
}

std::vector<std::string> names_of_cuts(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const model::CutJoint& cut : mechanism.cuts)
    names.push_back(mechanism.model->joints[cut.joint].name);
  return names;
}

TEST(Closure, EveryModelStartsAssembledAndMovesSo) {
  int constrained = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(COUPLET_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const auto mechanism = std::make_shared<const Mechanism>(compile_file(entry.path().string()));
    if (!mechanism->constrained()) continue;
    ++constrained;
    model::State state = mechanism->default_state();
    const math::VecX position = calc_position_error(*mechanism, state);
    EXPECT_LT(position.cwiseAbs().maxCoeff(), 4e-16)
        << position.transpose();  // lengths of about 1 m
    // A motor that turns from the start gives speeds to all.
    dynamics::System system(mechanism);
    system.set_ties(state);
    EXPECT_TRUE(dynamics::assemble(system, state).closed());
    const math::VecX velocity = calc_velocity_error(*mechanism, state);
    // Differences over h = 1e-6 s: ε/h, and h² of the third derivative.
    const double fastest = state.v.cwiseAbs().maxCoeff();
    EXPECT_LT(velocity.cwiseAbs().maxCoeff(), 1e-9 + 1e-12 * std::pow(fastest, 3))
        << velocity.transpose();
  }
  EXPECT_GE(constrained, 12);
}

TEST(Closure, AndrewsMechanismIsCutAtTheCommonPin) {
  const Mechanism mechanism = benchmark("andrews_squeezer");
  EXPECT_EQ(mechanism.nv, 7);
  EXPECT_THAT(names_of_cuts(mechanism), ElementsAre("E3", "E4", "E6"));
}

TEST(Closure, BricardsRingIsCutOppositeTheGround) {
  const Mechanism mechanism = benchmark("bricard");
  EXPECT_EQ(mechanism.nv, 5);
  EXPECT_THAT(names_of_cuts(mechanism), ElementsAre("j4"));
}

TEST(Closure, InsulatorStringsAreCutAtTheHolder) {
  EXPECT_THAT(names_of_cuts(benchmark("insulator_chain")), ElementsAre("right end"));
}

TEST(Closure, SpatialSliderCrankIsCutAtTheBall) {
  EXPECT_THAT(names_of_cuts(benchmark("spatial_slider_crank")), ElementsAre("ball"));
}

TEST(Closure, ASplitBodyIsWhole) {
  const Mechanism mechanism = compile_file(COUPLET_SOURCE_DIR "/models/slider_crank.yaml");
  EXPECT_EQ(mechanism.nv, 4);
  ASSERT_EQ(mechanism.cuts.size(), 1u);
  double mass = 0;
  for (const model::Body& body : mechanism.model->bodies) mass += body.mass.mass;
  EXPECT_NEAR(mass, 2.7, 1e-15);
}

TEST(Closure, FourBarsOfTheFileAndOfTheMakerAreTheSame) {
  const Mechanism file = benchmark("four_bars"), made = model::compile(make_four_bars(2));
  ASSERT_EQ(file.links.size(), made.links.size());
  EXPECT_EQ(file.default_state().q, made.default_state().q);
  EXPECT_EQ(file.default_state().v, made.default_state().v);
  EXPECT_EQ(file.coordinate_names, made.coordinate_names);
  for (size_t i = 0; i < file.links.size(); ++i) {
    EXPECT_EQ(file.links[i].parent, made.links[i].parent);
    EXPECT_EQ(file.links[i].x.mass, made.links[i].x.mass);
    EXPECT_NEAR(file.links[i].x.Izz, made.links[i].x.Izz, 1e-16);
  }
}

TEST(Closure, ManyFourBarsHaveLoopsOfFourJoints) {
  const Mechanism mechanism = model::compile(make_four_bars(1000));
  ASSERT_EQ(mechanism.cuts.size(), 1000u);
  EXPECT_EQ(mechanism.nv, 2001);
  for (size_t i = 0; i < mechanism.cuts.size(); i += 100)
    EXPECT_EQ(model::find_loop(mechanism, mechanism.cuts[i]).size(), 4u);
  EXPECT_LT(calc_position_error(mechanism, mechanism.default_state()).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace couplet::verification
