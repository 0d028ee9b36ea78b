// The recursions on packs of states for the instruction set that the including file is compiled
// for.
#pragma once

#include <utility>

#include "couplet/dynamics/minimal/batch.hpp"
#include "couplet/dynamics/minimal/recursions/carver.hpp"
#include "couplet/dynamics/minimal/recursions/forward.hpp"
#include "couplet/dynamics/minimal/recursions/inverse.hpp"

namespace couplet::dynamics {
namespace {

/// W states of a batch. The last pack is filled up with the last state, which is then read and
/// written several times, with the same values.
template <int W, class D>
struct States {
  D* of[W];
  States() = default;
  [[gnu::always_inline]] States(D* x, int rows, int first, int count)
      : States(x + static_cast<long>(first) * rows, rows, static_cast<long>(count - 1 - first),
               std::make_integer_sequence<int, W>()) {}

 private:
  template <int... l>  // no loop: these stay in registers
  [[gnu::always_inline]] States(D* x, long rows, long last, std::integer_sequence<int, l...>)
      : of{x + (l < last ? l : last) * rows...} {}
};

/// Rows become columns. Names instead of arrays: these stay in registers.
[[gnu::always_inline]] inline void transpose(Pack<2>& a, Pack<2>& b) {
  const Pack<2> first(__builtin_shufflevector(a.r, b.r, 0, 2));
  b = Pack<2>(__builtin_shufflevector(a.r, b.r, 1, 3));
  a = first;
}
[[gnu::always_inline]] inline void transpose(Pack<4>& a, Pack<4>& b, Pack<4>& c, Pack<4>& d) {
  using Register = Pack<4>::Register;
  const Register ab0 = __builtin_shufflevector(a.r, b.r, 0, 4, 2, 6),
                 ab1 = __builtin_shufflevector(a.r, b.r, 1, 5, 3, 7),
                 cd0 = __builtin_shufflevector(c.r, d.r, 0, 4, 2, 6),
                 cd1 = __builtin_shufflevector(c.r, d.r, 1, 5, 3, 7);
  a = Pack<4>(__builtin_shufflevector(ab0, cd0, 0, 1, 4, 5));
  b = Pack<4>(__builtin_shufflevector(ab1, cd1, 0, 1, 4, 5));
  c = Pack<4>(__builtin_shufflevector(ab0, cd0, 2, 3, 6, 7));
  d = Pack<4>(__builtin_shufflevector(ab1, cd1, 2, 3, 6, 7));
}

/// Numbers i, … i + W - 1 of W states become packs.
[[gnu::always_inline]] inline void gather_block(int i, const States<2, const double>& from,
                                                double* to) {
  Pack<2> a = Pack<2>::load(from.of[0] + i), b = Pack<2>::load(from.of[1] + i);
  transpose(a, b);
  a.store(to + 2 * i), b.store(to + 2 * i + 2);
}
[[gnu::always_inline]] inline void gather_block(int i, const States<4, const double>& from,
                                                double* to) {
  Pack<4> a = Pack<4>::load(from.of[0] + i), b = Pack<4>::load(from.of[1] + i),
          c = Pack<4>::load(from.of[2] + i), d = Pack<4>::load(from.of[3] + i);
  transpose(a, b, c, d);
  to += 4 * i;
  a.store(to), b.store(to + 4), c.store(to + 8), d.store(to + 12);
}
[[gnu::always_inline]] inline void scatter_block(int i, const double* from,
                                                 const States<2, double>& to) {
  Pack<2> a = Pack<2>::load(from + 2 * i), b = Pack<2>::load(from + 2 * i + 2);
  transpose(a, b);
  a.store(to.of[0] + i), b.store(to.of[1] + i);
}
[[gnu::always_inline]] inline void scatter_block(int i, const double* from,
                                                 const States<4, double>& to) {
  from += 4 * i;
  Pack<4> a = Pack<4>::load(from), b = Pack<4>::load(from + 4), c = Pack<4>::load(from + 8),
          d = Pack<4>::load(from + 12);
  transpose(a, b, c, d);
  a.store(to.of[0] + i), b.store(to.of[1] + i), c.store(to.of[2] + i), d.store(to.of[3] + i);
}

/// Number i of state l goes to [W i + l]. Whole packs are moved, and the last block overlaps the
/// one before: lanes that are written one by one would be waited for.
template <int W>
[[gnu::always_inline]] inline void gather(int n, const States<W, const double>& from, double* to) {
  if (n >= W) {
    for (int i = 0; i <= n - W; i += W) gather_block(i, from, to);
    if (n % W != 0) gather_block(n - W, from, to);
    return;
  }
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < W; ++l) to[W * i + l] = from.of[l][i];
}
template <int W>
[[gnu::always_inline]] inline void scatter(int n, const double* from, const States<W, double>& to) {
  if (n >= W) {
    for (int i = 0; i <= n - W; i += W) scatter_block(i, from, to);
    if (n % W != 0) scatter_block(n - W, from, to);
    return;
  }
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < W; ++l) to.of[l][i] = from[W * i + l];
}

