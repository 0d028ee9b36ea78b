// Predefined functions and operators. [Modelica 3.6, sections 3.7, 10.3]
#include <fmt/format.h>

#include <cmath>

#include "couplet/modelica/lower/lowering.hpp"
#include "couplet/modelica/typing/typer.hpp"

namespace couplet::modelica::lower {
namespace {

int whole_number(const Val& v) {
  if (!v.is_scalar() || !v.e.is_constant())
    throw Refused{"a size that changes during the simulation", {}};
  return to_size(v.e.value());
}

Val joined(int dimension, const std::vector<Val>& parts) {
  Val r = Val::array({});
  if (dimension == 1) {
    for (const Val& p : parts) r.items.insert(r.items.end(), p.items.begin(), p.items.end());
    return r;
  }
  size_t rows = 0;
  for (const Val& p : parts) rows = std::max(rows, p.items.size());
  for (size_t i = 0; i < rows; ++i) {
    std::vector<Val> row;
    for (const Val& p : parts)
      if (i < p.items.size()) row.push_back(p.items[i]);
    r.items.push_back(joined(dimension - 1, row));
  }
  return r;
}

Val promoted(const Val& v, int rank) {
  if (rank == 0) return v;
  if (!v.is_array()) return Val::array({promoted(v, rank - 1)});
  Val r = Val::array({});
  for (const Val& i : v.items) r.items.push_back(promoted(i, rank - 1));
  return r;
}

// Bracketed in pairs: sums of many terms stay shallow.
Expr fold(std::vector<Expr> all, Expr (*f)(const Expr&, const Expr&), double empty) {
  if (all.empty()) return empty;
  Expr r = all[0];
  for (size_t i = 1; i < all.size(); ++i) r = f(r, all[i]);
  return r;
}
Expr plus(const Expr& a, const Expr& b) { return a + b; }
Expr times(const Expr& a, const Expr& b) { return a * b; }

Expr (*function_of(Builtin id))(const Expr&) {
  switch (id) {
    case Builtin::sin:
      return symbolic::sin;
    case Builtin::cos:
      return symbolic::cos;
    case Builtin::tan:
      return symbolic::tan;
    case Builtin::asin:
      return symbolic::asin;
    case Builtin::acos:
      return symbolic::acos;
    case Builtin::atan:
      return symbolic::atan;
    case Builtin::sinh:
      return symbolic::sinh;
    case Builtin::cosh:
      return symbolic::cosh;
    case Builtin::tanh:
      return symbolic::tanh;
    case Builtin::exp:
      return symbolic::exp;
    case Builtin::log:
      return symbolic::log;
    case Builtin::sqrt:
      return symbolic::sqrt;
    case Builtin::abs:
      return symbolic::abs;
    case Builtin::sign:
      return symbolic::sign;
    default:
      return nullptr;
  }
}

}  // namespace

Expr Lowering::floor_of(const Expr& x) { return no_event_ ? floor(x) : dae_.whole(x); }

Expr Lowering::truncated(const Expr& x) {
  if (x.is_constant()) return std::trunc(x.value());
  return select(relation(ast::Op::greater_equal, x, 0), floor_of(x), -floor_of(-x));
}

Val Lowering::builtin(const Exp& e, Locals* locals) {
  const Builtin id = e.builtin;
  if (id == Builtin::time) return dae_.time;
  if (id >= Builtin::cardinality && id <= Builtin::branch)
    return from_value(evaluate_structure(context_, e));
  if (id >= Builtin::clock_of && id <= Builtin::first_tick)
    throw Refused{fmt::format("{}: clocks", builtin_name(id)), {}};
  if (id == Builtin::string) {
    Val r;
    r.kind = Val::Kind::text;
    r.text = text_of(&e, locals);
    return r;
  }
  if (id == Builtin::size && e.args[0]->kind != ExpKind::local) {
    const Type& t = e.args[0]->type;
    bool known = true;
    for (const int d : t.dims) known = known && d != unknown_size;
    if (known) {
      if (e.args.size() == 2) {
        const auto d = static_cast<size_t>(whole_number(value(e.args[1], locals))) - 1;
        return Val(d < t.rank() ? t.dims[d] : 0);
      }
      Val all = Val::array({});
      for (const int d : t.dims) all.items.emplace_back(static_cast<double>(d));
      return all;
    }
  }
  if (id == Builtin::no_event || id == Builtin::smooth) {
    const size_t at = id == Builtin::smooth ? 1 : 0;
    const bool before = no_event_;
    no_event_ = before || id == Builtin::no_event || whole_number(value(e.args[0], locals)) > 0;
    try {
      Val v = value(e.args[at], locals);
      no_event_ = before;
      return v;
    } catch (...) {
      no_event_ = before;
      throw;
    }
  }
  if (id == Builtin::homotopy) {
    const Val actual = value(e.args[0], locals);
    if (dae_.has_homotopy && !formulation_.continued) return actual;
    const Val simplified = value(e.args[1], locals);
    return zip(actual, simplified, [&](const Expr& x, const Expr& y) {
      if (x == y) return x;
      dae_.has_homotopy = true;
      return formulation_.continued ? y + dae_.homotopy * (x - y) : x;
    });
  }
  if (id == Builtin::sample) {
    if (e.args.size() < 2) throw Refused{"sample() of clocks", {}};
    return dae_.sample(scalar(e.args[0], locals), scalar(e.args[1], locals));
  }
  if (id == Builtin::der)
    return settled(e.args[0], locals, [this](const Val& v) { return derivative(v); });
  if (id == Builtin::pre) return pre_of(e.args[0], locals);
  std::vector<Val> a;
  for (const Exp* arg : e.args) a.push_back(arg ? value(arg, locals) : Val{});
  if (const auto f = function_of(id)) return each(a[0], [&](const Expr& x) { return f(x); });
  std::vector<Expr> all;
  switch (id) {
    case Builtin::log10:
      return each(a[0], [](const Expr& x) { return log(x) / std::log(10.0); });
    case Builtin::atan2:
      return zip(a[0], a[1], [](const Expr& y, const Expr& x) { return atan2(y, x); });
    case Builtin::floor:
    case Builtin::integer:
      return each(a[0], [&](const Expr& x) { return floor_of(x); });
    case Builtin::ceil:
      return each(a[0], [&](const Expr& x) { return -floor_of(-x); });
    case Builtin::div:
      return zip(a[0], a[1], [&](const Expr& x, const Expr& y) { return truncated(x / y); });
    case Builtin::mod:
      return zip(a[0], a[1], [&](const Expr& x, const Expr& y) { return x - floor_of(x / y) * y; });
    case Builtin::rem:
      return zip(a[0], a[1],
                 [&](const Expr& x, const Expr& y) { return x - truncated(x / y) * y; });
    case Builtin::integer_of:
    case Builtin::enum_of:
    case Builtin::pure_:
      return a[0];
    case Builtin::min:
    case Builtin::max:
      if (a.size() == 2) return zip(a[0], a[1], id == Builtin::min ? symbolic::min : symbolic::max);
      for (const Val& v : a) flatten(v, all);
      if (all.empty()) throw Refused{"the smallest or largest of nothing", {}};
      return fold(all, id == Builtin::min ? symbolic::min : symbolic::max, 0);
    case Builtin::sum:
      flatten(a[0], all);
      return fold(all, plus, 0);
    case Builtin::product:
      flatten(a[0], all);
      return fold(all, times, 1);
    case Builtin::size: {
      const std::vector<int> dims = a[0].dims();
      if (a.size() == 2) {
        const auto d = static_cast<size_t>(whole_number(a[1])) - 1;
        return Val(d < dims.size() ? dims[d] : 0);
      }
      Val r = Val::array({});
      for (const int d : dims) r.items.emplace_back(static_cast<double>(d));
      return r;
    }
    case Builtin::ndims:
      return Val(static_cast<double>(a[0].dims().size()));
    case Builtin::scalar:
    case Builtin::vector: {
      flatten(a[0], all);
      if (id == Builtin::scalar) return all.at(0);
      Val r = Val::array({});
      for (const Expr& x : all) r.items.emplace_back(x);
      return r;
    }
    case Builtin::matrix:
      return promoted(a[0], 2);
    case Builtin::promote:
      return promoted(a[0], whole_number(a[1]));
    case Builtin::transpose:
      return transpose(a[0]);
    case Builtin::symmetric: {
      Val m = a[0];
      for (size_t i = 0; i < m.items.size(); ++i)
        for (size_t j = 0; j < i; ++j) m.items[i].items[j] = m.items[j].items[i];
      return m;
    }
    case Builtin::outer_product: {
      Val m = Val::array({});
      for (const Val& x : a[0].items) m.items.push_back(multiply(x, a[1]));
      return m;
    }
    case Builtin::identity:
      return identity(static_cast<size_t>(whole_number(a[0])));
    case Builtin::diagonal: {
      Val m = identity(a[0].items.size());
      for (size_t i = 0; i < m.items.size(); ++i) m.items[i].items[i] = a[0].items[i];
      return m;
    }
    case Builtin::zeros:
    case Builtin::ones:
    case Builtin::fill: {
      std::vector<int> dims;
      for (size_t i = id == Builtin::fill ? 1 : 0; i < a.size(); ++i)
        dims.push_back(whole_number(a[i]));
      return fill(id == Builtin::fill ? a[0] : Val(id == Builtin::ones ? 1 : 0), dims);
    }
    case Builtin::linspace: {
      Val r = Val::array({});
      const int n = whole_number(a[2]);
      for (int i = 0; i < n; ++i)
        r.items.emplace_back(a[0].e + (a[1].e - a[0].e) * static_cast<double>(i) / (n - 1.0));
      return r;
    }
    case Builtin::cross: {
      if (a[0].items.size() != 3 || a[1].items.size() != 3)
        throw Refused{"cross of vectors that are not of size 3", {}};
      const auto term = [&](size_t i, size_t j) {
        return Val(a[0].items[i].e * a[1].items[j].e - a[0].items[j].e * a[1].items[i].e);
      };
      return Val::array({term(1, 2), term(2, 0), term(0, 1)});
    }
    case Builtin::skew: {
      const Expr x = a[0].items.at(0).e, y = a[0].items.at(1).e, z = a[0].items.at(2).e;
      const auto row = [](const Expr& p, const Expr& q, const Expr& r) {
        return Val::array({p, q, r});
      };
      return Val::array({row(0, -z, y), row(z, 0, -x), row(-y, x, 0)});
    }
    case Builtin::cat:
      return joined(std::max(whole_number(a[0]), 1), {a.begin() + 1, a.end()});
    case Builtin::semi_linear: {  // x*(if x >= 0 then positive else negative), by elements
      const auto choice = [&](const Val& x) {
        return each(x, [&](const Expr& e1) { return relation(ast::Op::greater_equal, e1, 0); });
      };
      const Val c = choice(a[0]);
      const auto half = [&](const Val& slope, bool positive) {
        return zip(c, slope, [&](const Expr& yes, const Expr& k) {
          return positive ? select(yes, k, 0) : select(yes, 0, k);
        });
      };
      const auto times = [](const Expr& x, const Expr& y) { return x * y; };
      if (a[0].is_scalar() && a[1].is_scalar() && a[2].is_scalar())
        return a[0].e * select(c.e, a[1].e, a[2].e);
      const Val slope = zip(half(a[1], true), half(a[2], false),
                            [](const Expr& x, const Expr& y) { return x + y; });
      return zip(a[0], slope, times);
    }
    case Builtin::edge:
      return zip(a[0], pre_of(e.args[0], locals),
                 [](const Expr& x, const Expr& p) { return logical_and(x, logical_not(p)); });
    case Builtin::change:
      return zip(a[0], pre_of(e.args[0], locals),
                 [](const Expr& x, const Expr& p) { return not_equal(x, p); });
    case Builtin::initial:
      return dae_.initial;
    case Builtin::terminal:
      dae_.has_terminal = true;
      return dae_.terminal;
    case Builtin::delay: {
      Val length = a.at(1);
      if (!length.is_scalar() || dae_.is_continuous(length.e))
        throw Refused{"delay() by a time that changes", "give it a parameter as delay time"};
      for (const int v : dae_.variables_of(length.e))
        if (dae_.variables[static_cast<size_t>(v)].kind != equations::Kind::parameter)
          throw Refused{"delay() by a time that changes", "give it a parameter as delay time"};
      return each(a[0], [&](const Expr& x) {
        return x.is_constant() || length.e.is_constant(0) ? x : dae_.delay(x, length.e, where_);
      });
    }
    default:
      break;
  }
  throw Refused{fmt::format("{}()", builtin_name(id)), {}};
}

}  // namespace couplet::modelica::lower
