// Draws a figure: where everything is, then line by line what it looks like.
#include "couplet/results/plot/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "couplet/results/plot/canvas.hpp"
#include "couplet/results/plot/figure.hpp"
#include "couplet/results/plot/path.hpp"

namespace couplet::results {
namespace {

/// From blue by green to amber: told apart on bright and on dark pages, by all eyes.
std::string scale_colour(double part) {
  constexpr std::array<std::array<double, 3>, 5> anchors{
      {{90, 93, 181}, {47, 134, 166}, {34, 168, 132}, {139, 190, 74}, {216, 162, 0}}};
  const double at = part * (anchors.size() - 1);
  const size_t i = std::min(static_cast<size_t>(at), anchors.size() - 2);
  const auto mix = [&](size_t c) {
    const double x = at - static_cast<double>(i);
    return static_cast<int>(std::lround((1 - x) * anchors[i][c] + x * anchors[i + 1][c]));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2));
}

class Drawing {
 public:
  Drawing(const std::vector<PlotInput>& inputs, const PlotOptions& options)
      : inputs_(inputs), options_(options), figure_(make_figure(inputs, options)) {
    make_layout();
    draw_head();
    for (size_t i = 0; i < figure_.panels.size(); ++i) draw_panel(i);
    canvas_.x_labels(boxes_.back(), figure_.x, figure_.x_label);
  }
  Plot plot() && { return {std::move(canvas_).finish(), std::move(figure_.notes)}; }

 private:
  bool over_time() const { return options_.against.empty(); }

  void make_layout() {
    double labels = 0, names = 0;
    for (const Panel& panel : figure_.panels) {
      for (const std::string& label : panel.y.labels)
        labels = std::max(labels, text_width(label, font));
      for (const Series& series : panel.series)
        names = std::max(names, text_width(shortened(series.name, longest_name), font));
      if (panel.series.size() > 8) names = std::max(names, text_width("… and 99 more", font));
    }
    const double last =
        figure_.x.labels.empty() ? 0 : text_width(figure_.x.labels.back(), font) / 2;
    left_ = 34 + labels;
    right_ = options_.width - std::max(30 + names, 8 + last);
    right_ = std::max(right_, left_ + 100);

    place_inputs();

    const size_t n = figure_.panels.size();
    const double usual = n == 1 ? 300 : n == 2 ? 190 : n == 3 ? 150 : 120;
    const double top = 12 + (title().empty() ? 0 : 24) +
                       (inputs_.size() > 1 ? 22 + input_places_.back().y : 0),
                 bottom = 46;
    const auto above = [&](const Panel& panel) {  // room for the power of ten and the difference
      return panel.difference.empty() && panel.y.factor.empty() ? 14.0 : 26.0;
    };
    double gaps = 0;
    for (const Panel& panel : figure_.panels) gaps += above(panel);
    const double each =
        options_.height > 0
            ? std::max(40.0, (options_.height - top - bottom - gaps) / static_cast<double>(n))
            : height_at_scale().value_or(usual);
    double y = top;
    for (const Panel& panel : figure_.panels) {
      y += above(panel);
      boxes_.push_back({left_, right_, y, y + each});
      y += each;
    }
    height_ = y + bottom;
  }

  // A path in space is not distorted: the height of its panel, unless that would be odd.
  std::optional<double> height_at_scale() const {
    const Panel& panel = figure_.panels.front();
    const bool in_space = !over_time() && figure_.panels.size() == 1 && !panel.unit.empty() &&
                          panel.unit == figure_.x_unit;
    const double height =
        (right_ - left_) * (panel.y.high - panel.y.low) / (figure_.x.high - figure_.x.low);
    return in_space && height > 120 && height < 900 ? std::optional(height) : std::nullopt;
  }

  std::string title() const {
    return !options_.title.empty() ? options_.title : inputs_.size() == 1 ? inputs_[0].name : "";
  }
  std::string subtitle() const {
    std::string text;
    if (inputs_.size() > 1) return text;
    for (const char* key : {"model", "formalism", "integrator", "tolerance", "step"})
      for (const auto& [name, value] : inputs_[0].recording->about) {
        if (name != key || value.empty()) continue;
        const bool number = name == "tolerance" || name == "step";
        if (!text.empty()) text += " · ";
        if (number) text.append(name).append(" ");
        text += name == "model" ? value.substr(value.rfind('/') + 1) : value;
      }
    return shortened(text, 90);
  }

