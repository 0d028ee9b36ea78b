// The list of constraints, in the order in which people see it: each is a file in elements/.
#include <array>

#include "couplet/constraints/entry.hpp"

namespace couplet::constraints {

template <class... Names>
struct List {
  static std::array<const Entry*, sizeof...(Names)> make() { return {&entry<Names>()...}; }
};

using Constraints = List<  //
    struct Distance,       //
    struct OnLine,         //
    struct OnPlane,        //
    struct OnCurve,        //
    struct Rolling,        //
    struct Gear,           //
    struct RackAndPinion,  //
    struct Coupler,        //
    struct Relation,       //
    struct PinionOnRack>;

std::span<const Entry* const> entries() {
  static const auto list = Constraints::make();
  return list;
}

}  // namespace couplet::constraints
