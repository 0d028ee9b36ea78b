// The list of force elements, in the order in which people see it and forces are added: each is a
// file in elements/.
#include <array>

#include "couplet/forces/entry.hpp"

namespace couplet::forces {

template <class... Names>
struct List {
  static std::array<const Entry*, sizeof...(Names)> make() { return {&entry<Names>()...}; }
};

using Forces = List<      //
    struct Spring,        //
    struct Damper,        //
    struct SpringDamper,  //
    struct OnJoint,       //
    struct Applied,       //
    struct Bushing,       //
    struct PlugIn>;

std::span<const Entry* const> entries() {
  static const auto list = Forces::make();
  return list;
}

}  // namespace couplet::forces
