#include "couplet/modelica/flatten/passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/equations.hpp"
#include "couplet/modelica/flatten/streams.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

void instantiate_model(Translation& t) {
  t.model.name = t.class_inst->path();
  instantiate_all(t.context, make_model(t.context, t.class_inst));
}

void collect(Translation& t) { t.connections = collect_connections(t.context); }

// Members of buses appear because something connects to them, and bring connections of their own.
void grow_buses(Translation& t) {
  for (int round = 0; round < 100 && !t.context.diagnostics.has_errors(); ++round) {
    if (!grow_expandable(t.context, t.connections)) break;
    t.connections = collect_connections(t.context);
  }
  for (const Undeclared& u : t.connections.undeclared)
    t.context.error(u.scope, u.range,
                    fmt::format("neither side declares {}: nothing says what it is",
                                base::quoted(u.member.text())),
                    "declare it in one of the expandable connectors, or connect a component to it");
  remove_unused_members(t.context, t.connections);
}

void solve_connection_graph(Translation& t) { t.graph = solve_graph(t.context, t.connections); }

void type_equations(Translation& t) {
  t.context.connections = &t.graph;
  add_equations(t.context, t.model);
}

void join_connections(Translation& t) {
  t.streams = add_connection_equations(t.context, t.connections, t.model);
}

// Mistakes in functions are found even where no value is needed at translation.
void type_functions(Translation& t) {
  for (const FlatVariable& v : t.model.variables) {  // nobody calls a destructor by name
    if (v.type.base != Primitive::external_object) continue;
    for (Entry* e : v.type.enumeration->elements)
      if (e->is_class() && is_function(class_of(t.context, e)))
        function_of(t.context, class_of(t.context, e));
  }
  for (size_t i = 0; i < t.context.functions.size(); ++i) {  // typing one may add others
    try {
      type_body(t.context, t.context.functions[i]);
    } catch (const Fault&) {
      if (t.context.diagnostics.full()) throw;
    }
  }
}

constexpr bool needed = true, optional = false, ends_on_errors = true;

constexpr std::array list{
    Pass{{"instantiate", "components with their types, sizes and conditions", needed},
         instantiate_model,
         ends_on_errors},
    Pass{{"redeclarations", "replacements offer what they replace", optional},
         check_redeclarations},
    Pass{{"collect", "connect equations, with loops unrolled and conditions decided", needed},
         collect,
         ends_on_errors},
    Pass{{"buses", "members of expandable connectors", optional}, grow_buses, ends_on_errors},
    Pass{{"graph", "spanning tree of overconstrained connectors", optional},
         solve_connection_graph},
    Pass{{"equations", "equations and algorithms, typed, structural conditions decided", needed},
         type_equations},
    Pass{{"connections", "equations of connection sets, flow = 0 where nothing connects", optional},
         join_connections},
    Pass{{"variables", "variables with bindings and attributes", needed}, add_variables},
    Pass{{"streams", "inStream and actualStream from the connections, mixing equations", optional},
         join_streams},
    Pass{{"structural", "marks parameters whose values shaped the model", optional},
         mark_structural},
    Pass{{"cycles", "no parameter needs itself", optional}, check_cycles},
    Pass{{"variability", "nothing changes more often than its declaration says", optional},
         check_variability},
    Pass{{"units", "warnings where units on both sides are known and differ", optional},
         check_units},
    Pass{{"restrictions", "classes hold what their kind may hold", optional}, check_restrictions},
    Pass{{"functions", "bodies of all functions that are called", optional}, type_functions},
};

void check_names(const std::vector<std::string>& without) {
  base::Diagnostics diagnostics;
  std::vector<std::string> names;
  for (const Pass& p : list) names.emplace_back(p.info.name);
  for (const std::string& name : without) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      diagnostics.error({}, fmt::format("there is no pass {}", base::quoted(name)),
                        base::suggest(name, names));
    else if (list[static_cast<size_t>(found - names.begin())].info.needed)
      diagnostics.error({}, fmt::format("pass {} cannot be left out", base::quoted(name)),
                        "others build on it");
  }
  diagnostics.check();
}

// Of this thread: what other programs do meanwhile does not count.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

std::vector<PassInfo> list_passes() {
  std::vector<PassInfo> all;
  for (const Pass& p : list) all.push_back(p.info);
  return all;
}

FlatModel flatten(Context& context, ClassInst* c, const TranslateOptions& options) {
  check_names(options.without);
  Translation t{context, c};
  for (const Pass& p : list) {
    const std::string name(p.info.name);
    if (std::count(options.without.begin(), options.without.end(), name)) continue;
    const double start = cpu_seconds();
    p.run(t);
    if (options.times) options.times->push_back({name, cpu_seconds() - start});
    const bool failed = context.diagnostics.has_errors();
    if (failed && p.ends_on_errors) break;
    if (!failed) verify(t, p.info.name);
  }
  context.connections = nullptr;
  return std::move(t.model);
}

}  // namespace couplet::modelica
