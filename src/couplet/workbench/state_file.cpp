#include "couplet/workbench/state_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/results/recording.hpp"

namespace couplet::workbench {
namespace {

using base::UserError;
using nlohmann::json;

constexpr std::uintmax_t largest_file = 256 << 20;  // bytes

std::string read_all(const std::string& path) {
  if (path == "-") return base::read_standard_input("the state", largest_file);
  auto read = base::try_read_file(path, largest_file);
  if (auto* text = std::get_if<std::string>(&read)) return std::move(*text);
  throw base::explain(std::get<base::ReadTrouble>(read), path, largest_file);
}

base::SourceLocation place(const base::SourceLocation& file, const std::string& text, size_t byte) {
  base::SourceLocation where{file.file, 1, 1};
  for (size_t i = 0; i < byte && i < text.size(); ++i) {
    if (text[i] == '\n')
      ++where.line, where.column = 1;
    else
      ++where.column;
  }
  return where;
}

json parse(const std::string& text, const base::SourceLocation& where) {
  int depth = 0, deepest = 0;  // the parser recurses when it destroys deep values
  for (const char c : text) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  if (deepest > 100) throw UserError(where, "the state file is nested too deeply");
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    throw UserError(place(where, text, error.byte > 0 ? error.byte - 1 : 0), "this is not JSON",
                    R"(write {"q": {"joint": 0.5}, "v": {}, "tau": {}})");
  } catch (const json::exception&) {  // a number beyond the range of doubles
    throw UserError(where, "a number is out of range", "finite numbers only");
  }
}

// The row of a result at a time, or the last one. Of two at an event, the one after it.
size_t find_row(const results::Recording& result, const StatePlace& place,
                const base::SourceLocation& where) {
  if (result.rows() == 0) throw UserError(where, "the result has no rows");
  if (!place.t) return result.rows() - 1;
  size_t nearest = 0;
  for (size_t row = 0; row < result.rows(); ++row)
    if (std::abs(result.at(row, 0) - *place.t) <= std::abs(result.at(nearest, 0) - *place.t))
      nearest = row;
  const double t = result.at(nearest, 0);
  if (std::abs(t - *place.t) > 1e-9 * std::max(1.0, std::abs(t)))
    throw UserError(where, fmt::format("no row is at t = {} s", *place.t),
                    fmt::format("the nearest is at {}: {}@{}", t, place.path, t));
  return nearest;
}

// What follows from the others is not needed: joints that mimic, and those that are prescribed.
StateInput read_row(const results::Recording& result, const StatePlace& place,
                    const model::Mechanism& mechanism) {
  const base::SourceLocation where{place.path, 0, 0};
  const size_t row = find_row(result, place, where);
  StateInput out = make_input(mechanism.default_state(), mechanism);
  out.state.t = result.at(row, 0);
  out.has_q.assign(static_cast<size_t>(mechanism.nv), 1);
  out.has_v = out.has_vdot = out.has_q;
  std::vector<std::string> missing;
  const auto read = [&](const std::string& name, double& value) {
    const std::optional<size_t> column = result.find(name);
    if (!column) return missing.push_back(name);
    value = result.at(row, *column);
    if (!std::isfinite(value))
      throw UserError(where, fmt::format("{} is not a finite number in that row", name));
  };
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = mechanism.model->joints[slot.joint];
    if (joint.mimic || !joint.motion.empty()) continue;
    const model::JointInfo& type = info(joint.type);
    for (int i = slot.iq; i < slot.iq + type.nq; ++i)
      read(mechanism.coordinate_names[static_cast<size_t>(i)], out.state.q[i]);
    for (int i = slot.iv; i < slot.iv + type.nv; ++i)
      read(mechanism.speed_names[static_cast<size_t>(i)], out.state.v[i]);
  }
  for (int i = 0; i < mechanism.nx; ++i)
    read(mechanism.model->states[static_cast<size_t>(i)].name, out.state.x[i]);
  if (!missing.empty())
    throw UserError(where,
                    fmt::format("the result does not hold {}{}", fmt::join(missing, ", "),
                                missing.size() > 1 ? ": a state needs all of them" : ""),
                    "record all coordinates, speeds and states, as a run without `record` does; or "
                    "keep the end of a run with `end_state`");
  return out;
}

class Reader {
 public:
  Reader(const model::Mechanism& mechanism, base::SourceLocation where)
      : mechanism_(mechanism), where_(std::move(where)) {}

