// Interned names. A name is stored once per process, so comparing two is comparing two pointers.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace couplet::modelica {

/// An identifier of the program. Quoted identifiers keep their quotes: 'a b' and a_b differ.
class Symbol {
 public:
  Symbol() = default;                      // the empty name
  explicit Symbol(std::string_view text);  // interns; safe from several threads

  const std::string& text() const;
  bool empty() const { return !text_; }
  bool operator==(const Symbol&) const = default;
  size_t hash() const { return std::hash<const void*>()(text_); }

 private:
  const std::string* text_ = nullptr;
};

}  // namespace couplet::modelica

template <>
struct std::hash<couplet::modelica::Symbol> {
  size_t operator()(couplet::modelica::Symbol s) const { return s.hash(); }
};
