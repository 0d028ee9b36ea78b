// Implicit rules on the descriptor form, with the switches that a comparison needs.
#pragma once

#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {

/// What Arnold 1998, section 3, proposes, each part by itself; all on unless one wants to see what
/// it brings.
struct ImplicitOptions {
  bool keep_derivatives = true;  // over changes of the step: only h is put in anew
  bool given = true;             // M and G as the form gives them; off: by differences, too
  bool coloured =
      true;  // differences of columns that share no row together; off: one column at a time
  bool sparse = true;   // factorisation; off: dense
  bool batched = true;  // differences of several groups of columns at once, where the form can;
                        // off: one by one
};

std::unique_ptr<Rule> make_ida(Problem&, const Tolerance&, const ImplicitOptions&);
std::unique_ptr<Rule> make_radau5(Problem&, const Tolerance&, const ImplicitOptions&);
std::unique_ptr<Rule> make_generalised_alpha(Problem&, const Tolerance&, const ImplicitOptions&);

}  // namespace couplet::integrate
