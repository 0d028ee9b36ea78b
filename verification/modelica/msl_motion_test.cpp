// Examples of the Modelica Standard Library 4.1.0 against the results of another tool, by the rule
// of csv-compare. Their folder: COUPLET_MODELICA_REFERENCE, or ../shared/modelica/reference.
#include "couplet/workbench/test_library.hpp"
#include "msl.hpp"

namespace couplet::workbench {
namespace {

std::filesystem::path find_references() {
  const char* given = std::getenv("COUPLET_MODELICA_REFERENCE");
  const std::filesystem::path path =
      given ? given : COUPLET_SOURCE_DIR "/../shared/modelica/reference";
  return std::filesystem::exists(path / "index.tsv") ? path : std::filesystem::path();
}

TEST(MslMotion, ExamplesMoveAsTheReferences) {
  using modelica::find_msl;
  SKIP_WITHOUT_MSL();
  const std::filesystem::path references = find_references();
  if (references.empty())
    GTEST_SKIP() << "no reference results: this test proves nothing here (" << references << ")";
  const auto tests = test_library("Modelica", references.string(), "ida", {});
  EXPECT_EQ(tests.size(), 55u);
  for (const ReferenceTest& t : tests) {
    // Its motion amplifies errors: at 5 s the reference has those of its tolerance
    // (docs/modelica-notes.md).
    const bool amplifies = t.model.ends_with("DoublePendulumInitTip");
    EXPECT_EQ(t.missing, 0) << t.model;
    EXPECT_STREQ(name_of(t.outcome), amplifies ? "differs" : "passed")
        << t.model << ": " << t.worst << ' ' << t.error << ' ' << t.message;
    if (amplifies) {
      EXPECT_LT(t.error, 5);
    }
  }
}

}  // namespace
}  // namespace couplet::workbench
