// Sorting: a matching of equations and unknowns, then strong components of "needs", which are
// blocks. R. Tarjan, SIAM J. Comput. 1(2), 1972, without recursion.
#include <fmt/format.h>

#include <algorithm>

#include "couplet/equations/passes.hpp"

namespace couplet::equations {
namespace {

void check_matching(const Dae& dae, const System& system, const std::vector<std::vector<int>>& rows,
                    const Matching& m) {
  for (size_t r = 0; r < rows.size(); ++r) {
    if (m.column_of[r] >= 0) continue;
    const std::vector<int> set = find_excess(rows, m, static_cast<int>(r));
    std::string text;
    for (size_t k = 0; k < set.size() && k < 10; ++k)
      text += fmt::format("\n    {}: {}", system.where[static_cast<size_t>(set[k])].str(),
                          to_text(system.residuals[static_cast<size_t>(set[k])]));
    std::string names;
    for (size_t c = 0, k = 0; c < m.row_of.size() && k < 10; ++c)
      if (m.row_of[c] < 0)
        names += (k++ ? ", " : "") + dae.variables[static_cast<size_t>(system.unknowns[c])].name;
    throw base::UserError(system.where[r],
                          fmt::format("{} equations have only {} unknowns between them{}{}",
                                      set.size(), set.size() - 1, text,
                                      names.empty() ? "" : "\n    and nothing determines " + names),
                          "the equations depend on each other, or a state was chosen that is none");
  }
}

}  // namespace

std::vector<Block> sort(const Dae& dae, const System& system) {
  const size_t n = system.residuals.size();
  std::vector<int> column_of(dae.variables.size(), -1);
  for (size_t c = 0; c < system.unknowns.size(); ++c)
    column_of[static_cast<size_t>(system.unknowns[c])] = static_cast<int>(c);
  std::vector<std::vector<int>> rows(n), needs(n);  // what it may determine, what it contains
  const auto columns = [&](const std::vector<int>& variables, std::vector<int>& into) {
    for (const int v : variables)
      if (column_of[static_cast<size_t>(v)] >= 0) into.push_back(column_of[static_cast<size_t>(v)]);
  };
  for (size_t r = 0; r < n; ++r) {
    columns(find_determinable(dae, system.residuals[r], false), rows[r]);
    columns(dae.variables_of(system.residuals[r]), needs[r]);
  }
  Matching m = match(rows, static_cast<int>(system.unknowns.size()));
  if (std::count(m.column_of.begin(), m.column_of.end(), -1) > 0) {  // 0 where it has to be
    for (size_t r = 0; r < n; ++r) {
      rows[r].clear();
      columns(find_determinable(dae, system.residuals[r]), rows[r]);
    }
    m = match(rows, static_cast<int>(system.unknowns.size()));
  }
  check_matching(dae, system, rows, m);

  std::vector<Block> blocks;
  std::vector<int> number(n, -1), low(n, 0), stack;
  std::vector<char> on_stack(n, 0);
  int next = 0;
  struct Frame {
    int row;
    size_t arrow;
  };
  for (size_t root = 0; root < n; ++root) {
    if (number[root] >= 0) continue;
    std::vector<Frame> work;
    const auto enter = [&](int r) {
      number[static_cast<size_t>(r)] = low[static_cast<size_t>(r)] = next++;
      stack.push_back(r);
      on_stack[static_cast<size_t>(r)] = 1;
      work.push_back({r, 0});
    };
    enter(static_cast<int>(root));
    while (!work.empty()) {
      Frame& f = work.back();
      const auto r = static_cast<size_t>(f.row);
      if (f.arrow < needs[r].size()) {
        const int to = m.row_of[static_cast<size_t>(needs[r][f.arrow++])];
        if (to < 0) continue;
        if (number[static_cast<size_t>(to)] < 0)
          enter(to);
        else if (on_stack[static_cast<size_t>(to)])
          low[r] = std::min(low[r], number[static_cast<size_t>(to)]);
        continue;
      }
      if (low[r] == number[r]) {
        Block block;
        for (;;) {
          const int x = stack.back();
          stack.pop_back();
          on_stack[static_cast<size_t>(x)] = 0;
          block.equations.push_back(x);
          block.variables.push_back(
              system.unknowns[static_cast<size_t>(m.column_of[static_cast<size_t>(x)])]);
          if (x == f.row) break;
        }
        blocks.push_back(std::move(block));
      }
      work.pop_back();
      if (!work.empty()) {
        const auto parent = static_cast<size_t>(work.back().row);
        low[parent] = std::min(low[parent], low[r]);
      }
    }
  }
  return blocks;
}

}  // namespace couplet::equations
