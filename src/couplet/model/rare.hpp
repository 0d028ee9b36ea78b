// Values that few elements have, no larger than a pointer where there are none.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace couplet::model {

/// A value that few elements have: as std::optional.
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

/// A list that few elements have: as std::vector, and no larger than a pointer where it is empty.
template <class T>
class RareList {
 public:
  RareList() = default;
  RareList(std::initializer_list<T> values) : RareList(std::vector<T>(values)) {}
  RareList(std::vector<T> values) {  // NOLINT: it is one
    if (!values.empty()) values_ = std::move(values);
  }
  operator const std::vector<T>&() const { return get(); }  // NOLINT: it is one

  bool empty() const { return get().empty(); }
  size_t size() const { return get().size(); }
  const T* data() const { return get().data(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  const T& operator[](size_t i) const { return get()[i]; }
  const T& at(size_t i) const { return get().at(i); }
  T* begin() { return values_ ? values_->data() : nullptr; }
  T* end() { return begin() + size(); }
  T& operator[](size_t i) { return (*values_)[i]; }

  void clear() { values_ = std::nullopt; }
  void resize(size_t size) { (values_ ? *values_ : values_.emplace()).resize(size); }
  void push_back(T value) { (values_ ? *values_ : values_.emplace()).push_back(std::move(value)); }

  friend bool operator==(const RareList& a, const std::vector<T>& b) { return a.get() == b; }

 private:
  const std::vector<T>& get() const {
    static const std::vector<T> none;
    return values_ ? *values_ : none;
  }

  Rare<std::vector<T>> values_;
};

}  // namespace couplet::model
