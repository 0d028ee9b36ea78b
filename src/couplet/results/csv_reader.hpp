// Reading CSV results, ours and those of other tools: first column time, header names, numbers
// below.
#pragma once

#include <cstdint>

#include "couplet/results/recording.hpp"

namespace couplet::results {

/// UserError with line and column when a cell is no number or a row has too few or too many. A last
/// line without its line feed was cut off: it is dropped, and the recording is not complete.
Recording read_csv(const std::filesystem::path& path);

/// The same of a table that somebody wrote: the last line counts without a line feed, too. `lines`
/// gets the line of each row.
Recording read_csv_table(const std::filesystem::path& path, std::vector<int>& lines);

/// Where row number `rows` begins, in bytes; UserError when the file has fewer rows, other signals,
/// or rows before it whose base::hash() is not `fingerprint`.
size_t find_csv_row(const std::filesystem::path& path, const std::vector<Signal>& signals,
                    size_t rows, std::uint64_t fingerprint);

}  // namespace couplet::results
