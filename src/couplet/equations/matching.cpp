// Maximum bipartite matching: cheap assignments, then augmenting paths, depth first with a look
// ahead, without recursion. [Duff, Kaya, Uçar 2011: MC21 with look-ahead]
#include "couplet/equations/passes.hpp"

namespace couplet::equations {
namespace {

class Matcher {
 public:
  Matcher(const std::vector<std::vector<int>>& rows, int columns)
      : rows_(rows), seen_(static_cast<size_t>(columns), -1), cheap_(rows.size(), 0) {
    m_.column_of.assign(rows.size(), -1);
    m_.row_of.assign(static_cast<size_t>(columns), -1);
  }

  Matching run() {
    for (int r = 0; r < static_cast<int>(rows_.size()); ++r) augment(r);
    return std::move(m_);
  }

 private:
  bool take_free(int r) {
    size_t& next = cheap_[static_cast<size_t>(r)];
    const std::vector<int>& row = rows_[static_cast<size_t>(r)];
    for (; next < row.size(); ++next)
      if (m_.row_of[static_cast<size_t>(row[next])] < 0) {
        assign(r, row[next]);
        return true;
      }
    return false;
  }

  void assign(int r, int c) {
    m_.row_of[static_cast<size_t>(c)] = r;
    m_.column_of[static_cast<size_t>(r)] = c;
  }

  void augment(int root) {
    struct Frame {
      int row;
      size_t next;
    };
    std::vector<Frame> stack{{root, 0}};
    std::vector<int> via;  // column that led from frame i to i + 1
    while (!stack.empty()) {
      if (take_free(stack.back().row)) {
        for (size_t i = stack.size() - 1; i-- > 0;) assign(stack[i].row, via[i]);
        return;
      }
      Frame& f = stack.back();
      const std::vector<int>& row = rows_[static_cast<size_t>(f.row)];
      bool deeper = false;
      while (f.next < row.size()) {
        const int c = row[f.next++];
        if (seen_[static_cast<size_t>(c)] == root) continue;
        seen_[static_cast<size_t>(c)] = root;
        via.resize(stack.size() - 1);
        via.push_back(c);
        stack.push_back({m_.row_of[static_cast<size_t>(c)], 0});
        deeper = true;
        break;
      }
      if (!deeper) stack.pop_back();
    }
  }

  const std::vector<std::vector<int>>& rows_;
  std::vector<int> seen_;
  std::vector<size_t> cheap_;
  Matching m_;
};

}  // namespace

Matching match(const std::vector<std::vector<int>>& columns_by_row, int columns) {
  return Matcher(columns_by_row, columns).run();
}

std::vector<int> find_excess(const std::vector<std::vector<int>>& rows, const Matching& m,
                             int row) {
  std::vector<int> found{row};
  std::vector<char> seen(rows.size(), 0);
  seen[static_cast<size_t>(row)] = 1;
  for (size_t i = 0; i < found.size(); ++i)
    for (const int c : rows[static_cast<size_t>(found[i])]) {
      const int r = m.row_of[static_cast<size_t>(c)];
      if (r < 0 || seen[static_cast<size_t>(r)]) continue;
      seen[static_cast<size_t>(r)] = 1;
      found.push_back(r);
    }
  return found;
}

}  // namespace couplet::equations
