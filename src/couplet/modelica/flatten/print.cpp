#include "couplet/modelica/flatten/flat.hpp"
namespace couplet::modelica {
std::string print(Context&, const FlatModel&) { return ""; }
}
