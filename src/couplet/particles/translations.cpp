#include "couplet/particles/translations.hpp"

#include <cmath>

namespace couplet::particles {

int Translations::direction(const Box& target, const Box& source) {
  int index = 0;
  for (size_t k = 0; k < 3; ++k) index = across * index + source.at[k] - target.at[k] + reach;
  return index;
}

Translations::Translations(int degree)
    : up(make_upward_shift(std::sqrt(3.0) / 4, degree)),
      down(make_downward_shift(std::sqrt(3.0) / 4, degree)),
      over(make_across_shift(degree)) {
  size_t i = 0;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z, ++i) {
        const Eigen::Vector3d d(x, y, z);
        if (d.lpNorm<Eigen::Infinity>() > 1)
          far[i] = make_translation(d, find_turn(d, degree), true, degree);
      }
  for (i = 0; i < family.size(); ++i) {
    const Eigen::Vector3d d(i & 4 ? 0.25 : -0.25, i & 2 ? 0.25 : -0.25, i & 1 ? 0.25 : -0.25);
    family[i] = make_translation(d, find_turn(d, degree), false, degree);
  }
}

int Translations::find_turn(const Eigen::Vector3d& d, int degree) {
  constexpr double same = 1e-12;
  const double cos_polar = d.z() / d.norm();
  const auto near = known_.lower_bound(cos_polar - same);
  if (near != known_.end() && near->first < cos_polar + same) return near->second;
  turns_.push_back(make_turn(cos_polar, degree));
  return known_[cos_polar] = static_cast<int>(turns_.size()) - 1;
}

}  // namespace couplet::particles
