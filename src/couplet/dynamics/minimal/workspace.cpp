#include "couplet/dynamics/minimal/workspace.hpp"

#include <cstdint>
#include <cstdlib>

namespace couplet::dynamics {

// calloc knows which memory is zero already. How far the line is from what it gave stands before
// it.
void* allocate_zeros(size_t bytes) {
  constexpr size_t line = 64;
  void* given = std::calloc(bytes + line, 1);
  if (!given) throw std::bad_alloc();
  const size_t gap = line - reinterpret_cast<std::uintptr_t>(given) % line;  // 16 to 64
  auto* memory = static_cast<unsigned char*>(given) + gap;
  memory[-1] = static_cast<unsigned char>(gap);
  return memory;
}

void free_zeros(void* memory) {
  auto* bytes = static_cast<unsigned char*>(memory);
  std::free(bytes - bytes[-1]);
}

namespace {

int freedoms(const model::Link& link) {
  using model::LinkKind;
  return link.kind == LinkKind::free ? 6 : link.kind == LinkKind::spherical ? 3 : 1;
}

}  // namespace

// A segment ends where a link has several children (or none).
template <class T>
void MassMatrixWorkspace<T>::find_segments(const Mechanism& mechanism) {
  const std::vector<model::Link>& links = mechanism.links;
  std::vector<int> children(links.size(), 0), segment_of(links.size());
  for (const model::Link& link : links)
    if (link.parent >= 0) ++children[link.parent];
  lane_.resize(mechanism.nv);
  int block = 0;
  for (int i = 0; i < static_cast<int>(links.size()); ++i) {
    const model::Link& link = links[i];
    const bool continues = link.parent >= 0 && children[link.parent] == 1;
    if (!continues) {
      const int parent = link.parent < 0 ? -1 : segment_of[link.parent];
      if (!segments_.empty()) block += segments_.back().blocks;
      segments_.push_back(
          {link.iv, link.iv, block, 1, parent, parent < 0 ? 0 : segments_[parent].depth + 1});
    }
    Segment& segment = segments_.back();
    segment_of[i] = static_cast<int>(segments_.size()) - 1;
    for (int k = link.iv; k < link.iv + freedoms(link); ++k) {
      lane_[k] = 4 * segment.block + k - segment.first;
      segment.last = k;
    }
    segment.blocks = (segment.last - segment.first) / 4 + 1;
  }
}

template <class T>
void MassMatrixWorkspace<T>::fill_lanes(const Mechanism& mechanism) {
  std::vector<double> carried(mechanism.links.size());
  for (size_t i = mechanism.links.size(); i-- > 0;) {
    const model::Link& link = mechanism.links[i];
    const model::LinkNumbers<double>& x = link.x;
    carried[i] += x.mass;
    if (link.parent >= 0) carried[link.parent] += carried[i];
    const bool has_axis = link.frame < 0;
    const int n = freedoms(link);
    for (int k = 0; k < n; ++k) {
      const int lane = lane_[link.iv + k], j = lane % 4;
      MassLanes<T>& body = bodies_[lane / 4];
      body.sigma[j] = has_axis ? x.sigma : k < 3 ? 1.0 : 0.0;
      body.h[j] = has_axis ? x.h : k < 3 ? 0.0 : 1.0;
      body.carried[j] = carried[i];
      if (k < n - 1) continue;
      const double moment[3] = {x.hx, x.hy, x.hz};
      const double inertia[6] = {x.Ixx, x.Ixy, x.Ixz, x.Iyy, x.Iyz, x.Izz};
      body.mass[j] = x.mass;
      for (int m = 0; m < 3; ++m) body.moment[m][j] = moment[m];
      for (int m = 0; m < 6; ++m) body.inertia[m][j] = inertia[m];
    }
  }
}

template <class T>
MassMatrixWorkspace<T>::MassMatrixWorkspace(const Mechanism& mechanism)
    : angles_(mechanism.links.size()) {
  find_segments(mechanism);
  const size_t blocks = segments_.empty() ? 0 : segments_.back().block + segments_.back().blocks;
  frames_.resize(4 * blocks);
  bodies_.resize(blocks);
  S_.resize(blocks);
  F_.resize(blocks);
  arrivals_.resize(segments_.size());
  path_.resize(segments_.size());
  fill_lanes(mechanism);
}

template <class T>
MassMatrixPointers<T> MassMatrixWorkspace<T>::pointers() {
  return {angles_.cosine.data(), angles_.sine.data(), frames_.data(),
          bodies_.data(),        S_.data(),           F_.data(),
          lane_.data(),          segments_.data(),    static_cast<int>(segments_.size()),
          arrivals_.data(),      path_.data()};
}

template class MassMatrixWorkspace<double>;

}  // namespace couplet::dynamics
