#include "couplet/modelica/lower/natives.hpp"

#include <fmt/format.h>

#include "couplet/modelica/tables/table.hpp"
#include "couplet/symbolic/external.hpp"

namespace couplet::modelica::lower {
namespace {

using symbolic::ExternalFunction;
using tables::AnyTable;
using Object = std::shared_ptr<const AnyTable>;

// Kept for the life of the process, once for each table.
const ExternalFunction& function(
    const std::string& name, int arity, const std::function<double(double, double)>& value,
    const std::function<Expr(const Expr&, const Expr&, int)>& partial) {
  if (const ExternalFunction* known = symbolic::find_external(name)) return *known;
  ExternalFunction f;
  f.name = name;
  f.arity = arity;
  f.value = value;
  f.partial = partial;
  symbolic::add_external(f);
  return *symbolic::find_external(name);
}

std::string name_of(const char* kind, const Object& o, int column, int order) {
  // The address is the table's own: the function keeps the table alive.
  return fmt::format("modelica_{}_{:x}_{}_{}", kind, reinterpret_cast<std::uintptr_t>(o.get()),
                     column, order);
}

Expr table1(const Object& o, int column, const Expr& u, int order) {
  const auto& f = function(
      name_of("table1", o, column, order), 1,
      [o, column, order](double x, double) {
        const tables::Sample s = std::get<tables::Table1D>(o->table).at(x, column);
        return order == 0 ? s.value : order == 1 ? s.slope : s.curvature;
      },
      [o, column, order](const Expr& a, const Expr&, int) {
        return order < 2 ? table1(o, column, a, order + 1) : Expr(0);
      });
  return symbolic::call(f, u);
}

Expr table_time(const Object& o, int column, const Expr& t, const Expr& next, int order) {
  const auto& f = function(
      name_of("time", o, column, order), 2,
      [o, column, order](double x, double n) {
        const tables::Sample s = std::get<tables::TimeTable>(o->table).at(x, column, x >= n);
        return order == 0 ? s.value : order == 1 ? s.slope : s.curvature;
      },
      [o, column, order](const Expr& a, const Expr& b, int k) {
        return k == 0 && order < 2 ? table_time(o, column, a, b, order + 1) : Expr(0);
      });
  return symbolic::call(f, t, next);
}

Expr next_event(const Object& o, const Expr& t) {
  const auto& f = function(
      name_of("next", o, 0, 0), 1,
      [o](double x, double) { return std::get<tables::TimeTable>(o->table).next_event(x); },
      [](const Expr&, const Expr&, int) { return Expr(0); });
  return symbolic::call(f, t);
}

// Which derivative: 0 to 2 along the first argument, 3 to 5: ∂2, ∂12, ∂22.
Expr table2(const Object& o, const Expr& u, const Expr& v, int which) {
  const auto& f = function(
      name_of("table2", o, 0, which), 2,
      [o, which](double x, double y) {
        const tables::Sample2D s = std::get<tables::Table2D>(o->table).at(x, y);
        const double all[] = {s.value, s.d1, s.d11, s.d2, s.d12, s.d22};
        return all[which];
      },
      [o, which](const Expr& a, const Expr& b, int k) -> Expr {
        constexpr int next[][2] = {{1, 3}, {2, 4}, {-1, -1}, {4, 5}, {-1, -1}, {-1, -1}};
        const int n = next[which][k];
        return n < 0 ? Expr(0) : table2(o, a, b, n);
      });
  return symbolic::call(f, u, v);
}

}  // namespace

std::optional<Val> call_table(const std::string& name, const std::vector<Val>& a) {
  const std::string prefix = "ModelicaStandardTables_";
  if (!name.starts_with(prefix) || a.empty() || !a[0].object) return {};
  const std::string what = name.substr(prefix.size());
  const Object& o = a[0].object;
  const auto column = [&]() -> int {
    if (!a[1].e.is_constant())
      throw Refused{"a column of a table that changes during the simulation", {}};
    return static_cast<int>(a[1].e.value());
  };
  if (std::holds_alternative<tables::Table1D>(o->table)) {
    if (what == "CombiTable1D_getValue") return table1(o, column(), a[2].e, 0);
    if (what == "CombiTable1D_getDerValue") return table1(o, column(), a[2].e, 1) * a[3].e;
    if (what == "CombiTable1D_getDer2Value")
      return table1(o, column(), a[2].e, 2) * a[3].e * a[3].e +
             table1(o, column(), a[2].e, 1) * a[4].e;
  }
  if (std::holds_alternative<tables::TimeTable>(o->table)) {
    if (what == "CombiTimeTable_getValue") return table_time(o, column(), a[2].e, a[3].e, 0);
    if (what == "CombiTimeTable_getDerValue")
      return table_time(o, column(), a[2].e, a[3].e, 1) * a[5].e;
    if (what == "CombiTimeTable_nextTimeEvent") return next_event(o, a[1].e);
  }
  if (std::holds_alternative<tables::Table2D>(o->table)) {
    if (what == "CombiTable2D_getValue") return table2(o, a[1].e, a[2].e, 0);
    if (what == "CombiTable2D_getDerValue")
      return table2(o, a[1].e, a[2].e, 1) * a[3].e + table2(o, a[1].e, a[2].e, 3) * a[4].e;
  }
  return {};
}

}  // namespace couplet::modelica::lower
