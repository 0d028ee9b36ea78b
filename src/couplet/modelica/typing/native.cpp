// External C functions of the Modelica Standard Library that translation may need, given natively.
#include "couplet/modelica/typing/native.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <variant>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/modelica/tables/table.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

using Args = std::vector<Value>;

Value length(const Args& a) { return Value::integer(static_cast<double>(a[0].text.size())); }

Value substring(const Args& a) {
  const auto from = static_cast<size_t>(std::max(to_size(a[1].number), 1)) - 1;
  const auto to = static_cast<size_t>(to_size(a[2].number));
  const bool empty = from >= a[0].text.size() || to <= from;
  return Value::string(empty ? "" : a[0].text.substr(from, to - from));
}

Value compare(const Args& a) {
  std::string x = a[0].text, y = a[1].text;
  if (!a[2].truth())
    for (std::string* s : {&x, &y})
      std::transform(s->begin(), s->end(), s->begin(),
                     [](unsigned char c) { return std::tolower(c); });
  return Value::scalar(Value::Kind::enumeration, x < y ? 1 : x == y ? 2 : 3);
}

Value hash_string(const Args& a) {
  unsigned hash = 0;
  for (const char c : a[0].text) hash = hash * 31u + static_cast<unsigned char>(c);
  return Value::integer(static_cast<int>(hash));
}

Value skip_white_space(const Args& a) {  // the index, from 1, of what follows
  auto at = static_cast<size_t>(std::max(to_size(a[1].number), 1));
  while (at <= a[0].text.size() && std::isspace(static_cast<unsigned char>(a[0].text[at - 1])))
    ++at;
  return Value::integer(static_cast<double>(at));
}

Value read_sizes(const Args& a) {
  const tables::Matrix m = tables::read_table({a[0].text, a[1].text});
  return Value::array({Value::integer(static_cast<double>(m.rows)),
                       Value::integer(static_cast<double>(m.columns))});
}

Value read_matrix(const Args& a) {
  const tables::Matrix m = tables::read_table({a[0].text, a[1].text});
  Value rows = Value::array({});
  for (size_t r = 0; r < m.rows; ++r) {
    Value row = Value::array({});
    for (size_t c = 0; c < m.columns; ++c) row.items.push_back(Value::real(m(r, c)));
    rows.items.push_back(std::move(row));
  }
  return rows;
}

// The line and whether the file has ended before it.
Value read_line(const Args& a) {
  constexpr std::uintmax_t largest = 64 << 20;  // bytes
  const auto read = base::try_read_file(a[0].text, largest);
  if (const auto* trouble = std::get_if<base::ReadTrouble>(&read))
    throw base::explain(*trouble, a[0].text, largest);
  std::istringstream in(std::get<std::string>(read));
  std::string line;
  double number = 0;
  while (number < a[1].number && std::getline(in, line)) ++number;
  const bool ended = number < a[1].number;
  if (ended) line.clear();
  if (!line.empty() && line.back() == '\r') line.pop_back();
  Value both;
  both.kind = Value::Kind::record;
  both.items = {Value::string(line), Value::boolean(ended)};
  return both;
}

// Where a number begins at `at` (from 1) and what it is; the next index is 1 where there is none.
Value scanned(size_t next, Value found) {
  Value both;
  both.kind = Value::Kind::record;
  both.items = {Value::integer(static_cast<double>(next)), std::move(found)};
  return both;
}

// Digits from `at` on, from 0.
size_t skip_digits(const std::string& text, size_t at) {
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

// Of what the scanners share: the text, where it starts after blanks, and where the digits start.
struct Scan {
  explicit Scan(const Args& a)
      : text(a[0].text), start(static_cast<size_t>(skip_white_space(a).number) - 1), at(start) {
    const bool has_sign = at < text.size() && (text[at] == '-' || text[at] == '+');
    if (has_sign && !a[2].truth()) ++at;
  }
  const std::string& text;
  size_t start, at;
};

Value scan_integer(const Args& a) {
  const Scan s(a);
  const size_t end = skip_digits(s.text, s.at);
  const bool real =
      end < s.text.size() && std::string(".eE").find(s.text[end]) != std::string::npos;
  if (end == s.at || end - s.at > 9 || real) return scanned(1, Value::integer(0));
  return scanned(end + 1, Value::integer(std::stod(s.text.substr(s.start, end - s.start))));
}

Value scan_real(const Args& a) {
  const Scan s(a);
  size_t end = skip_digits(s.text, s.at);
  const size_t before = end - s.at;
  if (end < s.text.size() && s.text[end] == '.') {
    const size_t fraction = skip_digits(s.text, end + 1);
    if (fraction > end + 1 || before > 0) end = fraction;
  }
  if (end == s.at || (before == 0 && end == s.at + 1)) return scanned(1, Value::real(0));
  if (end < s.text.size() && (s.text[end] == 'e' || s.text[end] == 'E')) {
    const size_t sign = end + 1;
    const bool has_sign = sign < s.text.size() && (s.text[sign] == '-' || s.text[sign] == '+');
    const size_t digits = sign + (has_sign ? 1 : 0);
    if (const size_t last = skip_digits(s.text, digits); last > digits) end = last;
  }
  const std::string number = s.text.substr(s.start, end - s.start);
  return scanned(end + 1, Value::real(std::strtod(number.c_str(), nullptr)));
}

Value count_lines(const Args& a) {
  std::ifstream in(a[0].text);
  if (!in)
    throw base::UserError({}, "cannot read " + base::quoted(a[0].text), "is the name right?");
  double lines = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  return Value::integer(lines);
}

constexpr Native functions[] = {
    {"ModelicaInternal_countLines", 1, count_lines},
    {"ModelicaStrings_scanInteger", 3, scan_integer},
    {"ModelicaStrings_scanReal", 3, scan_real},
    {"ModelicaInternal_readLine", 2, read_line},
    {"ModelicaStrings_length", 1, length},
    {"ModelicaStrings_substring", 3, substring},
    {"ModelicaStrings_compare", 3, compare},
    {"ModelicaStrings_hashString", 1, hash_string},
    {"ModelicaStrings_skipWhiteSpace", 2, skip_white_space},
    {"ModelicaIO_readMatrixSizes", 2, read_sizes},
    {"ModelicaIO_readRealMatrix", 2, read_matrix},
};

const Native* find_native(std::string_view name) {
  for (const Native& n : functions)
    if (n.name == name) return &n;
  return find_table_function(name);
}

}  // namespace

std::optional<Value> call_native(Context& context, const Function& f, Frame& frame) {
  const std::string& name = f.external_name.text();
  Args a;
  for (const Exp* e : f.external_arguments) a.push_back(evaluate(context, e, &frame));
  if (name == "ModelicaInternal_fullPathName" && a.size() == 1)  // only the library knows
    return Value::string(context.library.find_resource(a[0].text));
  if (!a.empty() && !a[0].text.empty()) context.library.add_made_from(a[0].text);  // a file, mostly
  const Native* native = find_native(name);
  if (!native || a.size() < native->arguments || f.outputs.empty()) return {};
  try {
    Value v = native->call(a);
    if (v.kind == Value::Kind::enumeration) v.type = f.outputs[0]->type;
    return v;
  } catch (const base::UserError& error) {
    const base::Diagnostic& d = error.diagnostics().front();
    throw CannotEvaluate{d.where.str().empty() ? d.what : d.where.str() + ": " + d.what};
  } catch (const base::ComputationError& error) {
    throw CannotEvaluate{error.what()};
  }
}

}  // namespace couplet::modelica
