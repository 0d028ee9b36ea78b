// The inner loops, compiled for the instruction sets that there are; the best is chosen at run
// time.
#pragma once

#include <vector>

#include "couplet/particles/octree.hpp"
#include "couplet/particles/translation.hpp"

namespace couplet::particles {

/// What acts.
struct Sources {
  const double *x, *y, *z, *strength;
  int count;
};
/// Where it is felt; potential and gradient are added to.
struct Targets {
  const double *x, *y, *z;
  double *potential, *gradient_x, *gradient_y, *gradient_z;
  int count;
};
/// What expansions of a degree need, for all kernels.
struct ExpansionTable {
  explicit ExpansionTable(int degree);

  int degree;
  std::vector<double> scales;  // f_nm
  // Factors of the recurrences, order by order, of degrees up to degree + 1.
  std::vector<double> regular, irregular;
  std::vector<int> by_order;  // where number i of an expansion is when orders come first
  std::vector<int> identity;
};

/// What translate() works with: two arrays of as many rows as an expansion has numbers.
struct TranslationScratch {
  std::vector<double> a, b;
};

struct Kernels {
  const char* name;
  int lanes;  // expansions that are translated together
  /// Σ q / √(r² + ε²) and its gradient; nothing from sources at the very same place.
  void (*sum)(const Sources& sources, double softening_squared, const Targets& targets);
  void (*to_multipole)(const Sources& sources, const Cube& cube, const ExpansionTable& table,
                       std::vector<double>& scratch, double* multipole);
  void (*to_local)(const Sources& sources, const Cube& cube, const ExpansionTable& table,
                   std::vector<double>& scratch, double* local);
  /// Four sums over R or I with `weights`, four a number of an expansion: potential, three
  /// derivatives.
  void (*from_local)(const double* weights, const Cube& cube, const ExpansionTable& table,
                     const Targets& targets);
  void (*from_multipole)(const double* weights, const Cube& cube, const ExpansionTable& table,
                         const Targets& targets);
  /// Adds what each of `count` ≤ lanes expansions becomes.
  void (*translate)(const ExpansionTable& table, const Translation& by, const Turn& turn,
                    const Shift& shift, const double* const* from, double* const* to, int count,
                    TranslationScratch& scratch);
};

const Kernels& portable_kernels();
const Kernels* avx2_kernels();  // null where the program was built without them
const Kernels& kernels();

}  // namespace couplet::particles
