// Scratch memory of the recursions, sized once for a mechanism; evaluations allocate nothing.
#pragma once

#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "couplet/dynamics/minimal/limbs.hpp"
#include "couplet/dynamics/minimal/recursions/types.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::dynamics {

using model::Mechanism;

/// What holds the X_PF of quaternion links beside links of this type.
template <class L>
struct FramesOf {
  using type = model::FrameNumbers;
};

/// The compiled tree as the recursions see it. L is model::Link, or one whose numbers are of
/// another scalar (ParametricLink).
template <class L>
struct Tree {
  int n;
  const L* links;
  const typename FramesOf<L>::type* frames;  // X_PF of quaternion links
};
using TreeView = Tree<model::Link>;

/// A link whose numbers are not all known yet (expressions), or are differentiated (dual numbers).
template <class C>
struct ParametricLink : model::Link {
  model::LinkNumbers<C> x;  // instead of the link's own
};

inline TreeView view(const Mechanism& mechanism) {
  return {static_cast<int>(mechanism.links.size()), mechanism.links.data(),
          mechanism.quaternion_frames.data()};
}

/// Vectors on cache-line boundaries, so that packs never straddle two lines. Their memory is zero
/// and, where there is much of it, the system's until it is written to: links that run side by side
/// have scratch of their own, and never touch that of single ones.
void* allocate_zeros(size_t bytes);  // on a cache line
void free_zeros(void* memory);
template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(allocate_zeros(n * sizeof(T))); }
  void deallocate(T* p, size_t) { free_zeros(p); }
  template <class U>
  void construct(U* p) noexcept {
    if constexpr (!std::is_trivially_default_constructible_v<U>) ::new (p) U();
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (p) U(std::forward<Args>(args)...);
  }
  bool operator==(const AlignedAllocator&) const { return true; }
};
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// Cosines and sines of the joint angles, padded to whole packs.
template <class T>
struct Angles {
  AlignedVector<T> cosine, sine;
  explicit Angles(size_t links) : cosine((links + 3) / 4 * 4), sine(cosine.size()) {}
};

/// The workspaces below as plain pointers: the kernels call no functions of other translation
/// units.
template <class T>
struct ForwardPointers {
  T *cosine, *sine;
  ForwardScratch<T>* links;
  HeavyScratch<T>* heavy;      // links with Link::heavy >= 0
  BranchScratch<T>* branches;  // links with Link::branch >= 0
  const LimbView* limbs;
  T* limb_scratch;  // ForwardScratch of packs, one per step
};
template <class T>
struct InversePointers {
  T *cosine, *sine;
  InverseScratch<T>* links;
  PoseScratch<T>* poses;    // links with Link::frame >= 0
  LinkMotion<T>* branches;  // of links with Link::branch >= 0
  const LimbView* limbs;
  T* limb_scratch;  // InverseScratch of packs, one per step
};

/// Scratch of forward dynamics by the recursive formalism.
template <class T>
struct RecursiveWorkspace {
  Angles<T> angles;
  AlignedVector<ForwardScratch<T>> links;
  AlignedVector<HeavyScratch<T>> heavy;
  AlignedVector<BranchScratch<T>> branches;
  std::shared_ptr<LimbPlan> limbs;
  AlignedVector<T> limb_scratch;
  explicit RecursiveWorkspace(const Mechanism& mechanism)
      : angles(mechanism.links.size()),
        links(mechanism.links.size()),
        heavy(mechanism.heavy_links),
        branches(mechanism.branch_links),
        limbs(std::make_shared<LimbPlan>(mechanism)),
        limb_scratch(limbs->step_count() * 4 * sizeof(ForwardScratch<T>) / sizeof(T)) {}
  /// After numbers of the mechanism have changed (model/parametric.hpp).
  void refresh(const Mechanism& mechanism) { limbs->refresh(mechanism); }
  ForwardPointers<T> pointers() {
    return {angles.cosine.data(), angles.sine.data(), links.data(),       heavy.data(),
            branches.data(),      &limbs->view(),     limb_scratch.data()};
  }
  size_t bytes() const {
    return 2 * angles.cosine.size() * sizeof(T) + links.size() * sizeof(ForwardScratch<T>) +
           heavy.size() * sizeof(HeavyScratch<T>) + branches.size() * sizeof(BranchScratch<T>) +
           limbs->step_count() * sizeof(LimbStep) + limb_scratch.size() * sizeof(T);
  }
};

/// Scratch of inverse dynamics; afterwards n and f of each link are the force through its joint.
template <class T>
struct InverseWorkspace {
  Angles<T> angles;
  AlignedVector<InverseScratch<T>> links;
  AlignedVector<PoseScratch<T>> poses;
  AlignedVector<LinkMotion<T>> branches;
  std::shared_ptr<LimbPlan> limbs;
  AlignedVector<T> limb_scratch;
  /// `plan`: of another workspace of the mechanism; null: one of its own.
  explicit InverseWorkspace(const Mechanism& mechanism, std::shared_ptr<LimbPlan> plan = {})
      : angles(mechanism.links.size()),
        links(mechanism.links.size()),
        poses(mechanism.quaternion_frames.size()),
        branches(mechanism.branch_links),
        limbs(plan ? std::move(plan) : std::make_shared<LimbPlan>(mechanism)),
        limb_scratch(limbs->step_count() * 4 * sizeof(InverseScratch<T>) / sizeof(T)) {}
  void refresh(const Mechanism& mechanism) { limbs->refresh(mechanism); }
  InversePointers<T> pointers() {
    return {angles.cosine.data(), angles.sine.data(), links.data(),       poses.data(),
            branches.data(),      &limbs->view(),     limb_scratch.data()};
  }
};

/// Freedoms that follow each other along one chain without a branch: [first, last]. They occupy
/// whole blocks of four lanes of their own.
struct Segment {
  int first, last;
  int block, blocks;
  int parent;  // segment that it starts from, -1: the world
  int depth;   // number of segments between it and the world
};

template <class T>
struct MassMatrixPointers {
  T *cosine, *sine;
  WorldFrame<T>* frames;       // per lane
  const MassLanes<T>* bodies;  // per block
  Columns<T>*S, *F;            // per block
  const int* lane;             // of each freedom
  const Segment* segments;
  int segment_count;
  Composite<T>* arrivals;  // per segment: of the segments that start from it; zero between calls
  int* path;               // segments from the world to the present one
};

/// Scratch of the mass matrix.
template <class T>
class MassMatrixWorkspace {
 public:
  explicit MassMatrixWorkspace(const Mechanism& mechanism);
  void refresh(const Mechanism& mechanism) { fill_lanes(mechanism); }
  MassMatrixPointers<T> pointers();

 private:
  void find_segments(const Mechanism& mechanism);
  void fill_lanes(const Mechanism& mechanism);

  Angles<T> angles_;
  AlignedVector<WorldFrame<T>> frames_;
  AlignedVector<MassLanes<T>> bodies_;
  AlignedVector<Columns<T>> S_, F_;
  std::vector<Composite<T>> arrivals_;
  std::vector<int> lane_, path_;
  std::vector<Segment> segments_;
};

}  // namespace couplet::dynamics
