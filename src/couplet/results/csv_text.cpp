#include "couplet/results/csv_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace couplet::results {
namespace {

constexpr size_t longest_number = 32;  // "-2.2250738585072014e-308" has 24

bool ends_like_unit(std::string_view name) {
  return !name.empty() && name.back() == ']' && name.find(" [") != std::string_view::npos;
}

}  // namespace

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_header(const std::vector<Signal>& signals) {
  std::string text;
  for (const Signal& signal : signals) {
    std::string cell = signal.name;
    if (!signal.unit.empty() || ends_like_unit(signal.name)) cell += " [" + signal.unit + "]";
    text += (text.empty() ? "" : ",") + csv_cell(cell);
  }
  return text + "\n";
}

void append_csv_rows(std::span<const double> rows, size_t columns, std::string& out) {
  const size_t start = out.size();
  out.resize(start + rows.size() * (longest_number + 1));
  char* p = out.data() + start;
  size_t column = 0;
  for (const double x : rows) {
    if (std::isnan(x)) {
      p = std::strcpy(p, "nan") + 3;  // never "-nan"
    } else {
      p = std::to_chars(p, p + longest_number, x).ptr;
    }
    column = column + 1 == columns ? 0 : column + 1;
    *p++ = column == 0 ? '\n' : ',';
  }
  out.resize(static_cast<size_t>(p - out.data()));
}

Signal parse_csv_signal(std::string_view cell) {
  while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
  while (!cell.empty() && cell.back() == ' ') cell.remove_suffix(1);
  const size_t open = cell.rfind(" [");
  if (open == std::string_view::npos || cell.back() != ']') return {std::string(cell), ""};
  return {std::string(cell.substr(0, open)),
          std::string(cell.substr(open + 2, cell.size() - open - 3))};
}

std::optional<std::string_view> take_csv_record(std::string_view& text) {
  // A line break inside quotes does not end the record: an odd number of quotes is before it.
  size_t end = text.find('\n');
  for (size_t from = 0, quotes = 0; end != std::string_view::npos; end = text.find('\n', end + 1)) {
    quotes += static_cast<size_t>(std::count(text.begin() + from, text.begin() + end, '"'));
    if (quotes % 2 == 0) break;
    from = end;
  }
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view record = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (!record.empty() && record.back() == '\r') record.remove_suffix(1);
  return record;
}

std::vector<std::string> split_csv_record(std::string_view record) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (c == '"' && quoted && i + 1 < record.size() && record[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace couplet::results
