#include "couplet/results/plot/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/results/difference.hpp"
#include "couplet/results/select.hpp"

namespace couplet::results {
namespace {

using base::UserError;

constexpr size_t most_curves = 60, most_panels = 8, usual_curves = 12;

// Names of all inputs, without their time columns, each once.
std::vector<Signal> all_signals(const std::vector<PlotInput>& inputs) {
  std::vector<Signal> out;
  for (const PlotInput& input : inputs)
    for (size_t i = 1; i < input.recording->columns(); ++i) {
      const Signal& signal = input.recording->signals[i];
      if (&input == &inputs.front() || !inputs.front().recording->find(signal.name))
        out.push_back(signal);
    }
  return out;
}

// Coordinates of joints and of points: a part of the name is q, q1, qx, … or position.
bool is_position(const std::string& name) {
  for (size_t start = 0; start != std::string::npos;) {
    const size_t dot = name.find('.', start);
    const std::string part = name.substr(start, dot == std::string::npos ? dot : dot - start);
    if (part == "position" || (part.starts_with("q") && part.size() <= 3)) return true;
    start = dot == std::string::npos ? dot : dot + 1;
  }
  return false;
}

std::vector<size_t> usual_choice(const std::vector<Signal>& signals) {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < signals.size(); ++i)
    if (is_position(signals[i].name)) chosen.push_back(i);
  for (size_t i = 0; chosen.empty() && i < signals.size(); ++i) chosen.push_back(i);
  return chosen;
}

std::vector<Signal> choose(const std::vector<PlotInput>& inputs, const PlotOptions& options,
                           std::vector<std::string>& notes) {
  const std::vector<Signal> signals = all_signals(inputs);
  if (signals.empty()) throw UserError({}, "the result has no signals besides time");
  std::vector<std::string> names;
  for (const Signal& signal : signals) names.push_back(signal.name);
  std::vector<size_t> chosen =
      options.signals.empty() ? usual_choice(signals) : select(names, options.signals);
  const size_t most = options.signals.empty() ? usual_curves : most_curves;
  if (chosen.size() > most) {
    notes.push_back(fmt::format("{} of {} signals are drawn; choose others by name, like '*.q'",
                                most, chosen.size()));
    chosen.resize(most);
  }
  std::vector<Signal> out;
  for (const size_t i : chosen) out.push_back(signals[i]);
  return out;
}

std::pair<size_t, size_t> rows_between(const PlotInput& input, const PlotOptions& options) {
  const Recording& recording = *input.recording;
  size_t first = 0, end = recording.rows();
  while (first < end && !(recording.at(first, 0) >= options.from)) ++first;
  while (end > first && !(recording.at(end - 1, 0) <= options.to)) --end;
  return {first, end};
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
};

void find_extent(const std::vector<PlotInput>& inputs, const Figure& figure, Panel& panel,
                 size_t panels) {
  Range range;
  for (Series& series : panel.series) {
    for (size_t k = inputs.size(); k-- > 0;) {  // the label belongs to the first input
      if (!series.columns[k]) continue;
      for (size_t row = figure.rows[k].first; row < figure.rows[k].second; ++row) {
        const double y = inputs[k].recording->at(row, *series.columns[k]);
        range.add(y);
        if (std::isfinite(y)) series.end = y;
      }
    }
  }
  panel.y = make_axis(range.low, range.high, panels == 1 ? 8 : panels <= 3 ? 6 : 5, false);
}

void make_x_axis(const std::vector<PlotInput>& inputs, const PlotOptions& options, Figure& figure) {
  const bool time = options.against.empty();
  Range range;
  std::string unit, name = time ? "t" : options.against;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Recording& recording = *inputs[k].recording;
    figure.x_columns.push_back(time ? std::optional<size_t>(0) : recording.find(options.against));
    if (!figure.x_columns[k]) continue;
    unit = recording.signals[*figure.x_columns[k]].unit;
    if (time) name = recording.signals[0].name;
    for (size_t row = figure.rows[k].first; row < figure.rows[k].second; ++row)
      range.add(recording.at(row, *figure.x_columns[k]));
  }
  if (std::none_of(figure.x_columns.begin(), figure.x_columns.end(),
                   [](const auto& x) { return x.has_value(); }))
    throw UserError({}, fmt::format("no signal is called {}", base::quoted(options.against)),
                    base::suggest(options.against, inputs.front().recording->names()));
  if (time && unit.empty()) unit += 's';
  figure.x_unit = unit;
  figure.x = make_axis(range.low, range.high, 10, time);
  figure.x_label = unit.empty() ? name : fmt::format("{} [{}]", name, unit_text(unit));
}

