#include "couplet/dynamics/substructure/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "couplet/base/diagnostics.hpp"

namespace couplet::dynamics {
namespace {

// A row depends on others where it moves this much less, when those are closed, than free parts do.
constexpr double dependent = 1e-14;

// Multiplications of a factorisation that are worth a task, and those of one whose loads are.
constexpr double grain = 1e5, grain_of_loads = 1e6;
constexpr int ties_per_task = 500;

double dot6(const double* x, const double* y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5];
}

/// y += w x
void add(size_t n, double w, const double* x, double* y) {
  for (size_t i = 0; i < n; ++i) y[i] += w * x[i];
}

size_t count_of(int n) { return static_cast<size_t>(n); }

}  // namespace

AssemblyTree make_assembly_tree(int parts, const std::vector<Tie>& ties) {
  std::vector<std::vector<int>> held;
  for (const Tie& tie : ties) held.push_back(tie.parts);
  return make_assembly_tree(parts, held);
}

Assembly::Assembly(int parts, std::vector<Tie> ties, int in_leaf)
    : ties_(std::move(ties)), first_row_{0}, parts_(count_of(parts)), joints_(ties_.size()) {
  size_t blocks = 0;
  for (const Tie& tie : ties_) {
    first_row_.push_back(first_row_.back() + tie.rows);
    first_block_.push_back(blocks);
    blocks += 6 * count_of(tie.rows) * tie.parts.size();
  }
  R_.assign(blocks, 0);
  mobility_.assign(count_of(first_row_.back()), 0);
  tree_ = make_assembly_tree(parts, ties_);
  condense(in_leaf);
  for (size_t k = 0; k < joined_.nodes.size(); ++k) add_node(joined_.nodes[k], leaf_of_[k]);
  memory_.assign(size_, 0);
  std::vector<double> cost;
  for (const Node& node : nodes_) cost.push_back(count(node));
  sweeps_ = TreeSweeps(joined_, std::move(cost));
}

void Assembly::add_node(const AssemblyNode& given, int leaf) {
  Node node{};
  node.part = given.part, node.leaf = leaf, node.left = given.left, node.right = given.right;
  node.handles = static_cast<int>(given.handles.size());
  std::vector<int> stacked;
  for (const int child : {given.left, given.right}) {
    if (child < 0) continue;
    const std::vector<int>& handles = joined_.nodes[count_of(child)].handles;
    stacked.insert(stacked.end(), handles.begin(), handles.end());
    if (child == given.left) node.from_left = static_cast<int>(handles.size());
  }
  node.stacked = static_cast<int>(stacked.size());
  const auto place = [&](int part) {
    const auto found = std::find(stacked.begin(), stacked.end(), part);
    base::ensure(found != stacked.end(), "a tie holds a part that is no handle");
    return static_cast<int>(found - stacked.begin());
  };
  for (const int t : leaf < 0 ? given.ties : std::vector<int>{}) {
    const Tie& tie = ties_[count_of(t)];
    for (size_t end = 0; end < tie.parts.size(); ++end)
      node.holds.push_back({node.rows, tie.rows, place(tie.parts[end]),
                            first_block_[count_of(t)] + 6 * end * count_of(tie.rows)});
    for (int r = 0; r < tie.rows; ++r) node.global_row.push_back(first_row_[count_of(t)] + r);
    node.rows += tie.rows;
    joined_ties_.push_back(t);
  }
  if (given.left >= 0)
    for (const int part : given.handles) node.stay.push_back(place(part));
  node.order.assign(count_of(node.rows), 0);
  const auto take = [&](int rows, int columns) {
    const size_t begin = size_;
    size_ += count_of(rows) * count_of(columns);
    return begin;
  };
  const int n = 6 * node.handles;
  node.Phi = take(n, n), node.b = take(n, 1), node.f = take(n, 1);
  node.Y = take(node.rows, 6 * node.stacked), node.Z = take(node.rows, n);
  node.L = take(node.rows, node.rows);
  node.z = take(node.rows, 1), node.s = take(node.rows, 1);
  nodes_.push_back(std::move(node));
}

