#include "couplet/symbolic/external.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::symbolic {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, ExternalFunction, std::less<>> functions;  // never removed: addresses stay
};

Registry& registry() {
  static auto* all = new Registry;  // outlives every static Expr
  return *all;
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) || c == '_'; };
  return !name.empty() && is_letter(static_cast<unsigned char>(name[0])) &&
         std::ranges::all_of(name,
                             [&](unsigned char c) { return is_letter(c) || std::isdigit(c); });
}

}  // namespace

bool try_add_external(ExternalFunction function) {
  base::ensure(function.arity == 1 || function.arity == 2,
               "external functions take 1 or 2 numbers");
  base::ensure(function.value && function.partial, "an external function has value and derivative");
  if (!is_identifier(function.name))
    throw base::UserError({}, fmt::format("{} cannot name a function", base::quoted(function.name)),
                          "use letters, digits and _, and no digit first");
  if (find_function(function.name)) return false;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::string name = function.name;
  return all.functions.emplace(std::move(name), std::move(function)).second;
}

void add_external(ExternalFunction function) {
  const std::string name = function.name;
  if (!try_add_external(std::move(function)))
    throw base::UserError({}, fmt::format("there is a function {} already", base::quoted(name)),
                          "give it another name");
}

const ExternalFunction* find_external(std::string_view name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.functions.find(name);
  return found == all.functions.end() ? nullptr : &found->second;
}

std::vector<std::string> external_names() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const auto& [name, function] : all.functions)
    if (!function.table) names.push_back(name);
  return names;
}

// The function is the third "argument", behind those that the arity counts: it takes part in the
// identity of the node, and nothing that walks over arguments sees it.
Expr call(const ExternalFunction& function, const Expr& a, const Expr& b) {
  const bool is_folded = a.is_constant() && (function.arity == 1 || b.is_constant());
  if (is_folded) return function.value(a.value(), function.arity == 2 ? b.value() : 0);
  static_assert(static_cast<int>(Op::call2) == static_cast<int>(Op::call1) + 1);
  const Expr name = Expr::symbol(function.name);
  return function.arity == 1 ? Expr::raw(Op::call1, a, 0, name) : Expr::raw(Op::call2, a, b, name);
}

const ExternalFunction& function_of(const Node* node) {
  base::ensure(node->op == Op::call1 || node->op == Op::call2, "only calls have a function");
  const ExternalFunction* function = find_external(*node->args[2]->name);
  base::ensure(function != nullptr, "a function that is called has been added");
  return *function;
}

}  // namespace couplet::symbolic
