// A value that few elements have: as std::optional, and no larger than a pointer where there is
// none.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace couplet::model {

template <class T>
class Rare {
 public:
  Rare() = default;
  Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: it is one
  Rare(const Rare& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  Rare& operator=(std::nullopt_t) {
    value_.reset();
    return *this;
  }
  ~Rare() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  const T& value() const { return value_ ? *value_ : throw std::bad_optional_access(); }
  T& emplace() { return *(value_ = std::make_unique<T>()); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace couplet::model
