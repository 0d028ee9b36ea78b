#include "couplet/formats/yaml/tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <optional>
#include <streambuf>
#include <unordered_map>
#include <vector>

#include "couplet/base/text.hpp"

namespace couplet::formats::yaml {

using base::SourceLocation;
using base::UserError;

namespace {
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }  // of UTF-8
}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries())
    if (entry.key.text() == key) return &entry.value;
  return nullptr;
}

SourceLocation Node::at(size_t offset) const {
  SourceLocation place = where;
  if (!verbatim_) return place;
  place.column += quoted_;
  for (const char c : text().substr(0, offset)) place.column += !is_continuation(c);
  return place;
}

std::string describe(const Node& node) {
  return node.is_null()       ? "nothing"
         : node.is_scalar()   ? base::quoted(node.text())
         : node.is_sequence() ? "a list"
                              : "a mapping";
}

template <class T>
std::span<const T> Tree::keep(std::span<const T> values) const {
  if (values.empty()) return {};
  auto* place = static_cast<T*>(memory_.allocate(values.size_bytes(), alignof(T)));
  std::copy(values.begin(), values.end(), place);
  return {place, values.size()};
}

Node Tree::make_mapping(const SourceLocation& where, std::span<const Node::Entry> entries) const {
  return {where, keep(entries)};
}

