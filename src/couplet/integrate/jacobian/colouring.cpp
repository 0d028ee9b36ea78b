#include "couplet/integrate/jacobian/colouring.hpp"

#include <algorithm>
#include <numeric>

namespace couplet::integrate {
namespace {

using Lists = std::vector<std::vector<int>>;

Lists rows_of_columns(const Pattern& pattern) {
  Lists rows(static_cast<size_t>(pattern.columns));
  for (size_t i = 0; i < pattern.rows.size(); ++i)
    for (const int column : pattern.rows[i])
      rows[static_cast<size_t>(column)].push_back(static_cast<int>(i));
  return rows;
}

// Each column takes the first colour that none of its neighbours has.
Lists colour_greedily(const Pattern& pattern, const Lists& rows_of, const std::vector<int>& order) {
  Lists groups;
  std::vector<int> colour(rows_of.size(), -1),
      taken_by;  // taken_by[c]: the last column with a neighbour of colour c
  for (const int column : order) {
    for (const int row : rows_of[static_cast<size_t>(column)])
      for (const int neighbour : pattern.rows[static_cast<size_t>(row)])
        if (const int c = colour[static_cast<size_t>(neighbour)]; c >= 0)
          taken_by[static_cast<size_t>(c)] = column;
    size_t mine = 0;
    while (mine < groups.size() && taken_by[mine] == column) ++mine;
    if (mine == groups.size()) groups.emplace_back(), taken_by.push_back(-1);
    groups[mine].push_back(column);
    colour[static_cast<size_t>(column)] = static_cast<int>(mine);
  }
  return groups;
}

}  // namespace

Lists colour_columns(const Pattern& pattern) {
  const Lists rows_of = rows_of_columns(pattern);
  std::vector<int> order(rows_of.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int column) { return rows_of[static_cast<size_t>(column)].empty(); });
  Lists as_given = colour_greedily(pattern, rows_of, order);

  std::vector<size_t> neighbours(rows_of.size(),
                                 0);  // counted once for every row in which they meet
  for (size_t column = 0; column < rows_of.size(); ++column)
    for (const int row : rows_of[column])
      neighbours[column] += pattern.rows[static_cast<size_t>(row)].size();
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return neighbours[static_cast<size_t>(a)] > neighbours[static_cast<size_t>(b)];
  });
  Lists largest_first = colour_greedily(pattern, rows_of, order);
  return largest_first.size() < as_given.size() ? largest_first : as_given;
}

}  // namespace couplet::integrate
