#include "couplet/modelica/translate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/count.hpp"
#include "couplet/modelica/flatten/passes.hpp"
#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {
namespace {

ClassInst* find_class(Context& context, const std::string& name) {
  Entry* entry = find_qualified(context, name);
  if (entry && entry->is_class()) return class_of(context, entry);
  const std::string first = name.substr(0, name.find('.'));
  std::vector<std::string> names = context.library.top_names();
  std::erase_if(names, [](const std::string& each) { return each.starts_with('\''); });
  const bool found = std::ranges::find(names, first) != names.end();
  context.diagnostics.error(
      {}, fmt::format("there is no class {}", base::quoted(name)),
      found ? fmt::format("{} is there, but not this class in it: check its spelling, capitals too",
                          base::quoted(first))
            : base::suggest(first, names) + "; libraries are looked for on MODELICAPATH");
  throw Fault();
}

// Runs `work` and turns what stops a translation into diagnostics.
template <class Work>
void guarded(Context& context, Work work) {
  try {
    work();
  } catch (const Fault&) {
  } catch (const TooDeep&) {
    if (!context.diagnostics.has_errors())
      context.diagnostics.error({}, "this model is too deep or too large to be translated");
  } catch (const CannotEvaluate& reason) {
    context.diagnostics.error({}, reason.why);
  } catch (const base::UserError&) {
    throw;
  } catch (const std::exception& reason) {  // our mistake: it must not stop `check --all`
    context.diagnostics.error({}, fmt::format("internal error: {}", reason.what()),
                              "please report this model");
  }
}

}  // namespace

FlatModel flatten_class(Context& context, const std::string& name,
                        const TranslateOptions& options) {
  ClassInst* c = find_class(context, name);
  expand(context, c);
  if (c->def->partial)
    context.diagnostics.warning(
        {}, fmt::format("{} is partial: it is not meant to be used alone", base::quoted(name)));
  return flatten(context, c, options);
}

namespace {

// Faults of files that a translation was the first to read are faults of what it translated.
class Reading {
 public:
  explicit Reading(const Library& library) : library_(library), before_(all().size()) {}

  void append_to(base::Diagnostics& diagnostics) const {
    for (size_t i = before_; i < all().size(); ++i)
      if (all()[i].severity == base::Severity::error)
        diagnostics.error(all()[i].where, all()[i].what, all()[i].fix);
  }

 private:
  const std::vector<base::Diagnostic>& all() const { return library_.diagnostics().list(); }

  const Library& library_;
  size_t before_;
};

}  // namespace

CheckResult check(Library& library, const std::string& class_name,
                  const TranslateOptions& options) {
  CheckResult result;
  result.name = class_name;
  const Reading reading(library);
  Context context(library, result.diagnostics);
  guarded(context, [&] {
    const FlatModel model = flatten_class(context, class_name, options);
    if (result.diagnostics.has_errors()) return;
    const Counts counts = count(model);
    result.unknowns = counts.unknowns;
    result.equations = counts.equations;
    result.parameters = counts.parameters;
    result.structural = counts.structural;
    if (counts.unknowns != counts.equations) result.blame = find_blame(context, model);
  });
  reading.append_to(result.diagnostics);
  result.ok = !result.diagnostics.has_errors();
  return result;
}

std::string flatten(Library& library, const std::string& class_name,
                    const TranslateOptions& options) {
  base::Diagnostics diagnostics;
  Context context(library, diagnostics);
  std::string text;
  const Reading reading(library);
  guarded(context, [&] {
    const FlatModel model = flatten_class(context, class_name, options);
    if (!diagnostics.has_errors()) text = print(context, model);
  });
  reading.append_to(diagnostics);
  diagnostics.check();
  if (options.warnings) options.warnings->append(diagnostics);
  return text;
}

namespace {

// By the text alone: a package with faults does not hide what is in it.
const ast::ClassDef* find_inside(Library& library, const ast::ClassDef& package, Symbol name) {
  for (const ast::Element* e : package.elements)
    if (e->kind == ast::ElementKind::class_ && e->class_def->name == name) return e->class_def;
  const ast::Element* stored = library.find_stored(package, name);
  return stored ? stored->class_def : nullptr;
}

void add_examples(Library& library, const ast::ClassDef& package, const std::string& path,
                  std::vector<std::string>& into, int depth) {
  if (depth > 20) return;
  for (const Symbol name : library.class_names(package)) {
    const ast::ClassDef* c = find_inside(library, package, name);
    if (!c) continue;
    const std::string full = path + "." + name.text();
    if (c->kind == ast::ClassKind::package) add_examples(library, *c, full, into, depth + 1);
    const ast::Modification* a = library.content(c->annotation, *c->source);
    if (!c->partial && find_argument(a, "experiment")) into.push_back(full);
  }
}

}  // namespace

std::vector<std::string> find_examples(Library& library, const std::string& package_name) {
  base::Diagnostics diagnostics;
  Context context(library, diagnostics);
  std::vector<std::string> names;
  guarded(context, [&] {
    ClassInst* package = find_class(context, package_name);
    add_examples(library, *package->def, package->path(), names, 0);
  });
  if (names.empty()) diagnostics.check();
  return names;
}

std::string CheckResult::summary() const {
  if (!ok) return fmt::format("{} has errors\n", name);
  const auto counted = [](auto n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  std::string text =
      fmt::format("{}: {}, {}, {} ({} structural): {}\n", name, counted(unknowns, "unknown"),
                  counted(equations, "equation"), counted(parameters, "parameter"), structural,
                  unknowns == equations ? "balanced" : "not balanced");
  for (const Blame& b : blame)
    text += fmt::format("  {} of class {}: {}, {}: {} {}\n",
                        b.component.empty() ? "the model itself" : base::quoted(b.component),
                        base::quoted(b.class_name), counted(b.unknowns, "unknown"),
                        counted(b.equations, "equation"), std::abs(b.unknowns - b.equations),
                        b.unknowns > b.equations ? "too few" : "too many");
  return text;
}

std::string CheckResult::str() const {
  std::string text;
  for (const base::Diagnostic& d : diagnostics.list()) text += d.str() + "\n";
  return text + summary();
}

}  // namespace couplet::modelica
