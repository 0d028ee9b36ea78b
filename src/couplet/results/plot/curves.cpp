#include "couplet/results/plot/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "couplet/results/plot/canvas.hpp"

namespace couplet::results {
namespace {

constexpr double gap = 30, swatch = 30;  // pixels

bool drawable(const Point& p) {
  return p.x > 0 && p.y > 0 && std::isfinite(p.x) && std::isfinite(p.y);
}

template <class Panels>
Axis axis_of(const Panels& panels, double Point::*coordinate, int most) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const LogPanel& panel : panels)
    for (const MarkedCurve& curve : panel.curves)
      for (const Point& p : curve.points) {
        if (!drawable(p)) continue;
        low = std::min(low, p.*coordinate);
        high = std::max(high, p.*coordinate);
      }
  return make_log_axis(low, high, most);
}

class LogDrawing {
 public:
  explicit LogDrawing(const LogPicture& picture)
      : picture_(picture), y_(axis_of(picture.panels, &Point::y, 14)) {
    number_curves();
    make_layout();
    for (size_t i = 0; i < picture_.panels.size(); ++i) draw_panel(i);
    draw_legend();
  }
  std::string svg() && { return std::move(canvas_).finish(); }

 private:
  // A group begins with the first colour and new dashes.
  void number_curves() {
    int next = 0;
    for (const LogPanel& panel : picture_.panels)
      for (const MarkedCurve& curve : panel.curves) {
        if (numbers_.contains(curve.name)) continue;
        if (!order_.empty() && order_.back()->group != curve.group)
          next = (next + colours - 1) / colours * colours;
        numbers_.emplace(curve.name, next++);
        order_.push_back(&curve);
      }
  }

  void make_layout() {
    double labels = 0, names = 0;
    for (const std::string& label : y_.labels) labels = std::max(labels, text_width(label, font));
    for (const MarkedCurve* curve : order_)
      names =
          std::max({names, text_width(curve->name, font) + swatch, text_width(curve->group, font)});
    int headings = 0;
    for (size_t i = 0; i < order_.size(); ++i)
      headings += i == 0 || order_[i]->group != order_[i - 1]->group;
    const double legend = line_height * (static_cast<double>(order_.size()) + 1.6 * headings);
    const double top = 74, height = std::max<double>(picture_.panel_height, legend);
    double x = 34 + labels;
    for (size_t i = 0; i < picture_.panels.size(); ++i) {
      boxes_.push_back({x, x + picture_.panel_width, top, top + height});
      x += picture_.panel_width + gap + (i + 1 < picture_.panels.size() ? labels : 0);
    }
    legend_x_ = boxes_.back().right + 22;
    const double title = boxes_.front().left + std::max(text_width(picture_.title, 16),
                                                        text_width(picture_.subtitle, font));
    canvas_.begin(static_cast<int>(std::max(legend_x_ + names + 14, title + 14)), top + height + 52,
                  picture_.title, picture_.theme);
    canvas_.text("t h", boxes_.front().left, 24, picture_.title);
    canvas_.text("m", boxes_.front().left, 43, picture_.subtitle);
  }

  void draw_panel(size_t index) {
    const LogPanel& panel = picture_.panels[index];
    const Box& box = boxes_[index];
    const Axis x = axis_of(std::vector{panel}, &Point::x, 8);
    canvas_.frame(box, x, y_);
    canvas_.x_labels(box, x, panel.x_label);
    canvas_.text("t", box.left, box.top - 9, panel.title);
    if (index == 0) canvas_.text_upwards(16, (box.top + box.bottom) / 2, panel.y_label);
    for (const MarkedCurve& curve : panel.curves) {
      const int number = numbers_.at(curve.name);
      std::vector<Point> at;
      for (const Point& p : curve.points)
        if (drawable(p)) at.push_back({box.x_of(x, p.x), box.y_of(y_, p.y)});
      canvas_.add(fmt::format("<g><title>{}</title>\n", escaped(curve.name)));
      canvas_.add(fmt::format("<path class=\"s{} c\"{} d=\"{}\"/>\n", number % colours,
                              dashes_of(number), path_data(at)));
      for (const Point& p : at) canvas_.mark(p.x, p.y, number);
      canvas_.add("</g>\n");
    }
  }

  void draw_legend() {
    double y = boxes_.back().top + 4;
    for (size_t i = 0; i < order_.size(); ++i) {
      if (!order_[i]->group.empty() && (i == 0 || order_[i]->group != order_[i - 1]->group)) {
        if (i > 0) y += 0.6 * line_height;
        canvas_.text("m", legend_x_, y, order_[i]->group);
        y += line_height;
      }
      const int number = numbers_.at(order_[i]->name);
      canvas_.add(fmt::format("<path class=\"s{} c\"{} d=\"M{:.1f} {:.1f}h22\"/>\n",
                              number % colours, dashes_of(number), legend_x_, y - 4));
      canvas_.mark(legend_x_ + 11, y - 4, number);
      canvas_.text("t", legend_x_ + swatch, y, order_[i]->name);
      y += line_height;
    }
  }

  const LogPicture& picture_;
  Axis y_;
  std::vector<Box> boxes_;
  std::vector<const MarkedCurve*> order_;
  std::map<std::string, int> numbers_;
  double legend_x_ = 0;
  Canvas canvas_;
};

}  // namespace

std::string draw_curves(const LogPicture& picture) { return LogDrawing(picture).svg(); }

}  // namespace couplet::results