/// Packs of a batch as memory: n numbers of W states.
template <int W>
struct Numbers {
  Pack<W>* pack;
  int n;
  Numbers(Carver& memory, int count) : pack(memory.take<Pack<W>>(count)), n(count) {}
  double* data() const { return reinterpret_cast<double*>(pack); }
  [[gnu::always_inline]] void read(const double* from, int first, int count) const {
    gather<W>(n, {from, n, first, count}, data());
  }
  [[gnu::always_inline]] void write(double* to, int first, int count) const {
    scatter<W>(n, data(), {to, n, first, count});
  }
};

constexpr LimbView no_limbs{};  // the lanes are taken

/// The tree that all states of a batch have in common.
struct CommonTree {
  const BatchProblem& problem;

  explicit CommonTree(const BatchProblem& of) : problem(of) {}
  template <class T>
  V3<T> base() const {
    return {T(problem.base.x), T(problem.base.y), T(problem.base.z)};
  }
  const TreeView& of_states(int, int) const { return problem.tree; }
};

/// A tree with numbers of its own for each lane of a pack.
template <int W>
struct PackFrames {
  Pack<W> R[9], p[3];
};

}  // namespace

template <int W>
struct FramesOf<ParametricLink<Pack<W>>> {
  using type = PackFrames<W>;
};

namespace {

/// The trees of W states, each of a mechanism of its own.
template <int W>
class VariedTree {
 public:
  using L = ParametricLink<Pack<W>>;

  VariedTree(const BatchProblem& problem, const Mechanism* const* variants, Carver& memory)
      : problem_(problem),
        variants_(variants),
        links_(memory.take<L>(problem.tree.n)),
        frames_(memory.take<PackFrames<W>>(problem.frames)) {}

  template <class T>
  V3<T> base() const {
    return base_;
  }

  /// For the states first, … of `count`, as they are filled into a pack.
  Tree<L> of_states(int first, int count) {
    const Mechanism* of[W];
    for (int l = 0; l < W; ++l) of[l] = variants_[first + l < count ? first + l : count - 1];
    const auto fill = [&](int n, auto numbers_of, auto* to) {
      States<W, const double> from;
      for (int l = 0; l < W; ++l) from.of[l] = numbers_of(*of[l]);
      gather<W>(n, from, reinterpret_cast<double*>(to));
    };
    constexpr int numbers = sizeof(model::LinkNumbers<double>) / sizeof(double);
    for (int i = 0; i < problem_.tree.n; ++i) {
      L& link = links_[i];
      static_cast<model::Link&>(link) = problem_.tree.links[i];
      for (int l = 0; l < W; ++l) {
        link.plain = link.plain && of[l]->links[i].plain;
        link.simple = link.simple && of[l]->links[i].simple;
      }
      fill(
          numbers, [i](const Mechanism& m) { return &m.links[i].x.a; }, &link.x);
    }
    for (int f = 0; f < problem_.frames; ++f)
      fill(
          12, [f](const Mechanism& m) { return m.quaternion_frames[f].R; }, frames_ + f);
    fill(
        3, [](const Mechanism& m) { return m.uniform_gravity.data(); }, &base_);
    base_ = {-base_.x, -base_.y, -base_.z};
    return {problem_.tree.n, links_, frames_};
  }

