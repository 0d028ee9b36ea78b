// Tables of the Modelica Standard Library: its own data files in all their formats, and its blocks.
#include <gtest/gtest.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/modelica/tables/table.hpp"
#include "couplet/modelica/translate.hpp"
#include "msl.hpp"

namespace couplet::modelica {
namespace {

// The same matrix `a` is stored as text and in three kinds of MATLAB files.
TEST(MslTables, EveryFormatHoldsTheSameMatrix) {
  SKIP_WITHOUT_MSL();
  const std::string folder = (find_msl() / "Modelica/Resources/Data/Tables").string() + "/";
  const tables::Matrix text = tables::read_table({folder + "test.txt", "a"});
  EXPECT_EQ(text.rows, 100u);
  EXPECT_EQ(text.columns, 3u);
  for (const char* file : {"test_v4.mat", "test_v6.mat", "test_v7.mat"}) {
    const tables::Matrix m = tables::read_table({folder + file, "a"});
    ASSERT_EQ(m.values.size(), text.values.size()) << file;
    for (size_t i = 0; i < m.values.size(); ++i)
      EXPECT_NEAR(m.values[i], text.values[i], 1e-12 * 130) << file;  // 17 digits of up to 130
  }
  EXPECT_THROW(tables::read_table({folder + "test_v7.3.mat", "a"}), base::UserError);
}

TEST(MslTables, SizesMayDependOnTables) {
  SKIP_WITHOUT_MSL();
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_path(find_msl().string());
  library.add_text("m.mo", R"(
model M
  Modelica.Blocks.Tables.CombiTable1Ds t(tableOnFile = true, tableName = "tab0",
    fileName = Modelica.Utilities.Files.loadResource("modelica://Modelica/Resources/Data/Tables/test.txt"));
  Modelica.Blocks.Sources.CombiTimeTable c(table = [0, 1; 5, 2; 7, 3]);
  parameter Integer n = integer(t.u_max) + integer(c.t_max);
  Real x[n] = zeros(n);
equation
  t.u = time;
end M;)");
  const CheckResult result = check(library, "M");
  EXPECT_TRUE(result.balanced()) << result.str();
  const std::string flat = flatten(library, "M");
  EXPECT_NE(flat.find("Real x[8]"), std::string::npos);  // tab0 ends at 1, the time table at 7
}

}  // namespace
}  // namespace couplet::modelica
