#include "simbody_bodies.hpp"

namespace couplet::bench {
namespace {

/// The cyclic permutation C with C·ez = the given unit axis.
Mat3 axis_from_z(int axis) {
  if (axis == 0) return {0, 0, 1, 1, 0, 0, 0, 1, 0};
  if (axis == 1) return {0, 1, 0, 0, 0, 1, 1, 0, 0};
  return identity;
}

SimTK::Rotation simtk(const Mat3& R) {
  const bool as_is = true;  // do not re-orthogonalise
  return {SimTK::Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), as_is};
}

}  // namespace

SimTK::Vec3 simtk(const Vec3& v) { return {v[0], v[1], v[2]}; }

std::vector<SimTK::MobilizedBodyIndex> add_bodies(const Model& model,
                                                  SimTK::SimbodyMatterSubsystem& matter) {
  std::vector<SimTK::MobilizedBodyIndex> index;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& b = model.bodies[i];
    const bool free = model.floating && i == 0;
    const bool on_joint = b.parent >= model.first_joint();
    const Mat3 C_P = on_joint ? axis_from_z(model.bodies[b.parent].axis) : identity;
    const Mat3 C_B = free ? identity : axis_from_z(b.axis);

    const SimTK::Vec3 com = simtk(transpose(C_B) * b.p_BC_B);
    const Mat3 I = transpose(C_B) * b.inertia_BC_B * C_B;
    const SimTK::Inertia about_com(I[0], I[4], I[8], I[1], I[2], I[5]);
    const SimTK::Body::Rigid rigid(
        SimTK::MassProperties(b.mass, com, about_com.shiftFromMassCenter(-com, b.mass)));
    SimTK::MobilizedBody& parent =
        b.parent < 0 ? matter.updGround() : matter.updMobilizedBody(index[b.parent]);
    if (free) {
      const SimTK::MobilizedBody::Free joint(parent, rigid);
      index.push_back(joint.getMobilizedBodyIndex());
    } else {
      const SimTK::Transform X_PF(simtk(transpose(C_P) * b.R_PF * C_B),
                                  simtk(transpose(C_P) * b.p_PF_P));
      const SimTK::MobilizedBody::Pin joint(parent, X_PF, rigid, SimTK::Transform());
      index.push_back(joint.getMobilizedBodyIndex());
    }
  }
  return index;
}

}  // namespace couplet::bench