/// Builds the tree from yaml-cpp's events. `size` counts the nodes as a reader would meet them.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string text, base::FileName file, base::Diagnostics& diagnostics)
      : diagnostics_(diagnostics), file_(file) {
    tree_->source_ = std::move(text);
  }

  const std::string& text() const { return tree_->source_; }

  /// The finished tree; an empty file has a null root.
  std::unique_ptr<Tree> take() { return std::move(tree_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      throw UserError(place(mark), "a second YAML document starts here",
                      "keep one model per file, without '---' between parts");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(Node::Type::null, mark), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    Node node = make(Node::Type::scalar, mark);
    set_text(node, mark, value);
    add(node, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(Node::Type::sequence, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(Node::Type::mapping, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end() || found->second.size < 0)
      throw UserError(place(mark), "this alias stands for something that contains it",
                      "an alias can repeat only what is complete before it");
    count(found->second.size, mark);
    attach(found->second.node);
  }

 private:
  struct Open {  // a sequence or mapping whose end is not yet read
    Node node;
    YAML::anchor_t anchor;
    long size_before;
    std::optional<Node> key = {};  // read, its value not yet
    std::vector<Node> items = {};
    std::vector<Node::Entry> entries = {};
    std::unordered_map<std::string_view, int> lines = {};  // of the keys
  };
  struct Anchor {
    Node node;
    long size;  // -1: still open
  };

  SourceLocation place(const YAML::Mark& mark) {
    return {file_, mark.line + 1, mark.column + 1 - count_continuations(mark)};
  }

  // yaml-cpp counts bytes; people count characters. Marks mostly come in order: count from the
  // last.
  int count_continuations(const YAML::Mark& mark) {
    if (mark.line != counted_.line || mark.pos < counted_.pos)
      counted_ = {mark.line, std::max(mark.pos - mark.column, 0), 0};
    const int end = std::min(mark.pos, static_cast<int>(text().size()));
    for (; counted_.pos < end; ++counted_.pos)
      counted_.found += is_continuation(text()[static_cast<size_t>(counted_.pos)]);
    return counted_.found;
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      throw UserError(place(mark), "the YAML tag " + base::quoted(tag) + " has no meaning here",
                      "remove it: the key decides how a value is read");
  }

  void count(long nodes, const YAML::Mark& mark) {
    size_ += nodes;
    if (size_ > Tree::max_nodes)
      throw UserError(
          place(mark),
          fmt::format("the file has more than {} values, aliases (*) expanded", Tree::max_nodes),
          "use subsystems instead of nested aliases");
  }

  Node make(Node::Type type, const YAML::Mark& mark) {
    count(1, mark);
    return {place(mark), type, nullptr, 0};
  }

  void add(const Node& node, YAML::anchor_t anchor) {
    if (anchor) anchors_[anchor] = {node, 1};
    attach(node);
  }

  // Plain scalars stand in the source as they are, quoted ones a column later if nothing is
  // escaped.
  void set_text(Node& node, const YAML::Mark& mark, std::string_view value) {
    for (const bool quote : {false, true}) {
      const size_t start = static_cast<size_t>(mark.pos + quote);
      if (start > text().size() || text().compare(start, value.size(), value) != 0) continue;
      node.verbatim_ = true;
      node.quoted_ = quote;
      return node.set(text().data() + start, value.size());
    }
    node.set(tree_->keep(std::span(value)).data(), value.size());
  }

  void open(Node::Type type, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= static_cast<size_t>(Tree::max_depth))
      throw UserError(place(mark),
                      fmt::format("values are nested more than {} levels deep", Tree::max_depth),
                      "check for brackets that are not closed");
    const long size_before = size_;
    const Node node = make(type, mark);
    if (anchor) anchors_[anchor] = {node, -1};
    if (!open_.empty() && open_.back().node.is_mapping() && !open_.back().key) refuse_key(node);
    open_.push_back({node, anchor, size_before});
  }

  void close() {
    Open level = std::move(open_.back());
    open_.pop_back();
    const auto set = [&](const auto& values) {
      level.node.set(tree_->keep(std::span(values)).data(), values.size());
    };
    level.node.is_sequence() ? set(level.items) : set(level.entries);
    if (level.anchor) anchors_[level.anchor] = {level.node, size_ - level.size_before};
    attach(level.node);
  }

  // Hangs a node where the reader is: into the list, as a key, or as the value of the last key.
  void attach(const Node& node) {
    if (open_.empty()) {
      tree_->root_ = node;
      return;
    }
    Open& level = open_.back();
    if (level.node.is_sequence()) {
      level.items.push_back(node);
    } else if (!level.key) {
      if (!node.is_scalar()) refuse_key(node);
      level.key = node;
    } else {
      add_entry(level, *level.key, node);
      level.key.reset();
    }
  }

  [[noreturn]] static void refuse_key(const Node& node) {
    throw UserError(node.where, fmt::format("expected a name as key, got {}", describe(node)),
                    "write  key: value");
  }

  void add_entry(Open& level, const Node& key, const Node& value) {
    const auto [first, is_new] = level.lines.emplace(key.text(), key.where.line);
    if (is_new)
      level.entries.push_back({key, value});
    else
      diagnostics_.error(key.where,
                         fmt::format("key {} is given twice, first in line {}",
                                     base::quoted(key.text()), first->second),
                         "keep one of them");
  }

  base::Diagnostics& diagnostics_;
  base::FileName file_;
  std::unique_ptr<Tree> tree_ = std::make_unique<Tree>();
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchor> anchors_;
  struct Counted {
    int line = -1, pos = 0, found = 0;
  } counted_;
  long size_ = 0;
  int documents_ = 0;
};

namespace {

// Length of the valid UTF-8 character at `at` (no control characters but tab and line ends); 0:
// none.
size_t text_char_length(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned c = byte(at);
  if (c < 0x80) return (c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n' || c == '\r' ? 1 : 0;
  if (c < 0xc2 || c > 0xf4) return 0;
  const size_t length = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
  for (size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  const bool overlong = (c == 0xe0 && byte(at + 1) < 0xa0) || (c == 0xf0 && byte(at + 1) < 0x90);
  const bool surrogate = c == 0xed && byte(at + 1) >= 0xa0;
  const bool beyond = c == 0xf4 && byte(at + 1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

void check_is_text(const std::string& text, base::FileName file) {
  int line = 1;
  size_t line_start = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t length = text_char_length(text, at);
    if (length == 0)
      throw UserError({file, line, static_cast<int>(at - line_start) + 1},
                      fmt::format("the file is not UTF-8 text (byte 0x{:02x})",
                                  static_cast<unsigned char>(text[at])),
                      "give a model in YAML or JSON, saved as UTF-8");
    if (text[at] == '\n') {
      ++line;
      line_start = at + 1;
    }
    at += length;
  }
}

/// A text as a stream, without a copy.
class TextBuffer final : public std::streambuf {
 public:
  explicit TextBuffer(const std::string& text) {
    char* begin = const_cast<char*>(text.data());  // is only read
    setg(begin, begin, begin + text.size());
  }
};

bool has_tab_indent(const std::string& text, int line) {
  size_t start = 0;
  for (int i = 0; i < line && start != std::string::npos; ++i) {
    start = text.find('\n', start);
    if (start != std::string::npos) ++start;
  }
  if (start == std::string::npos) return false;
  return text.find_first_not_of(" \t", start) > text.find('\t', start);
}

}  // namespace

std::unique_ptr<Tree> parse_yaml(std::string text, base::FileName file,
                                 base::Diagnostics& diagnostics) {
  check_is_text(text, file);
  if (text.compare(0, 3, "\xef\xbb\xbf") == 0) text.erase(0, 3);  // byte order mark
  TreeBuilder builder(std::move(text), file, diagnostics);
  try {
    TextBuffer buffer(builder.text());
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& problem) {
    throw UserError({file, problem.mark.line + 1, problem.mark.column + 1},
                    "this is not YAML: " + problem.msg,
                    has_tab_indent(builder.text(), problem.mark.line)
                        ? "indent with spaces, not with tabs"
                        : "check indentation, quotes and brackets here and above");
  }
  return builder.take();
}

}  // namespace couplet::formats::yaml
