// Values of operators and predefined functions. [Modelica 3.6, sections 3.4 to 3.7, 10.3, 10.6]
#include <fmt/format.h>

#include <cmath>

#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {

using ast::Op;
using Kind = Value::Kind;

namespace {

Value number(double v, bool real) { return real ? Value::real(v) : Value::integer(v); }

Value scalar_binary(Op op, const Value& a, const Value& b) {
  const bool real = a.kind == Kind::real || b.kind == Kind::real;
  const double x = a.number, y = b.number;
  const bool text = a.kind == Kind::string;
  switch (op) {
    case Op::and_:
      return Value::boolean(a.truth() && b.truth());
    case Op::or_:
      return Value::boolean(a.truth() || b.truth());
    case Op::less:
      return Value::boolean(text ? a.text < b.text : x < y);
    case Op::less_equal:
      return Value::boolean(text ? a.text <= b.text : x <= y);
    case Op::greater:
      return Value::boolean(text ? a.text > b.text : x > y);
    case Op::greater_equal:
      return Value::boolean(text ? a.text >= b.text : x >= y);
    case Op::equal:
      return Value::boolean(text ? a.text == b.text : x == y);
    case Op::not_equal:
      return Value::boolean(text ? a.text != b.text : x != y);
    case Op::add:
    case Op::el_add:
      return text ? Value::string(a.text + b.text) : number(x + y, real);
    case Op::sub:
    case Op::el_sub:
      return number(x - y, real);
    case Op::mul:
    case Op::el_mul:
      return number(x * y, real);
    case Op::div:
    case Op::el_div:
      if (y == 0) throw CannotEvaluate{"a number is divided by zero"};
      return Value::real(x / y);
    case Op::pow:
    case Op::el_pow:
      if (x < 0 && y != std::floor(y))
        throw CannotEvaluate{"a negative number has no power that is no whole number"};
      return Value::real(std::pow(x, y));
    default:
      throw CannotEvaluate{"this operator has no value"};
  }
}

// f of two values, element by element; a scalar goes with every element.
template <class F>
Value pairwise(const Value& a, const Value& b, F f) {
  if (!a.is_array() && !b.is_array()) return f(a, b);
  if (a.is_array() && b.is_array() && a.items.size() != b.items.size())
    throw CannotEvaluate{"the sizes of two arrays differ"};
  Value result = Value::array({});
  result.type = a.is_array() ? a.type : b.type;
  const size_t n = a.is_array() ? a.items.size() : b.items.size();
  for (size_t i = 0; i < n; ++i)
    result.items.push_back(
        pairwise(a.is_array() ? a.items[i] : a, b.is_array() ? b.items[i] : b, f));
  return result;
}

Value elementwise(Op op, const Value& a, const Value& b) {
  return pairwise(a, b, [&](const Value& x, const Value& y) { return scalar_binary(op, x, y); });
}

bool is_matrix(const Value& v) { return v.is_array() && !v.items.empty() && v.items[0].is_array(); }

Value dot(const Value& a, const Value& b) {
  if (a.items.size() != b.items.size()) throw CannotEvaluate{"the sizes of two vectors differ"};
  Value total = Value::integer(0);
  for (size_t i = 0; i < a.items.size(); ++i)
    total = scalar_binary(Op::add, total, scalar_binary(Op::mul, a.items[i], b.items[i]));
  if (a.items.empty()) total = Value::real(0);
  return total;
}

Value transpose(const Value& m) {
  Value t = Value::array({});
  if (!is_matrix(m)) return t;
  for (size_t j = 0; j < m.items[0].items.size(); ++j) {
    Value row = Value::array({});
    for (const Value& r : m.items) {
      if (j >= r.items.size()) throw CannotEvaluate{"the rows of a matrix differ in size"};
      row.items.push_back(r.items[j]);
    }
    t.items.push_back(row);
  }
  return t;
}

size_t columns_of(const Value& m) { return is_matrix(m) ? m.items[0].items.size() : 1; }

Value multiply(Context& context, const Value& a, const Value& b) {
  if (!a.is_array() || !b.is_array()) return elementwise(Op::mul, a, b);
  if (!is_matrix(a) && !is_matrix(b)) return dot(a, b);
  const double size = (is_matrix(a) ? static_cast<double>(a.items.size()) : 1.0) *
                      static_cast<double>(columns_of(b));
  check_elements(size);
  count_work(context, size * static_cast<double>(b.items.size()));
  Value result = Value::array({});
  if (!is_matrix(b)) {
    for (const Value& row : a.items) result.items.push_back(dot(row, b));
    return result;
  }
  const Value columns = transpose(b);
  if (!is_matrix(a)) {
    for (const Value& column : columns.items) result.items.push_back(dot(a, column));
    return result;
  }
  for (const Value& row : a.items) {
    Value r = Value::array({});
    for (const Value& column : columns.items) r.items.push_back(dot(row, column));
    result.items.push_back(r);
  }
  return result;
}

Value identity(size_t n) {
  check_elements(static_cast<double>(n) * static_cast<double>(n));
  Value m = Value::array({});
  for (size_t i = 0; i < n; ++i) {
    m.items.push_back(Value::array(std::vector<Value>(n, Value::integer(0))));
    m.items[i].items[i] = Value::integer(1);
  }
  return m;
}

Value matrix_power(Context& context, const Value& a, const Value& b) {
  Value result = identity(a.items.size());
  if (!(b.number >= 0 && b.number <= 1e6)) throw CannotEvaluate{"a matrix has no such power"};
  for (double i = 0; i < b.number; ++i) result = multiply(context, result, a);
  return result;
}

template <class F>
Value each(const Value& v, F f) {
  if (!v.is_array()) return f(v);
  Value result = Value::array({});
  result.type = v.type;
  for (const Value& i : v.items) result.items.push_back(each(i, f));
  return result;
}

void flatten(const Value& v, std::vector<Value>& into) {
  if (!v.is_array())
    into.push_back(v);
  else
    for (const Value& i : v.items) flatten(i, into);
}

double divided(Builtin id, double x, double y) {
  if (y == 0) throw CannotEvaluate{"a number is divided by zero"};
  if (id == Builtin::div) return std::trunc(x / y);
  if (id == Builtin::mod) return x - std::floor(x / y) * y;
  return x - std::trunc(x / y) * y;  // rem
}

Value checked(double v) {
  if (std::isnan(v)) throw CannotEvaluate{"a function is not defined for this argument"};
  return Value::real(v);
}

Value math(Builtin id, const Value& v) {
  const double x = v.number;
  const bool real = v.kind == Kind::real;
  switch (id) {
    case Builtin::sin:
      return checked(std::sin(x));
    case Builtin::cos:
      return checked(std::cos(x));
    case Builtin::tan:
      return checked(std::tan(x));
    case Builtin::asin:
      return checked(std::asin(x));
    case Builtin::acos:
      return checked(std::acos(x));
    case Builtin::atan:
      return checked(std::atan(x));
    case Builtin::sinh:
      return checked(std::sinh(x));
    case Builtin::cosh:
      return checked(std::cosh(x));
    case Builtin::tanh:
      return checked(std::tanh(x));
    case Builtin::exp:
      return checked(std::exp(x));
    case Builtin::log:
      return checked(std::log(x));
    case Builtin::log10:
      return checked(std::log10(x));
    case Builtin::sqrt:
      return checked(std::sqrt(x));
    case Builtin::abs:
      return number(std::fabs(x), real);
    case Builtin::sign:
      return Value::integer(x > 0 ? 1 : x < 0 ? -1 : 0);
    case Builtin::floor:
      return Value::real(std::floor(x));
    case Builtin::ceil:
      return Value::real(std::ceil(x));
    case Builtin::integer:
      return Value::integer(std::floor(x));
    default:
      return Value::integer(x);  // Integer(e)
  }
}

Value extreme(Builtin id, const std::vector<Value>& all) {
  if (all.empty()) throw CannotEvaluate{"the smallest or largest of nothing is not defined"};
  Value best = all[0];
  for (const Value& v : all) {
    const bool better = id == Builtin::min ? v.number < best.number : v.number > best.number;
    if (better) best.number = v.number;
    if (v.kind == Kind::real) best.kind = Kind::real;
  }
  return best;
}

Value filled(const Value& v, const std::vector<Value>& sizes, size_t i) {
  if (i == sizes.size()) return v;
  return repeated(filled(v, sizes, i + 1), sizes[i].number);
}

Value joined(size_t dimension, const std::vector<Value>& parts) {
  Value result = Value::array({});
  if (dimension == 1) {
    for (const Value& p : parts)
      result.items.insert(result.items.end(), p.items.begin(), p.items.end());
    return result;
  }
  size_t rows = 0;
  for (const Value& p : parts) rows = std::max(rows, p.items.size());
  for (size_t i = 0; i < rows; ++i) {
    std::vector<Value> row;
    for (const Value& p : parts)
      if (i < p.items.size()) row.push_back(p.items[i]);
    result.items.push_back(joined(dimension - 1, row));
  }
  return result;
}

Value promoted(const Value& v, size_t rank) {
  if (rank == 0) return v;
  if (!v.is_array()) return Value::array({promoted(v, rank - 1)});
  Value result = Value::array({});
  for (const Value& i : v.items) result.items.push_back(promoted(i, rank - 1));
  return result;
}

std::string literal_name(const Value& v) {
  const auto& literals = v.type.enumeration->def->literals;
  if (!(v.number >= 1 && v.number <= literals.size()))
    throw CannotEvaluate{fmt::format("{} is no literal of its enumeration", v.number)};
  return literals[static_cast<size_t>(v.number) - 1].name.text();
}

Value format_string(const std::vector<Value>& args) {
  const Value& v = args[0];
  const auto given = [&](size_t i) { return i < args.size() && args[i].kind != Kind::none; };
  constexpr int all_digits = 770;  // a double has 767 at most
  const int digits = given(1) ? std::min(to_size(args[1].number), all_digits) : 6;
  std::string text;
  if (v.kind == Kind::real)
    text = fmt::format("{:.{}g}", v.number, digits);
  else if (v.kind == Kind::enumeration)
    text = literal_name(v);
  else
    text = to_string(v);
  const auto width = static_cast<size_t>(given(2) ? to_size(args[2].number) : 0);
  if (width > max_elements)
    throw CannotEvaluate{
        fmt::format("it needs too much memory: more than {} characters", max_elements)};
  if (text.size() < width) {
    const bool left = !given(3) || args[3].truth();
    text.insert(left ? text.size() : 0, width - text.size(), ' ');
  }
  return Value::string(text);
}

Value cross(const Value& a, const Value& b) {
  if (a.items.size() != 3 || b.items.size() != 3)
    throw CannotEvaluate{"cross needs vectors of size 3"};
  const auto term = [&](size_t i, size_t j) {
    return number(a.items[i].number * b.items[j].number - a.items[j].number * b.items[i].number,
                  true);
  };
  return Value::array({term(1, 2), term(2, 0), term(0, 1)});
}

Value skew(const Value& v) {
  if (v.items.size() != 3) throw CannotEvaluate{"skew needs a vector of size 3"};
  const double x = v.items[0].number, y = v.items[1].number, z = v.items[2].number;
  const auto row = [](double a, double b, double c) {
    return Value::array({Value::real(a), Value::real(b), Value::real(c)});
  };
  return Value::array({row(0, -z, y), row(z, 0, -x), row(-y, x, 0)});
}

}  // namespace

