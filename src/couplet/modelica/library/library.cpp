#include "couplet/modelica/library/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"

namespace couplet::modelica {
namespace fs = std::filesystem;
namespace {

constexpr uintmax_t largest = 256u << 20;  // offsets in trees have 32 bits

// "4.1.0" as numbers, so that 10.0 comes after 9.1; a pre-release "4.0.0-beta" sorts before 4.0.0.
std::vector<int> version_key(const std::string& version) {
  std::vector<int> key;
  for (size_t i = 0; i < version.size() && key.size() < 8;) {
    if (version[i] < '0' || version[i] > '9') {
      if (version[i] == '-') key.push_back(-1);
      ++i;
      continue;
    }
    int number = 0;
    for (; i < version.size() && version[i] >= '0' && version[i] <= '9'; ++i)
      number = std::min(number * 10 + (version[i] - '0'), 1000000);
    key.push_back(number);
  }
  while (key.size() < 8) key.push_back(0);
  return key;
}

std::string class_of_file(const fs::path& path) {
  const std::string stem =
      path.extension() == ".mo" ? path.stem().string() : path.filename().string();
  return stem == "package" ? std::string() : stem;
}

}  // namespace

fs::path own_library_folder() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  for (fs::path above = program.parent_path(); above.has_relative_path();
       above = above.parent_path())
    for (const char* folder : {"share/couplet/modelica", "library"})
      if (fs::exists(above / folder / "Couplet" / "package.mo", failed)) return above / folder;
  return {};
}

const ast::Modification* find_argument(const ast::Modification* content, std::string_view name) {
  if (!content) return nullptr;
  for (const ast::Modifier& m : content->modifiers)
    if (m.path.size() == 1 && m.path[0].name.text() == name) return m.value;
  return nullptr;
}

void Library::add_path(const std::string& directories) {
  std::istringstream in(directories);
  for (std::string one; std::getline(in, one, ':');)
    if (!one.empty()) {
      path_.emplace_back(one);
      add_made_from(one);
    }
}

void Library::prefer_version(const std::string& library, const std::string& version) {
  versions_.emplace(library, version);
}

// ---- reading
// -------------------------------------------------------------------------------------

const ParsedFile* Library::read(const fs::path& file) {
  add_made_from(file);
  auto content = base::try_read_file(file, largest);
  auto* text = std::get_if<std::string>(&content);
  if (!text) {
    const auto error = base::explain(std::get<base::ReadTrouble>(content), file, largest);
    for (const base::Diagnostic& each : error.diagnostics())
      diagnostics_.error(each.where, each.what, each.fix);
    return nullptr;
  }
  base::Diagnostics own;
  files_.push_back(parse(file.string(), std::move(*text), own));
  diagnostics_.append(own);
  return own.has_errors() ? nullptr : files_.back().get();  // half a class is none
}

const ast::Element* Library::wrap(const ast::ClassDef* class_def) {
  ast::Element e{.kind = ast::ElementKind::class_};
  e.class_def = class_def;
  e.range = class_def->range;
  return arena_.make(e);
}

// Reads the one class of a file of a library, with the folder around it when it is a package.mo.
const ast::Element* Library::load(const fs::path& file, Symbol expected) {
  const ParsedFile* parsed = read(file);
  if (!parsed) return nullptr;
  for (const auto& entry : parsed->tree.classes) {
    if (entry.class_def->name != expected) continue;
    if (file.filename() == "package.mo") folder_of(entry.class_def, file.parent_path());
    return wrap(entry.class_def);
  }
  diagnostics_.error(
      {parsed->source->path},
      fmt::format("this file should hold the class {}", base::quoted(expected.text())),
      "the name of a file in a library is the name of its class");
  return nullptr;
}