// ---- Inertias: one sweep up.

void Assembly::calc_mobilities() {
  for_all(static_cast<int>(joined_ties_.size()), ties_per_task, [&](int k) {
    const int t = joined_ties_[count_of(k)];
    const Tie& tie = ties_[count_of(t)];
    for (int r = 0; r < tie.rows; ++r) {
      double& mobility = mobility_[count_of(first_row_[count_of(t)] + r)];
      mobility = 0;
      for (int end = 0; end < static_cast<int>(tie.parts.size()); ++end) {
        const PartInertia& part = parts_[count_of(tie.parts[count_of(end)])];
        const Eigen::Map<const math::Vec3> couple(row(t, end, r)), force(row(t, end, r) + 3);
        mobility += couple.dot(part.turns * couple) + part.slides * force.squaredNorm();
      }
    }
  });
}

void Assembly::factorise() {
  calc_mobilities();
  sweeps_.up(grain, [&](int k) { join_compliances(nodes_[count_of(k)]); });
}

void Assembly::join_compliances(Node& node) {
  double* Phi = at(node.Phi);
  if (node.leaf >= 0) return leaves_[count_of(node.leaf)].factorise(parts_, joints_, Phi);
  if (node.part >= 0) {
    const PartInertia& part = parts_[count_of(node.part)];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) Phi[6 * i + j] = part.turns(i, j);
      Phi[6 * (3 + i) + 3 + i] = part.slides;
    }
    return;
  }
  // Y = R Φ, child by child.
  const size_t stacked = 6 * count_of(node.stacked), left = 6 * count_of(node.from_left);
  std::fill_n(at(node.Y), count_of(node.rows) * stacked, 0.0);
  for (const Hold& hold : node.holds) {
    const bool is_left = hold.handle < node.from_left;
    const Node& child = nodes_[count_of(is_left ? node.left : node.right)];
    const size_t n = 6 * count_of(child.handles), begin = is_left ? 0 : left;
    const double* from = at(child.Phi) + (6 * count_of(hold.handle) - begin) * n;
    for (int r = 0; r < hold.rows; ++r) {
      double* y = at(node.Y) + count_of(hold.first + r) * stacked + begin;
      for (size_t i = 0; i < 6; ++i) add(n, R_[hold.R + 6 * count_of(r) + i], from + n * i, y);
    }
  }
  factorise_ties(node);
  // Z = L⁻¹ Y, and Φ' = Φ - ZᵀZ, on the handles that stay.
  const size_t n = 6 * count_of(node.handles), rank = count_of(node.rank);
  double* Z = at(node.Z);
  const double* L = at(node.L);
  for (size_t k = 0; k < rank; ++k) {
    const double* y = at(node.Y) + count_of(node.order[k]) * stacked;
    for (size_t h = 0; h < node.stay.size(); ++h)
      std::copy_n(y + 6 * count_of(node.stay[h]), 6, Z + k * n + 6 * h);
    const double* l = L + k * count_of(node.rows);
    for (size_t j = 0; j < k; ++j) add(n, -l[j], Z + j * n, Z + k * n);
    const double inverse = 1 / l[k];
    for (size_t i = 0; i < n; ++i) Z[k * n + i] *= inverse;
  }
  for (size_t g = 0; g < node.stay.size(); ++g) {
    const bool is_left = node.stay[g] < node.from_left;
    const Node& child = nodes_[count_of(is_left ? node.left : node.right)];
    const size_t width = 6 * count_of(child.handles), begin = is_left ? 0 : left;
    const double* from = at(child.Phi) + (6 * count_of(node.stay[g]) - begin) * width;
    for (size_t i = 0; i < 6; ++i) {
      double* row = Phi + (6 * g + i) * n;
      for (size_t h = 0; h < node.stay.size(); ++h)
        if ((node.stay[h] < node.from_left) == is_left)
          std::copy_n(from + i * width + 6 * count_of(node.stay[h]) - begin, 6, row + 6 * h);
        else
          std::fill_n(row + 6 * h, 6, 0.0);
      for (size_t k = 0; k < rank; ++k) add(n, -Z[k * n + 6 * g + i], Z + k * n, row);
    }
  }
}

