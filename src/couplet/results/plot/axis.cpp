#include "couplet/results/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace couplet::results {
namespace {

std::string superscript(int n) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = n < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(n))) text += digits[c - '0'];
  return text;
}

// With a real minus sign; never "-0.00".
std::string fixed_text(double x, int decimals) {
  std::string text = fmt::format("{:.{}f}", x, decimals);
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  if (text[0] == '-') text.replace(0, 1, zero ? "" : "−");
  return text;
}

int exponent(double x) {
  return x == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(x)) + 1e-9));
}

// 1, 2 or 5 times a power of ten, with at most `most` steps in `range`.
double nice_step(double range, int most) {
  const double raw = range / std::max(1, most - 1);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power * (1 + 1e-9)) return factor * power;
  return 10 * power;
}

struct Labels {
  std::vector<std::string> texts;
  std::string factor;
};

Labels make_labels(const std::vector<double>& ticks, double step) {
  Labels out;
  if (ticks.empty()) return out;
  const double largest = std::max(std::abs(ticks.front()), std::abs(ticks.back()));
  // Many equal leading digits: they are written once, as something to add.
  double offset = 0;
  if (largest > 0 && exponent(largest) - exponent(step) > 5) {
    const double coarse = std::pow(10, exponent(step) + 2);
    offset = std::round(ticks.front() / coarse) * coarse;
  }
  const double rest = std::max(std::abs(ticks.front() - offset), std::abs(ticks.back() - offset));
  const int size = exponent(std::max(rest, step));
  const int power = size >= 5 || size <= -4 ? size : 0;
  const int decimals = std::max(0, power - exponent(step));
  for (const double tick : ticks)
    out.texts.push_back(fixed_text((tick - offset) / std::pow(10, power), decimals));
  if (power != 0) out.factor = "×10" + superscript(power);
  if (offset != 0) {
    const int digits = std::clamp(exponent(offset) - exponent(step) - 1, 1, 17);
    out.factor += fmt::format("{}{} {}", out.factor.empty() ? "" : " ", offset < 0 ? "−" : "+",
                              number_text(std::abs(offset), digits));
  }
  return out;
}

}  // namespace

std::string number_text(double x, int digits) {
  if (std::isnan(x)) return "not a number";
  if (std::isinf(x)) return x < 0 ? "−∞" : "∞";
  if (x == 0) return "0";
  int power = exponent(x);
  if (power > -4 && power < std::max(5, digits))
    return fixed_text(x, std::max(0, digits - 1 - power));
  double mantissa = x / std::pow(10, power);
  if (std::abs(mantissa) >= 10 - 0.5 * std::pow(10, 1 - digits)) mantissa /= 10, ++power;
  std::string text = fixed_text(mantissa, digits - 1);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text + "×10" + superscript(power);
}

std::string unit_text(const std::string& unit) {
  std::string out;
  for (size_t i = 0; i < unit.size(); ++i) {
    const bool after_name =
        i > 0 && (std::isalpha(static_cast<unsigned char>(unit[i - 1])) || unit[i - 1] == '^');
    const bool last_digit =
        i + 1 == unit.size() || !std::isdigit(static_cast<unsigned char>(unit[i + 1]));
    if (unit[i] == '^' && !last_digit) continue;
    if (std::isdigit(static_cast<unsigned char>(unit[i])) && after_name && last_digit)
      out += superscript(unit[i] - '0');
    else
      out += unit[i] == ' ' ? std::string("·") : std::string(1, unit[i]);
  }
  return out;
}

Axis make_axis(double low, double high, int most, bool tight) {
  Axis axis;
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) low = 0, high = 1;
  const double size = std::max(std::abs(low), std::abs(high));
  constexpr double largest = 1e300, resolvable = 1e-13;
  if (size > largest) low = std::max(low, -largest), high = std::min(high, largest);
  if (high - low <= resolvable * size || high - low < 1e-300) {  // one value: a line in the middle
    const double around = size == 0 ? 1 : std::max(0.1 * size, 1e-290);
    low -= around;
    high += around;
  } else if (!tight) {
    const double air = 0.06 * (high - low);
    low -= air;
    high += air;
  }
  axis.low = low;
  axis.high = high;
  const double step = nice_step(high - low, most);
  const double slack = 1e-9 * (high - low);
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k)
    axis.ticks.push_back(k * step);
  Labels labels = make_labels(axis.ticks, step);
  axis.labels = std::move(labels.texts);
  axis.factor = std::move(labels.factor);
  return axis;
}

Axis make_log_axis(double low, double high, int most) {
  Axis axis;
  axis.logarithmic = true;
  if (!(low > 0 && high >= low && std::isfinite(high))) low = 0.1, high = 1;
  const double air = std::max(0.04 * std::log10(high / low), 0.1);
  double first = std::log10(low) - air, last = std::log10(high) + air;
  if (std::floor(last) - std::ceil(first) < 1) first = std::floor(first), last = std::ceil(last);
  first = std::clamp(first, -300.0, 300.0), last = std::clamp(last, first + 1, 301.0);
  axis.low = std::pow(10, first);
  axis.high = std::pow(10, last);
  const int decades = static_cast<int>(last - first) + 1;
  const int stride = (decades + most - 1) / std::max(1, most);
  for (int k = static_cast<int>(std::floor(first)); k <= last && decades <= 5; ++k)
    for (int digit = 2; digit <= 9; ++digit)
      if (const double x = digit * std::pow(10, k); x > axis.low && x < axis.high)
        axis.small_ticks.push_back(x);
  for (int k = static_cast<int>(std::ceil(first)); k <= last; ++k) {
    if (k % stride != 0) continue;
    axis.ticks.push_back(std::pow(10, k));
    axis.labels.push_back("10" + superscript(k));
  }
  return axis;
}

}  // namespace couplet::results
