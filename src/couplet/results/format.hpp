// The result formats. A format is a file of its own and an entry in format.cpp.
#pragma once

#include <memory>
#include <string_view>

#include "couplet/results/writer.hpp"

namespace couplet::results {

struct Format {
  using Path = std::filesystem::path;
  std::vector<std::string_view> endings;  // lower case, the first is the usual one
  std::unique_ptr<ResultWriter> (*make)(const Path&, const std::vector<Signal>&, const About&,
                                        bool overwrite);
  std::unique_ptr<ResultWriter> (*reopen)(const Path&, const std::vector<Signal>&, const About&,
                                          size_t rows, std::uint64_t fingerprint);
  Recording (*read)(const Path&);
};

extern const Format csv_format;
extern const Format hdf5_format;

/// Of the library at run time: "1.10.8".
std::string hdf5_version();

/// By the ending of a file that is to be written; UserError with the endings that exist.
const Format& format_of(const std::filesystem::path& path);
/// By the first bytes of a file that is to be read; UserError when it cannot be opened.
const Format& recognise(const std::filesystem::path& path);

}  // namespace couplet::results
