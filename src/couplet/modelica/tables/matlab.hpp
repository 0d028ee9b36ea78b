// Real matrices in MATLAB files: level 4, and level 5 plain (-v6) or compressed (-v7).
#pragma once

#include <optional>
#include <string_view>

#include "couplet/modelica/tables/table.hpp"

namespace couplet::modelica::tables {

/// The matrix `name` in the bytes of a file; nothing when it is not there. Throws base::UserError
/// for other kinds of files and for damaged ones.
std::optional<Matrix> find_matlab_matrix(std::string_view file, std::string_view name);

}  // namespace couplet::modelica::tables
