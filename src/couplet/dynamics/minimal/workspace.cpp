#include "couplet/dynamics/minimal/workspace.hpp"

namespace couplet::dynamics {
namespace {

size_t padded(size_t n) { return (n + 3) / 4 * 4; }

int freedoms(const model::Link& link) {
  using model::LinkKind;
  return link.kind == LinkKind::free ? 6 : link.kind == LinkKind::spherical ? 3 : 1;
}

}  // namespace

// A segment ends where a link has several children (or none).
template <class T>
void MassMatrixWorkspace<T>::find_segments(const Mechanism& mechanism) {
  const std::vector<model::Link>& links = mechanism.links;
  std::vector<int> children(links.size(), 0);
  for (const model::Link& link : links)
    if (link.parent >= 0) ++children[link.parent];
  column_.resize(mechanism.nv);
  segment_of_.resize(mechanism.nv);
  int columns = 0;
  for (size_t i = 0; i < links.size(); ++i) {
    const model::Link& link = links[i];
    const bool continues =
        link.parent >= 0 && children[link.parent] == 1 && link.parent + 1 == static_cast<int>(i);
    if (!continues) {
      columns = static_cast<int>(padded(columns));
      const int parent = link.parent < 0 ? -1 : segment_of_[links[link.parent].iv];
      segments_.push_back({link.iv, link.iv, columns, parent < 0 ? 0 : segments_[parent].depth + 1});
    }
    const int n = freedoms(link);
    for (int k = 0; k < n; ++k) {
      column_[link.iv + k] = columns++;
      segment_of_[link.iv + k] = static_cast<int>(segments_.size()) - 1;
    }
    segments_.back().last = link.iv + n - 1;
  }
  path_.resize(segments_.size() + 1);
}

template <class T>
MassMatrixWorkspace<T>::MassMatrixWorkspace(const Mechanism& mechanism)
    : angles(mechanism.links.size()), arrays{} {
  find_segments(mechanism);
  const size_t n = mechanism.links.size(), links = padded(n) + 4, rows = padded(mechanism.nv) + 4;
  const size_t columns =
      segments_.empty() ? 4 : padded(segments_.back().column + segments_.back().last - segments_.back().first + 1) + 4;
  arrays.direct = mechanism.nv == static_cast<int>(n) && segments_.size() == 1;
  storage_.assign(links * (10 + 2 + 9 + 3 + 10 + 12) + (arrays.direct ? 0 : 6 * (columns + rows)),
                  T{});
  T* next = storage_.data();
  const auto take = [&next](size_t size) {
    T* p = next;
    next += size;
    return p;
  };
  T* body[10];
  for (int k = 0; k < 10; ++k) arrays.body[k] = body[k] = take(links);
  T* sigma = take(links);
  T* h = take(links);
  for (T*& p : arrays.R) p = take(links);
  for (T*& p : arrays.p) p = take(links);
  for (T*& p : arrays.composite) p = take(links);
  for (T*& p : arrays.link_S) p = take(links);
  for (T*& p : arrays.link_F) p = take(links);
  for (int k = 0; k < 6; ++k) {
    arrays.S[k] = arrays.direct ? arrays.link_S[k] : take(columns);
    arrays.F[k] = arrays.direct ? arrays.link_F[k] : take(rows);
  }
  for (size_t i = 0; i < n; ++i) {
    const model::LinkNumbers<double>& x = mechanism.links[i].x;
    const double values[10] = {x.mass, x.hx, x.hy, x.hz, x.Ixx, x.Ixy, x.Ixz, x.Iyy, x.Iyz, x.Izz};
    for (int k = 0; k < 10; ++k) body[k][i] = values[k];
    sigma[i] = x.sigma;
    h[i] = x.h;
  }
  arrays.angle = angles.angle.data();
  arrays.cosine = angles.cosine.data();
  arrays.sine = angles.sine.data();
  arrays.sigma = sigma;
  arrays.h = h;
  arrays.column = column_.data();
  arrays.segment_of = segment_of_.data();
  arrays.segments = segments_.data();
  arrays.path = path_.data();
}

template class MassMatrixWorkspace<double>;

}  // namespace couplet::dynamics
