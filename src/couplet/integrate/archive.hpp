// State that has to survive a checkpoint, as a flat list of numbers. One function per class says
// what it consists of, for both directions: `archive(x)` appends x when saving and sets it when
// loading. Numbers that do not fit what is there are refused by a UserError.
#pragma once

#include <utility>
#include <vector>

#include "couplet/math/spatial.hpp"

namespace couplet::integrate {

class Archive {
 public:
  Archive() = default;  // saves
  explicit Archive(std::vector<double> numbers) : numbers_(std::move(numbers)), loading_(true) {}

  bool loading() const { return loading_; }
  const std::vector<double>& numbers() const { return numbers_; }
  /// Throws UserError unless what was loaded holds.
  void check(bool fits) const;
  /// Loading used every number.
  bool exhausted() const { return next_ == numbers_.size(); }

  void operator()(double& x);
  void operator()(int& x);
  void operator()(long& x);
  void operator()(bool& x);
  void operator()(math::VecX& x);  // with its size, which stays unless it is empty
  void of_any_size(math::VecX& x);
  void operator()(std::vector<double>& x);  // of any size

 private:
  template <class T>
  void number(T& x);
  template <class V>
  void list(V& x);

  std::vector<double> numbers_;
  size_t next_ = 0;
  bool loading_ = false;
};

}  // namespace couplet::integrate
