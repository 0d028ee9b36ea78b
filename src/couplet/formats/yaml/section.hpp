// One mapping of a model file, with the keys that may stand in it. Unknown keys and keys without a
// value are reported at once, so that a reader only asks for what it knows.
#pragma once

#include <string>
#include <vector>

#include "couplet/formats/yaml/tree.hpp"

namespace couplet::formats::yaml {

class Section {
 public:
  /// `title` names the element in messages: "body 'arm'". A node that is no mapping is reported.
  Section(const Node& node, std::string title, std::vector<std::string> keys,
          base::Diagnostics& diagnostics);

  /// A mapping whose keys were judged before.
  Section(const Node& node, std::string title, base::Diagnostics& diagnostics)
      : node_(node), title_(std::move(title)), diagnostics_(diagnostics) {}

  const Node* find(std::string_view key) const;     // null: absent
  const Node* require(std::string_view key) const;  // null: absent, and that is reported
  /// The one of these keys that is given; null (and reported) when there is none or more than one.
  const Node* require_one_of(const std::vector<std::string>& choices) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  const std::string& title() const { return title_; }
  const Node& node() const { return node_; }
  base::SourceLocation where() const { return node_.where; }
  /// The place of the key itself (of its value, if it is absent).
  base::SourceLocation where(std::string_view key) const;

 private:
  const Node& node_;
  std::string title_;
  std::vector<std::string> keys_;
  base::Diagnostics& diagnostics_;
};

/// Some of the entries of a mapping, where they are in the tree.
class EntryList {
 public:
  class Iterator {
   public:
    explicit Iterator(const Node::Entry* const* at) : at_(at) {}
    const Node::Entry& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Node::Entry* const* at_;
  };

  void add(const Node::Entry& entry) { entries_.push_back(&entry); }
  size_t size() const { return entries_.size(); }
  Iterator begin() const { return Iterator(entries_.data()); }
  Iterator end() const { return Iterator(entries_.data() + entries_.size()); }

 private:
  std::vector<const Node::Entry*> entries_;
};

/// The entries of a mapping of names, such as `bodies`: those with an impossible name are reported
/// and left out. `what` says what is named: "body".
EntryList named_entries(const Node& node, const std::string& what, base::Diagnostics& diagnostics);

/// The text of the key `type`, which is one of `names`, or a report. `title` names the element,
/// `what` says what it is: "joint".
std::optional<std::string> find_type(const Node& node, const std::string& title,
                                     const std::string& what, const std::vector<std::string>& names,
                                     base::Diagnostics& diagnostics);

/// Text, or a report that names what was expected ("the name of a joint").
std::optional<std::string> find_text(const Node& node, const std::string& expected,
                                     base::Diagnostics& diagnostics);

}  // namespace couplet::formats::yaml
