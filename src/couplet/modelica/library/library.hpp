// Where classes are found: files given by the user, and libraries on MODELICAPATH. A file is read
// when a class in it is first asked for, and only once. [Modelica 3.6, chapter 13]
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "couplet/modelica/syntax/parser.hpp"

namespace couplet::modelica {

class Library {
 public:
  /// Faults of files are reported to `diagnostics`, which must outlive the library.
  explicit Library(base::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  const base::Diagnostics& diagnostics() const { return diagnostics_; }  // of reading files

  /// Adds directories that hold libraries, separated by ':', as in MODELICAPATH.
  void add_path(const std::string& directories);

  /// Adds the classes of a file (or of a directory with package.mo) to the top level, or to the
  /// package that its `within` names. Returns the names of its classes, qualified.
  std::vector<std::string> add_file(const std::filesystem::path& file);
  std::vector<std::string> add_text(std::string path, std::string text);

  /// A class of the top level; loads its library when it is on the path. Null when there is none.
  const ast::Element* find_top(Symbol name);

  /// A class that is stored next to the package.mo of `package`. Null when there is none.
  const ast::Element* find_stored(const ast::ClassDef& package, Symbol name);

  /// Names of the classes directly inside `package`, in the order of the text, then of
  /// package.order.
  std::vector<Symbol> class_names(const ast::ClassDef& package);

  /// Which names find_top could find, for suggestions.
  std::vector<std::string> top_names() const;

  /// The tree of an annotation, parsed when first asked for; null when there is none.
  const ast::Modification* content(const ast::Annotation* annotation, const Source& source);

  /// The file that `modelica://Package/path` means; other names as absolute paths.
  std::string find_resource(const std::string& uri);

  /// Version of a library that the user or `uses` asks for; loaded libraries keep theirs.
  void prefer_version(const std::string& library, const std::string& version);

  size_t files_read() const { return files_.size(); }

  /// Files and directories that were looked at: when one of them changes, results may change.
  const std::vector<std::filesystem::path>& made_from() const { return made_from_; }
  void add_made_from(std::filesystem::path path) { made_from_.push_back(std::move(path)); }

 private:
  struct Folder {  // a directory package: files by the name of the class
    std::map<std::string, std::filesystem::path> files;
    std::vector<std::string> order;
    std::unordered_map<Symbol, const ast::Element*> loaded;
  };

  const ParsedFile* read(const std::filesystem::path& file);
  const ast::Element* load(const std::filesystem::path& file, Symbol expected);
  const ast::Element* wrap(const ast::ClassDef* class_def);
  Folder& folder_of(const ast::ClassDef* package, const std::filesystem::path& directory);
  const ast::Element* add_class(const ast::ClassDef* class_def, const ast::StoredDefinition& file);
  std::optional<std::filesystem::path> find_library(const std::string& name) const;
  void read_uses(const ast::ClassDef& package);

  base::Diagnostics& diagnostics_;
  Arena arena_;
  std::vector<std::filesystem::path> path_, made_from_;
  std::map<std::string, std::string> versions_;
  std::vector<std::unique_ptr<ParsedFile>> files_;
  std::unordered_map<Symbol, const ast::Element*> top_;
  std::unordered_map<const ast::ClassDef*, Folder> folders_;
  std::unordered_map<const ast::Annotation*, const ast::Modification*> annotations_;
};

/// The folder of Couplet's own library: `share/couplet/modelica` where the program is installed,
/// `library` of the sources where it was built. Empty when there is neither.
std::filesystem::path own_library_folder();

/// The argument `name` of an annotation or modification; null when it is not there.
const ast::Modification* find_argument(const ast::Modification* content, std::string_view name);

}  // namespace couplet::modelica
