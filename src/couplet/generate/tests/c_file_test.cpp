// Generated C files compile alone and without warnings, and equal the tape.
#include "couplet/generate/c_file.hpp"

#include <gtest/gtest.h>

#include "couplet/formats/yaml.hpp"
#include "couplet/symbolic/tests/compiled_c.hpp"
#include "run_formulas.hpp"

namespace couplet::generate {
namespace {

using symbolic::CompiledC;

Mechanism load(const std::string& name) {
  base::Diagnostics warnings;
  return model::compile(formats::read_yaml(COUPLET_SOURCE_DIR "/models/" + name, {}, warnings));
}

// The source includes its header: one text for the compiler.
std::string joined(CFile file) {
  const std::string include = "#include \"" + file.stem + ".h\"\n";
  file.source.replace(file.source.find(include), include.size(), file.header);
  return file.source;
}

TEST(CFile, EverythingOfTheR3CompilesAndEqualsTheTape) {
  if (!CompiledC::is_available()) GTEST_SKIP() << "SKIPPED: there is no C compiler `cc`";
  const Mechanism mechanism = load("manutec_r3.yaml");
  const VecX x = VecX::LinSpaced(6, -1.3, 1.1);
  for (const WhatEntry& what : whats()) {
    const Formulas formulas = make_formulas(mechanism, {what.what, {"mass"}, false});
    const CompiledC compiled(joined(write_c_file(formulas, mechanism, "r3")));
    ASSERT_TRUE(compiled.is_loaded()) << what.name << compiled.log();
    VecX p(static_cast<Eigen::Index>(formulas.parameters.size()));
    for (Eigen::Index i = 0; i < p.size(); ++i) p[i] = formulas.parameters[i].value;
    EXPECT_EQ(p[1], compiled.find<double>("r3_parameters")[1]);
    for (const Formulas::Function& f : formulas.functions) {
      const Arrays expected = run(f, {{"q", x}, {"v", 2 * x}, {"tau", x}, {"vdot", x}, {"p", p}});
      const std::string name = "r3_" + f.code.name;
      std::vector<VecX> out;
      for (const auto& array : f.code.outputs) out.emplace_back(VecX::Zero(array.values.size()));
      const VecX twice = 2 * x;
      const double *q = x.data(), *v = twice.data();
      double* y[4] = {};
      for (std::size_t i = 0; i < out.size(); ++i) y[i] = out[i].data();
      using In1 = void(const double*, const double*, double*);
      if (what.what == What::mass_matrix || what.what == What::jacobian)
        compiled.find<In1>(name.c_str())(q, p.data(), y[0]);
      else if (what.what == What::kinematics)
        compiled.find<void(const double*, const double*, const double*, double*, double*, double*,
                           double*)>(name.c_str())(q, v, p.data(), y[0], y[1], y[2], y[3]);
      else if (what.what == What::bias)
        compiled.find<void(const double*, const double*, const double*, double*)>(name.c_str())(
            q, v, p.data(), y[0]);
      else if (what.what == What::gradients)
        compiled.find<void(const double*, const double*, const double*, const double*, double*,
                           double*, double*, double*)>(name.c_str())(q, v, q, p.data(), y[0], y[1],
                                                                     y[2], y[3]);
      else
        compiled.find<void(const double*, const double*, const double*, const double*, double*)>(
            name.c_str())(q, v, q, p.data(), y[0]);
      for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], expected.at(f.code.outputs[i].name)) << name << ' ' << i;
    }
  }
}

TEST(CFile, BatchFormsTakeFourStatesAtOnce) {
  if (!CompiledC::is_available()) GTEST_SKIP() << "SKIPPED: there is no C compiler `cc`";
  const Mechanism mechanism = load("manutec_r3.yaml");
  const Formulas formulas = make_formulas(mechanism, {What::forward, {}, false});
  const CompiledC compiled(joined(write_c_file(formulas, mechanism, "r3", 4)));
  ASSERT_TRUE(compiled.is_loaded()) << compiled.log();
  VecX q = VecX::Random(24), v = VecX::Random(24), tau = VecX::Random(24), vdot(24);
  compiled.find<void(const double*, const double*, const double*, double*)>("r3_forward_batch")(
      q.data(), v.data(), tau.data(), vdot.data());
  for (int l = 0; l < 4; ++l) {
    const auto lane = [&](const VecX& x) -> VecX {
      return Eigen::Map<const VecX, 0, Eigen::InnerStride<4>>(x.data() + l, 6);
    };
    const Arrays expected =
        run(formulas.functions[0], {{"q", lane(q)}, {"v", lane(v)}, {"tau", lane(tau)}});
    EXPECT_EQ(lane(vdot), expected.at("vdot"));
  }
}

TEST(CFile, NoNameCanEndAComment) {
  model::Model model = *load("double_pendulum.yaml").model;
  model.joints[0].name = "*/ int main;\n/*";
  const Mechanism mechanism = model::compile(model);
  const CFile file = write_c_file(make_formulas(mechanism, {}), mechanism, c_identifier("2 arms!"));
  EXPECT_EQ(file.stem, "m2_arms_");
  EXPECT_EQ(file.source.find("*/ int"), std::string::npos);
  if (CompiledC::is_available()) {
    EXPECT_TRUE(CompiledC(joined(file)).is_loaded());
  }
}

}  // namespace
}  // namespace couplet::generate
