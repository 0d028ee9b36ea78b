// Records that one call makes stay records in the flat text, R v = f(x), so that f is called once
// and not once per field. All others are written as their fields.
#include <fmt/format.h>

#include "couplet/modelica/flatten/printer.hpp"

namespace couplet::modelica {
namespace {

// The outermost record whose value gives that of the variable, as a field of a field of it.
const Component* find_record(const FlatVariable& v) {
  const Component* record = nullptr;
  const Component* c = v.component;
  for (const Exp* e = v.binding; e && e->kind == ExpKind::field && c->parent;) {
    if (!c->index.empty()) break;  // modifications do not reach elements of arrays
    e = e->args[0];
    c = c->parent;
    if (c->binding_done && c->binding == e) record = c;
  }
  return record;
}

// Whether the function says the sizes that the record has here.
bool same_sizes(const RecordType& here, const RecordType& value) {
  for (uint32_t i = 0; i < here.fields.size(); ++i) {
    const Type &a = here.fields[i].type, &b = value.fields[i].type;
    for (uint32_t d = 0; d < a.rank(); ++d)
      if (a.dims[d] == 0 || d >= b.rank() || a.dims[d] != b.dims[d]) return false;
    if (a.record && (!b.record || !same_sizes(*a.record, *b.record))) return false;
  }
  return true;
}

}  // namespace

void FlatPrinter::keep_records(const FlatModel& model) {
  std::unordered_map<const Component*, bool> whole;  // all that is in it comes from its value
  for (const FlatVariable& v : model.variables)
    if (const Component* record = find_record(v)) whole.emplace(record, true);
  if (whole.empty()) return;
  for (const FlatVariable& v : model.variables) {
    const Component* own = find_record(v);
    for (const Component* c = v.component->parent; c; c = c->parent) {
      const auto found = whole.find(c);
      if (found == whole.end()) continue;
      const bool alike =
          v.component->variability == c->variability && v.direction == ast::Direction::none;
      if (c != own || !alike) found->second = false;
    }
  }
  for (const auto& [c, all] : whole) {
    // Sizes of parameters follow from their value, which translation can find again.
    const bool sized = c->variability <= ast::Variability::parameter ||
                       same_sizes(*record_type(context_, c->type), *c->binding->type.record);
    if (all && sized) kept_.insert(c);
  }
}

const Component* FlatPrinter::find_kept(const Component* c) const {
  if (kept_.empty()) return nullptr;
  while (c && !kept_.count(c)) c = c->parent;
  return c;
}

std::string FlatPrinter::name_of(const Component* c) const {
  const Component* record = find_kept(c);
  if (!record) return identifier(c->path());
  std::string fields;
  for (; c != record; c = c->parent) fields.insert(0, "." + c->name.text());
  return identifier(record->path()) + fields;
}

}  // namespace couplet::modelica
