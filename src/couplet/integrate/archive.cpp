#include "couplet/integrate/archive.hpp"

namespace couplet::integrate {

template <class T>
void Archive::number(T& x) {
  if (!loading_)
    numbers_.push_back(static_cast<double>(x));
  else if (next_ < numbers_.size())
    x = static_cast<T>(numbers_[next_++]);
  else
    short_ = true;
}

template <class V>
void Archive::list(V& x) {
  long size = static_cast<long>(x.size());
  number(size);
  if (loading_) {
    const bool possible = size >= 0 && size <= static_cast<long>(numbers_.size() - next_);
    short_ = short_ || !possible;
    x.resize(possible ? size : 0);
  }
  for (double& each : x) number(each);
}

void Archive::operator()(double& x) { number(x); }
void Archive::operator()(int& x) { number(x); }
void Archive::operator()(long& x) { number(x); }
void Archive::operator()(bool& x) { number(x); }
void Archive::operator()(math::VecX& x) { list(x); }
void Archive::operator()(std::vector<double>& x) { list(x); }

}  // namespace couplet::integrate
