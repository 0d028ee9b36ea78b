// IDA of SUNDIALS as its manual shows it, for comparison: its own tolerances, Newton's method,
// dense matrices by differences, one column at a time, evaluated whenever IDA wants a matrix. It
// solves the same stabilised index-2 equations as `ida`, evaluated by the same residual.
#pragma once

#include "couplet/integrate/rule.hpp"

namespace couplet::bench {

std::unique_ptr<integrate::Rule> make_generic_ida(integrate::Problem&, const integrate::Tolerance&);

}  // namespace couplet::bench
