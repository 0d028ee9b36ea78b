// Forward and inverse dynamics of several limbs side by side: the steps of their links on packs,
// one limb in each lane. The links that carry them run one by one, before and after.
#pragma once

#include "couplet/dynamics/minimal/recursions/forward.hpp"
#include "couplet/dynamics/minimal/recursions/inverse.hpp"

namespace couplet::dynamics {
namespace {

using Four = Pack<4>;

/// Entries of an array, one for each lane.
[[gnu::always_inline]] inline Four gather(const double* x, const int* index) {
  return Four(Four::Register{x[index[0]], x[index[1]], x[index[2]], x[index[3]]});
}
/// A vector of each lane; `of(lane)` is a V3<double>.
template <class Of>
[[gnu::always_inline]] inline V3<Four> gather(const Of& of) {
  const V3<double> a = of(0), b = of(1), c = of(2), d = of(3);
  return {Four(Four::Register{a.x, b.x, c.x, d.x}), Four(Four::Register{a.y, b.y, c.y, d.y}),
          Four(Four::Register{a.z, b.z, c.z, d.z})};
}
/// Writes a pack to the entries of those lanes that are not massless copies.
[[gnu::always_inline]] inline void scatter(const Four& x, const LimbStep& step, double* out) {
  for (int lane = 0; lane < 4; ++lane)
    if (step.active.x[lane] != 0) out[step.iv[lane]] = x[lane];
}
[[gnu::always_inline]] inline V3<double> lane_of(const V3<Four>& v, int k) {
  return {v.x[k], v.y[k], v.z[k]};
}
[[gnu::always_inline]] inline Sym3<double> lane_of(const Sym3<Four>& A, int k) {
  return {A.xx[k], A.xy[k], A.xz[k], A.yy[k], A.yz[k], A.zz[k]};
}
[[gnu::always_inline]] inline Mat3x3<double> lane_of(const Mat3x3<Four>& A, int k) {
  return {A.xx[k], A.xy[k], A.xz[k], A.yx[k], A.yy[k], A.yz[k], A.zx[k], A.zy[k], A.zz[k]};
}

// ---- forward dynamics

[[gnu::noinline]] void limb_velocities(const LimbGroup& group, const LimbStep* steps,
                                       const ForwardProblem<double>& in,
                                       const ForwardPointers<double>& ws,
                                       ForwardScratch<Four>* scratch) {
  V3<Four> w = gather([&](int lane) {
    return group.parent[lane] < 0 ? zero<double>() : ws.branches[group.branch[lane]].motion.w;
  });
  for (int k = 0; k < group.steps; ++k) {
    const LimbStep& step = steps[k];
    step_velocity(step.x, step.plain, gather(ws.cosine, step.link), gather(ws.sine, step.link),
                  gather(in.v, step.iv), w, scratch[k]);
  }
}

/// What a limb hands over is added to the arrivals at its parent. A massless copy hands over
/// nothing: its inertia about its axis is set to one, and no torque acts on it.
[[gnu::noinline]] void limb_inertias(const LimbGroup& group, const LimbStep* steps,
                                     const ForwardProblem<double>& in,
                                     const ForwardPointers<double>& ws,
                                     ForwardScratch<Four>* scratch) {
  Articulated<Four> B{};
  for (int k = group.steps - 1; k >= 0; --k) {
    const LimbStep& step = steps[k];
    ForwardScratch<Four>& s = scratch[k];
    const Four active = step.active;
    add_rigid(step.x, B);
    B.n = B.n + s.n;
    B.f = B.f + s.f;
    B.I.zz += Four(1.0) - active;
    step_inertia(step.x, step.plain, gather(ws.cosine, step.link), gather(ws.sine, step.link),
                 active * gather(in.tau, step.iv), s, B);
  }
  for (int lane = 0; lane < group.lanes; ++lane) {
    if (group.parent[lane] < 0) continue;
    add(Articulated<double>{lane_of(B.I, lane), lane_of(B.H, lane), lane_of(B.M, lane),
                            lane_of(B.n, lane), lane_of(B.f, lane)},
        ws.branches[group.branch[lane]].arrivals);
  }
}

[[gnu::noinline]] void limb_accelerations(const LimbGroup& group, const LimbStep* steps,
                                          const ForwardProblem<double>& in,
                                          const ForwardPointers<double>& ws,
                                          ForwardScratch<Four>* scratch) {
  V3<Four> alpha = gather([&](int lane) {
    return group.parent[lane] < 0 ? zero<double>() : ws.branches[group.branch[lane]].motion.alpha;
  });
  V3<Four> a = gather([&](int lane) {
    return group.parent[lane] < 0 ? in.base_acceleration : ws.branches[group.branch[lane]].motion.a;
  });
  for (int k = 0; k < group.steps; ++k) {
    const LimbStep& step = steps[k];
    scatter(step_acceleration(step.x, step.plain, gather(ws.cosine, step.link),
                              gather(ws.sine, step.link), scratch[k], alpha, a),
            step, in.vdot);
  }
}

// ---- inverse dynamics

[[gnu::noinline]] void limb_motions(const LimbGroup& group, const LimbStep* steps,
                                    const InverseProblem<double>& in,
                                    const InversePointers<double>& ws,
                                    InverseScratch<Four>* scratch) {
  const LinkMotion<double> world{zero<double>(), zero<double>(), in.base_acceleration};
  const auto parent = [&](int lane) -> const LinkMotion<double>& {
    return group.parent[lane] < 0 ? world : ws.branches[group.branch[lane]];
  };
  LinkMotion<Four> B{gather([&](int lane) { return parent(lane).w; }),
                     gather([&](int lane) { return parent(lane).alpha; }),
                     gather([&](int lane) { return parent(lane).a; })};
  for (int k = 0; k < group.steps; ++k) {
    const LimbStep& step = steps[k];
    step_motion(step.x, step.plain, gather(ws.cosine, step.link), gather(ws.sine, step.link),
                gather(in.v, step.iv), gather(in.vdot, step.iv), Gradient<Four>(B.w, B.alpha), B);
    scratch[k] = force_of_motion(step.x, Gradient<Four>(B.w, B.alpha), B);
  }
}

[[gnu::noinline]] void limb_forces(const LimbGroup& group, const LimbStep* steps,
                                   const InverseProblem<double>& in,
                                   const InversePointers<double>& ws,
                                   InverseScratch<Four>* scratch) {
  V3<Four> n = zero<Four>(), f = zero<Four>();
  for (int k = group.steps - 1; k >= 0; --k) {
    const LimbStep& step = steps[k];
    n = n + scratch[k].n;
    f = f + scratch[k].f;
    for (int lane = 0; lane < 4; ++lane) {
      if (step.active.x[lane] == 0) continue;
      ws.links[step.link[lane]] = {lane_of(n, lane), lane_of(f, lane)};
      in.tau[step.iv[lane]] = n.z[lane];
    }
    push(step.x, step.plain, gather(ws.cosine, step.link), gather(ws.sine, step.link),
         origin(step.x), n, f);
  }
  for (int lane = 0; lane < group.lanes; ++lane) {
    if (group.parent[lane] < 0) continue;
    InverseScratch<double>& parent = ws.links[group.parent[lane]];
    parent.n = parent.n + lane_of(n, lane);
    parent.f = parent.f + lane_of(f, lane);
  }
}

// ---- what the recursions ask for

struct LimbsInLanes {
  const Run all;
  const LimbView& limbs;
  const bool grouped;  // where forces act on links, all of them run one by one
  const Run* const runs;
  const int run_count;

