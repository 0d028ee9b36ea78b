#include "couplet/results/recording.hpp"

#include "couplet/results/format.hpp"

namespace couplet::results {

std::vector<double> Recording::column(size_t index) const {
  std::vector<double> out;
  out.reserve(rows());
  for (size_t i = index; i < values.size(); i += signals.size()) out.push_back(values[i]);
  return out;
}

std::optional<size_t> Recording::find(std::string_view name) const {
  for (size_t i = 0; i < signals.size(); ++i)
    if (signals[i].name == name) return i;
  return std::nullopt;
}

std::vector<std::string> Recording::names() const {
  std::vector<std::string> out;
  for (const Signal& signal : signals) out.push_back(signal.name);
  return out;
}

Recording read_result(const std::filesystem::path& path) { return recognise(path).read(path); }

}  // namespace couplet::results
