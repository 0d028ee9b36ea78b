// SHA-256 (FIPS 180-4), as the command sha256sum prints it: for files that other programs have the
// hash of.
#pragma once

#include <string>
#include <string_view>

namespace couplet::base {

/// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace couplet::base
