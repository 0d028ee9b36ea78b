// Syntax trees and instances are many small objects with one lifetime: they are bumped into blocks
// and freed together. Only trivially destructible types may live here, which makes freeing free.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace couplet::modelica {

/// A view of objects in an arena.
template <class T>
struct Slice {
  const T* data = nullptr;
  uint32_t count = 0;

  const T* begin() const { return data; }
  const T* end() const { return data + count; }
  const T& operator[](size_t i) const { return data[i]; }
  const T& back() const { return data[count - 1]; }
  uint32_t size() const { return count; }
  bool empty() const { return count == 0; }
};

class Arena {
 public:
  template <class T>
  T* make(T value = {}) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate<T>(1)) T(std::move(value));
  }

  template <class T>
  Slice<T> copy(const std::vector<T>& values) {
    static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    T* room = static_cast<T*>(allocate<T>(values.size()));
    std::uninitialized_copy(values.begin(), values.end(), room);
    return {room, static_cast<uint32_t>(values.size())};
  }

  size_t bytes() const { return bytes_; }

 private:
  /// T may be a pointer.
  template <class T>
  void* allocate(size_t count) {
    return allocate(count * sizeof(T), alignof(T));  // NOLINT(bugprone-sizeof-expression)
  }
  void* allocate(size_t size, size_t alignment) {
    size_t start = (used_ + alignment - 1) / alignment * alignment;
    if (start + size > capacity_) {
      capacity_ = size > block_size ? size : block_size;
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(capacity_));
      bytes_ += capacity_;
      start = 0;
    }
    used_ = start + size;
    return blocks_.back().get() + start;
  }

  static constexpr size_t block_size = 16384;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t used_ = 0, capacity_ = 0, bytes_ = 0;
};

}  // namespace couplet::modelica
