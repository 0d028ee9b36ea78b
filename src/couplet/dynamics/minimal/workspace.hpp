// Scratch memory of the recursions, sized once for a mechanism; evaluations allocate nothing.
#pragma once

#include <limits>
#include <new>
#include <vector>

#include "couplet/dynamics/minimal/recursions/types.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::dynamics {

using model::Mechanism;

/// The compiled tree as the recursions see it.
struct TreeView {
  int n;
  const model::Link* links;
  const model::FrameNumbers* frames;  // X_PF of quaternion links
};
inline TreeView view(const Mechanism& mechanism) {
  return {static_cast<int>(mechanism.links.size()), mechanism.links.data(),
          mechanism.quaternion_frames.data()};
}

/// Vectors on cache-line boundaries, so that packs never straddle two lines.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, size_t) { ::operator delete(p, alignment); }
  bool operator==(const AlignedAllocator&) const { return true; }
};
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// Joint angles and their cosines and sines, padded to whole packs.
template <class T>
struct Angles {
  AlignedVector<T> angle, cosine, sine;
  explicit Angles(size_t links)
      : angle((links + 3) / 4 * 4), cosine(angle.size()), sine(angle.size()) {}
};

/// The workspaces below as plain pointers: the kernels call no functions of other translation units.
template <class T>
struct ForwardPointers {
  T *angle, *cosine, *sine;
  ForwardScratch<T>* links;
  HeavyScratch<T>* heavy;        // links with Link::heavy >= 0
  Articulated<T>* branches;      // arrivals at links with Link::branch >= 0
};
template <class T>
struct InversePointers {
  T *angle, *cosine, *sine;
  InverseScratch<T>* links;
  PoseScratch<T>* poses;         // links with Link::frame >= 0
};

/// Scratch of forward dynamics by the recursive formalism.
template <class T>
struct RecursiveWorkspace {
  Angles<T> angles;
  AlignedVector<ForwardScratch<T>> links;
  AlignedVector<HeavyScratch<T>> heavy;
  AlignedVector<Articulated<T>> branches;
  explicit RecursiveWorkspace(const Mechanism& mechanism)
      : angles(mechanism.links.size()),
        links(mechanism.links.size()),
        heavy(mechanism.heavy_links),
        branches(mechanism.branch_links) {}
  ForwardPointers<T> pointers() {
    return {angles.angle.data(), angles.cosine.data(), angles.sine.data(),
            links.data(),        heavy.data(),         branches.data()};
  }
  size_t bytes() const {
    return 3 * angles.angle.size() * sizeof(T) + links.size() * sizeof(ForwardScratch<T>) +
           heavy.size() * sizeof(HeavyScratch<T>) + branches.size() * sizeof(Articulated<T>);
  }
};

/// Scratch of inverse dynamics; afterwards n and f of each link are the force through its joint.
template <class T>
struct InverseWorkspace {
  Angles<T> angles;
  AlignedVector<InverseScratch<T>> links;
  AlignedVector<PoseScratch<T>> poses;
  explicit InverseWorkspace(const Mechanism& mechanism)
      : angles(mechanism.links.size()),
        links(mechanism.links.size()),
        poses(mechanism.quaternion_frames.size()) {}
  InversePointers<T> pointers() {
    return {angles.angle.data(), angles.cosine.data(), angles.sine.data(), links.data(),
            poses.data()};
  }
};

/// Freedoms that follow each other along one chain without a branch: [first, last].
struct MassMatrixSegment {
  int first, last;
  int column;  // where its columns start in S, where every segment is padded to whole packs
  int depth;   // number of segments between it and the world
};

/// Pointers into the workspace of the mass matrix: one array per component, one entry per link or
/// freedom, so that packs hold several of them.
template <class T>
struct MassMatrixArrays {
  T *angle, *cosine, *sine;
  const T* body[10];    // mass; h; Ixx, Ixy, Ixz, Iyy, Iyz, Izz of each link in its own frame
  const T *sigma, *h;
  T *R[9], *p[3];       // pose in the world
  T* composite[10];     // like `body`, in world axes about the world's origin
  T *link_S[6], *link_F[6];
  T *S[6], *F[6];       // by column (padded) and by row of M
  const int* column;    // of each freedom in S
  const int* segment_of;
  const MassMatrixSegment* segments;
  int* path;
  bool direct;          // one freedom per link and a single segment: S = link_S, F = link_F
};

template <class T>
class MassMatrixWorkspace {
 public:
  explicit MassMatrixWorkspace(const Mechanism& mechanism);
  MassMatrixWorkspace(const MassMatrixWorkspace&) = delete;
  MassMatrixWorkspace& operator=(const MassMatrixWorkspace&) = delete;

  Angles<T> angles;
  MassMatrixArrays<T> arrays;

 private:
  void find_segments(const Mechanism& mechanism);
  AlignedVector<T> storage_;
  std::vector<int> column_, segment_of_, path_;
  std::vector<MassMatrixSegment> segments_;
};

}  // namespace couplet::dynamics