Value evaluate_unary(Op op, const Value& a) {
  return each(a, [&](const Value& v) {
    if (op == Op::not_) return Value::boolean(!v.truth());
    Value result = v;
    if (op == Op::minus || op == Op::el_minus) result.number = -v.number;
    return result;
  });
}

Value evaluate_binary(Context& context, Op op, const Value& a, const Value& b) {
  if (op == Op::mul) return multiply(context, a, b);
  if (op == Op::pow && a.is_array()) return matrix_power(context, a, b);
  return elementwise(op, a, b);
}

Value evaluate_builtin(Context& context, const Exp& e, Frame* frame) {
  const Builtin id = e.builtin;
  if (id >= Builtin::cardinality && id <= Builtin::branch) return evaluate_structure(context, e);
  if (id >= Builtin::time && id <= Builtin::actual_stream && id != Builtin::no_event &&
      id != Builtin::smooth && id != Builtin::homotopy && id != Builtin::semi_linear)
    throw CannotEvaluate{fmt::format("{} has no value before the simulation", builtin_name(id))};
  if (id >= Builtin::clock_of && id <= Builtin::first_tick)
    throw CannotEvaluate{fmt::format("{} has no value before the simulation", builtin_name(id))};
  if (id == Builtin::size && e.args.size() == 2 && e.args[0]->kind != ExpKind::local) {
    const Type& t = e.args[0]->type;  // the size may be known where the value is not
    const auto d = static_cast<size_t>(to_size(evaluate(context, e.args[1], frame).number)) - 1;
    if (d < t.rank() && t.dims[d] != unknown_size) return Value::integer(t.dims[d]);
  }
  std::vector<Value> a;
  for (const Exp* arg : e.args) a.push_back(arg ? evaluate(context, arg, frame) : Value{});
  if (id <= Builtin::integer && id != Builtin::atan2 && (id < Builtin::div || id > Builtin::rem))
    return each(a[0], [&](const Value& v) { return math(id, v); });
  std::vector<Value> all;
  switch (id) {
    case Builtin::integer_of:
      return each(a[0], [&](const Value& v) { return math(id, v); });
    case Builtin::atan2:
      return pairwise(a[0], a[1], [](const Value& y, const Value& x) {
        return Value::real(std::atan2(y.number, x.number));
      });
    case Builtin::div:
    case Builtin::mod:
    case Builtin::rem:
      return pairwise(a[0], a[1], [&](const Value& x, const Value& y) {
        return number(divided(id, x.number, y.number),
                      x.kind == Kind::real || y.kind == Kind::real);
      });
    case Builtin::min:
    case Builtin::max:
      if (a.size() == 2)
        return pairwise(a[0], a[1], [&](const Value& x, const Value& y) {
          return extreme(id, {x, y});
        });
      for (const Value& v : a) flatten(v, all);
      return extreme(id, all);
    case Builtin::sum:
    case Builtin::product: {
      flatten(a[0], all);
      double total = id == Builtin::sum ? 0 : 1;
      bool real = all.empty() && e.type.base == Primitive::real;
      for (const Value& v : all) {
        total = id == Builtin::sum ? total + v.number : total * v.number;
        real = real || v.kind == Kind::real;
      }
      return number(total, real);
    }
    case Builtin::size: {
      const std::vector<int> dims = a[0].dims();
      if (a.size() == 2) {
        const auto d = static_cast<size_t>(to_size(a[1].number)) - 1;
        if (d >= dims.size()) return Value::integer(0);
        return Value::integer(dims[d]);
      }
      for (const int d : dims) all.push_back(Value::integer(d));
      return Value::array(all);
    }
    case Builtin::ndims:
      return Value::integer(static_cast<double>(a[0].dims().size()));
    case Builtin::scalar:
      flatten(a[0], all);
      if (all.size() != 1) throw CannotEvaluate{"scalar needs one element"};
      return all[0];
    case Builtin::vector:
      flatten(a[0], all);
      return Value::array(all);
    case Builtin::matrix:
      return promoted(a[0], 2);
    case Builtin::transpose:
      return transpose(a[0]);
    case Builtin::symmetric: {
      Value m = a[0];
      for (const Value& row : m.items)
        if (row.items.size() != m.items.size())
          throw CannotEvaluate{"symmetric needs a square matrix"};
      for (size_t i = 0; i < m.items.size(); ++i)
        for (size_t j = 0; j < i; ++j) m.items[i].items[j] = m.items[j].items[i];
      return m;
    }
    case Builtin::outer_product: {
      Value m = Value::array({});
      check_elements(static_cast<double>(a[0].items.size()) *
                     static_cast<double>(a[1].items.size()));
      for (const Value& x : a[0].items) m.items.push_back(elementwise(Op::mul, x, a[1]));
      return m;
    }
    case Builtin::identity:
      return identity(static_cast<size_t>(to_size(a[0].number)));
    case Builtin::diagonal: {
      Value m = identity(a[0].items.size());
      for (size_t i = 0; i < m.items.size(); ++i) m.items[i].items[i] = a[0].items[i];
      return m;
    }
    case Builtin::zeros:
      return filled(Value::integer(0), a, 0);
    case Builtin::ones:
      return filled(Value::integer(1), a, 0);
    case Builtin::fill:
      return filled(a[0], a, 1);
    case Builtin::linspace:
      check_elements(a[2].number);
      for (double i = 0; i < a[2].number; ++i)
        all.push_back(
            Value::real(a[0].number + (a[1].number - a[0].number) * i / (a[2].number - 1)));
      return Value::array(all);
    case Builtin::cross:
      return cross(a[0], a[1]);
    case Builtin::skew:
      return skew(a[0]);
    case Builtin::cat:
      return joined(static_cast<size_t>(std::max(to_size(a[0].number), 1)),
                    {a.begin() + 1, a.end()});
    case Builtin::promote:
      return promoted(a[0], static_cast<size_t>(std::min(to_size(a[1].number), 32)));
    case Builtin::no_event:
    case Builtin::pure_:
      return a[0];
    case Builtin::homotopy:
      return a[0];
    case Builtin::smooth:
      return a[1];
    case Builtin::semi_linear:
      if (a[0].is_array() || a[1].is_array() || a[2].is_array())
        throw CannotEvaluate{"semiLinear of arrays has no value before the simulation"};
      return Value::real(a[0].number * (a[0].number >= 0 ? a[1] : a[2]).number);
    case Builtin::string:
      return format_string(a);
    case Builtin::enum_of: {
      Value v = Value::scalar(Kind::enumeration, a[0].number);
      v.type = e.type;
      if (a[0].number < 1 || a[0].number > e.type.enumeration->def->literals.size())
        throw CannotEvaluate{"an enumeration has no such literal"};
      return v;
    }
    case Builtin::assert_:
      if (!a[0].truth() && !(a.size() > 2 && a[2].number == 1))
        throw CannotEvaluate{"an assertion fails: " + to_string(a[1])};
      return {};
    default:
      break;
  }
  throw CannotEvaluate{fmt::format("{} has no value before the simulation", builtin_name(id))};
}

}  // namespace couplet::modelica
