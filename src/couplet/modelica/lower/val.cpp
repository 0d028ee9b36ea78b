#include "couplet/modelica/lower/val.hpp"

namespace couplet::modelica::lower {

std::vector<int> Val::dims() const {
  std::vector<int> d;
  for (const Val* v = this; v->is_array();) {
    d.push_back(static_cast<int>(v->items.size()));
    if (v->items.empty()) break;
    v = &v->items[0];
  }
  return d;
}

Val from_value(const Value& v) {
  Val r;
  switch (v.kind) {
    case Value::Kind::none:
      return r;
    case Value::Kind::real:
    case Value::Kind::integer:
    case Value::Kind::boolean:
    case Value::Kind::enumeration:
      return Val(v.number);
    case Value::Kind::string:
      r.kind = Val::Kind::text;
      r.text = v.text;
      return r;
    case Value::Kind::array:
    case Value::Kind::record:
      r.kind = v.kind == Value::Kind::array ? Val::Kind::array : Val::Kind::record;
      for (const Value& i : v.items) r.items.push_back(from_value(i));
      return r;
    case Value::Kind::function:
      r.kind = Val::Kind::function;
      r.function = v.function;
      return r;
    case Value::Kind::object:
      r.kind = Val::Kind::object;
      r.object = v.object;
      return r;
  }
  return r;
}

Value to_value(const Val& v, const Type& type) {
  Value r;
  switch (v.kind) {
    case Val::Kind::scalar:
      r.kind = type.base == Primitive::integer       ? Value::Kind::integer
               : type.base == Primitive::boolean     ? Value::Kind::boolean
               : type.base == Primitive::enumeration ? Value::Kind::enumeration
                                                     : Value::Kind::real;
      r.number = v.e.value();
      if (r.kind == Value::Kind::enumeration) r.type = type;
      break;
    case Val::Kind::text:
      return Value::string(v.text);
    case Val::Kind::array:
      r = Value::array({});
      for (const Val& i : v.items) r.items.push_back(to_value(i, type));
      r.type = type;
      break;
    case Val::Kind::record:
      r.kind = Value::Kind::record;
      r.type = type;
      for (size_t i = 0; i < v.items.size(); ++i)
        r.items.push_back(to_value(v.items[i], type.record ? type.record->fields[i].type : Type{}));
      break;
    case Val::Kind::object:
      r.kind = Value::Kind::object;
      r.object = v.object;
      break;
    case Val::Kind::function:
      r.kind = Value::Kind::function;
      r.function = v.function;
      break;
    case Val::Kind::none:
      break;
  }
  return r;
}

bool is_constant(const Val& v) {
  if (v.is_scalar()) return v.e.is_constant();
  for (const Val& i : v.items)
    if (!is_constant(i)) return false;
  return true;
}

void flatten(const Val& v, std::vector<Expr>& into) {
  if (v.is_scalar()) into.push_back(v.e);
  for (const Val& i : v.items) flatten(i, into);
}

Val each(const Val& v, const std::function<Expr(const Expr&)>& f) {
  if (v.is_scalar()) return f(v.e);
  if (v.kind == Val::Kind::none || v.kind == Val::Kind::text)
    throw Refused{"a value that is no number", {}};
  Val r = v;
  for (Val& i : r.items) i = each(i, f);
  return r;
}

Val zip(const Val& a, const Val& b, const std::function<Expr(const Expr&, const Expr&)>& f) {
  if (a.is_scalar() && b.is_scalar()) return f(a.e, b.e);
  if (a.is_scalar()) return each(b, [&](const Expr& x) { return f(a.e, x); });
  if (b.is_scalar()) return each(a, [&](const Expr& x) { return f(x, b.e); });
  if (a.items.size() != b.items.size()) throw Refused{"sizes of two arrays that differ", {}};
  Val r = a;
  for (size_t i = 0; i < r.items.size(); ++i) r.items[i] = zip(a.items[i], b.items[i], f);
  return r;
}

Val choose(const Expr& condition, const Val& a, const Val& b) {
  if (condition.is_constant()) return condition.is_constant(0) ? b : a;
  if (a.kind == Val::Kind::none) return b;
  if (b.kind == Val::Kind::none) return a;
  if (a.kind != b.kind || a.items.size() != b.items.size())
    throw Refused{"an 'if' whose branches have values of different sizes", {}};
  if (a.kind == Val::Kind::text || a.kind == Val::Kind::function || a.kind == Val::Kind::object) {
    Val r = a;
    if (a.kind == Val::Kind::text && a.text != b.text) r.text = undecided_text;
    return r;
  }
  if (a.is_scalar()) return select(condition, a.e, b.e);
  Val r = a;
  for (size_t i = 0; i < r.items.size(); ++i)
    r.items[i] = choose(condition, a.items[i], b.items[i]);
  return r;
}

namespace {

bool is_matrix(const Val& v) { return v.is_array() && !v.items.empty() && v.items[0].is_array(); }

Val dot(const Val& a, const Val& b) {
  if (a.items.size() != b.items.size()) throw Refused{"sizes of two vectors that differ", {}};
  Expr sum = 0;
  for (size_t i = 0; i < a.items.size(); ++i) sum += a.items[i].e * b.items[i].e;
  return sum;
}

}  // namespace

Val transpose(const Val& m) {
  Val t = Val::array({});
  if (!is_matrix(m)) return t;
  for (size_t j = 0; j < m.items[0].items.size(); ++j) {
    Val row = Val::array({});
    for (const Val& r : m.items) row.items.push_back(r.items.at(j));
    t.items.push_back(std::move(row));
  }
  return t;
}

Val multiply(const Val& a, const Val& b) {
  const auto times = [](const Expr& x, const Expr& y) { return x * y; };
  if (!a.is_array() || !b.is_array()) return zip(a, b, times);
  if (!is_matrix(a) && !is_matrix(b)) return dot(a, b);
  Val r = Val::array({});
  if (!is_matrix(b)) {
    for (const Val& row : a.items) r.items.push_back(dot(row, b));
    return r;
  }
  const Val columns = transpose(b);
  if (!is_matrix(a)) {
    for (const Val& c : columns.items) r.items.push_back(dot(a, c));
    return r;
  }
  for (const Val& row : a.items) {
    Val out = Val::array({});
    for (const Val& c : columns.items) out.items.push_back(dot(row, c));
    r.items.push_back(std::move(out));
  }
  return r;
}

Val fill(const Val& v, const std::vector<int>& dims, size_t i) {
  if (i == dims.size()) return v;
  return Val::array(std::vector<Val>(static_cast<size_t>(dims[i]), fill(v, dims, i + 1)));
}

Val identity(size_t n) {
  Val m = fill(Val(0.0), {static_cast<int>(n), static_cast<int>(n)});
  for (size_t i = 0; i < n; ++i) m.items[i].items[i] = Val(1.0);
  return m;
}

Val rebuild(const Val& shape, const std::vector<Expr>& scalars, size_t& next) {
  if (shape.is_scalar()) return scalars.at(next++);
  Val r = shape;
  for (Val& i : r.items) i = rebuild(i, scalars, next);
  return r;
}

}  // namespace couplet::modelica::lower
