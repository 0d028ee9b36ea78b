// The HDF5 C library: handles that close themselves, errors as text, one lock. Included by
// hdf5_*.cpp only.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace couplet::results {

/// Held around every use of the library. The library has a lock of its own; ours makes fork() safe:
/// whoever forks holds it, so that the child does not inherit a lock that nobody will open.
class Hdf5Lock {
 public:
  Hdf5Lock();

 private:
  std::scoped_lock<std::mutex> lock_;
};

/// What the library complains about, most specific first ("No space left on device").
std::string hdf5_reason();

class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { close(); }

  void abandon() { id_ = H5I_INVALID_HID; }
  bool close() { return id_ < 0 || close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

Hdf5Handle make_string_type();        // variable length, UTF-8
Hdf5Handle make_access_properties();  // newest format, no file locks
Hdf5Handle make_space(int rank, const hsize_t* sizes, const hsize_t* largest = nullptr);

}  // namespace couplet::results
