#include "couplet/dynamics/minimal/formalism.hpp"

#include <algorithm>
#include <vector>

namespace couplet::dynamics {

template <class... Names>
struct List {
  static std::vector<FormalismEntry> make() { return {formalism_entry<Names>()...}; }
};

using Formalisms = List<        //
    struct RecursiveFormalism,  //
    struct CompositeFormalism,  //
    struct KaneFormalism,       //
    struct ParticlesFormalism,  //
    struct SchurFormalism,      //
    struct AugmentedFormalism,  //
    struct PartitionedFormalism>;

namespace {

/// Those of this room first, then what other rooms have added.
std::vector<FormalismEntry>& all_entries() {
  static std::vector<FormalismEntry> all = Formalisms::make();
  return all;
}

}  // namespace

std::span<const FormalismEntry> formalisms() { return all_entries(); }

void add_formalism(const FormalismEntry& entry) { all_entries().push_back(entry); }

const FormalismEntry* find_formalism(std::string_view name) {
  for (const FormalismEntry& entry : formalisms())
    if (name == entry.name) return &entry;
  return nullptr;
}

void Formalism::calc_load(const Stage&, const VecX&, VecX&) {
  base::ensure(false, "a formalism was asked for residuals that it does not have");
}

void Formalism::calc_free_vdot(const Stage& stage, VecX& tau, VecX& vdot) {
  base::ensure(lambda() == nullptr,
               "a formalism was asked for a free motion that it does not have");
  prepare(stage);
  solve(tau, vdot);
}

const double* LinkForces::calc(const forces::AppliedForces& applied, const Kinematics& kinematics) {
  if (!applied.any_on_bodies) return nullptr;
  std::fill(on_links_.begin(), on_links_.end(), 0.0);
  for (size_t b = 1; b < mechanism_.bodies.size(); ++b) {
    const model::BodyPlacement& body = mechanism_.bodies[b];
    if (body.link < 0 || applied.on_bodies[b].isZero(0)) continue;
    const math::Mat3& R_WB = kinematics.bodies[b].X_WB.R;
    Vec6 F_B;
    F_B << R_WB.transpose() * applied.on_bodies[b].head<3>(),
        R_WB.transpose() * applied.on_bodies[b].tail<3>();
    Eigen::Map<Vec6>(on_links_.data() + 6 * static_cast<size_t>(body.link)) += body.X_LB.push(F_B);
  }
  return on_links_.data();
}

}  // namespace couplet::dynamics
