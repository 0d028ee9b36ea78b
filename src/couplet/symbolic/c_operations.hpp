// One operation as C text, for numbers and for packs of them.
#pragma once

#include <set>
#include <string>

#include "couplet/symbolic/external.hpp"

namespace couplet::symbolic {

std::string c_type(int lanes);       // double, or the pack type of c_pack_helpers
std::string c_number(double value);  // a literal that reads back to the same number

/// `external` is the function of a call, otherwise null.
std::string c_operation(Op op, const ExternalFunction* external, const std::string args[3],
                        int lanes);

/// Definitions that the operations rely on; the pairs are (operation, lanes).
std::string c_scalar_helpers(const std::set<std::pair<Op, int>>& used);
std::string c_pack_helpers(const std::set<std::pair<Op, int>>& used, int lanes);
std::string c_pack_helper(const std::string& external, int arity, int lanes);

}  // namespace couplet::symbolic
