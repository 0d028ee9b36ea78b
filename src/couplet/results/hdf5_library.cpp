#include "couplet/results/hdf5_library.hpp"

#include <fmt/format.h>

#include "couplet/results/format.hpp"

namespace couplet::results {
namespace {

std::mutex library_mutex;

// Keeps the description of the innermost error, which is visited first when walking upward.
herr_t remember(unsigned n, const H5E_error2_t* error, void* text) {
  if (n == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

Hdf5Lock::Hdf5Lock() : lock_(library_mutex) {
  // The library would try to write what it still has when the process ends, and loop when the disk
  // is full.
  static const herr_t once = H5dont_atexit();
  static_cast<void>(once);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // per thread: no printing
}

std::string hdf5_version() {
  const Hdf5Lock lock;
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

std::string hdf5_reason() {
  std::string text = "the HDF5 library gives no reason";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, remember, &text);
  const std::string mark = "error message = '";
  if (const size_t start = text.find(mark); start != std::string::npos) {
    const size_t end = text.find('\'', start + mark.size());
    return text.substr(start + mark.size(), end - start - mark.size());
  }
  return text;
}

Hdf5Handle make_string_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

Hdf5Handle make_access_properties() {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // File locks fail on some network disks, and nothing here needs them: a file being written has a
  // name of its own, and readers of a growing file are what SWMR is for. HDF5_USE_FILE_LOCKING
  // overrules this.
  H5Pset_file_locking(access, false, true);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  return access;
}

Hdf5Handle make_space(int rank, const hsize_t* sizes, const hsize_t* largest) {
  return {rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, sizes, largest), H5Sclose};
}

}  // namespace couplet::results
