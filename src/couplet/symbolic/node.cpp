#include "couplet/symbolic/node.hpp"

#include <array>
#include <bit>
#include <limits>
#include <mutex>
#include <vector>

#include "couplet/base/hash.hpp"

namespace couplet::symbolic {
namespace {

// A count may fall to zero only under the lock of its shard: then nobody can find the node in the
// table between "nobody uses it" and "it is gone".
struct Shard {
  std::mutex mutex;
  std::vector<Node*> buckets = std::vector<Node*>(64);
  std::size_t count = 0;
};

constexpr std::size_t shard_count = 16;  // threads that build at once rarely wait for each other

std::array<Shard, shard_count>& shards() {
  static auto* table = new std::array<Shard, shard_count>;  // outlives every static Expr
  return *table;
}

Shard& shard_of(std::uint64_t hash) { return shards()[hash >> 60]; }

Node*& bucket_of(Shard& shard, std::uint64_t hash) {
  return shard.buckets[hash & (shard.buckets.size() - 1)];
}

std::uint64_t mix(std::uint64_t h, std::uint64_t k) {  // the finaliser of splitmix64 over both
  h = (h ^ k) + 0x9e3779b97f4a7c15ull;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
  return h ^ (h >> 31);
}

void grow(Shard& shard) {
  std::vector<Node*> old(shard.buckets.size() * 2);
  old.swap(shard.buckets);
  for (Node* node : old) {
    while (node) {
      Node* next = node->next;
      Node*& bucket = bucket_of(shard, node->hash);
      node->next = bucket;
      bucket = node;
      node = next;
    }
  }
}

// One counter for all threads: what is built from a node comes after it, whoever builds it.
std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed);
}

template <class IsSame, class Fill>
Node* intern(std::uint64_t hash, Op op, IsSame is_same, Fill fill) {
  Shard& shard = shard_of(hash);
  const std::lock_guard lock(shard.mutex);
  for (Node* node = bucket_of(shard, hash); node; node = node->next) {
    if (node->hash == hash && node->op == op && is_same(*node)) {
      retain(node);
      return node;
    }
  }
  if (2 * shard.count >= shard.buckets.size())
    grow(shard);  // short chains: each step is a cache miss
  Node* node = new Node;
  node->op = op;
  node->hash = hash;
  node->serial = next_serial();
  fill(*node);
  Node*& bucket = bucket_of(shard, hash);
  node->next = bucket;
  bucket = node;
  ++shard.count;
  return node;
}

std::uint8_t trig_factors(Op op, const Node* a, const Node* b) {
  if (op == Op::sin || op == Op::cos) return one_trig;
  if (op == Op::div) return a->trig;
  if (op != Op::mul) return 0;
  std::uint8_t trig = a->trig | b->trig;
  if (a == b && trig == one_trig) return trig_square;
  if (a->trig != 0 && b->trig != 0) trig |= two_trigs;
  return trig;
}

// True when this was the last reference: the node has left the table and belongs to the caller.
bool drop(Node* node) {
  if (node->immortal) return false;
  std::uint32_t count = node->references.load(std::memory_order_relaxed);
  while (count > 1)
    if (node->references.compare_exchange_weak(count, count - 1, std::memory_order_release))
      return false;

  Shard& shard = shard_of(node->hash);
  const std::lock_guard lock(shard.mutex);
  if (node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  Node** link = &bucket_of(shard, node->hash);
  while (*link != node) link = &(*link)->next;
  *link = node->next;
  --shard.count;
  return true;
}

}  // namespace

Node* intern_constant(double value) {
  if (value == 0) value = 0;  // one zero
  if (value != value) value = std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  return intern(
      mix(1, bits), Op::constant,
      [&](const Node& node) { return std::bit_cast<std::uint64_t>(node.value) == bits; },
      [&](Node& node) {
        node.value = value;
        node.immortal = value == 0 || value == 1 || value == -1;
      });
}

Node* intern_symbol(std::string_view name) {
  return intern(
      mix(2, base::hash(name)), Op::symbol, [&](const Node& node) { return *node.name == name; },
      [&](Node& node) { node.name = new std::string(name); });
}

Node* intern_operation(Op op, Node* a, Node* b, Node* c) {
  std::uint64_t hash = mix(3, static_cast<std::uint64_t>(op));
  for (const Node* arg : {a, b, c})
    if (arg) hash = mix(hash, arg->hash);
  return intern(
      hash, op,
      [&](const Node& node) { return node.args[0] == a && node.args[1] == b && node.args[2] == c; },
      [&](Node& node) {
        node.arity = static_cast<std::uint8_t>(info(op).arity);
        node.trig = trig_factors(op, a, b);
        for (int i = 0; Node * arg : {a, b, c}) {
          if (arg) retain(arg);  // the name of an external function is so kept for ever
          node.args[i++] = arg;
        }
      });
}

void release(Node* node) {
  if (!drop(node)) return;
  node->next = nullptr;
  Node* dead = node;  // the list of the dead goes through `next`: no stack, no allocation
  while (dead) {
    Node* gone = dead;
    dead = dead->next;
    for (int i = 0; i < gone->arity; ++i) {
      Node* arg = gone->args[i];
      if (!drop(arg)) continue;
      arg->next = dead;
      dead = arg;
    }
    if (gone->op == Op::symbol) delete gone->name;
    delete gone;
  }
}

std::size_t live_node_count() {
  std::size_t count = 0;
  for (Shard& shard : shards()) {
    const std::lock_guard lock(shard.mutex);
    count += shard.count;
  }
  return count;
}

}  // namespace couplet::symbolic