  void draw_head() {
    const std::string head = title();
    canvas_.begin(options_.width, height_,
                  head.empty() ? description() : head + ": " + description(), options_.theme);
    double y = 26;
    if (!head.empty()) {
      canvas_.text("t h", left_, y, head);
      const double x = left_ + text_width(head, 16) + 16;
      const std::string more = subtitle();
      if (!more.empty() && x + text_width(more, font) < options_.width)
        canvas_.text("m", x, y, more);
      y += 24;
    }
    if (is_scale())
      draw_scale(y);
    else if (inputs_.size() > 1)
      draw_inputs(y);
  }
  bool is_study() const { return inputs_.size() >= least_of_study; }
  // Colours as one bar; a few names that are too long to stand below it are a list instead.
  bool is_scale() const {
    constexpr size_t few = 12;
    const double room = (right_ - left_) / static_cast<double>(inputs_.size());
    return is_study() &&
           (inputs_.size() > few || std::ranges::all_of(inputs_, [&](const PlotInput& input) {
              return text_width(shortened(input.name, longest_input), font) + 12 < room;
            }));
  }
  std::string colour_of(size_t input) const {
    return scale_colour(static_cast<double>(input) / static_cast<double>(inputs_.size() - 1));
  }
  std::string colour_style(size_t input) const {
    return fmt::format(" style=\"stroke:{}\"", colour_of(input));
  }
  std::string description() const {
    std::string names;
    for (const Panel& panel : figure_.panels)
      for (const Series& series : panel.series) names += (names.empty() ? "" : ", ") + series.name;
    return shortened(names, 200) + " over " + figure_.x_label;
  }

  // Which line is which result: where their names begin, in as many lines as they need.
  void place_inputs() {
    if (is_scale()) {
      input_places_.push_back({left_, line_height});
      return;
    }
    double x = left_, y = 0;
    for (const PlotInput& input : inputs_) {
      const double width = 33 + text_width(shortened(input.name, longest_input), font) + 18;
      if (x > left_ && x + width > options_.width) x = left_, y += line_height;
      input_places_.push_back({x, y});
      x += width;
    }
  }
  // A bar of the colours with the names below, as many as do not touch each other.
  void draw_scale(double y) {
    const double width = (right_ - left_) / static_cast<double>(inputs_.size());
    double free = 0;  // where the next name may begin
    const auto middle = [&](size_t k) { return left_ + (static_cast<double>(k) + 0.5) * width; };
    const auto half = [&](size_t k) {
      return text_width(shortened(inputs_[k].name, longest_input), font) / 2;
    };
    const size_t last = inputs_.size() - 1;
    const double last_begins = middle(last) - half(last) - 12;
    for (size_t k = 0; k <= last; ++k) {
      canvas_.add(
          fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"8\" "
                      "fill=\"{}\"><title>{}</title></rect>\n",
                      left_ + static_cast<double>(k) * width, y - 10, width + 0.3, colour_of(k),
                      escaped(inputs_[k].name)));
      const bool fits =
          k == last || (middle(k) - half(k) >= free && middle(k) + half(k) < last_begins);
      if (!fits) continue;
      canvas_.text("t k", middle(k), y + 11, shortened(inputs_[k].name, longest_input));
      free = middle(k) + half(k) + 12;
    }
  }
  void draw_inputs(double y) {
    for (size_t k = 0; k < inputs_.size(); ++k) {
      const Point& at = input_places_[k];
      canvas_.add(fmt::format("<path class=\"s6 {}\"{} d=\"M{:.1f} {:.1f}h26\"/>\n", line_class(k),
                              is_study() ? colour_style(k) : dashes(k, 0), at.x, y + at.y - 4));
      canvas_.text("t", at.x + 33, y + at.y, shortened(inputs_[k].name, longest_input));
    }
  }

  // Two results: a broad pale line below, a thin one above, so that agreement is seen as well as
  // difference.
  std::string line_class(size_t input) const {
    return inputs_.size() == 1 || is_study() ? "c" : input == 0 ? "under" : "over";
  }
  static std::string dashes(size_t input, int number) {
    static const char* const by_input[] = {"", "", "6 4", "1.5 4", "9 3 1.5 3"};
    if (input < 2) return dashes_of(number);
    return fmt::format(" stroke-dasharray=\"{}\"", by_input[std::min<size_t>(input, 4)]);
  }

  static std::string study_dashes(int number) {
    return number == 0 ? "" : dashes(1 + static_cast<size_t>(number), 0);
  }

