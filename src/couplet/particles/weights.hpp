// An expansion as it is evaluated: what multiplies the harmonics in the potential and in its three
// derivatives.
#pragma once

#include <vector>

#include "couplet/particles/kernels.hpp"

namespace couplet::particles {

/// Four numbers a number of an expansion of the same degree.
void calc_local_weights(const double* local, const ExpansionTable& table, double side,
                        std::vector<double>& weights);
/// Of an expansion of a degree more.
void calc_multipole_weights(const double* multipole, const ExpansionTable& table, double side,
                            std::vector<double>& weights);

}  // namespace couplet::particles
