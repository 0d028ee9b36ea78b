// What a name means in a scope. [Modelica 3.6, sections 5.3 and 13.2.1]
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/instantiate/context.hpp"

namespace couplet::modelica {
namespace {

Entry* make_entry(Context& context, ClassInst* owner, const ast::Element* element) {
  if (!element) return nullptr;
  Entry entry;
  entry.name = element->class_def->name;
  entry.element = element;
  entry.owner = owner;
  context.entries.push_back(entry);
  return owner->index[entry.name] = &context.entries.back();
}

// Classes in files of their own are part of their package, but found only when asked for.
Entry* find_in_files(Context& context, ClassInst* c, Symbol name) {
  if (!c->def) return make_entry(context, c, context.library.find_top(name));
  if (c->def->kind != ast::ClassKind::package) return nullptr;
  if (Entry* found = make_entry(context, c, context.library.find_stored(*c->def, name)))
    return found;
  for (ClassInst* base : c->bases)
    if (Entry* found = find_in_files(context, base, name)) return found;
  return nullptr;
}

Entry* find_from_top(Context& context, Slice<ast::RefPart> parts) {
  Entry* entry = find_element(context, context.top, parts[0].name);
  for (uint32_t i = 1; entry && i < parts.size(); ++i)
    entry = entry->is_class() ? find_element(context, class_of(context, entry), parts[i].name)
                              : nullptr;
  return entry;
}

Entry* find_in_package(Context& context, Slice<ast::RefPart> package, Symbol name) {
  Entry* entry = find_from_top(context, package);
  if (!entry || !entry->is_class()) return nullptr;
  return find_element(context, class_of(context, entry), name);
}

// Two imports give one name two meanings.
void check_imported(Context& context, const ClassInst* c, Symbol name) {
  const ast::Import* first = nullptr;
  for (const ast::Element* e : c->def->elements) {
    if (e->kind != ast::ElementKind::import_ || e->import.all || !e->import.several.empty())
      continue;
    const ast::Import& i = e->import;
    if ((i.alias.empty() ? i.name.parts.back().name : i.alias) != name) continue;
    if (first && ast::to_string(i.name) != ast::to_string(first->name))
      context.error(
          c, i.name.range,
          fmt::format("{} is imported twice, from {} and from {}", base::quoted(name.text()),
                      ast::to_string(first->name), ast::to_string(i.name)),
          "give one of the two another name: import N = A.B");
    first = &i;
  }
}

Entry* find_import(Context& context, ClassInst* c, Symbol name) {
  const auto known = c->imports.find(name);
  if (known != c->imports.end()) return known->second;
  c->imports[name] = nullptr;  // an import that needs itself finds nothing
  check_imported(context, c, name);
  Entry* found = nullptr;
  for (const ast::Element* e : c->def->elements) {
    if (e->kind != ast::ElementKind::import_ || e->import.all) continue;
    const ast::Import& i = e->import;
    const Symbol last = i.name.parts.back().name;
    const bool named = i.alias.empty() ? last == name : i.alias == name;
    if (i.several.empty()) {
      if (named) found = find_from_top(context, i.name.parts);
      if (named && !found)
        context.fail(c, i.name.range,
                     fmt::format("there is no {} to import", base::quoted(ast::to_string(i.name))),
                     "is its library on MODELICAPATH?");
    } else {
      bool listed = false;
      for (const Symbol one : i.several) listed = listed || one == name;
      if (listed) found = find_in_package(context, i.name.parts, name);
    }
    if (found && found->element->prefixes.is_protected && !(*c->def->source->path).empty())
      context.error(
          c, i.name.range,
          fmt::format("{} is protected and cannot be imported", base::quoted(name.text())),
          "make it public, or use something public");
    if (found) break;
  }
  const bool by_name = found != nullptr;
  for (const ast::Element* e : c->def->elements) {  // import A.*: only when nothing says it by name
    if (e->kind != ast::ElementKind::import_ || !e->import.all) continue;
    if (found && by_name) break;
    Entry* other = find_in_package(context, e->import.name.parts, name);
    if (other && other->element->prefixes.is_protected) other = nullptr;
    if (found && other && other->element != found->element)
      context.error(c, e->import.name.range,
                    fmt::format("{} is in several packages that are imported whole",
                                base::quoted(name.text())),
                    "import it by its name");
    if (!found) found = other;
  }
  return c->imports[name] = found;
}

}  // namespace

bool is_stored(Context& context, const ClassInst* package, Symbol name) {
  return package->def->kind == ast::ClassKind::package &&
         context.library.find_stored(*package->def, name);
}

Entry* find_element(Context& context, ClassInst* c, Symbol name) {
  if (c->state == ClassInst::State::fresh) expand(context, c);
  const auto found = c->index.find(name);
  if (found != c->index.end()) return found->second;
  if (Entry* entry = find_in_files(context, c, name)) return entry;
  if (c->state != ClassInst::State::expanding) return nullptr;
  // Still being built: what is written in its own text, and what the bases so far offer.
  if (Entry* own = find_own(context, c, name)) return own;
  for (ClassInst* base : c->bases)
    if (Entry* entry = find_element(context, base, name)) return entry;
  return nullptr;
}

Entry* find_name(Context& context, ClassInst* scope, Symbol name) {
  for (ClassInst* c = scope; c; c = c->parent) {
    if (Entry* entry = find_element(context, c, name)) return entry;
    if (c->def)
      if (Entry* entry = find_import(context, c, name)) return entry;
    if (c->def && c->def->encapsulated) {
      // Out of an encapsulated class only the predefined types are seen.
      const auto found = context.top->index.find(name);  // they are there from the beginning
      const bool predefined =
          found != context.top->index.end() && found->second->element &&
          *found->second->element->class_def->source->path == "predefined types";
      return predefined ? found->second : nullptr;
    }
  }
  return nullptr;
}

Entry* find_path(Context& context, ClassInst* scope, const ast::Name& name) {
  if (name.global) return find_from_top(context, name.parts);
  Entry* entry = find_name(context, scope, name.parts[0].name);
  for (uint32_t i = 1; entry && i < name.parts.size(); ++i) {
    ClassInst* inside = entry->is_class() ? class_of(context, entry)
                                          : component_of(context, entry)->resolve()->type;
    entry = inside ? find_element(context, inside, name.parts[i].name) : nullptr;
  }
  return entry;
}

void fail_unknown(Context& context, ClassInst* scope, ClassInst* searched, Symbol name,
                  Range range) {
  std::vector<std::string> candidates;
  for (ClassInst* c = searched ? searched : scope; c; c = searched ? nullptr : c->parent) {
    for (const Entry* e : c->elements) candidates.push_back(e->name.text());
    if (c->def)
      for (const Symbol s : context.library.class_names(*c->def)) candidates.push_back(s.text());
    else
      for (const std::string& s : context.library.top_names()) candidates.push_back(s);
  }
  const auto nearest = base::find_nearest(name.text(), candidates);
  const std::string where =
      searched && searched->def ? fmt::format(" in {}", base::quoted(searched->path())) : "";
  context.fail(scope, range, fmt::format("there is no {}{}", base::quoted(name.text()), where),
               nearest ? fmt::format("did you mean {}?", base::quoted(*nearest))
                       : "declare it, import it, or add its library to MODELICAPATH");
}

void check_public(Context& context, const ClassInst* scope, const Component* c, const Entry* entry,
                  Range range) {
  if (!entry || entry->is_class() || !entry->is_protected()) return;
  if (entry->component && entry->component->grown) return;
  context.fail(scope, range,
               fmt::format("{} is protected in {}: only the class itself can use it",
                           base::quoted(entry->name.text()), base::quoted(c->type->path())),
               "make it public, or let the class offer what you need");
}

// Protected classes are seen from the class that declares them, and from what is inside of it.
static void check_visible(Context& context, const ClassInst* scope, const Entry& entry,
                          Range range) {
  if (!entry.element->prefixes.is_protected) return;
  for (const ClassInst* c = scope; c; c = c->parent) {
    if (c->def == entry.owner->def) return;
    for (const ClassInst* b = c; b; b = b->derived)
      if (b->def == entry.owner->def) return;
  }
  context.error(scope, range,
                fmt::format("class {} is protected in {}", base::quoted(entry.name.text()),
                            base::quoted(entry.owner->path())),
                "make it public, or use it in the class that declares it");
}

ClassInst* lookup_class(Context& context, ClassInst* scope, const ast::Name& name, bool to_call) {
  ClassInst* inside = name.global ? context.top : nullptr;
  for (const ast::RefPart& part : name.parts) {
    Entry* entry =
        inside ? find_element(context, inside, part.name) : find_name(context, scope, part.name);
    if (!entry) fail_unknown(context, scope, inside, part.name, part.range);
    if (inside && entry->is_class()) check_visible(context, scope, *entry, part.range);
    if (!entry->is_class()) {
      if (&part != name.parts.end() - 1) {  // a function of a component: world.gravityAcceleration
        const Component* component = component_of(context, entry)->resolve();
        if (!to_call || component->is_array_of_classes())
          context.fail(scope, name.range,
                       fmt::format("{} is {} component: no class is found through it",
                                   base::quoted(part.name.text()), to_call ? "an array as a" : "a"),
                       "name the class where it is declared");
        inside = component->type;
        if (inside) continue;
      }
      context.fail(scope, name.range,
                   fmt::format("{} is a component, and a class is needed here",
                               base::quoted(part.name.text())));
    }
    inside = class_of(context, entry);
  }
  return inside;
}

Entry* find_qualified(Context& context, const std::string& path) {
  Entry* entry = nullptr;
  for (size_t begin = 0; begin <= path.size();) {
    size_t dot = begin;  // the next one outside of quotes
    for (bool quoted = false; dot < path.size() && (quoted || path[dot] != '.'); ++dot) {
      if (path[dot] == '\'') quoted = !quoted;
      if (path[dot] == '\\') ++dot;
    }
    dot = std::min(dot, path.size());
    const Symbol name(path.substr(begin, dot - begin));
    ClassInst* inside = !entry              ? context.top
                        : entry->is_class() ? class_of(context, entry)
                                            : nullptr;
    entry = inside && !name.empty() ? find_element(context, inside, name) : nullptr;
    if (!entry) return nullptr;
    begin = dot + 1;
  }
  return entry;
}

}  // namespace couplet::modelica