  void draw_panel(size_t index) {
    const Panel& panel = figure_.panels[index];
    const Box& box = boxes_[index];
    canvas_.frame(box, figure_.x, panel.y);
    if (!panel.y.factor.empty()) canvas_.text("m", box.left, box.top - 7, panel.y.factor);
    if (!panel.difference.empty()) canvas_.text("m e", box.right, box.top - 7, panel.difference);
    const std::string label = y_label(panel);
    if (!label.empty()) canvas_.text_upwards(16, (box.top + box.bottom) / 2, label);

    canvas_.begin_clip(box, index);
    for (size_t k = 0; k < inputs_.size(); ++k)
      for (const Series& series : panel.series) draw_curve(panel, box, series, k);
    canvas_.end_clip();
    draw_names(panel, box);
  }

  // The last part that all names share, with the unit: "q [rad]".
  std::string y_label(const Panel& panel) const {
    const auto last = [](const std::string& name) {
      const size_t dot = name.rfind('.');
      return dot == std::string::npos ? name : name.substr(dot + 1);
    };
    std::string common = last(panel.series[0].name);
    for (const Series& series : panel.series)
      if (last(series.name) != common) common.clear();
    if (panel.unit.empty()) return common;
    return common.empty() ? fmt::format("[{}]", unit_text(panel.unit))
                          : fmt::format("{} [{}]", common, unit_text(panel.unit));
  }

  void draw_curve(const Panel& panel, const Box& box, const Series& series, size_t k) {
    if (!series.columns[k] || !figure_.x_columns[k]) return;
    const Recording& recording = *inputs_[k].recording;
    std::vector<Point> points;
    points.reserve(figure_.rows[k].second - figure_.rows[k].first);
    for (size_t row = figure_.rows[k].first; row < figure_.rows[k].second; ++row)
      points.push_back({box.x_of(figure_.x, recording.at(row, *figure_.x_columns[k])),
                        box.y_of(panel.y, recording.at(row, *series.columns[k]))});
    points = straighten(over_time() ? keep_extremes(points) : keep_visible(points));
    canvas_.add(fmt::format(
        "<path class=\"s{} {}\"{}{} d=\"{}\"><title>{}</title></path>\n", series.number % colours,
        line_class(k), is_study() ? colour_style(k) : "",
        is_study() ? study_dashes(series.number) : dashes(k, series.number), path_data(points),
        escaped(inputs_.size() > 1 ? series.name + ", " + inputs_[k].name : series.name)));
  }

  // Names at the right, beside the ends of their curves as far as they do not cover each other; a
  // plain list where that would be a tangle.
  void draw_names(const Panel& panel, const Box& box) {
    const bool beside = over_time() && panel.series.size() <= 10;
    std::vector<size_t> order(panel.series.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto end_of = [&](size_t i) {
      return std::clamp(box.y_of(panel.y, panel.series[i].end), box.top, box.bottom);
    };
    const auto room =
        static_cast<size_t>(std::max(1.0, std::floor((box.height() + 12) / line_height)));
    const size_t hidden = order.size() > room ? order.size() - room + 1 : 0;
    order.resize(order.size() - hidden);
    if (beside)
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return end_of(a) < end_of(b); });
    const size_t lines = order.size() + (hidden > 0 ? 1 : 0);
    std::vector<double> at;
    for (size_t i = 0; i < order.size(); ++i) {
      const double wanted = beside ? end_of(order[i]) : box.top + 6;
      at.push_back(i == 0 ? std::max(wanted, box.top) : std::max(wanted, at.back() + line_height));
    }
    for (size_t i = order.size(); i-- > 0;)  // and back up from the bottom
      at[i] = std::min(at[i], box.bottom + 4 - line_height * static_cast<double>(lines - 1 - i));
    for (size_t i = 0; i < order.size(); ++i) {
      const Series& series = panel.series[order[i]];
      const double from = beside ? end_of(order[i]) : at[i];
      canvas_.add(fmt::format("<path class=\"s{} c\"{} d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}h6\"/>\n",
                              is_study() ? 6 : series.number % colours,
                              is_study() ? study_dashes(series.number) : dashes(0, series.number),
                              box.right + 3, from, box.right + 14, at[i]));
      canvas_.text("t", box.right + 24, at[i] + 4, shortened(series.name, longest_name));
    }
    if (hidden > 0)
      canvas_.text("m", box.right + 24, at.back() + line_height + 4,
                   fmt::format("… and {} more", hidden));
  }

  static constexpr size_t longest_name = 26, longest_input = 40;
  const std::vector<PlotInput>& inputs_;
  const PlotOptions& options_;
  Figure figure_;
  std::vector<Box> boxes_;           // of the panels
  std::vector<Point> input_places_;  // below the title
  double left_ = 0, right_ = 0, height_ = 0;
  Canvas canvas_;
};

}  // namespace

Plot draw_plot(const std::vector<PlotInput>& inputs, const PlotOptions& options) {
  return Drawing(inputs, options).plot();
}

}  // namespace couplet::results
