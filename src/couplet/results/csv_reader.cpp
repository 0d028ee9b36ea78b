#include "couplet/results/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <utility>

#include "couplet/base/hash.hpp"
#include "couplet/base/text.hpp"
#include "couplet/results/csv_text.hpp"
#include "couplet/results/destination.hpp"

namespace couplet::results {
namespace {

using base::UserError;
using Path = std::filesystem::path;

// The file in blocks, as records. What it gives is valid until the next call.
class Records {
 public:
  explicit Records(const Path& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) throw UserError(place(path), "cannot read this file", "check its permissions");
    fill();
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // a byte order mark
  }
  std::optional<std::string_view> next() {
    std::optional<std::string_view> record;
    while (!(record = take_csv_record(rest_)) && fill()) {
    }
    if (record) line_ += 1 + static_cast<size_t>(std::count(record->begin(), record->end(), '\n'));
    return record;
  }
  std::string_view unfinished() const { return rest_; }  // after the last line feed
  std::string_view take_rest() {                         // what is unfinished, as a record
    line_ += rest_.empty() ? 0 : 1;
    return std::exchange(rest_, {});
  }
  size_t offset() const { return read_ - rest_.size(); }  // bytes before the next record
  base::SourceLocation here(int column = 0) const {
    base::SourceLocation where = place(path_);
    where.line = static_cast<int>(std::min<size_t>(line_, std::numeric_limits<int>::max()));
    where.column = column;
    return where;
  }

 private:
  bool fill() {  // false at the end of the file
    constexpr size_t block = 1 << 16, longest = 256 << 20;
    if (rest_.size() > longest)
      throw UserError(here(), "a line has more than 256 MB", "this is not a CSV result");
    std::string kept(rest_);
    const size_t step =
        std::max(block, kept.size());  // doubling: a long line is not copied again and again
    kept.resize(rest_.size() + step);
    file_.read(kept.data() + rest_.size(), static_cast<std::streamsize>(step));
    const auto n = static_cast<size_t>(file_.gcount());
    kept.resize(rest_.size() + n);
    read_ += n;
    buffer_.swap(kept);
    rest_ = buffer_;
    return n > 0;
  }

  Path path_;
  std::ifstream file_;
  std::string buffer_;
  std::string_view rest_;
  size_t read_ = 0, line_ = 0;
};

std::vector<Signal> read_header(Records& records) {
  const auto header = records.next();
  if (!header || header->empty())
    throw UserError(records.here(), "this file has no header",
                    "a CSV result starts with a line like: t [s],pivot.q [rad]");
  if (header->find('\0') != std::string_view::npos)
    throw UserError(records.here(1), "this is not a text file", "results are .csv or .h5 files");
  std::vector<Signal> signals;
  for (const std::string& cell : split_csv_record(*header))
    signals.push_back(parse_csv_signal(cell));
  const bool other_separator =
      signals.size() == 1 && header->find_first_of(";\t") != std::string_view::npos;
  if (other_separator)
    throw UserError(records.here(1), "the columns are not separated by commas",
                    "export it with commas between columns and decimal points");
  const auto is_number = [](const Signal& s) { return base::parse_double(s.name).has_value(); };
  if (std::all_of(signals.begin(), signals.end(),
                  is_number))  // some names look like numbers: nan, 1e5
    throw UserError(records.here(1), "the first line has numbers where names should be",
                    "put a header like: t [s],pivot.q [rad]");
  return signals;
}

// One cell from p on; p ends at the comma or at `end`. Absent when it is no number.
std::optional<double> read_cell(const char*& p, const char* end) {
  while (p < end && *p == ' ') ++p;
  const bool quotes = p < end && *p == '"';
  if (quotes) ++p;
  if (p < end && *p == '+') ++p;
  double x = std::numeric_limits<double>::quiet_NaN();
  const bool empty = p == end || *p == ',' || (quotes && *p == '"');  // a missing value
  if (!empty) {
    const auto [next, status] = std::from_chars(p, end, x);
    if (status != std::errc()) return std::nullopt;
    p = next;
  }
  if (quotes && (p == end || *p++ != '"')) return std::nullopt;
  while (p < end && *p == ' ') ++p;
  if (p < end && *p != ',') return std::nullopt;
  return x;
}

void read_row(std::string_view record, const Records& records, const std::vector<Signal>& signals,
              std::vector<double>& values) {
  const char* p = record.data();
  const char* const end = p + record.size();
  for (size_t column = 0;; ++column, ++p) {
    const char* const start = p;
    const auto at = [&] { return records.here(1 + static_cast<int>(start - record.data())); };
    if (column == signals.size())
      throw UserError(at(), fmt::format("this row has more than {} columns", signals.size()),
                      "every row needs as many values as the header has names");
    const auto x = read_cell(p, end);
    if (!x)
      throw UserError(
          at(),
          fmt::format("{} is not a number ({})", base::quoted({start, std::find(start, end, ',')}),
                      base::quoted(signals[column].name)),
          "numbers like 1.5, -2e-3, nan or inf");
    values.push_back(*x);
    if (p == end && column + 1 < signals.size())
      throw UserError(
          records.here(),
          fmt::format("this row has {} values, the header {} names", column + 1, signals.size()),
          "every row needs as many values as the header has names");
    if (p == end) return;
  }
}

}  // namespace

Recording read_csv(const Path& path) {
  Records records(path);
  Recording out;
  out.signals = read_header(records);
  while (const auto record = records.next())
    if (!record->empty()) read_row(*record, records, out.signals, out.values);
  if (!records.unfinished().empty()) {
    out.complete = false;
    out.note = "the last line was cut off and is left out";
  }
  return out;
}

Recording read_csv_table(const Path& path, std::vector<int>& lines) {
  Records records(path);
  Recording out;
  out.signals = read_header(records);
  const auto add = [&](std::string_view record) {
    if (record.empty()) return;
    read_row(record, records, out.signals, out.values);
    lines.push_back(records.here().line);
  };
  while (const auto record = records.next()) add(*record);
  add(records.take_rest());
  return out;
}

size_t find_csv_row(const Path& path, const std::vector<Signal>& signals, size_t rows,
                    std::uint64_t fingerprint) {
  Records records(path);
  if (read_header(records) != signals) fail_other_signals(path);
  std::uint64_t found = base::hash_start;
  std::vector<double> values;
  for (size_t row = 0; row < rows;) {
    const auto record = records.next();
    if (!record) fail_too_few_rows(path, row, rows);
    if (record->empty()) continue;
    values.clear();
    read_row(*record, records, signals, values);
    found = base::hash(values, found);
    ++row;
  }
  if (found != fingerprint) fail_other_rows(path);
  return records.offset();
}

}  // namespace couplet::results
