// Tables: functions given by points, in the model or in a CSV file. Read before everything else, so
// that parameters may use them, too; their own values are numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/reader.hpp"
#include "couplet/results/csv_reader.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/op.hpp"
#include "couplet/symbolic/table.hpp"

namespace couplet::formats::yaml {
namespace {

using base::SourceLocation;
using math::Outside;
using math::SlopeRule;

constexpr double largest = 1e60;  // as of other numbers

/// Numbers with the place of each, in SI units.
struct Column {
  std::string name;  // "x", or as the file calls it
  SourceLocation where;
  std::vector<double> values;
  std::vector<SourceLocation> places;
};

const std::vector<std::string> interpolations{"linear", "cubic", "akima", "monotone"};
const std::vector<std::string> outsides{"refuse", "hold", "linear"};

class TableReader {
 public:
  TableReader(const Node& key, const Node& node, Part& part)
      : section_(node, "table " + base::quoted(part.full(key.text())),
                 {"description", "file", "x", "y", "z", "interpolation", "periodic", "outside"},
                 part.diagnostics()),
        key_(key),
        part_(part) {}

  void read() {
    if (!is_usable_name()) return;
    if (section_.node().is_mapping()) read_data();
    if (!is_published_) stand_in();
  }

 private:
  void read_data() {
    const std::string kind =
        choose("interpolation", interpolations).value_or(interpolations.front());
    const Node* periodic = section_.find("periodic");
    const bool is_periodic = periodic && read_flag(*periodic, part_.diagnostics()).value_or(false);
    const std::string beyond = choose("outside", outsides).value_or(outsides.front());
    if (is_periodic && section_.has("outside"))
      return error(section_.where("outside"), "a periodic table has no outside",
                   "leave out one of the two keys");
    const Outside outside = beyond == "hold"     ? Outside::held
                            : beyond == "linear" ? Outside::continued
                                                 : Outside::refused;
    if (section_.has("z")) {
      if (kind != "linear" || is_periodic || section_.has("file"))
        return error(section_.where("z"), "a table of x and y is linear, not periodic and no file",
                     "leave out interpolation, periodic and file, or give x and y only");
      return read_map(outside);
    }
    read_curve(kind, is_periodic, outside);
  }

  void error(const SourceLocation& where, const std::string& what, const std::string& fix) {
    part_.diagnostics().error(where, section_.title() + ": " + what, fix);
  }

  bool is_usable_name() {
    const std::string name = key_.name();
    const bool plain = symbolic::split_path(name).size() == 1 && name[0] != '\'';
    const bool taken = symbolic::find_function(name).has_value();
    if (!plain || taken)
      part_.diagnostics().error(
          key_.where,
          fmt::format("a table cannot be called {}: {}", base::quoted(name),
                      taken ? "there is a function of that name" : "expressions could not call it"),
          "use letters, digits and '_', and begin with a letter");
    return plain && !taken;
  }

  std::optional<std::string> choose(const char* key, const std::vector<std::string>& names) {
    const Node* node = section_.find(key);
    if (!node) return std::nullopt;
    const std::optional<std::string> text =
        find_text(*node, fmt::format("one of {}", fmt::join(names, ", ")), part_.diagnostics());
    if (!text) return std::nullopt;
    if (std::ranges::find(names, *text) != names.end()) return *text;
    error(node->where, fmt::format("{} cannot be {}", key, base::quoted(*text)),
          base::suggest(*text, names));
    return std::nullopt;
  }

  // ---- columns

  // [0, 1.5, 20 mm], or {unit: deg, values: [0, 90]}.
  std::optional<Column> read_column(const Node& node, const std::string& name) {
    if (!node.is_mapping()) return read_values(node, name, std::nullopt);
    const Section section(node, fmt::format("{} of {}", name, section_.title()), {"unit", "values"},
                          part_.diagnostics());
    const Node* values = section.require("values");
    const Node* unit = section.require("unit");
    if (!values || !unit) return std::nullopt;
    const std::optional<std::string> text = find_text(*unit, "a unit", part_.diagnostics());
    const std::optional<Unit> found = text ? find_column_unit(*text, unit->where) : std::nullopt;
    return found ? read_values(*values, name, found->scale) : std::nullopt;
  }

  std::optional<Unit> find_column_unit(const std::string& text, const SourceLocation& where) {
    UnitProblem problem;
    std::optional<Unit> unit = parse_unit(text, problem);
    if (!unit) error(where, problem.what, problem.fix);
    return unit;
  }

  std::optional<Column> read_values(const Node& node, const std::string& name,
                                    std::optional<double> scale) {
    if (!node.is_sequence()) {
      error(node.where,
            fmt::format("expected a list of numbers for {}, got {}", name, describe(node)),
            "write [0, 1.5, 20 mm], or {unit: mm, values: [0, 1.5]}");
      return std::nullopt;
    }
    Column column{name, node.where, {}, {}};
    for (const Node& item : node.items()) {
      const std::optional<double> value =
          scale ? plain_number(item, *scale) : part_.scope.number(item, kinds::any);
      if (!value) return std::nullopt;
      column.values.push_back(*value);
      column.places.push_back(item.where);
    }
    return column;
  }

