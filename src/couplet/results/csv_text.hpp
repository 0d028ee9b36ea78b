// The text of a CSV result: RFC 4180 with a header of `name [unit]`, numbers that read back to the
// same bits.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "couplet/results/recording.hpp"

namespace couplet::results {

/// A text as a cell: quoted, if it has commas, quotes or line breaks.
std::string csv_cell(const std::string& text);

/// "t [s],pivot.q [rad]\n"; names with commas, quotes or line breaks are quoted.
std::string csv_header(const std::vector<Signal>& signals);

/// Appends rows of `columns` numbers: the shortest decimal that reads back exactly; nan, inf, -inf.
void append_csv_rows(std::span<const double> rows, size_t columns, std::string& out);

/// The signal that a header cell names: "pivot.q [rad]" or "pivot.q".
Signal parse_csv_signal(std::string_view cell);

/// Takes one record (a line, or more when quoted cells break lines) off the front of `text`; absent
/// when it has no end yet. Its end is a line feed; a carriage return before it is dropped.
std::optional<std::string_view> take_csv_record(std::string_view& text);

/// The cells of a record, without their quotes.
std::vector<std::string> split_csv_record(std::string_view record);

}  // namespace couplet::results