  // Values of one section into a vector; `n_of` is the size of a joint in it, `first` its place.
  // `given` marks the freedoms of joints that it names.
  template <class Size, class First>
  void read(const json& file, const char* section, Size n_of, First first, math::VecX& out,
            std::vector<char>* given = nullptr) {
    if (!file.contains(section)) return;
    const json& values = file[section];
    if (!values.is_object())
      return error(fmt::format("\"{}\" is not an object", section),
                   fmt::format(R"(write "{}": {{"joint": value}})", section));
    for (const auto& [name, value] : values.items()) {
      const auto joint = mechanism_.model->find_joint(name);
      if (!joint) {
        error(fmt::format("\"{}\" names joint {}, which the model does not have", section,
                          base::quoted(name)),
              base::suggest(name, joint_names()));
        continue;
      }
      if (mechanism_.joint_slot[*joint] < 0) {
        error(fmt::format(
                  "\"{}\" names joint {}, which closes a loop and has no coordinates of its own",
                  section, base::quoted(name)),
              "give those of the other joints; `cut: false` in the model keeps this one");
        continue;
      }
      const model::TreeJoint* slot = &mechanism_.joints[mechanism_.joint_slot[*joint]];
      const int n = n_of(info(mechanism_.model->joints[slot->joint].type));
      const json array = value.is_array() ? value : json::array({value});
      if (static_cast<int>(array.size()) != n) {
        error(fmt::format("\"{}\" of joint {} needs {} number{}, got {}", section,
                          base::quoted(name), n, n == 1 ? "" : "s", array.size()),
              "");
        continue;
      }
      for (int i = 0; i < n; ++i) {
        if (!array[i].is_number() || !std::isfinite(array[i].get<double>())) {
          error(
              fmt::format("\"{}\" of joint {} is not a finite number", section, base::quoted(name)),
              "");
          break;
        }
        out[first(*slot) + i] = array[i].get<double>();
      }
      if (given)
        std::fill_n(given->begin() + slot->iv, info(mechanism_.model->joints[slot->joint].type).nv,
                    1);
    }
  }

  /// Joints, or single freedoms of theirs.
  std::optional<std::vector<int>> read_motors(const json& file) {
    if (!file.contains("actuators")) return {};
    std::vector<int> motors;
    const json& names = file["actuators"];
    if (!names.is_array() || !std::all_of(names.begin(), names.end(),
                                          [](const json& name) { return name.is_string(); })) {
      error("\"actuators\" is not a list of names", R"(write "actuators": ["joint"])");
      return motors;
    }
    for (const json& each : names) {
      const auto name = each.get<std::string>();
      const size_t before = motors.size();
      for (int i = 0; i < mechanism_.nv; ++i) {
        const std::string& freedom = mechanism_.dof_names[static_cast<size_t>(i)];
        if (freedom == name || freedom.starts_with(name + ".")) motors.push_back(i);
      }
      if (motors.size() == before)
        error(fmt::format("\"actuators\" names {}, which is no joint with coordinates",
                          base::quoted(name)),
              base::suggest(name, joint_names()));
    }
    return motors;
  }

  void read_states(const json& file, math::VecX& x) {
    if (!file.contains("x")) return;
    if (!file["x"].is_object())
      return error("\"x\" is not an object", R"(write "x": {"state": value})");
    std::vector<std::string> names;
    for (const model::StateVariable& state : mechanism_.model->states) names.push_back(state.name);
    for (const auto& [name, value] : file["x"].items()) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end())
        error(
            fmt::format("\"x\" names state {}, which the model does not have", base::quoted(name)),
            names.empty() ? "the model has no states" : base::suggest(name, names));
      else if (!value.is_number() || !std::isfinite(value.get<double>()))
        error(fmt::format("\"x\" of state {} is not a finite number", base::quoted(name)), "");
      else
        x[found - names.begin()] = value.get<double>();
    }
  }

  void error(const std::string& what, const std::string& fix) {
    diagnostics_.error(where_, what, fix);
  }
  void check() const { diagnostics_.check(); }

 private:
  std::vector<std::string> joint_names() const {
    std::vector<std::string> names;
    for (const model::TreeJoint& slot : mechanism_.joints) {
      const model::Joint& joint = mechanism_.model->joints[slot.joint];
      if (info(joint.type).nv > 0) names.push_back(joint.name);
    }
    return names;
  }

  const model::Mechanism& mechanism_;
  base::SourceLocation where_;
  base::Diagnostics diagnostics_;
};

}  // namespace

StatePlace split_state_place(const std::string& text) {
  const auto is_result = [](const std::string& path) {
    return path.ends_with(".csv") || path.ends_with(".h5") || path.ends_with(".hdf5");
  };
  if (is_result(text)) return {text, true, {}};
  const size_t at = text.rfind('@');
  if (at == std::string::npos || !is_result(text.substr(0, at))) return {text, false, {}};
  const std::optional<double> t = base::parse_double(std::string_view(text).substr(at + 1));
  if (!t)
    throw UserError({}, fmt::format("{} is not a time", base::quoted(text.substr(at + 1))),
                    fmt::format("write {}@2.5 for the row at 2.5 s", text.substr(0, at)));
  return {text.substr(0, at), true, t};
}