  std::optional<double> plain_number(const Node& item, double scale) {
    const std::optional<double> value =
        item.is_scalar() ? base::parse_double(item.text()) : std::nullopt;
    if (!value)
      error(item.where, fmt::format("expected a number, got {}", describe(item)),
            "the unit of the column counts: write numbers only");
    return value ? std::optional(*value * scale) : std::nullopt;
  }

  // ---- files

  // x and y, from the columns of that name, or from the only two that there are.
  std::optional<std::array<Column, 2>> read_file(const Node& node) {
    const std::optional<std::string> name =
        find_text(node, "the name of a CSV file", part_.diagnostics());
    if (!name) return std::nullopt;
    const std::optional<std::string> found = find_file(*name, node.where, part_.reading);
    if (!found) return std::nullopt;
    const std::string& path = *found;
    results::Recording recording;
    std::vector<int> lines;
    try {
      check_text_file(path, node.where);
      recording = results::read_csv_table(path, lines);
      part_.reading.files.push_back(path);
    } catch (const base::UserError& problem) {
      for (const base::Diagnostic& d : problem.diagnostics())
        part_.diagnostics().error(d.where, section_.title() + ": " + d.what, d.fix);
      return std::nullopt;
    }
    const base::FileName file(path);
    const auto x = file_column("x", 0, recording, lines, file);
    const auto y = file_column("y", 1, recording, lines, file);
    if (!x || !y) return std::nullopt;
    return std::array{*x, *y};
  }

  std::optional<Column> file_column(const char* key, size_t usual,
                                    const results::Recording& recording,
                                    const std::vector<int>& lines, base::FileName file) {
    const std::vector<results::Signal>& signals = recording.signals;
    size_t index = usual;
    if (const Node* node = section_.find(key)) {
      const std::optional<std::string> name =
          find_text(*node, "the name of a column", part_.diagnostics());
      if (!name) return std::nullopt;
      const auto found = std::ranges::find(signals, *name, &results::Signal::name);
      if (found == signals.end()) {
        std::vector<std::string> names;
        for (const results::Signal& signal : signals) names.push_back(signal.name);
        error(node->where, fmt::format("{} has no column {}", *file, base::quoted(*name)),
              base::suggest(*name, names));
        return std::nullopt;
      }
      index = static_cast<size_t>(found - signals.begin());
    } else if (signals.size() != 2) {
      error({file, 1, 1},
            fmt::format("the file has {} column{}, a table needs two", signals.size(),
                        signals.size() == 1 ? "" : "s"),
            "say which with x: NAME and y: NAME");
      return std::nullopt;
    }
    const std::string& text = signals[index].unit;
    const std::optional<Unit> unit = text.empty() ? Unit{} : find_column_unit(text, {file, 1, 0});
    if (!unit) return std::nullopt;
    Column column{signals[index].name, {file, 1, 0}, {}, {}};
    for (size_t row = 0; row < lines.size(); ++row) {
      column.values.push_back(recording.values[row * signals.size() + index] * unit->scale);
      column.places.push_back({file, lines[row], 0});
    }
    return column;
  }

  // ---- what makes a function of them

  bool check_points(const Column& x) {
    if (x.values.size() < 2) {
      error(x.where,
            fmt::format("{} has {} value{}", base::quoted(x.name), x.values.size(),
                        x.values.size() == 1 ? "" : "s"),
            "give at least two points");
      return false;
    }
    if (!check_finite(x)) return false;
    for (size_t i = 1; i < x.values.size(); ++i) {
      if (x.values[i] > x.values[i - 1]) continue;
      error(x.places[i],
            fmt::format("{} does not increase: {} comes after {}", base::quoted(x.name),
                        x.values[i], x.values[i - 1]),
            "sort the rows, and leave out those that are there twice");
      return false;
    }
    return true;
  }

  bool check_finite(const Column& column) {
    for (size_t i = 0; i < column.values.size(); ++i) {
      if (std::abs(column.values[i]) <= largest) continue;
      error(column.places[i],
            fmt::format("value {} of {} is {}", i + 1, base::quoted(column.name),
                        std::isnan(column.values[i]) ? "missing or not a number" : "out of range"),
            "give a finite number, or leave out the row");
      return false;
    }
    return true;
  }

  bool check_sizes(const Column& x, const Column& y) {
    if (x.values.size() == y.values.size()) return true;
    error(y.where,
          fmt::format("{} has {} values, {} has {}", base::quoted(x.name), x.values.size(),
                      base::quoted(y.name), y.values.size()),
          "give one value for each point");
    return false;
  }