 private:
  const BatchProblem& problem_;
  const Mechanism* const* variants_;
  L* links_;
  PackFrames<W>* frames_;
  V3<Pack<W>> base_{};
};

template <int W>
void run_batch_forward(const BatchProblem& problem, auto make_tree, int count, const double* q,
                       const double* v, const double* tau, double* vdot, double* tau_out,
                       double* scratch) {
  using T = Pack<W>;
  const int n = problem.tree.n;
  Carver memory{reinterpret_cast<char*>(scratch)};
  const ForwardPointers<T> ws{memory.take<T>(n),
                              memory.take<T>(n),
                              memory.take<ForwardScratch<T>>(n),
                              memory.take<HeavyScratch<T>>(problem.heavy),
                              memory.take<BranchScratch<T>>(problem.branches),
                              &no_limbs,
                              nullptr};
  for (int b = 0; b < problem.branches; ++b) ws.branches[b].arrivals = Articulated<T>{};
  const Numbers<W> Q(memory, problem.nq), V(memory, problem.nv), F(memory, problem.nv),
      A(memory, problem.nv), P(memory, problem.nv);
  auto trees = make_tree(memory);
  const bool prescribed = problem.heavy > 0;  // perhaps
  for (int k = 0; k < count; k += W) {
    const auto& tree = trees.of_states(k, count);
    const ForwardProblem<T> in{Q.pack, V.pack, F.pack, nullptr, trees.template base<T>(),
                               A.pack, P.pack};
    Q.read(q, k, count), V.read(v, k, count), F.read(tau, k, count);
    if (prescribed) A.read(vdot, k, count), P.read(tau, k, count);
    forward_dynamics(tree, in, ws, NoLimbs(tree, no_limbs, nullptr));
    A.write(vdot, k, count);
    if (prescribed) P.write(tau_out, k, count);
  }
}

template <int W>
void run_batch_inverse(const BatchProblem& problem, auto make_tree, int count, const double* q,
                       const double* v, const double* vdot, double* tau, double* scratch) {
  using T = Pack<W>;
  const int n = problem.tree.n;
  Carver memory{reinterpret_cast<char*>(scratch)};
  const InversePointers<T> ws{memory.take<T>(n),
                              memory.take<T>(n),
                              memory.take<InverseScratch<T>>(n),
                              memory.take<PoseScratch<T>>(problem.frames),
                              memory.take<LinkMotion<T>>(problem.branches),
                              &no_limbs,
                              nullptr};
  const Numbers<W> Q(memory, problem.nq), V(memory, problem.nv), A(memory, problem.nv),
      F(memory, problem.nv);
  auto trees = make_tree(memory);
  for (int k = 0; k < count; k += W) {
    const auto& tree = trees.of_states(k, count);
    const InverseProblem<T> in{Q.pack, V.pack, A.pack, nullptr, trees.template base<T>(), F.pack};
    Q.read(q, k, count), V.read(v, k, count), A.read(vdot, k, count);
    inverse_dynamics(tree, in, ws, NoLimbs(tree, no_limbs, nullptr));
    F.write(tau, k, count);
  }
}

template <int W>
void run_sincos(const AngleSums& angles, int nq, int packs, const double* q, double* cosine,
                double* sine) {
  const int n = static_cast<int>(angles.offset.size());
  const double *const offset = angles.offset.data(), *const factor = angles.factor.data();
  const int *const end = angles.end.data(), *const coordinate = angles.coordinate.data();
  for (int p = 0; p < packs; ++p, q += W * nq, cosine += W * n, sine += W * n)
    calc_sincos_packs<W>(
        n,
        [=](int i) {
          Pack<W> x(offset[i]);
          for (int k = i == 0 ? 0 : end[i - 1]; k < end[i]; ++k)
            x += factor[k] * Pack<W>::load(q + W * coordinate[k]);
          return x;
        },
        cosine, sine);
}

template <int W>
constexpr BatchKernels make_batch_kernels() {
  return {
      W,
      [](const BatchProblem& problem, int count, const double* q, const double* v,
         const double* tau, double* vdot, double* tau_out, double* scratch) {
        run_batch_forward<W>(
            problem, [&](Carver&) { return CommonTree(problem); }, count, q, v, tau, vdot, tau_out,
            scratch);
      },
      [](const BatchProblem& problem, int count, const double* q, const double* v,
         const double* vdot, double* tau, double* scratch) {
        run_batch_inverse<W>(
            problem, [&](Carver&) { return CommonTree(problem); }, count, q, v, vdot, tau, scratch);
      },
      [](const BatchProblem& problem, const Mechanism* const* variants, int count, const double* q,
         const double* v, const double* tau, double* vdot, double* tau_out, double* scratch) {
        run_batch_forward<W>(
            problem, [&](Carver& memory) { return VariedTree<W>(problem, variants, memory); },
            count, q, v, tau, vdot, tau_out, scratch);
      },
      [](const BatchProblem& problem, const Mechanism* const* variants, int count, const double* q,
         const double* v, const double* vdot, double* tau, double* scratch) {
        run_batch_inverse<W>(
            problem, [&](Carver& memory) { return VariedTree<W>(problem, variants, memory); },
            count, q, v, vdot, tau, scratch);
      },
      [](int n, int packs, int first, int count, const double* from, double* to) {
        for (int p = 0; p < packs; ++p, first += W, to += W * n)
          gather<W>(n, {from, n, first, count}, to);
      },
      [](int n, int packs, int first, int count, const double* from, double* to) {
        for (int p = 0; p < packs; ++p, first += W, from += W * n)
          scatter<W>(n, from, {to, n, first, count});
      },
      run_sincos<W>};
}

}  // namespace
}  // namespace couplet::dynamics
