#include "couplet/formats/urdf/attributes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "couplet/base/text.hpp"
#include "couplet/formats/urdf/text.hpp"

namespace couplet::formats::urdf {
namespace {

using math::Mat3;
using math::Pose;
using math::Vec3;

constexpr const char* examples[] = {"", "0.5", "", "0 0 1", "0 0 0 1"};  // by count of numbers

/// How to write the number that was probably meant.
std::string number_advice(std::string_view word) {
  if (word.find(',') != word.npos)
    return "write a decimal point, and blanks between numbers: \"0.5 0 1\"";
  return "write a finite number such as 0.5 or 1e-3";
}

}  // namespace

Mat3 rotation_rpy(const Vec3& rpy) {
  return math::rotation(Vec3::UnitZ(), rpy[2]) * math::rotation(Vec3::UnitY(), rpy[1]) *
         math::rotation(Vec3::UnitX(), rpy[0]);
}

std::optional<std::string> Attributes::find_name(pugi::xml_node element,
                                                 const char* attribute) const {
  const pugi::xml_attribute found = element.attribute(attribute);
  const std::string_view name = found.value();
  if (!found) {
    error(element, fmt::format("<{}> has no attribute '{}'", element.name(), attribute),
          fmt::format("write <{} {}=\"...\">", element.name(), attribute));
  } else if (words(name).empty()) {
    error(element, found, fmt::format("{} of <{}> is empty", attribute, element.name()),
          "give a name");
  } else if (!is_utf8(name)) {
    error(element, found, fmt::format("{} of <{}> is not UTF-8", attribute, element.name()),
          "save the file as UTF-8");
  } else {
    return std::string(name);
  }
  return std::nullopt;
}

double Attributes::number(pugi::xml_node element, const char* attribute, double otherwise) const {
  const pugi::xml_attribute found = element.attribute(attribute);
  double value = otherwise;
  return found && read_numbers(element, found, {&value, 1}) ? value : otherwise;
}

double Attributes::required_number(pugi::xml_node element, const char* attribute) const {
  if (!element.attribute(attribute))
    error(element, fmt::format("<{}> has no attribute '{}'", element.name(), attribute),
          fmt::format("write <{} {}=\"...\">", element.name(), attribute));
  return number(element, attribute, 0);
}

double Attributes::bound(pugi::xml_node element, const char* attribute, double otherwise) const {
  const pugi::xml_attribute found = element.attribute(attribute);
  double value = otherwise;
  return found && read_numbers(element, found, {&value, 1}, true) ? value : otherwise;
}

Vec3 Attributes::vector(pugi::xml_node element, const char* attribute,
                        const Vec3& otherwise) const {
  const pugi::xml_attribute found = element.attribute(attribute);
  Vec3 value = otherwise;
  return found && read_numbers(element, found, {value.data(), 3}) ? value : otherwise;
}

Pose Attributes::origin(pugi::xml_node parent) const {
  const pugi::xml_node element = parent.child("origin");
  const Vec3 xyz = vector(element, "xyz", Vec3::Zero());
  const pugi::xml_attribute quaternion = element.attribute("quat_xyzw");
  if (!quaternion) return {rotation_rpy(vector(element, "rpy", Vec3::Zero())), xyz};

  Eigen::Vector4d xyzw(0, 0, 0, 1);
  if (element.attribute("rpy"))
    error(element, quaternion, "<origin> has both rpy and quat_xyzw", "keep one of them");
  if (!read_numbers(element, quaternion, {xyzw.data(), 4})) return {Mat3::Identity(), xyz};
  if (xyzw.isZero(0)) {
    error(element, quaternion, "quat_xyzw of <origin> is zero", "no rotation is \"0 0 0 1\"");
    return {Mat3::Identity(), xyz};
  }
  xyzw /= xyzw.cwiseAbs().maxCoeff();  // so that its square neither overflows nor vanishes
  return {math::rotation(math::Quaternion(xyzw[3], xyzw[0], xyzw[1], xyzw[2])), xyz};
}

void Attributes::error(pugi::xml_node element, const std::string& what, std::string fix) const {
  found_.error(xml_.where(element), fmt::format("{}: {}", owner_, what), std::move(fix));
}
void Attributes::error(pugi::xml_node element, pugi::xml_attribute attribute,
                       const std::string& what, std::string fix) const {
  found_.error(xml_.where(element, attribute), fmt::format("{}: {}", owner_, what), std::move(fix));
}
void Attributes::warning(pugi::xml_node element, const std::string& what, std::string fix) const {
  found_.warning(xml_.where(element), fmt::format("{}: {}", owner_, what), std::move(fix));
}

bool Attributes::read_numbers(pugi::xml_node element, pugi::xml_attribute attribute,
                              std::span<double> values, bool infinite_too) const {
  const auto complain = [&](const std::string& what, std::string fix) {
    error(element, attribute, fmt::format("{} of <{}>: {}", attribute.name(), element.name(), what),
          std::move(fix));
    return false;
  };
  size_t count = 0;
  for (std::string_view word : words(attribute.value())) {
    const std::optional<double> value = base::parse_double(word);
    if (!value || std::isnan(*value) || (std::isinf(*value) && !infinite_too))
      return complain(base::quoted(word) + " is not a finite number", number_advice(word));
    if (count < values.size()) values[count] = *value;
    ++count;
  }
  if (count == values.size()) return true;
  return complain(
      fmt::format("expected {} number{}, found {} in {}", values.size(),
                  values.size() == 1 ? "" : "s", count, base::quoted(attribute.value())),
      fmt::format("write {}=\"{}\"", attribute.name(), examples[values.size()]));
}

}  // namespace couplet::formats::urdf
