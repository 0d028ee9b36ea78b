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

/// A line and a column of the file that a tree was read from; half as large as a SourceLocation.
struct Place {
  const std::shared_ptr<const std::string>* file = nullptr;  // of the tree; null: unknown
  int line = 0, column = 0;

  operator base::SourceLocation() const {  // NOLINT: it is one
    return {file ? *file : nullptr, line, column};
  }
};

/// A value that was read, 32 bytes: models of a million bodies have twenty million. What it
/// consists of is the tree's.
class Node {
 public:
  enum class Type : unsigned char { null, scalar, sequence, mapping };
  struct Entry {
    const Node* key;  // a scalar
    const Node* value;
  };

  Place where;

  Node() = default;
  Node(Place place, std::string_view text) : where(place), type_(Type::scalar) {
    set(text.data(), text.size());
  }
  Node(Place place, std::span<const Node* const> items) : where(place), type_(Type::sequence) {
    set(items.data(), items.size());
  }
  Node(Place place, std::span<const Entry> entries) : where(place), type_(Type::mapping) {
    set(entries.data(), entries.size());
  }

  bool is_null() const { return type_ == Type::null; }
  bool is_scalar() const { return type_ == Type::scalar; }
  bool is_sequence() const { return type_ == Type::sequence; }
  bool is_mapping() const { return type_ == Type::mapping; }

  /// Of a scalar; empty of anything else.
  std::string_view text() const {
    return {static_cast<const char*>(data_), is_scalar() ? size_ : 0};
  }
  std::string name() const { return std::string(text()); }
  std::span<const Node* const> items() const {  // of a sequence
    return {static_cast<const Node* const*>(data_), is_sequence() ? size_ : 0};
  }
  std::span<const Entry> entries() const {  // of a mapping, keys unique
    return {static_cast<const Entry*>(data_), is_mapping() ? size_ : 0};
  }
  const Node* find(std::string_view key) const;  // null if absent
  base::SourceLocation at(size_t offset) const;  // the place of text()[offset]

 private:
  friend class TreeBuilder;

  void set(const void* data, size_t size) {
    data_ = data;
    size_ = static_cast<uint32_t>(size);
  }

  const void* data_ = nullptr;  // characters, nodes or entries
  uint32_t size_ = 0;
  Type type_ = Type::null;
  bool verbatim_ = false;  // the text stands letter by letter in the file, in one line,
  bool quoted_ = false;    // behind a quote
};

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

  const Node& root() const { return *root_; }
  /// A mapping of some entries of another one; valid as long as the tree.
  Node make_mapping(Place where, std::span<const Node::Entry> entries) const;

 private:
  friend class TreeBuilder;
  template <class T>
  std::span<const T> keep(std::span<const T> values) const;

  std::shared_ptr<const std::string> file_;
  std::string source_;
  mutable std::pmr::monotonic_buffer_resource memory_;  // of nodes, lists and texts
  const Node* root_ = nullptr;
};

/// Reads one document. Duplicate keys are reported and dropped; what is no YAML throws UserError.
std::unique_ptr<Tree> parse_yaml(std::string text, const std::shared_ptr<const std::string>& file,
                                 base::Diagnostics& diagnostics);

/// The text of a file; a directory, a device or a file beyond the limit is refused before reading.
std::string read_text_file(const std::string& path, const base::SourceLocation& where = {});

/// Refuses such files without reading them.
void check_text_file(const std::string& path, const base::SourceLocation& where = {});

constexpr long max_file_bytes = 64L << 20;

}  // namespace couplet::formats::yaml
