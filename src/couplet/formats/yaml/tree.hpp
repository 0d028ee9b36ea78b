// YAML text as a plain tree with places. yaml-cpp does the scanning; everything that it does not
// tell or does not limit is decided here: duplicate keys, aliases that multiply (counted as often
// as they are seen), nesting, tags, several documents. Scalars stay text: our schema gives them
// meaning.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/base/diagnostics.hpp"

namespace couplet::formats::yaml {

struct Node {
  enum class Type { null, scalar, sequence, mapping };
  struct Entry {
    const Node* key;  // a scalar
    const Node* value;
  };

  Type type = Type::null;
  base::SourceLocation where;
  std::string text;     // scalar
  int text_column = 0;  // where `text` stands letter by letter in line `where.line`; 0: nowhere
  std::vector<const Node*> items;  // sequence
  std::vector<Entry> entries;      // mapping, keys unique

  bool is_null() const { return type == Type::null; }
  bool is_scalar() const { return type == Type::scalar; }
  bool is_sequence() const { return type == Type::sequence; }
  bool is_mapping() const { return type == Type::mapping; }
  const Node* find(std::string_view key) const;  // null if absent
  base::SourceLocation at(size_t offset) const;  // the place of text[offset]
};

/// What a message says that it got: "a mapping", "a list", "nothing", or the text in quotes.
std::string describe(const Node& node);

/// Owns its nodes; their addresses stay.
class Tree {
 public:
  static constexpr int max_depth = 100;
  static constexpr long max_nodes = 5'000'000;  // aliases count as what they stand for

  const Node& root() const { return *root_; }

 private:
  friend class TreeBuilder;
  std::deque<Node> nodes_;
  const Node* root_ = nullptr;
};

/// Reads one document. Duplicate keys are reported and dropped; what is no YAML throws UserError.
std::unique_ptr<Tree> parse_yaml(const std::string& text,
                                 const std::shared_ptr<const std::string>& file,
                                 base::Diagnostics& diagnostics);

/// The text of a file; a directory, a device or a file beyond the limit is refused before reading.
std::string read_text_file(const std::string& path, const base::SourceLocation& where = {});

/// Refuses such files without reading them.
void check_text_file(const std::string& path, const base::SourceLocation& where = {});

constexpr long max_file_bytes = 64L << 20;

}  // namespace couplet::formats::yaml