Library::Folder& Library::folder_of(const ast::ClassDef* package, const fs::path& directory) {
  Folder& folder = folders_[package];
  std::error_code failed;
  add_made_from(directory);
  add_made_from(directory / "package.order");
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    const fs::path& p = entry.path();
    if (p.extension() == ".mo" && p.filename() != "package.mo")
      folder.files.emplace(class_of_file(p), p);
    else if (entry.is_directory(failed) && fs::exists(p / "package.mo", failed))
      folder.files.emplace(p.filename().string(), p / "package.mo");
    else if (entry.is_directory(failed))
      add_made_from(p / "package.mo");  // might appear
  }
  const auto listed = base::try_read_file(directory / "package.order", largest);
  const auto* names = std::get_if<std::string>(&listed);  // it need not be there
  std::istringstream order(names ? *names : std::string());
  for (std::string name; std::getline(order, name);) {
    while (!name.empty() && (name.back() == '\r' || name.back() == ' ')) name.pop_back();
    if (folder.files.count(name)) folder.order.push_back(name);
  }
  for (const auto& [name, file] : folder.files)
    if (std::find(folder.order.begin(), folder.order.end(), name) == folder.order.end())
      folder.order.push_back(name);
  return folder;
}

// ---- asking
// --------------------------------------------------------------------------------------

std::optional<fs::path> Library::find_library(const std::string& name) const {
  const auto wanted = versions_.find(name);
  std::optional<fs::path> best;
  std::vector<int> best_key;
  const auto offer = [&](const fs::path& file, const std::string& version) {
    std::vector<int> key = version_key(version);
    key.insert(key.begin(), version.empty() ? 1 : 0);  // an unversioned folder is the default
    if (wanted != versions_.end() && version == wanted->second) key[0] = 2;
    if (!best || key > best_key) best = file, best_key = key;
  };
  std::error_code failed;
  for (const fs::path& directory : path_) {
    for (const auto& entry : fs::directory_iterator(directory, failed)) {
      const std::string found = class_of_file(entry.path());
      if (!found.starts_with(name)) continue;
      if (found.size() > name.size() && found[name.size()] != ' ') continue;
      const std::string version = found.substr(std::min(found.size(), name.size() + 1));
      if (entry.path().extension() == ".mo" && entry.is_regular_file(failed))
        offer(entry.path(), version);
      else if (fs::exists(entry.path() / "package.mo", failed))
        offer(entry.path() / "package.mo", version);
    }
    if (best) return best;  // earlier directories win
  }
  return best;
}

const ast::Element* Library::find_top(Symbol name) {
  const auto found = top_.find(name);
  if (found != top_.end()) return found->second;
  const ast::Element*& entry = top_[name];
  if (const auto file = find_library(name.text())) {
    entry = load(*file, name);
    if (entry) read_uses(*entry->class_def);
  }
  return top_[name];
}

// uses(Modelica(version = "4.1.0")) chooses among the versions on the path.
void Library::read_uses(const ast::ClassDef& package) {
  const ast::Modification* uses =
      find_argument(content(package.annotation, *package.source), "uses");
  if (!uses) return;
  for (const ast::Modifier& m : uses->modifiers) {
    const ast::Modification* version = find_argument(m.value, "version");
    if (m.path.size() == 1 && version && version->value &&
        version->value->kind == ast::ExprKind::string)
      prefer_version(m.path[0].name.text(), std::string(version->value->text));
  }
}

const ast::Element* Library::find_stored(const ast::ClassDef& package, Symbol name) {
  const auto folder = folders_.find(&package);
  if (folder == folders_.end()) return nullptr;
  const auto known = folder->second.loaded.find(name);
  if (known != folder->second.loaded.end()) return known->second;
  const auto file = folder->second.files.find(name.text());
  if (file == folder->second.files.end()) return nullptr;
  const fs::path path = file->second;
  const ast::Element* element = load(path, name);  // may add folders: look ours up again
  return folders_[&package].loaded[name] = element;
}

std::vector<Symbol> Library::class_names(const ast::ClassDef& package) {
  std::vector<Symbol> names;
  for (const ast::Element* e : package.elements)
    if (e->kind == ast::ElementKind::class_) names.push_back(e->class_def->name);
  const auto folder = folders_.find(&package);
  if (folder != folders_.end())
    for (const std::string& name : folder->second.order) names.emplace_back(name);
  return names;
}