// What is drawn of an input: its chosen rows, and those of the wanted signals that both have.
Recording excerpt(const PlotInput& input, std::pair<size_t, size_t> rows, const Panel& panel,
                  size_t other, size_t self) {
  Recording out;
  std::vector<size_t> columns{0};
  for (const Series& series : panel.series)
    if (series.columns[self] && series.columns[other]) columns.push_back(*series.columns[self]);
  for (const size_t column : columns) out.signals.push_back(input.recording->signals[column]);
  for (size_t row = rows.first; row < rows.second; ++row)
    for (const size_t column : columns) out.values.push_back(input.recording->at(row, column));
  return out;
}

// The largest difference of any input to the first, in each panel.
void find_differences(const std::vector<PlotInput>& inputs, Figure& figure) {
  for (Panel& panel : figure.panels) {
    SignalDifference worst;
    bool compared = false;
    for (size_t k = 1; k < inputs.size(); ++k) {
      try {
        const Difference difference =
            calc_difference(excerpt(inputs[0], figure.rows[0], panel, k, 0),
                            excerpt(inputs[k], figure.rows[k], panel, 0, k), {});
        if (!(difference.to > difference.from)) continue;  // one goes on where the other ends
        for (const SignalDifference& each : difference.signals) {
          if (!compared || each.largest > worst.largest) worst = each;
          compared = true;
        }
      } catch (const UserError&) {  // nothing in common: nothing to say
      }
    }
    if (!compared) continue;
    panel.difference = "no difference";
    if (worst.largest > 0)
      panel.difference =
          fmt::format("largest difference {} {} ({} at {} s)", number_text(worst.largest),
                      unit_text(panel.unit), worst.signal.name, number_text(worst.at, 4));
  }
}

}  // namespace

Figure make_figure(const std::vector<PlotInput>& inputs, const PlotOptions& options) {
  Figure figure;
  for (const PlotInput& input : inputs) figure.rows.push_back(rows_between(input, options));
  if (std::all_of(figure.rows.begin(), figure.rows.end(),
                  [](const auto& r) { return r.first == r.second; })) {
    if (std::all_of(inputs.begin(), inputs.end(),
                    [](const PlotInput& input) { return input.recording->rows() == 0; }))
      throw UserError({}, "the result has no rows",
                      "draw one of a run that got further than its header");
    throw UserError({}, "there are no rows to draw in this time", "choose another `from` and `to`");
  }

  for (const Signal& signal : choose(inputs, options, figure.notes)) {
    const auto same_unit = [&](const Panel& panel) { return panel.unit == signal.unit; };
    auto panel = std::find_if(figure.panels.begin(), figure.panels.end(), same_unit);
    if (panel == figure.panels.end()) {
      panel = figure.panels.emplace(panel);
      panel->unit = signal.unit;
    }
    Series series;
    series.name = signal.name;
    series.number = static_cast<int>(panel->series.size());
    for (const PlotInput& input : inputs)
      series.columns.push_back(input.recording->find(signal.name));
    panel->series.push_back(std::move(series));
  }
  if (figure.panels.size() > most_panels) {
    figure.notes.push_back(fmt::format("{} of {} units are drawn; choose signals by name",
                                       most_panels, figure.panels.size()));
    figure.panels.resize(most_panels);
  }
  make_x_axis(inputs, options, figure);
  for (Panel& panel : figure.panels) find_extent(inputs, figure, panel, figure.panels.size());
  find_differences(inputs, figure);
  return figure;
}

}  // namespace couplet::results
