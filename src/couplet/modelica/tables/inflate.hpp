// Decompression of zlib streams (RFC 1950, RFC 1951), as MATLAB files since version 7 contain them.
#pragma once

#include <string>
#include <string_view>

namespace couplet::modelica::tables {

/// Throws base::UserError when the data is damaged or would be longer than `longest` bytes.
std::string inflate(std::string_view zlib, size_t longest);

}  // namespace couplet::modelica::tables
