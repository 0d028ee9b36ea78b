#include "couplet/results/select.hpp"

#include <fmt/format.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::results {

bool matches(std::string_view name, std::string_view pattern) {
  // After a mismatch only the last star needs to take one character more.
  size_t n = 0, p = 0, star = std::string_view::npos, after = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++n;
      ++p;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<size_t> select(const std::vector<std::string>& names,
                           const std::vector<std::string>& patterns) {
  std::vector<size_t> chosen;
  std::vector<bool> taken(names.size(), false);
  base::Diagnostics problems;
  for (const std::string& pattern : patterns) {
    bool any = false;
    const auto take = [&](const auto& test) {
      for (size_t i = 0; i < names.size(); ++i) {
        if (!test(names[i])) continue;
        any = true;
        if (!taken[i]) chosen.push_back(i);
        taken[i] = true;
      }
    };
    take([&](const std::string& name) { return name == pattern; });
    if (!any && pattern.find_first_of("*?") != std::string::npos)
      take([&](const std::string& name) { return matches(name, pattern); });
    if (!any) take([&](const std::string& name) { return name.starts_with(pattern + "."); });
    if (!any)
      problems.error({}, fmt::format("no signal is called {}", base::quoted(pattern)),
                     base::suggest(pattern, names));
  }
  problems.check();
  return chosen;
}

}  // namespace couplet::results
