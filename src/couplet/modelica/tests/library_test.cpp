#include "couplet/modelica/library/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "couplet/modelica/translate.hpp"

namespace couplet::modelica {
namespace {

namespace fs = std::filesystem;

class LibraryTest : public testing::Test {
 protected:
  fs::path root = fs::temp_directory_path() / ("couplet-library-" + std::to_string(getpid()));
  base::Diagnostics diagnostics;
  Library library{diagnostics};

  void TearDown() override { fs::remove_all(root); }
  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  std::string version_of(const ast::Element* e) {
    return e ? std::string(e->class_def->comment) : "";
  }
};

TEST_F(LibraryTest, ReadsFilesOnlyWhenAskedFor) {
  write("Lib/package.mo", "package Lib model Inside end Inside; end Lib;");
  write("Lib/package.order", "Sub\nA\n");
  write("Lib/A.mo", "within Lib; model A end A;");
  write("Lib/Sub/package.mo", "within Lib; package Sub end Sub;");
  write("Lib/Sub/B.mo", "within Lib.Sub; model B end B;");
  library.add_path((root / "absent").string() + ":" + root.string());
  EXPECT_EQ(library.files_read(), 0u);
  const ast::Element* lib = library.find_top(Symbol("Lib"));
  ASSERT_TRUE(lib);
  EXPECT_EQ(library.files_read(), 1u);
  const ast::Element* sub = library.find_stored(*lib->class_def, Symbol("Sub"));
  ASSERT_TRUE(sub);
  EXPECT_TRUE(library.find_stored(*sub->class_def, Symbol("B")));
  EXPECT_TRUE(library.find_stored(*sub->class_def, Symbol("B")));
  EXPECT_EQ(library.files_read(), 3u);
  EXPECT_FALSE(library.find_stored(*sub->class_def, Symbol("C")));
  const std::vector<Symbol> names = library.class_names(*lib->class_def);
  EXPECT_EQ(names, (std::vector<Symbol>{Symbol("Inside"), Symbol("Sub"), Symbol("A")}));
  EXPECT_THAT(library.top_names(), testing::Contains("Lib"));
  EXPECT_FALSE(diagnostics.has_errors());
}

// What is left of a class behind a mistake must not be taken for the class.
TEST_F(LibraryTest, HalfReadClassesAreNone) {
  write("Lib/package.mo", "package Lib end Lib;");
  write("Lib/A.mo", "within Lib; model A Real x = 1; Real y = = 2; Real z = 3; end A;");
  write("Lib/M.mo", "within Lib; model M A a; annotation(experiment(StopTime = 1)); end M;");
  write("Lib/N.mo", "within Lib; model N Real x = 1; annotation(experiment(StopTime = 1)); end N;");
  library.add_path(root.string());
  const CheckResult m = check(library, "Lib.M");
  EXPECT_FALSE(m.ok);
  EXPECT_THAT(m.str(), testing::HasSubstr("expected an expression"));
  EXPECT_FALSE(check(library, "Lib.M").ok);  // also when the file was read before
  EXPECT_THROW(flatten(library, "Lib.M"), base::UserError);
  EXPECT_EQ(find_examples(library, "Lib"), (std::vector<std::string>{"Lib.M", "Lib.N"}));
  EXPECT_TRUE(check(library, "Lib.N").ok);
}

TEST_F(LibraryTest, ChoosesVersions) {
  write("Lib 9.1/package.mo", "package Lib \"9.1\" end Lib;");
  write("Lib 10.0.mo", "package Lib \"10.0\" end Lib;");
  write("Library/package.mo", "package Library end Library;");
  library.add_path(root.string());
  EXPECT_EQ(version_of(library.find_top(Symbol("Lib"))), "\"10.0\"");
  Library other(diagnostics);
  other.add_path(root.string());
  other.add_text("m.mo", "model M annotation(uses(Lib(version = \"9.1\"))); end M;");
  EXPECT_EQ(version_of(other.find_top(Symbol("Lib"))), "\"9.1\"");
}

TEST_F(LibraryTest, AnUnversionedFolderIsTheDefault) {
  write("Lib 9.1/package.mo", "package Lib \"9.1\" end Lib;");
  write("Lib/package.mo", "package Lib \"plain\" end Lib;");
  library.add_path(root.string());
  EXPECT_EQ(version_of(library.find_top(Symbol("Lib"))), "\"plain\"");
}

TEST_F(LibraryTest, SaysWhatIsWrongWithFiles) {
  write("Lib/package.mo", "package Lib end Lib;");
  write("Lib/A.mo", "within Lib; model B end B;");
  library.add_path(root.string());
  EXPECT_FALSE(library.find_stored(*library.find_top(Symbol("Lib"))->class_def, Symbol("A")));
  library.add_file(root / "absent.mo");
  library.add_text("x.mo", "within Nowhere; model X end X;");
  library.add_text("y.mo", "model Y end Y;");
  library.add_text("z.mo", "model Y end Y;");
  ASSERT_EQ(diagnostics.list().size(), 4u);
  EXPECT_THAT(diagnostics.list()[0].what, testing::HasSubstr("should hold the class 'A'"));
  EXPECT_THAT(diagnostics.list()[1].what, testing::HasSubstr("does not exist"));
  EXPECT_THAT(diagnostics.list()[2].what, testing::HasSubstr("no package 'Nowhere'"));
  EXPECT_THAT(diagnostics.list()[3].what, testing::HasSubstr("already there"));
}

TEST_F(LibraryTest, ResourcesAreFoundBesideTheirPackage) {
  write("Lib/package.mo", "package Lib end Lib;");
  library.add_path(root.string());
  const std::string file = (root / "Lib/Resources/a.txt").string();
  EXPECT_EQ(library.find_resource("modelica://Lib/Resources/a.txt"), file);
  EXPECT_EQ(library.find_resource("modelica://Lib.Inside/Resources/a.txt"), file);
  EXPECT_EQ(library.find_resource("modelica://None/a.txt"), "modelica://None/a.txt");
  EXPECT_EQ(library.find_resource(file), file);
}

}  // namespace
}  // namespace couplet::modelica
