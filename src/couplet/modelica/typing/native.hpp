// External C functions that are given natively: a table of name, number of arguments, function.
#pragma once

#include <string_view>
#include <vector>

#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {

struct Native {
  std::string_view name;
  size_t arguments;  // at least
  Value (*call)(const std::vector<Value>& arguments);
};

const Native* find_table_function(std::string_view name);  // ModelicaStandardTables_*

}  // namespace couplet::modelica
