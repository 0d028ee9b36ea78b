// Every file of the Modelica Standard Library parses, prints, and parses to the same tree.
#include <fstream>
#include <sstream>

#include "couplet/modelica/syntax/parser.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "msl.hpp"

namespace couplet::modelica {
namespace {

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

TEST(Msl, EveryFileParsesAndPrintsToTheSameTree) {
  SKIP_WITHOUT_MSL();
  int files = 0;
  double seconds = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(find_msl())) {
    if (entry.path().extension() != ".mo") continue;
    ++files;
    base::Diagnostics diagnostics;
    const double start = cpu_seconds();
    const auto first =
        parse(entry.path().string(), read(entry.path()), diagnostics, {.annotations = true});
    seconds += cpu_seconds() - start;
    ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.list()[0].str();
    const auto second = parse("printed", print(first->tree), diagnostics, {.annotations = true});
    ASSERT_FALSE(diagnostics.has_errors()) << entry.path() << diagnostics.list()[0].str();
    ASSERT_TRUE(same_tree(first->tree, second->tree)) << entry.path();
  }
  std::printf("%d files read and parsed, with annotations, in %.2f s\n", files, seconds);
  EXPECT_GE(files, 2554);
  EXPECT_LT(seconds, 3.0);
}

}  // namespace
}  // namespace couplet::modelica
