#include "couplet/workbench/moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"

namespace couplet::workbench {
namespace {

using integrate::Start;
using model::Mechanism;

constexpr double rounding = 1e-9;  // m, rad, m/s or rad/s

/// Values that were written with six digits may be off by as much.
bool is_much(const Start::Change& change) {
  return std::abs(change.to - change.from) > 1e-6 * (1 + std::abs(change.from));
}

std::string text(const Start::Change& change) {
  return fmt::format("{} {:.9g} → {:.9g}{}", change.name, change.from, change.to,
                     change.unit.empty() ? "" : " " + change.unit);
}

/// Whether a coordinate or a speed of this name was given.
bool was_given(const Mechanism& mechanism, const dynamics::Given& given, const std::string& name) {
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::JointInfo& type =
        info(mechanism.model->joints[static_cast<size_t>(slot.joint)].type);
    for (int i = 0; i < type.nq; ++i)
      if (mechanism.coordinate_names[static_cast<size_t>(slot.iq + i)] == name)
        return given.q[static_cast<size_t>(slot.iv)] != 0;
    for (int i = 0; i < type.nv; ++i)
      if (mechanism.speed_names[static_cast<size_t>(slot.iv + i)] == name)
        return given.v[static_cast<size_t>(slot.iv)] != 0;
  }
  return false;
}

}  // namespace

std::vector<Start::Change> list_changes(const Mechanism& mechanism, const dynamics::Given& given,
                                        const model::State& from, const model::State& to) {
  std::vector<Start::Change> changes, speeds;
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::JointInfo& type =
        info(mechanism.model->joints[static_cast<size_t>(slot.joint)].type);
    for (int i = 0; i < type.nq; ++i) {
      const int iq = slot.iq + i;
      const bool angle = !type.on_quaternion() && (type.angular >> i & 1u);
      const char* unit = type.on_quaternion() && i < 4 ? "" : angle ? "rad" : "m";
      if (std::abs(to.q[iq] - from.q[iq]) > rounding)
        changes.push_back(
            {mechanism.coordinate_names[static_cast<size_t>(iq)], unit, from.q[iq], to.q[iq]});
    }
    for (int i = 0; i < type.nv; ++i) {
      const int iv = slot.iv + i;
      if (given.v[static_cast<size_t>(iv)] && std::abs(to.v[iv] - from.v[iv]) > rounding)
        speeds.push_back({mechanism.speed_names[static_cast<size_t>(iv)],
                          type.angular >> i & 1u ? "rad/s" : "m/s", from.v[iv], to.v[iv]});
    }
  }
  changes.insert(changes.end(), speeds.begin(), speeds.end());
  return changes;
}

std::string describe_changes(const std::vector<Start::Change>& changes) {
  constexpr size_t most = 6;
  std::string list;
  for (size_t i = 0; i < std::min(changes.size(), most); ++i)
    list += (i > 0 ? ", " : "") + text(changes[i]);
  return list + (changes.size() > most ? ", …" : "");
}

std::vector<std::string> list_broken(const Mechanism& mechanism, const dynamics::Given& given,
                                     const std::vector<Start::Change>& changes) {
  std::vector<std::string> sentences;
  for (const Start::Change& change : changes)
    if (is_much(change) && was_given(mechanism, given, change.name))
      sentences.push_back(fmt::format(
          "{} is given as {:.9g}{} and starts at {:.9g}: constraints do not let all values that "
          "are given stay",
          change.name, change.from, change.unit.empty() ? "" : " " + change.unit, change.to));
  return sentences;
}

}  // namespace couplet::workbench
