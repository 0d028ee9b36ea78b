#include <numeric>

#include "couplet/particles/kernels.hpp"

namespace couplet::particles {

ExpansionTable::ExpansionTable(int degree_) : degree(degree_), scales(calc_scales(degree_)) {
  by_order.resize(static_cast<size_t>(size_of(degree)));
  identity.resize(by_order.size());
  std::iota(identity.begin(), identity.end(), 0);
  int place = 0;
  for (int m = 0; m <= degree; ++m)
    for (const bool odd : {false, true}) {
      if (odd && m == 0) continue;
      for (int n = m; n <= degree; ++n)
        by_order[static_cast<size_t>(odd ? sine(n, m) : cosine(n, m))] = place++;
    }
  for (int m = 0; m <= degree + 1; ++m)
    for (int n = m + 1; n <= degree + 1; ++n) {
      const double both = (n + m) * (n - m);
      regular.insert(regular.end(), {(2 * n - 1) / both, 1 / both});
      irregular.insert(irregular.end(), {2.0 * n - 1, (n - 1.0) * (n - 1) - m * m});
    }
}

}  // namespace couplet::particles
