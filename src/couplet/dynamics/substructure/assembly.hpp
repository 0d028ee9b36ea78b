// Subsystems that answer "accelerations of my handles = Φ · forces on my handles + b", joined along
// an assembly tree.
//
//   a_p = Φ_p (f_p - Σ_t R_tpᵀ λ_t)      parts p: six accelerations, six forces
//   0 = Σ_p R_tp a_p + γ_t               ties t: up to six rows each
//
// Joining closes ties between the handles of two subsystems, stacked as (Φ, b): with Y = R Φ and
// Y Rᵀ = L Lᵀ (rank-revealing: rows that depend on others are left out)
//   Φ' = Φ - (L⁻¹Y)ᵀ (L⁻¹Y),   b' = b - (L⁻¹Y)ᵀ L⁻¹(R b + γ)      on the handles that stay
//   λ  = L⁻ᵀ (L⁻¹(R b + γ) + L⁻¹Y f),   f_stacked = f - Rᵀλ         when forces f on these are
//   known
// R. Featherstone, IJRR 18(9), 1999; with the rows of joints and loops in place of their motions:
// R. Mukherjee and K. S. Anderson, Nonlinear Dynamics 48, 2007. Two sweeps up, one down; each node
// reads its children or its parent alone. Allocates nothing after construction.
#pragma once

#include <span>

#include "couplet/dynamics/substructure/serial_leaf.hpp"
#include "couplet/dynamics/substructure/tasks.hpp"
#include "couplet/math/spatial.hpp"

namespace couplet::dynamics {

/// A tie as the assembly knows it: how many rows, between which parts (each once).
struct Tie {
  int rows;
  std::vector<int> parts;
  bool is_joint = false;  // of one or two parts, whose geometry is given, too
};

/// The tree that ties ask for.
AssemblyTree make_assembly_tree(int parts, const std::vector<Tie>& ties);

/// What a prediction is made of, s.
struct TaskCosts {
  double multiplication = 1e-9;  // of a factorisation, with all sweeps that come with it
  double latency = 0;            // of a message
  double number = 0;             // of one number in it
  int sweeps = 4;                // that cross a handle: up, down, and once more for the residual
};

class Assembly {
 public:
  /// Subsystems of at most `in_leaf` parts that joints alone hold together are not divided further
  /// but condensed by the serial recursion; 1: none.
  Assembly(int parts, std::vector<Tie> ties, int in_leaf = usual_leaf);
  static constexpr int usual_leaf = 16;

  const AssemblyTree& tree() const { return tree_; }
  int parts() const { return static_cast<int>(parts_.size()); }
  int leaves() const { return static_cast<int>(leaves_.size()); }  // that are condensed
  /// Of all ties, in their order.
  int rows() const { return first_row_.back(); }

  // ---- Filled by whoever knows the parts, before factorise().
  PartInertia& part(int k) { return parts_[static_cast<size_t>(k)]; }
  JointGeometry& joint(int tie) { return joints_[static_cast<size_t>(tie)]; }
  /// Row r of a tie on its part number `end`: six numbers.
  double* row(int tie, int end, int r) {
    return R_.data() + first_block_[static_cast<size_t>(tie)] +
           6 * (end * ties_[static_cast<size_t>(tie)].rows + r);
  }
  const double* row(int tie, int end, int r) const {
    return const_cast<Assembly*>(this)->row(tie, end, r);
  }

  /// Φ and L of all subsystems.
  void factorise();
  /// a and λ from forces on parts (6 each) and γ of the ties' rows.
  void solve(std::span<const double> f, std::span<const double> gamma, std::span<double> a,
             std::span<double> lambda);
  /// Rows that depended on others, at the last factorisation.
  int left_out() const;

  /// Multiplications of a factorisation: of all nodes, and along the longest path of the tree.
  struct Operations {
    double work = 0, span = 0;
  };
  Operations count() const;
  /// Seconds that the sweeps would take on so many processors (prediction.cpp).
  double predict(int processors, const TaskCosts& costs) const;

 private:
  struct Hold {       // of a tie on a handle, among the stacked ones
    int first, rows;  // among the rows of the node
    int handle;
    size_t R;
  };
  struct Node {
    int part, leaf;  // -1: it is joined of
    int left, right;
    int handles;             // that stay
    int stacked, from_left;  // handles of both children, and of the left one
    int rows, rank;          // closed here
    std::vector<Hold> holds;
    std::vector<int> global_row;  // of the rows
    std::vector<int> stay;        // among the stacked ones
    std::vector<int> order;       // of rows, by pivots
    size_t Phi, b, f;             // of the handles
    size_t Y, Z, L, z, s;         // rows × 6 stacked; rows × 6 handles; rows × rows; rows
  };

  void condense(int in_leaf);
  void add_leaf(const std::vector<AssemblyNode>& inside, const std::vector<int>& handles,
                int on_world);
  void add_node(const AssemblyNode& given, int leaf);
  void join_compliances(Node& node);
  void factorise_ties(Node& node);
  void join_loads(Node& node, std::span<const double> f, std::span<const double> gamma);
  void part_forces(Node& node, std::span<double> a, std::span<double> lambda);
  double* at(size_t offset) { return memory_.data() + offset; }
  const double* at(size_t offset) const { return memory_.data() + offset; }
  void calc_mobilities();

  double count(const Node& node) const;

  AssemblyTree tree_, joined_;  // all of it, and down to the leaves
  std::vector<int> leaf_of_;    // of nodes of joined_; -1: none
  std::vector<SerialLeaf> leaves_;
  TreeSweeps sweeps_;
  std::vector<Tie> ties_;
  std::vector<int> first_row_;
  std::vector<size_t> first_block_;
  std::vector<PartInertia> parts_;
  std::vector<JointGeometry> joints_;  // of ties
  std::vector<int> joined_ties_;       // closed in nodes that are not condensed
  std::vector<double> R_, mobility_;   // of rows: R Φ Rᵀ of the free parts
  std::vector<Node> nodes_;
  std::vector<double> memory_;
  size_t size_ = 0;  // of it
};

}  // namespace couplet::dynamics