  [[gnu::always_inline]] LimbsInLanes(const TreeView& tree, const LimbView& view,
                                      const double* body_forces)
      : all{0, tree.n},
        limbs(view),
        grouped(view.group_count > 0 && !body_forces),
        runs(grouped ? view.runs : &all),
        run_count(grouped ? view.run_count : 1) {}

  [[gnu::always_inline]] void sweep_velocities(const auto& in, const auto& ws) const {
    sweep(limb_velocities, in, ws);
  }
  [[gnu::always_inline]] void sweep_inertias(const auto& in, const auto& ws) const {
    sweep(limb_inertias, in, ws);
  }
  [[gnu::always_inline]] void sweep_accelerations(const auto& in, const auto& ws) const {
    sweep(limb_accelerations, in, ws);
  }
  [[gnu::always_inline]] void sweep_motions(const auto& in, const auto& ws) const {
    sweep(limb_motions, in, ws);
  }
  [[gnu::always_inline]] void sweep_forces(const auto& in, const auto& ws) const {
    sweep(limb_forces, in, ws);
  }

 private:
  template <class Problem, class Pointers, class Scratch>
  [[gnu::always_inline]] void sweep(void (*one)(const LimbGroup&, const LimbStep*, const Problem&,
                                                const Pointers&, Scratch*),
                                    const Problem& in, const Pointers& ws) const {
    for (int g = 0; grouped && g < limbs.group_count; ++g) {
      const LimbGroup& group = limbs.groups[g];
      one(group, limbs.steps + group.first_step, in, ws,
          reinterpret_cast<Scratch*>(ws.limb_scratch) + group.first_step);
    }
  }
};

}  // namespace
}  // namespace couplet::dynamics
