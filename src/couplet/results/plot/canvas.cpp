#include "couplet/results/plot/canvas.hpp"

#include <fmt/format.h>

#include <array>

namespace couplet::results {

void Canvas::begin(int width, double height, const std::string& description, Theme theme) {
  svg_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" viewBox=\"0 0 "
      "{0} {1:.0f}\" "
      "role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n<rect class=\"bg\" width=\"100%\" "
      "height=\"100%\"/>\n",
      width, height, escaped(description), style_sheet(theme));
}

void Canvas::text(const char* css, double x, double y, const std::string& what) {
  svg_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", css, x, y,
                      escaped(what));
}

void Canvas::text_upwards(double x, double y, const std::string& what) {
  svg_ += fmt::format(
      "<text class=\"t k\" transform=\"translate({:.0f} {:.1f})rotate(-90)\">{}</text>\n", x, y,
      escaped(what));
}

void Canvas::frame(const Box& box, const Axis& x, const Axis& y) {
  std::string grid;
  for (size_t i = 0; i < y.ticks.size(); ++i) {
    const double at = box.y_of(y, y.ticks[i]);
    grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", box.left, at, box.right);
    text("m e", box.left - 7, at + 4, y.labels[i]);
  }
  for (const double tick : x.ticks)
    grid += fmt::format("M{:.1f} {:.1f}V{:.1f}", box.x_of(x, tick), box.top, box.bottom);
  std::string small;
  for (const double tick : y.small_ticks)
    small += fmt::format("M{:.1f} {:.1f}h3", box.left, box.y_of(y, tick));
  for (const double tick : x.small_ticks)
    small += fmt::format("M{:.1f} {:.1f}v-3", box.x_of(x, tick), box.bottom);
  svg_ += fmt::format("<path class=\"g\" d=\"{}\"/>\n", grid);
  svg_ += fmt::format("<path class=\"a\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}{}\"/>\n", box.left,
                      box.top, box.bottom, box.right, small);
}

void Canvas::x_labels(const Box& box, const Axis& x, const std::string& name) {
  double free_from = -1e9;
  for (size_t i = 0; i < x.ticks.size(); ++i) {
    const double at = box.x_of(x, x.ticks[i]), half = text_width(x.labels[i], font) / 2;
    if (at - half < free_from) continue;
    text("m k", at, box.bottom + 18, x.labels[i]);
    free_from = at + half + 4;
  }
  const std::string factor = x.factor.empty() ? "" : "  (" + x.factor + ")";
  text("t k", (box.left + box.right) / 2, box.bottom + 37, name + factor);
}

void Canvas::begin_clip(const Box& box, size_t number) {
  svg_ += fmt::format(
      "<clipPath id=\"p{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
      "height=\"{:.1f}\"/></clipPath>\n"
      "<g clip-path=\"url(#p{})\">\n",
      number, box.left - 2, box.top - 2, box.width() + 4, box.height() + 4, number);
}

void Canvas::mark(double x, double y, int number) {
  static constexpr std::array shapes{
      "m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z",             // circle
      "m-3-3h6v6h-6z",                                                // square
      "m0-4l3.8 6.6h-7.6z",                                           // triangle
      "m0-4.4l4.2 4.4l-4.2 4.4l-4.2-4.4z",                            // diamond
      "m0 4l3.8-6.6h-7.6z",                                           // triangle, upside down
      "m-1.4-4.2h2.8v2.8h2.8v2.8h-2.8v2.8h-2.8v-2.8h-2.8v-2.8h2.8z",  // cross
      "m-4.2-2.2h8.4v4.4h-8.4z"};                                     // bar
  const size_t shape = static_cast<size_t>(number + number / colours) % shapes.size();
  svg_ += fmt::format("<path class=\"f{} o\" d=\"M{:.1f} {:.1f}{}\"/>\n", number % colours, x, y,
                      shapes[shape]);
}

std::string Canvas::finish() && {
  svg_ += "</svg>\n";
  return std::move(svg_);
}

std::string dashes_of(int number) {
  static const char* const by_turn[] = {"", "7 3.5", "1.5 3.5", "9 3 1.5 3"};
  const char* pattern = by_turn[(number / colours) % 4];
  return *pattern ? fmt::format(" stroke-dasharray=\"{}\"", pattern) : "";
}

}  // namespace couplet::results
