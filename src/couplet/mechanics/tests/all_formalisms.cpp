// Formalisms of other rooms take part in the tests of this one.
#include "couplet/dynamics/substructure/formalisms.hpp"

namespace couplet::mechanics {

[[maybe_unused]] static const bool added = (dynamics::add_substructure_formalisms(), true);

}  // namespace couplet::mechanics