std::vector<std::string> Library::top_names() const {
  std::vector<std::string> names;
  for (const auto& [name, element] : top_)
    if (element) names.push_back(name.text());
  std::error_code failed;
  for (const fs::path& directory : path_)
    for (const auto& entry : fs::directory_iterator(directory, failed)) {
      const std::string found = class_of_file(entry.path());
      const bool is_library =
          entry.path().extension() == ".mo" || fs::exists(entry.path() / "package.mo", failed);
      if (is_library) names.push_back(found.substr(0, found.find(' ')));
    }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

const ast::Modification* Library::content(const ast::Annotation* annotation, const Source& source) {
  if (!annotation || annotation->content) return annotation ? annotation->content : nullptr;
  const auto found = annotations_.find(annotation);
  if (found != annotations_.end()) return found->second;
  return annotations_[annotation] =
             parse_annotation(source, annotation->range, arena_, diagnostics_);
}

std::string Library::find_resource(const std::string& uri) {
  constexpr std::string_view scheme = "modelica://";
  if (!uri.starts_with(scheme)) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(uri, failed);
    return failed ? uri : absolute.lexically_normal().string();
  }
  const std::string path = uri.substr(scheme.size());
  const size_t slash = std::min(path.find('/'), path.size());
  const std::string name = path.substr(0, slash);  // Package or Package.Inside
  const ast::Element* package = find_top(Symbol(name.substr(0, name.find('.'))));
  if (!package) return uri;
  const fs::path root = fs::path(*package->class_def->source->path).parent_path();
  return (root / path.substr(std::min(slash + 1, path.size()))).string();
}

// ---- adding
// --------------------------------------------------------------------------------------

std::vector<std::string> Library::add_file(const fs::path& file) {
  std::error_code failed;
  const fs::path real = fs::is_directory(file, failed) ? file / "package.mo" : file;
  const ParsedFile* parsed = read(real);
  std::vector<std::string> names;
  if (!parsed) return names;
  for (const auto& entry : parsed->tree.classes) {
    if (real.filename() == "package.mo") folder_of(entry.class_def, real.parent_path());
    if (add_class(entry.class_def, parsed->tree)) {
      const std::string within = ast::to_string(parsed->tree.within);
      names.push_back((within.empty() ? "" : within + ".") + entry.class_def->name.text());
    }
  }
  return names;
}

std::vector<std::string> Library::add_text(std::string path, std::string text) {
  files_.push_back(parse(std::move(path), std::move(text), diagnostics_));
  const ParsedFile& parsed = *files_.back();
  std::vector<std::string> names;
  for (const auto& entry : parsed.tree.classes) {
    if (!add_class(entry.class_def, parsed.tree)) continue;
    const std::string within = ast::to_string(parsed.tree.within);
    names.push_back((within.empty() ? "" : within + ".") + entry.class_def->name.text());
  }
  return names;
}

const ast::Element* Library::add_class(const ast::ClassDef* class_def,
                                       const ast::StoredDefinition& file) {
  const ast::Element* element = wrap(class_def);
  if (file.within.parts.empty()) {
    read_uses(*class_def);
    const auto [place, added] = top_.emplace(class_def->name, element);
    if (!added && place->second) {
      report(diagnostics_, *class_def->source, class_def->name_range,
             fmt::format("a class {} is already there", base::quoted(class_def->name.text())),
             "give it another name");
      return nullptr;
    }
    return place->second = element;
  }
  // Into a package that may come from elsewhere: walk down to it.
  const ast::Element* package = find_top(file.within.parts[0].name);
  for (uint32_t i = 1; package && i < file.within.parts.size(); ++i)
    package = find_stored(*package->class_def, file.within.parts[i].name);
  if (!package) {
    report(diagnostics_, *file.source, file.within.range,
           fmt::format("there is no package {}", base::quoted(ast::to_string(file.within))),
           "add the library to MODELICAPATH, or leave the 'within' out");
    return nullptr;
  }
  folders_[package->class_def].loaded[class_def->name] = element;
  folders_[package->class_def].order.push_back(class_def->name.text());
  return element;
}

}  // namespace couplet::modelica
