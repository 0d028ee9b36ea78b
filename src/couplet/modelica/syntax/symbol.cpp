#include "couplet/modelica/syntax/symbol.hpp"

#include <mutex>
#include <unordered_set>

namespace couplet::modelica {
namespace {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

struct Table {
  std::mutex mutex;
  std::unordered_set<std::string, TextHash, std::equal_to<>> names;  // nodes never move
};

Table& table() {
  static Table* const the_table = new Table;  // outlives every static object that holds a Symbol
  return *the_table;
}

}  // namespace

Symbol::Symbol(std::string_view text) {
  if (text.empty()) return;
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  auto found = t.names.find(text);
  if (found == t.names.end()) found = t.names.emplace(text).first;
  text_ = &*found;
}

const std::string& Symbol::text() const {
  static const std::string nothing;
  return text_ ? *text_ : nothing;
}

}  // namespace couplet::modelica
