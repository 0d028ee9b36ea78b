#include "couplet/results/plot/svg.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace couplet::results {
namespace {

struct Palette {
  const char *background, *text, *muted, *grid, *axis;
  std::array<const char*, colours> curves;
};
constexpr Palette light{
    "#fff",    "#1b1f24",
    "#59636e", "#e4e7ea",
    "#6e7781", {"#0072b2", "#d55e00", "#009e73", "#b5539c", "#c98a00", "#3fa7dc", "#4d4d4d"}};
constexpr Palette dark{
    "#14171b", "#e9ecef",
    "#a9b1ba", "#2b3138",
    "#7d8790", {"#5aaeed", "#ff8c4f", "#2fcb9d", "#e596cd", "#f2bd49", "#a5c8ff", "#cfd3d7"}};

std::string rules(const Palette& palette) {
  std::string text =
      fmt::format(".bg{{fill:{}}}.t{{fill:{}}}.m{{fill:{}}}.g{{stroke:{}}}.a{{stroke:{}}}",
                  palette.background, palette.text, palette.muted, palette.grid, palette.axis);
  for (size_t i = 0; i < palette.curves.size(); ++i)
    text += fmt::format(".s{0}{{stroke:{1}}}.f{0}{{fill:{1}}}", i, palette.curves[i]);
  text += fmt::format(".o{{stroke:{}}}", palette.background);
  return text;
}

// Length of the UTF-8 sequence at `i`; 0 when there is none.
size_t sequence(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(i);
  const size_t n = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || i + n > text.size()) return 0;
  for (size_t k = 1; k < n; ++k)
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  const bool surrogate = first == 0xed && byte(i + 1) >= 0xa0,
             too_long = first == 0xe0 && byte(i + 1) < 0xa0;
  const bool outside =
      (first == 0xf0 && byte(i + 1) < 0x90) || (first == 0xf4 && byte(i + 1) >= 0x90);
  return surrogate || too_long || outside ? 0 : n;
}

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < text.size();) {
    const size_t n = sequence(text, i);
    out.push_back(n == 0 ? std::string_view("\uFFFD") : text.substr(i, n));
    i += n == 0 ? 1 : n;
  }
  return out;
}

}  // namespace

std::string style_sheet(Theme theme) {
  std::string text =
      "text{font-family:Inter,\"Helvetica Neue\",Helvetica,Arial,\"DejaVu "
      "Sans\",sans-serif;font-size:12px}"
      ".h{font-size:15px;font-weight:600}.e{text-anchor:end}.k{text-anchor:middle}"
      "path,line{fill:none;stroke-linecap:round;stroke-linejoin:round}.g,.a{stroke-width:1}.o{"
      "stroke-width:.7}"
      ".c{stroke-width:1.6}.under{stroke-width:3.6;stroke-opacity:.38}.over{stroke-width:1.3}";
  text += rules(theme == Theme::dark ? dark : light);
  if (theme == Theme::automatic) text += "@media(prefers-color-scheme:dark){" + rules(dark) + "}";
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const std::string_view c : characters(text)) {
    if (c == "&")
      out += "&amp;";
    else if (c == "<")
      out += "&lt;";
    else if (c == ">")
      out += "&gt;";
    else if (c == "\"")
      out += "&quot;";
    else if (c.size() == 1 && static_cast<unsigned char>(c[0]) < 0x20)
      out += ' ';
    else
      out += c;
  }
  return out;
}

double text_width(std::string_view text, double font_size) {
  double width = 0;  // in ems, as in DejaVu Sans, the widest of the fonts
  for (const std::string_view c : characters(text)) {
    if (c.size() > 1)
      width += 0.65;
    else if (std::string_view("ijl.,:;'|! ").find(c[0]) != std::string_view::npos)
      width += 0.33;
    else if (std::string_view("frt()[]/-\\").find(c[0]) != std::string_view::npos)
      width += 0.41;
    else if (std::string_view("mwMW@%").find(c[0]) != std::string_view::npos)
      width += 0.95;
    else if (c[0] >= 'A' && c[0] <= 'Z')
      width += 0.70;
    else
      width += 0.63;
  }
  return width * font_size;
}

std::string shortened(std::string_view text, size_t most) {
  const std::vector<std::string_view> all = characters(text);
  std::string out;
  const size_t head = all.size() <= most ? all.size() : most / 2,
               tail = all.size() <= most ? 0 : most - head - 1;
  for (size_t i = 0; i < head; ++i) out += all[i];
  if (tail > 0) out += "…";
  for (size_t i = all.size() - tail; i < all.size(); ++i) out += all[i];
  return out;
}

}  // namespace couplet::results
