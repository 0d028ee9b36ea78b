#include "couplet/integrate/archive.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "couplet/base/diagnostics.hpp"

namespace couplet::integrate {
namespace {

[[noreturn]] void refuse() {
  throw base::UserError({}, "the checkpoint does not fit this model and integrator",
                        "start the run again");
}

/// Whether a number is one of this type.
template <class T>
bool is_one(double x) {
  if constexpr (std::is_integral_v<T>)
    return x == std::floor(x) && std::abs(x) <= static_cast<double>(std::numeric_limits<T>::max());
  return true;
}

}  // namespace

template <class T>
void Archive::number(T& x) {
  if (!loading_)
    numbers_.push_back(static_cast<double>(x));
  else if (next_ < numbers_.size() && is_one<T>(numbers_[next_]))
    x = static_cast<T>(numbers_[next_++]);
  else
    refuse();
}

template <class V>
void Archive::list(V& x) {
  long size = static_cast<long>(x.size());
  number(size);
  if (loading_) {
    if (size < 0 || size > static_cast<long>(numbers_.size() - next_)) refuse();
    x.resize(size);
  }
  for (double& each : x) number(each);
}

void Archive::check(bool fits) const {
  if (loading_ && !fits) refuse();
}

void Archive::operator()(double& x) { number(x); }
void Archive::operator()(int& x) { number(x); }
void Archive::operator()(long& x) { number(x); }
void Archive::operator()(bool& x) { number(x); }
void Archive::operator()(math::VecX& x) {
  const Eigen::Index size = x.size();
  list(x);
  if (size > 0 && x.size() != size) refuse();
}
void Archive::of_any_size(math::VecX& x) { list(x); }
void Archive::operator()(std::vector<double>& x) { list(x); }

}  // namespace couplet::integrate
