// YAML text as a plain tree with places. yaml-cpp does the scanning; everything that it does not
// tell or does not limit is decided here: duplicate keys, aliases that multiply (counted as often
// as they are seen), nesting, tags, several documents. Scalars stay text: our schema gives them
// meaning.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>

#include "couplet/base/diagnostics.hpp"

namespace couplet::formats::yaml {

/// A value that was read, 24 bytes: models of a million bodies have twenty million. What it
/// consists of is the tree's: a list has its items side by side, a mapping its keys and values.
class Node {
 public:
  enum class Type : unsigned char { null, scalar, sequence, mapping };
  struct Entry;  // of a mapping: a key, which is a scalar, and its value

  base::SourceLocation where;

  Node() = default;
  Node(const base::SourceLocation& place, std::string_view text)
      : Node(place, Type::scalar, text.data(), text.size()) {}
  Node(const base::SourceLocation& place, std::span<const Node> items)
      : Node(place, Type::sequence, items.data(), items.size()) {}
  Node(const base::SourceLocation& place, std::span<const Entry> entries);

  bool is_null() const { return type() == Type::null; }
  bool is_scalar() const { return type() == Type::scalar; }
  bool is_sequence() const { return type() == Type::sequence; }
  bool is_mapping() const { return type() == Type::mapping; }

  /// Of a scalar; empty of anything else.
  std::string_view text() const {
    return {static_cast<const char*>(data_), is_scalar() ? size_ : size_t{0}};
  }
  std::string name() const { return std::string(text()); }
  std::span<const Node> items() const {  // of a sequence
    return {static_cast<const Node*>(data_), is_sequence() ? size_ : size_t{0}};
  }
  std::span<const Entry> entries() const;        // of a mapping, keys unique
  const Node* find(std::string_view key) const;  // null if absent
  base::SourceLocation at(size_t offset) const;  // the place of text()[offset]

 private:
  friend class TreeBuilder;

  Node(const base::SourceLocation& place, Type type, const void* data, size_t size) : where(place) {
    type_ = static_cast<unsigned char>(type);
    set(data, size);
  }
  Type type() const { return static_cast<Type>(type_); }
  void set(const void* data, size_t size) {
    data_ = data;
    size_ = size & 0xfff'ffff;  // a file has at most max_file_bytes
  }

  uint32_t size_ : 28 = 0;
  uint32_t type_ : 2 = 0;
  uint32_t verbatim_ : 1 = 0;   // the text stands letter by letter in the file, in one line,
  uint32_t quoted_ : 1 = 0;     // behind a quote
  const void* data_ = nullptr;  // characters, nodes or entries
};

struct Node::Entry {
  Node key, value;
};

inline Node::Node(const base::SourceLocation& place, std::span<const Entry> entries)
    : Node(place, Type::mapping, entries.data(), entries.size()) {}

inline std::span<const Node::Entry> Node::entries() const {
  return {static_cast<const Entry*>(data_), is_mapping() ? size_ : size_t{0}};
}

/// What a message says that it got: "a mapping", "a list", "nothing", or the text in quotes.
std::string describe(const Node& node);

/// Owns its nodes and their text; their addresses stay.
class Tree {
 public:
  Tree() = default;
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  static constexpr int max_depth = 100;
  static constexpr long max_nodes = 5'000'000;  // aliases count as what they stand for

  const Node& root() const { return root_; }
  /// A mapping of some entries of another one; valid as long as the tree.
  Node make_mapping(const base::SourceLocation& where, std::span<const Node::Entry> entries) const;

 private:
  friend class TreeBuilder;
  template <class T>
  std::span<const T> keep(std::span<const T> values) const;

  std::string source_;
  mutable std::pmr::monotonic_buffer_resource memory_;  // of nodes, lists and texts
  Node root_;
};

/// Reads one document. Duplicate keys are reported and dropped; what is no YAML throws UserError.
std::unique_ptr<Tree> parse_yaml(std::string text, base::FileName file,
                                 base::Diagnostics& diagnostics);

/// The text of a file; a directory, a device or a file beyond the limit is refused before reading.
std::string read_text_file(const std::string& path, const base::SourceLocation& where = {});

/// Refuses such files without reading them.
void check_text_file(const std::string& path, const base::SourceLocation& where = {});

constexpr long max_file_bytes = 64L << 20;
static_assert(max_file_bytes < 1L << 28, "sizes of nodes have 28 bits");

}  // namespace couplet::formats::yaml
