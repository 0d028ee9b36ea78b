// The list of rules, in the order in which people see it. A new one is a file in rules/ with its
// entry, and its name here; the command line, the documentation and the conformance tests then
// include it.
#include <fmt/format.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {

template <class... Names>
struct List {
  static std::vector<RuleEntry> make() { return {rule_entry<Names>()...}; }
};

using Rules = List<                //
    struct Dopri5Rule,             //
    struct AutoRule,               //
    struct Dop853Rule,             //
    struct Rkf45Rule,              //
    struct Bs32Rule,               //
    struct GbsRule,                //
    struct AbmRule,                //
    struct Hem5Rule,               //
    struct MexxRule,               //
    struct CvodeAdamsRule,         //
    struct CvodeBdfRule,           //
    struct IdaRule,                //
    struct Radau5Rule,             //
    struct GeneralisedAlphaRule,   //
    struct Rk4Rule,                //
    struct EulerRule,              //
    struct HalfExplicitEulerRule,  //
    struct VerletRule,             //
    struct VelocityVerletRule,     //
    struct Lobatto2Rule,           //
    struct Lobatto4Rule>;

namespace {

// The house's own, then those of whoever uses the library.
std::vector<RuleEntry>& list() {
  static std::vector<RuleEntry> all = Rules::make();
  return all;
}

}  // namespace

std::span<const RuleEntry> rules() { return list(); }

void add_rule(const RuleEntry& entry) {
  for (const RuleEntry& each : list())
    if (std::string_view(each.name) == entry.name)
      throw base::UserError({}, fmt::format("there is a rule {} already", base::quoted(entry.name)),
                            "give it another name");
  list().push_back(entry);
}

const RuleEntry& check_rule(std::string_view name) {
  std::vector<std::string> names;
  for (const RuleEntry& entry : list()) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  throw base::UserError({}, fmt::format("there is no integrator {}", base::quoted(name)),
                        base::suggest(name, names));
}

std::unique_ptr<Rule> make_rule(const RuleEntry& entry, Problem& problem,
                                const Tolerance& tolerance) {
  if (entry.asks == Asks::both && problem.layout().nv == 0)
    throw base::UserError(
        {},
        fmt::format("integrator {} needs positions and velocities, and this model has none",
                    base::quoted(entry.name)),
        "use dopri5 or cvode-bdf");
  return entry.make(problem, tolerance);
}

}  // namespace couplet::integrate
