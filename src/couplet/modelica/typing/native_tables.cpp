// The table functions of the Modelica Standard Library, by their C names, on values of translation.
#include <fmt/format.h>

#include "couplet/modelica/tables/table.hpp"
#include "couplet/modelica/typing/native.hpp"

namespace couplet::modelica {
namespace {

using namespace tables;
using Args = std::vector<Value>;

Matrix matrix_of(const Value& v) {
  Matrix m;
  m.rows = v.items.size();
  for (const Value& row : v.items) {
    m.columns = row.items.size();
    for (const Value& x : row.items) m.values.push_back(x.number);
  }
  if (m.values.size() != m.rows * m.columns) throw CannotEvaluate{"a table is not rectangular"};
  return m;
}

std::vector<int> integers_of(const Value& v) {
  std::vector<int> all;
  for (const Value& i : v.items) all.push_back(to_int(i.number));
  return all;
}

// Enumerations of the library, whose literals count from 1.
template <class E>
E enumeration_of(const Value& v, E last) {
  if (!(v.number >= 1 && v.number <= static_cast<int>(last) + 1))
    throw CannotEvaluate{fmt::format("{} is no literal of its enumeration", v.number)};
  return static_cast<E>(static_cast<int>(v.number) - 1);
}
Smoothness smoothness_of(const Value& v) { return enumeration_of(v, Smoothness::modified); }
Extrapolation extrapolation_of(const Value& v) { return enumeration_of(v, Extrapolation::none); }

// All constructors start with file, name, matrix and end with delimiter, header lines.
Matrix source_matrix(const Args& a, size_t delimiter) {
  TableSource source{a[0].text, a[1].text};
  if (a.size() > delimiter + 1) {
    source.delimiter = a[delimiter].text;
    source.header_lines = to_int(a[delimiter + 1].number);
  }
  return names_file(source) ? read_table(source) : matrix_of(a[2]);
}

template <class Table>
Value object(Table table) {
  Value v;
  v.kind = Value::Kind::object;
  v.object = std::make_shared<const AnyTable>(AnyTable{std::move(table)});
  return v;
}

template <class Table>
const Table& table_of(const Args& a) {
  const Table* table = a[0].object ? std::get_if<Table>(&a[0].object->table) : nullptr;
  if (!table) throw CannotEvaluate{"this table does not exist at translation"};
  return *table;
}

int function_of(const Args& a) { return to_int(a[1].number); }

Sample sample1(const Args& a) { return table_of<Table1D>(a).at(a[2].number, function_of(a)); }

// At an event that is not handled yet the next event is not after t.
Sample sample_time(const Args& a) {
  return table_of<TimeTable>(a).at(a[2].number, function_of(a), a[2].number >= a[3].number);
}
Sample2D sample2(const Args& a) { return table_of<Table2D>(a).at(a[1].number, a[2].number); }

Value pair(double x, double y) { return Value::array({Value::real(x), Value::real(y)}); }

Value make_1d(const Args& a) {
  return object(Table1D(source_matrix(a, 10), integers_of(a[5]), smoothness_of(a[7]),
                        extrapolation_of(a[8])));
}
Value make_2d(const Args& a) {
  return object(Table2D(source_matrix(a, 8), smoothness_of(a[5]), extrapolation_of(a[6])));
}
Value make_time(const Args& a) {
  const TimeTable::Options options{a[5].number, a[10].number,
                                   enumeration_of(a[11], TimeEvents::none)};
  return object(TimeTable(source_matrix(a, 13), integers_of(a[6]), smoothness_of(a[8]),
                          extrapolation_of(a[9]), options));
}

constexpr Native functions[] = {
    {"CombiTable1D_init2", 10, make_1d},
    {"CombiTable1D_init3", 12, make_1d},
    {"CombiTable1D_getValue", 3, [](const Args& a) { return Value::real(sample1(a).value); }},
    {"CombiTable1D_getDerValue", 4,
     [](const Args& a) { return Value::real(sample1(a).slope * a[3].number); }},
    {"CombiTable1D_getDer2Value", 5,
     [](const Args& a) {
       const Sample s = sample1(a);
       return Value::real(s.curvature * a[3].number * a[3].number + s.slope * a[4].number);
     }},
    {"CombiTable1D_minimumAbscissa", 1,
     [](const Args& a) { return Value::real(table_of<Table1D>(a).axis().lowest()); }},
    {"CombiTable1D_maximumAbscissa", 1,
     [](const Args& a) { return Value::real(table_of<Table1D>(a).axis().highest()); }},
    {"CombiTable2D_init2", 8, make_2d},
    {"CombiTable2D_init3", 10, make_2d},
    {"CombiTable2D_getValue", 3, [](const Args& a) { return Value::real(sample2(a).value); }},
    {"CombiTable2D_getDerValue", 5,
     [](const Args& a) {
       const Sample2D s = sample2(a);
       return Value::real(s.d1 * a[3].number + s.d2 * a[4].number);
     }},
    {"CombiTable2D_getDer2Value", 7,
     [](const Args& a) {
       const Sample2D s = sample2(a);
       const double v1 = a[3].number, v2 = a[4].number;
       return Value::real(s.d11 * v1 * v1 + 2 * s.d12 * v1 * v2 + s.d22 * v2 * v2 +
                          s.d1 * a[5].number + s.d2 * a[6].number);
     }},
    {"CombiTable2D_minimumAbscissa", 2,
     [](const Args& a) {
       const auto& t = table_of<Table2D>(a);
       return pair(t.axis1().lowest(), t.axis2().lowest());
     }},
    {"CombiTable2D_maximumAbscissa", 2,
     [](const Args& a) {
       const auto& t = table_of<Table2D>(a);
       return pair(t.axis1().highest(), t.axis2().highest());
     }},
    {"CombiTimeTable_init3", 15, make_time},
    {"CombiTimeTable_getValue", 5, [](const Args& a) { return Value::real(sample_time(a).value); }},
    {"CombiTimeTable_getDerValue", 6,
     [](const Args& a) { return Value::real(sample_time(a).slope * a[5].number); }},
    {"CombiTimeTable_getDer2Value", 7,
     [](const Args& a) {
       const Sample s = sample_time(a);
       return Value::real(s.curvature * a[5].number * a[5].number + s.slope * a[6].number);
     }},
    {"CombiTimeTable_minimumTime", 1,
     [](const Args& a) { return Value::real(table_of<TimeTable>(a).lowest()); }},
    {"CombiTimeTable_maximumTime", 1,
     [](const Args& a) { return Value::real(table_of<TimeTable>(a).highest()); }},
    {"CombiTimeTable_nextTimeEvent", 2,
     [](const Args& a) { return Value::real(table_of<TimeTable>(a).next_event(a[1].number)); }},
};

}  // namespace

const Native* find_table_function(std::string_view name) {
  constexpr std::string_view prefix = "ModelicaStandardTables_";
  if (!name.starts_with(prefix)) return nullptr;
  name.remove_prefix(prefix.size());
  for (const Native& n : functions)
    if (n.name == name) return &n;
  return nullptr;
}

}  // namespace couplet::modelica
