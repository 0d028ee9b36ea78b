// Values at translation time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "couplet/modelica/typing/exp.hpp"

namespace couplet::modelica {

namespace tables {
struct AnyTable;
}

/// Counts the values that are alive, for the bound on all of them.
struct Alive {
  Alive() noexcept { ++count; }
  Alive(const Alive&) noexcept { ++count; }
  Alive& operator=(const Alive&) noexcept { return *this; }
  ~Alive() { --count; }
  static inline constinit thread_local long count = 0;
};

struct Value {
  enum class Kind : uint8_t {
    none,
    real,
    integer,
    boolean,
    string,
    enumeration,
    array,
    record,
    function,
    object,
  };
  Kind kind = Kind::none;
  double number = 0;  // scalars; Boolean as 0 and 1, enumeration as its index
  std::string text;
  std::vector<Value> items;       // of an array, or the fields of a record
  Type type = {};                 // enumeration, record: which; an empty array: of what
  const Exp* function = nullptr;  // a function as a value
  std::shared_ptr<const tables::AnyTable> object;  // an external object
  [[no_unique_address]] Alive alive;

  static Value real(double v) { return scalar(Kind::real, v); }
  static Value integer(double v) { return scalar(Kind::integer, v); }
  static Value boolean(bool v) { return scalar(Kind::boolean, v ? 1 : 0); }
  static Value string(std::string v);
  static Value array(std::vector<Value> items);
  static Value scalar(Kind kind, double number);

  bool truth() const { return number != 0; }
  bool is_array() const { return kind == Kind::array; }
  std::vector<int> dims() const;
};

/// A number as an index: what no int can hold becomes one that is out of every bound.
inline int to_int(double number) {
  constexpr double most = 1e9;
  return number >= -most && number <= most ? static_cast<int>(number) : -1'000'000'000;
}

/// A number as a size: at least 0; what no int can hold becomes one that is refused as too large.
inline int to_size(double number) {
  constexpr double most = 1e9;
  return number > 0 ? static_cast<int>(number < most ? number : most) : 0;
}

const Exp* to_exp(Context& context, const Value& v, const Type& type);
std::string to_string(const Value& v);

}  // namespace couplet::modelica
