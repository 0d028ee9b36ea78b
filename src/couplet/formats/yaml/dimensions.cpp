#include "couplet/formats/yaml/dimensions.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace couplet::formats::yaml {
namespace {

using model::Dimension;
using symbolic::Expr;
using symbolic::Op;

/// A number multiplies without changing dimensions, and fits into every sum, as 1 N does that is
/// written 1: sin(t), l1/l2. Angles are numbers.
bool is_number(const Dimension& d) { return d.length == 0 && d.mass == 0 && d.time == 0; }

bool alike(const Dimension& a, const Dimension& b) {
  return a.length == b.length && a.mass == b.mass && a.time == b.time;
}

class Judge {
 public:
  explicit Judge(const std::vector<std::optional<Dimension>>& dimensions)
      : dimensions_(dimensions) {}
  std::string fault;

  std::optional<Dimension> judge(const Expr& x) {
    const auto arg = [&](int i) { return judge(x.arg(i)); };
    switch (x.op()) {
      case Op::symbol:
        return of_symbol(x.name());
      case Op::neg:
      case Op::abs:
      case Op::noevent:
      case Op::floor:
      case Op::ceil:
        return arg(0);
      case Op::add:
      case Op::sub:
        return join(arg(0), arg(1), "added");
      case Op::min:
      case Op::max:
      case Op::mod:
        return join(arg(0), arg(1), "compared");
      case Op::mul:
        return multiply(arg(0), arg(1), 1);
      case Op::div:
        return multiply(arg(0), arg(1), -1);
      case Op::pow:
        return power(arg(0), x.arg(1));
      case Op::sqrt:
        return root(arg(0));
      case Op::less:
      case Op::less_equal:
      case Op::equal:
      case Op::not_equal:
        join(arg(0), arg(1), "compared");
        return Dimension{};
      case Op::select:
        judge(x.arg(0));
        return join(arg(1), arg(2), "one value");
      case Op::constant:
      case Op::call1:
      case Op::call2:
        for (int i = 0; i < x.arity(); ++i) judge(x.arg(i));
        return std::nullopt;
      case Op::atan2:
        join(arg(0), arg(1), "compared");
        return Dimension{};
      case Op::sin:
      case Op::cos:
      case Op::tan:
      case Op::asin:
      case Op::acos:
      case Op::atan:
      case Op::sinh:
      case Op::cosh:
      case Op::tanh:
      case Op::exp:
      case Op::log:
        if (const auto a = arg(0); a && !is_number(*a) && fault.empty())
          fault = fmt::format("there is no {} of {}", symbolic::info(x.op()).name, a->str());
        return Dimension{};
      default:  // and, or, not, sign
        for (int i = 0; i < x.arity(); ++i) judge(x.arg(i));
        return Dimension{};
    }
  }

 private:
  std::optional<Dimension> join(const std::optional<Dimension>& a,
                                const std::optional<Dimension>& b, const char* how) {
    const bool a_is_certain = a && !is_number(*a), b_is_certain = b && !is_number(*b);
    if (a_is_certain && b_is_certain && !alike(*a, *b) && fault.empty())
      fault = fmt::format("{} and {} cannot be {}", a->str(), b->str(), how);
    if (a_is_certain) return a;
    if (b_is_certain) return b;
    return a && b ? a : std::nullopt;
  }
  // "d_3"; other names, as true.x, are nothing's: whoever asked for the value says so.
  std::optional<Dimension> of_symbol(const std::string& name) const {
    size_t index = dimensions_.size();
    if (name.starts_with("d_")) std::from_chars(name.data() + 2, name.data() + name.size(), index);
    return index < dimensions_.size() ? dimensions_[index] : std::nullopt;
  }
  static std::optional<Dimension> multiply(const std::optional<Dimension>& a,
                                           const std::optional<Dimension>& b, int power) {
    if (!a || !b) return std::nullopt;
    return *a * b->power(power);
  }
  static std::optional<Dimension> power(const std::optional<Dimension>& base,
                                        const Expr& exponent) {
    if (!base || !exponent.is_constant()) return std::nullopt;
    const double n = exponent.value();
    if (n == 0.5) return root(base);
    if (n != std::floor(n) || std::abs(n) > 9) return std::nullopt;
    return base->power(static_cast<int>(n));
  }
  static std::optional<Dimension> root(const std::optional<Dimension>& x) {
    if (!x || x->length % 2 != 0 || x->mass % 2 != 0 || x->time % 2 != 0) return std::nullopt;
    return Dimension{x->length / 2, x->mass / 2, x->time / 2, x->angle / 2};
  }

  const std::vector<std::optional<Dimension>>& dimensions_;
};

}  // namespace

Judgement judge_dimensions(const Expr& value,
                           const std::vector<std::optional<Dimension>>& dimensions) {
  Judge judge(dimensions);
  Judgement out;
  std::optional<Dimension> found = judge.judge(value);
  out.fault = judge.fault;
  if (!found || (found->length == 0 && found->mass == 0)) return out;
  // A radian is a number where it multiplies: a length times an angle is a length.
  if (found->mass != 0 || found->angle > 0) found->angle = 0;
  out.dimension = found;
  return out;
}

}  // namespace couplet::formats::yaml
