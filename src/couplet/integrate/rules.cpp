// The list of rules. A new one is a file in rules/ with its make function, declared and listed
// here; the command line, the documentation and the conformance tests then include it.
#include <fmt/format.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/integrate/implicit.hpp"
#include "couplet/integrate/rules/runge_kutta.hpp"

namespace couplet::integrate {

using Made = std::unique_ptr<Rule>;
Made make_verlet(Problem&, const Tolerance&);
Made make_velocity_verlet(Problem&, const Tolerance&);
Made make_lobatto_2(Problem&, const Tolerance&);
Made make_lobatto_4(Problem&, const Tolerance&);
Made make_adams(Problem&, const Tolerance&);
Made make_auto(Problem&, const Tolerance&);
Made make_gbs(Problem&, const Tolerance&);
Made make_half_explicit_euler(Problem&, const Tolerance&);
Made make_mexx(Problem&, const Tolerance&);
Made make_bogacki_shampine(Problem&, const Tolerance&);
Made make_cvode_adams(Problem&, const Tolerance&);
Made make_cvode_bdf(Problem&, const Tolerance&);

namespace {

template <const Tableau& tableau>
Made make_runge_kutta(Problem& problem, const Tolerance& tolerance) {
  return std::make_unique<RungeKutta>(problem, tolerance, tableau);
}

template <Made (*make)(Problem&, const Tolerance&, const ImplicitOptions&)>
Made make_implicit(Problem& problem, const Tolerance& tolerance) {
  return make(problem, tolerance, {});
}

using enum StepControl;
using enum Asks;
constexpr RuleEntry entries[] = {
    // name, what it is, order, order of the error estimate, control, share of a step, what it asks
    // for, maker, finest tolerance, reach of stability
    {"dopri5", "Dormand-Prince 5(4): the default", 5, 5, error, 0.03, rates,
     make_runge_kutta<dormand_prince_5>, 1e-14, 3.3},
    {"auto", "dopri5 while the problem is not stiff, radau5 while it is", 5, 5, error, 0.03,
     residuals, make_auto},
    {"dop853", "Dormand-Prince 8(5,3): smooth problems, tight tolerances", 8, 8, error, 0.03, rates,
     make_runge_kutta<dormand_prince_8>, 1e-14, 6.1},
    {"rkf45", "Fehlberg 4(5), carrying on the solution of order 5", 5, 5, error, 0.008, rates,
     make_runge_kutta<fehlberg>, 1e-14, 3.7},
    {"bs32", "Bogacki-Shampine 3(2): loose tolerances, rough forces", 3, 3, error, 0.015, rates,
     make_bogacki_shampine, 1e-14, 2.5},
    {"gbs", "Gragg-Bulirsch-Stoer extrapolation, variable order (8 at a fixed step)", 8, 8, error,
     0.003, rates, make_gbs, 1e-13, 3},
    {"abm", "Adams-Bashforth-Moulton predictor-corrector", 5, 5, error, 0.03, rates, make_adams,
     1e-13, 1},
    {"hem5", "half-explicit Dormand-Prince 5(4) (Murua's PHEM56): constrained systems, index 2", 5,
     5, error, 0.03, stages, make_runge_kutta<half_explicit_5>, 1e-14, 3.3},
    {"mexx",
     "extrapolated half-explicit Euler, variable order (5 at a fixed step): constrained systems, "
     "index 2",
     5, 5, error, 0.03, stages, make_mexx, 1e-13, 3},
    {"cvode-adams", "SUNDIALS CVODE, Adams, variable order: expensive accelerations", 12, 0, own,
     0.03, rates, make_cvode_adams, 1e-14, 1},
    {"cvode-bdf", "SUNDIALS CVODE, BDF, variable order: stiff systems", 5, 0, own, 0.03, rates,
     make_cvode_bdf},
    {"ida", "SUNDIALS IDA, BDF on the stabilised index-2 form: stiff and constrained systems", 5, 0,
     own, 0.01, residuals, make_implicit<make_ida>},
    {"radau5",
     "Radau IIA on the stabilised index-2 form: stiff and constrained systems, tight tolerances", 5,
     4, error, 0.1, residuals, make_implicit<make_radau5>},
    {"generalised-alpha",
     "Brüls, Cardona and Arnold's, index 3, with variable steps 2: stiff and constrained systems, "
     "damped high frequencies",
     2, 3, error, 0.1, residuals, make_implicit<make_generalised_alpha>},
    {"rk4", "classical Runge-Kutta", 4, 0, fixed, 0, rates, make_runge_kutta<classical_rk4>},
    {"euler", "forward Euler: to show why not", 1, 0, fixed, 0, rates, make_runge_kutta<euler>},
    {"half-explicit-euler", "half-explicit Euler, index 2 (Arnold 1998)", 1, 0, fixed, 0, stages,
     make_half_explicit_euler},
    {"verlet", "Verlet, drift-kick-drift", 2, 0, fixed, 0, both, make_verlet},
    {"velocity-verlet", "Verlet, kick-drift-kick", 2, 0, fixed, 0, both, make_velocity_verlet},
    {"lobatto2", "Lobatto IIIA-IIIB, two stages, implicit, symmetric", 2, 0, fixed, 0, both,
     make_lobatto_2},
    {"lobatto4", "Lobatto IIIA-IIIB, three stages, implicit, symmetric", 4, 0, fixed, 0, both,
     make_lobatto_4},
};

}  // namespace

namespace {

// The house's own, then those of whoever uses the library.
std::vector<RuleEntry>& list() {
  static std::vector<RuleEntry> all(std::begin(entries), std::end(entries));
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
