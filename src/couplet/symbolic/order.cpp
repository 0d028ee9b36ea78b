#include "couplet/symbolic/order.hpp"

#include <algorithm>
#include <numeric>

namespace couplet::symbolic {
namespace {

constexpr std::uint32_t absent = 0xffffffff;

/// Node → place, as a flat table: visiting a million nodes is mostly this look-up.
class Places {
 public:
  std::uint32_t& operator[](const Node* node) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = find(node);
    if (!slot.node) {
      slot.node = node;
      ++count_;
    }
    return slot.place;
  }

 private:
  struct Slot {
    const Node* node = nullptr;
    std::uint32_t place = absent;
  };

  Slot& find(const Node* node) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = node->hash & mask;
    while (slots_[i].node && slots_[i].node != node) i = (i + 1) & mask;
    return slots_[i];
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.node) find(slot.node) = slot;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t count_ = 0;
};

}  // namespace

Order::Order(std::span<const Expr> roots) : keep_(roots.begin(), roots.end()) {
  struct Visit {
    const Node* node;
    int next_arg;
  };
  Places places;
  std::vector<Visit> path;  // the recursion of a depth-first search, as data
  for (const Expr& root : roots) {
    if (places[root.node()] == absent) path.push_back({root.node(), 0});
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next_arg < visit.node->arity) {
        const Node* arg = visit.node->args[visit.next_arg++];
        if (places[arg] == absent) path.push_back({arg, 0});
        continue;
      }
      const Node* node = visit.node;
      path.pop_back();
      std::array<std::uint32_t, 3> args{absent, absent, absent};
      for (int k = 0; k < node->arity; ++k)
        args[static_cast<std::size_t>(k)] = places[node->args[k]];
      places[node] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(node);
      args_.push_back(args);
    }
    roots_.push_back(places[root.node()]);
  }
}

Order Order::by_creation(std::span<const Expr> roots) {
  Order order(roots);
  order.sort_by_creation();
  return order;
}

void Order::sort_by_creation() {
  std::vector<std::uint32_t> sorted(nodes_.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::ranges::sort(sorted, {}, [&](std::uint32_t i) { return nodes_[i]->serial; });
  std::vector<std::uint32_t> place(sorted.size());
  for (std::uint32_t k = 0; k < sorted.size(); ++k) place[sorted[k]] = k;

  const std::vector<const Node*> nodes = std::move(nodes_);
  const std::vector<std::array<std::uint32_t, 3>> args = std::move(args_);
  nodes_.clear(), args_.clear();
  for (const std::uint32_t i : sorted) {
    nodes_.push_back(nodes[i]);
    args_.push_back(args[i]);
    for (std::uint32_t& arg : args_.back())
      if (arg != absent) arg = place[arg];
  }
  for (std::uint32_t& root : roots_) root = place[root];
}

}  // namespace couplet::symbolic