// P Y Rᵀ Pᵀ = L Lᵀ with pivots: the row that moves most, of what it would move free, comes next.
void Assembly::factorise_ties(Node& node) {
  const size_t m = count_of(node.rows), stacked = 6 * count_of(node.stacked);
  double *L = at(node.L), *left = at(node.s);
  const auto product = [&](size_t r, size_t q) {  // (Y Rᵀ)_rq
    double sum = 0;
    for (const Hold& hold : node.holds) {
      const auto first = count_of(hold.first);
      if (q < first || q >= first + count_of(hold.rows)) continue;
      sum += dot6(at(node.Y) + r * stacked + 6 * count_of(hold.handle),
                  R_.data() + hold.R + 6 * (q - first));
    }
    return sum;
  };
  const auto mobility = [&](size_t k) { return mobility_[count_of(node.global_row[k])]; };
  std::vector<int>& order = node.order;
  for (size_t k = 0; k < m; ++k) order[k] = static_cast<int>(k), left[k] = product(k, k);
  size_t k = 0;
  for (; k < m; ++k) {
    size_t best = k;
    double most = 0;
    for (size_t j = k; j < m; ++j) {
      const auto row = count_of(order[j]);
      if (const double share = left[row] / mobility(row); share > most) most = share, best = j;
    }
    if (!(most > dependent)) break;
    if (best != k) {
      std::swap(order[k], order[best]);
      std::swap_ranges(L + k * m, L + k * m + k, L + best * m);
    }
    const auto pivot = count_of(order[k]);
    const double d = std::sqrt(left[pivot]);
    L[k * m + k] = d;
    for (size_t j = k + 1; j < m; ++j) {
      const auto row = count_of(order[j]);
      double x = product(row, pivot);
      for (size_t i = 0; i < k; ++i) x -= L[j * m + i] * L[k * m + i];
      L[j * m + k] = x / d;
      left[row] -= L[j * m + k] * L[j * m + k];
    }
  }
  node.rank = static_cast<int>(k);
}

int Assembly::left_out() const {
  int sum = 0;
  for (const Node& node : nodes_) sum += node.rows - node.rank;
  return sum;
}

// ---- Loads: one sweep up, one down.

void Assembly::solve(std::span<const double> f, std::span<const double> gamma, std::span<double> a,
                     std::span<double> lambda) {
  std::fill(lambda.begin(), lambda.end(), 0.0);  // of ties that hold nothing
  sweeps_.up(grain_of_loads, [&](int k) { join_loads(nodes_[count_of(k)], f, gamma); });
  for (const int root : joined_.roots) {
    const Node& node = nodes_[count_of(root)];
    std::fill_n(at(node.f), 6 * node.handles, 0.0);
  }
  sweeps_.down(grain_of_loads, [&](int k) { part_forces(nodes_[count_of(k)], a, lambda); });
}

void Assembly::join_loads(Node& node, std::span<const double> f, std::span<const double> gamma) {
  double* b = at(node.b);
  if (node.leaf >= 0) return leaves_[count_of(node.leaf)].join_loads(parts_, joints_, f, gamma, b);
  if (node.part >= 0) {
    const PartInertia& part = parts_[count_of(node.part)];
    const double* force = f.data() + 6 * count_of(node.part);
    Eigen::Map<math::Vec3>(b).noalias() = part.turns * Eigen::Map<const math::Vec3>(force);
    for (int i = 3; i < 6; ++i) b[i] = part.slides * force[i];
    return;
  }
  double *s = at(node.s), *z = at(node.z);
  const auto of_handle = [&](int handle) {
    return handle < node.from_left
               ? at(nodes_[count_of(node.left)].b) + 6 * handle
               : at(nodes_[count_of(node.right)].b) + 6 * (handle - node.from_left);
  };
  for (size_t r = 0; r < node.global_row.size(); ++r) s[r] = gamma[count_of(node.global_row[r])];
  for (const Hold& hold : node.holds)
    for (int r = 0; r < hold.rows; ++r)
      s[hold.first + r] += dot6(R_.data() + hold.R + 6 * count_of(r), of_handle(hold.handle));
  const auto m = count_of(node.rows), n = 6 * count_of(node.handles);
  for (size_t k = 0; k < count_of(node.rank); ++k) {
    const double* l = at(node.L) + k * m;
    z[k] = s[node.order[k]];
    for (size_t j = 0; j < k; ++j) z[k] -= l[j] * z[j];
    z[k] /= l[k];
  }
  for (size_t h = 0; h < node.stay.size(); ++h) std::copy_n(of_handle(node.stay[h]), 6, b + 6 * h);
  for (size_t k = 0; k < count_of(node.rank); ++k) add(n, -z[k], at(node.Z) + k * n, b);
}