StateInput read_state(const std::string& text, const model::Mechanism& mechanism) {
  const StatePlace place = split_state_place(text);
  if (place.is_result) return read_row(results::read_result(place.path), place, mechanism);
  return read_state_text(read_all(place.path), place.path == "-" ? "standard input" : place.path,
                         mechanism);
}

StateInput read_state_text(const std::string& text, const std::string& name,
                           const model::Mechanism& mechanism) {
  const base::SourceLocation where{name, 0, 0};
  const json file = parse(text, where);
  Reader reader(mechanism, where);
  if (!file.is_object()) throw UserError(where, "the state file is not a JSON object");
  const std::vector<std::string> keys = {"t", "q", "v", "x", "tau", "vdot", "actuators"};
  for (const auto& [key, value] : file.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      reader.error(fmt::format("unknown key {}", base::quoted(key)), base::suggest(key, keys));

  StateInput out;
  out.state = {0, math::VecX::Zero(mechanism.nq), math::VecX::Zero(mechanism.nv),
               mechanism.default_state().x};
  for (const model::TreeJoint& slot : mechanism.joints)
    if (info(mechanism.model->joints[slot.joint].type).on_quaternion()) out.state.q[slot.iq] = 1;
  out.has_q.assign(static_cast<size_t>(mechanism.nv), 0);
  out.has_v = out.has_vdot = out.has_q;
  out.tau = out.vdot = math::VecX::Zero(mechanism.nv);
  if (file.contains("t")) {
    if (file["t"].is_number() && std::isfinite(file["t"].get<double>()))
      out.state.t = file["t"].get<double>();
    else
      reader.error("\"t\" is not a finite number", "");
  }
  const auto nq = [](const model::JointInfo& joint) { return joint.nq; };
  const auto nv = [](const model::JointInfo& joint) { return joint.nv; };
  const auto iq = [](const model::TreeJoint& slot) { return slot.iq; };
  const auto iv = [](const model::TreeJoint& slot) { return slot.iv; };
  reader.read(file, "q", nq, iq, out.state.q, &out.has_q);
  reader.read(file, "v", nv, iv, out.state.v, &out.has_v);
  reader.read_states(file, out.state.x);
  reader.read(file, "tau", nv, iv, out.tau);
  reader.read(file, "vdot", nv, iv, out.vdot, &out.has_vdot);
  out.inverse = file.contains("vdot");
  out.motors = reader.read_motors(file);
  if (out.motors && !out.inverse)
    reader.error("\"actuators\" are given without \"vdot\"",
                 "they are for inverse dynamics; leave them out");
  if (out.inverse && file.contains("tau"))
    reader.error("both \"tau\" and \"vdot\" are given",
                 "give \"tau\" for forward dynamics, or \"vdot\" for inverse dynamics");
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = mechanism.model->joints[slot.joint];
    if (info(joint.type).on_quaternion() && out.state.q.segment<4>(slot.iq).norm() < 1e-9)
      reader.error(fmt::format("the quaternion of joint {} is zero", base::quoted(joint.name)),
                   "give (w, x, y, z); (1, 0, 0, 0) is no turn");
  }
  reader.check();
  return out;
}

StateInput make_input(const model::State& state, const model::Mechanism& mechanism) {
  const math::VecX zero = math::VecX::Zero(mechanism.nv);
  return {state, zero, zero, false, {}, {}, {}, {}};
}

void write_state(const model::Mechanism& mechanism, const model::State& state, JsonWriter& json) {
  for (const bool speeds : {false, true}) {
    json.key(speeds ? "v" : "q").begin_object();
    for (const model::TreeJoint& slot : mechanism.joints) {
      const model::Joint& joint = mechanism.model->joints[slot.joint];
      const model::JointInfo& type = info(joint.type);
      if (type.nv == 0 || joint.mimic) continue;
      json.key(joint.name);
      const math::VecX& from = speeds ? state.v : state.q;
      const int first = speeds ? slot.iv : slot.iq, n = speeds ? type.nv : type.nq;
      if (n == 1)
        json.value(from[first]);
      else
        json.value(math::VecX(from.segment(first, n)));
    }
    json.end_object();
  }
  if (mechanism.nx == 0) return;
  json.key("x").begin_object();
  for (int i = 0; i < mechanism.nx; ++i)
    json.key(mechanism.model->states[static_cast<size_t>(i)].name).value(state.x[i]);
  json.end_object();
}

std::string state_text(const model::Mechanism& mechanism, const model::State& state) {
  JsonWriter json;
  json.begin_object();
  json.key("t").value(state.t);
  write_state(mechanism, state, json);
  json.end_object();
  return json.text() + "\n";
}

void write_state_file(const model::Mechanism& mechanism, const model::State& state,
                      const base::Output& output) {
  base::save_file(output, state_text(mechanism, state));
}

}  // namespace couplet::workbench
