// Forces on any body, computed by code: a shared library (plugin.h) or a function of the program.
#include "couplet/forces/entry.hpp"
#include "couplet/forces/plugin.hpp"

namespace couplet::forces {
namespace {

class Code {
 public:
  explicit Code(Binding& b)
      : plugin_({b.element.name, b.element.path("plugin"), b.element.options("options"),
                 b.element.where},
                b.model),
        added_(b.model.bodies.size()) {}

  static constexpr bool reads_bodies = true;
  static constexpr size_t coefficients = 0;
  static constexpr auto own = nothing_own;
  static std::vector<Signal> list_signals(const model::Model&, const Element&) {
    return {{"power", "W"}};
  }

  void update(const Now&, double*) const {}
  void add_forces(const Now& now, const double*, AppliedForces& out) {
    plugin_.add_forces(now.state.t, now.bodies, out.on_bodies);
  }
  void add_potential_energy(const Now&, const double*, double&) const {}
  double* calc_signals(const Now& now, const double*, double* out) {
    std::fill(added_.begin(), added_.end(), Vec6::Zero());
    plugin_.add_forces(now.state.t, now.bodies, added_);
    *out = 0;
    for (size_t b = 0; b < added_.size(); ++b)
      *out += added_[b].head<3>().dot(now.bodies[b].w) + added_[b].tail<3>().dot(now.bodies[b].v);
    return out + 1;
  }

 private:
  Plugin plugin_;
  std::vector<Vec6> added_;
};

}  // namespace

template <>
const Entry& entry<struct PlugIn>() {
  using namespace model::keys;
  static const Entry made({"plugin",
                           "forces on bodies by a shared library",
                           {path("plugin", "of the library"),
                            options("options", "numbers that it takes, by its names")},
                           [](const model::Model&, const Element&) -> std::optional<model::Fault> {
                             return std::nullopt;
                           }},
                          "plug-in", Form::flat,
                          {"{plugin: 'function:example', options: {drag: 0.5}}"},
                          behaviour<Code>());
  return made;
}

}  // namespace couplet::forces
