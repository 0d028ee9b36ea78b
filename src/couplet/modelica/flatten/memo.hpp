// What is known of parts of one expression. Parts are shared, so each is looked at once; between
// equations it is forgotten, so memory does not grow with the model.
#pragma once

#include <unordered_map>

#include "couplet/modelica/typing/exp.hpp"

namespace couplet::modelica {

template <class T>
class Memo {
 public:
  const T* find(const Exp* e) const {
    const auto found = known_.find(e);
    return found == known_.end() ? nullptr : &found->second;
  }
  T keep(const Exp* e, T value) { return known_[e] = value; }
  void forget() {
    if (known_.bucket_count() > 1000)
      known_ = {};  // clearing would cost as much as the largest expression, every time
    else if (!known_.empty())
      known_.clear();
  }

 private:
  std::unordered_map<const Exp*, T> known_;
};

}  // namespace couplet::modelica