  void read_curve(const std::string& kind, bool is_periodic, Outside outside) {
    std::optional<Column> x, y;
    if (const Node* file = section_.find("file")) {
      if (auto columns = read_file(*file)) x = (*columns)[0], y = (*columns)[1];
    } else {
      const Node *x_node = section_.require("x"), *y_node = section_.require("y");
      if (x_node) x = read_column(*x_node, "x");
      if (y_node) y = read_column(*y_node, "y");
    }
    if (!x || !y || !check_points(*x) || !check_sizes(*x, *y) || !check_finite(*y)) return;
    if (is_periodic && !close_circle(*y)) return;

    std::vector<double> slopes;
    if (kind != "linear") {
      const SlopeRule rule = kind == "cubic"   ? SlopeRule::spline
                             : kind == "akima" ? SlopeRule::akima
                                               : SlopeRule::steffen;
      slopes = is_periodic ? math::calc_periodic_slopes(x->values, y->values, rule)
                           : math::calc_slopes(x->values, y->values, rule);
    }
    using math::PiecewisePolynomial;
    PiecewisePolynomial f =
        is_periodic ? PiecewisePolynomial::periodic(x->values, y->values, slopes)
                    : PiecewisePolynomial::through(x->values, y->values, slopes, outside);
    for (size_t i = 1; i + 1 < f.pieces().size(); ++i)
      if (!std::ranges::all_of(f.pieces()[i], [](double c) { return std::isfinite(c); }))
        return error(x->places[i - 1],
                     "the points are too close to each other: the slope is infinite",
                     "leave out rows, or check the units");
    publish({key_.name(), std::move(f)});
  }

  // The last value may differ by what its digits leave open.
  bool close_circle(Column& y) {
    double size = 0;
    for (const double value : y.values) size = std::max(size, std::abs(value));
    if (std::abs(y.values.back() - y.values.front()) > 1e-9 * size) {
      error(y.places.back(),
            fmt::format("a periodic table ends with the value it begins with, here {}, not {}",
                        y.values.front(), y.values.back()),
            "repeat the first value in a last row, one period later");
      return false;
    }
    y.values.back() = y.values.front();
    return true;
  }

  void read_map(Outside outside) {
    const Node *x_node = section_.require("x"), *y_node = section_.require("y");
    const Node& z_node = *section_.find("z");
    if (!x_node || !y_node) return;
    const auto x = read_column(*x_node, "x"), y = read_column(*y_node, "y");
    if (!x || !y || !check_points(*x) || !check_points(*y)) return;
    const bool has_unit = z_node.is_mapping();
    const Node* rows = &z_node;
    std::optional<double> scale;
    if (has_unit) {
      const Section section(z_node, "z of " + section_.title(), {"unit", "values"},
                            part_.diagnostics());
      rows = section.require("values");
      const Node* unit = section.require("unit");
      if (!rows || !unit) return;
      const auto found = find_column_unit(unit->name(), unit->where);
      if (!found) return;
      scale = found->scale;
    }
    math::BilinearMap map{x->values, y->values, {}, outside};
    if (!rows->is_sequence() || rows->items().size() != x->values.size())
      return error(rows->where,
                   fmt::format("z has one row for each of the {} values of x", x->values.size()),
                   "write [[z(x1, y1), z(x1, y2), …], [z(x2, y1), …], …]");
    for (const Node& row : rows->items()) {
      auto z = read_values(row, "z", scale);
      if (!z || !check_finite(*z)) return;
      if (z->values.size() != y->values.size())
        return error(row.where,
                     fmt::format("this row of z has {} values, y has {}", z->values.size(),
                                 y->values.size()),
                     "give one value for each y");
      map.z.insert(map.z.end(), z->values.begin(), z->values.end());
    }
    publish({key_.name(), std::move(map)});
  }

  void publish(symbolic::Table table) {
    const std::string function = symbolic::make_table_function(std::move(table)).name;
    part_.scope.set_function(key_.name(), function);
    part_.reading.model.tables.push_back({part_.full(key_.text()), function, key_.where});
    is_published_ = true;
  }
  // Of one with mistakes: who calls it makes none.
  void stand_in() {
    const std::vector<double> ends{0, 1}, zero(4, 0);
    symbolic::Table table{key_.name(), math::BilinearMap{ends, ends, zero, Outside::held}};
    if (!section_.has("z"))
      table.data =
          math::PiecewisePolynomial::through(ends, std::span(zero).first(2), {}, Outside::held);
    part_.scope.set_function(key_.name(), symbolic::make_table_function(std::move(table)).name);
  }

  const Section section_;
  const Node& key_;
  Part& part_;
  bool is_published_ = false;
};

}  // namespace

void read_tables(const Node& node, Part& part) {
  for (const auto& [key, value] : named_entries(node, "table", part.diagnostics()))
    TableReader(key, value, part).read();
}

}  // namespace couplet::formats::yaml
