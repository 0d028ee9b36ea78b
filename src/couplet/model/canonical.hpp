// Choice of link frames: z on the joint axis, x on the common normal to the next axis.
// The frames of J. Denavit and R. S. Hartenberg, J. Appl. Mech. 22, 1955, with an extra turn and
// shift where a link has several children or nearly parallel axes.
#pragma once

#include <vector>

#include "couplet/model/mechanism.hpp"

namespace couplet::model {

/// A link before its frame is chosen. G is any frame with the joint axis as its z axis.
struct RawLink {
  Pose X_PG;  // G at q = 0 in the parent's G (in the world for a root)
  Pose X_GM;  // the joint's own M in G (last link of a joint)
  Pose X_GB;  // the chosen frame B in G: Tz(s) Rz(φ)
};

/// The rotation that takes z onto the given axis.
Mat3 turn_z_to(Primitive::Axis axis);

/// Of each link the child with an axis that carries most links; -1: none has one.
std::vector<int> find_heirs(const std::vector<Link>& links);

/// Fills X_GB of every link, which is the identity before.
void choose_link_frames(const std::vector<Link>& links, const std::vector<int>& heirs,
                        std::vector<RawLink>& raw);

/// Writes the pose X_PB at q = 0 as Tz(b) Rz(β) T(a, e, 0) Rx(α) Tz(d) Rz(θ0) into the link.
void set_link_pose(const Pose& X_PB, Link& link);

}  // namespace couplet::model