void Assembly::part_forces(Node& node, std::span<double> a, std::span<double> lambda) {
  const double* f = at(node.f);
  if (node.leaf >= 0)
    return leaves_[count_of(node.leaf)].part_forces(parts_, joints_, f, a, lambda);
  if (node.part >= 0) {
    const PartInertia& part = parts_[count_of(node.part)];
    double* out = a.data() + 6 * count_of(node.part);
    const double* b = at(node.b);
    Eigen::Map<math::Vec3>(out).noalias() =
        Eigen::Map<const math::Vec3>(b) + part.turns * Eigen::Map<const math::Vec3>(f);
    for (int i = 3; i < 6; ++i) out[i] = b[i] + part.slides * f[i];
    return;
  }
  // λ = L⁻ᵀ (z + Z f)
  const auto m = count_of(node.rows), n = 6 * count_of(node.handles), rank = count_of(node.rank);
  double *x = at(node.z), *s = at(node.s);
  const double *L = at(node.L), *Z = at(node.Z);
  for (size_t k = 0; k < rank; ++k)
    for (size_t i = 0; i < n; ++i) x[k] += Z[k * n + i] * f[i];
  std::fill_n(s, m, 0.0);
  for (size_t k = rank; k-- > 0;) {
    for (size_t j = k + 1; j < rank; ++j) x[k] -= L[j * m + k] * x[j];
    x[k] /= L[k * m + k];
    s[node.order[k]] = x[k];
  }
  for (size_t r = 0; r < m; ++r) lambda[count_of(node.global_row[r])] = s[r];
  // f of the children's handles
  const auto of_handle = [&](int handle) {
    return handle < node.from_left
               ? at(nodes_[count_of(node.left)].f) + 6 * handle
               : at(nodes_[count_of(node.right)].f) + 6 * (handle - node.from_left);
  };
  for (int h = 0; h < node.stacked; ++h) std::fill_n(of_handle(h), 6, 0.0);
  for (size_t h = 0; h < node.stay.size(); ++h) std::copy_n(f + 6 * h, 6, of_handle(node.stay[h]));
  for (const Hold& hold : node.holds)
    for (int r = 0; r < hold.rows; ++r)
      add(6, -s[hold.first + r], R_.data() + hold.R + 6 * count_of(r), of_handle(hold.handle));
}

double Assembly::count(const Node& node) const {
  if (node.leaf >= 0) return leaves_[count_of(node.leaf)].cost();
  const double m = node.rows, n = 6.0 * node.handles;
  double sum = m * m * m / 6 + n * m * m / 2 + n * n * m;
  for (const Hold& hold : node.holds) {
    const int beside =
        hold.handle < node.from_left ? node.from_left : node.stacked - node.from_left;
    sum += 36.0 * hold.rows * beside + 6.0 * hold.rows * (m + 1) / 2;
  }
  return sum;
}

Assembly::Operations Assembly::count() const {
  Operations out;
  std::vector<double> path(nodes_.size(), 0);
  for (size_t k = 0; k < nodes_.size(); ++k) {
    const double own = count(nodes_[k]);
    out.work += own;
    for (const int child : {nodes_[k].left, nodes_[k].right})
      if (child >= 0) path[k] = std::max(path[k], path[count_of(child)]);
    path[k] += own;
    out.span = std::max(out.span, path[k]);
  }
  return out;
}

}  // namespace couplet::dynamics
