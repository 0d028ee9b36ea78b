// State files: {"t": 0, "q": {"joint": value or array}, "v": {…}, "x": {"state": value}, "tau":
// {…}} or "vdot" for inverse dynamics, with the joints that have motors as "actuators". States that
// are not named are as the model starts them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "couplet/model/mechanism.hpp"
#include "couplet/workbench/json.hpp"

namespace couplet::base {
struct Output;
}

namespace couplet::workbench {

/// q, v and either tau or vdot, by joint; what a file does not say is zero (or the identity).
struct StateInput {
  model::State state;
  math::VecX tau, vdot;
  bool inverse = false;             // vdot was given
  std::vector<char> has_q, has_v;   // per speed: the file gives its joint's position, its speed
  std::vector<char> has_vdot = {};  // the same of accelerations
  std::optional<std::vector<int>> motors = {};  // speeds; absent: the file does not say
};

/// Where a state is: a JSON file, or a row of a result, `swing.csv` (its end) or `swing.csv@2.5`.
struct StatePlace {
  std::string path;
  bool is_result = false;
  std::optional<double> t = {};  // s; absent: the last row
};
StatePlace split_state_place(const std::string& text);

/// A file, or a row of a result that holds all coordinates, speeds and states; `-` reads standard
/// input. Throws UserError with every mistake of the file.
StateInput read_state(const std::string& path, const model::Mechanism& mechanism);
StateInput read_state_text(const std::string& text, const std::string& name,
                           const model::Mechanism& mechanism);
/// A state without forces.
StateInput make_input(const model::State& state, const model::Mechanism& mechanism);

/// Keys `q`, `v` and, where there are states, `x` of the object that is being written, as
/// read_state reads them.
void write_state(const model::Mechanism& mechanism, const model::State& state, JsonWriter& json);
/// A whole file.
std::string state_text(const model::Mechanism& mechanism, const model::State& state);
/// Throws UserError when the place cannot be written.
void write_state_file(const model::Mechanism& mechanism, const model::State& state,
                      const base::Output& output);

}  // namespace couplet::workbench
