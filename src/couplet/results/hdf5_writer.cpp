// HDF5 results: `values` (rows × signals) grows in SWMR mode ("single writer, multiple readers"),
// in which the library writes data before the metadata that refer to it: whatever is on disk at any
// moment can be read.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "couplet/base/hash.hpp"
#include "couplet/results/destination.hpp"
#include "couplet/results/format.hpp"
#include "couplet/results/hdf5_library.hpp"
#include "couplet/results/hdf5_reader.hpp"

namespace couplet::results {
namespace {

using base::UserError;
using Path = std::filesystem::path;

constexpr size_t chunk_bytes = 256 << 10;

class Hdf5Writer final : public ResultWriter {
 public:
  Hdf5Writer(const Path& path, const std::vector<Signal>& signals, const About& about,
             bool overwrite)
      : destination_(path, overwrite), columns_(signals.size()) {
    if (!destination_.is_regular())
      throw UserError(place(path), "HDF5 needs a regular file", "write .csv to pipes and devices");
    const Hdf5Lock lock;
    const Hdf5Handle create(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_attr_creation_order(
        create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);  // About has an order
    file_ = {
        H5Fcreate(destination_.working().c_str(), H5F_ACC_TRUNC, create, make_access_properties()),
        H5Fclose};
    check(file_.valid());
    write_names("names", signals, &Signal::name);
    write_names("units", signals, &Signal::unit);
    for (const auto& [key, value] : about) write_attribute(key, value);
    create_values();
    check(H5Fstart_swmr_write(file_) >= 0);
    // The extent goes to disk with flush() only, after the rows that it counts.
    check(H5Odisable_mdc_flushes(values_) >= 0);
  }
  ~Hdf5Writer() override {
    const Hdf5Lock lock;
    close_handles();
  }

  void append(std::span<const double> whole_rows) override {
    const hsize_t n = whole_rows.size() / columns_;
    base::ensure(n * columns_ == whole_rows.size(), "whole rows are appended");
    if (n == 0) return;
    const Hdf5Lock lock;
    const std::array<hsize_t, 2> extent{rows_ + n, columns_}, start{rows_, 0}, count{n, columns_};
    check(H5Dset_extent(values_, extent.data()) >= 0);
    const Hdf5Handle file_space(H5Dget_space(values_), H5Sclose);
    const Hdf5Handle memory_space = make_space(2, count.data());
    check(H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start.data(), nullptr, count.data(),
                              nullptr) >= 0);
    check(H5Dwrite(values_, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT,
                   whole_rows.data()) >= 0);
    rows_ += n;
  }
  void flush() override {
    const Hdf5Lock lock;
    check(H5Dflush(values_) >= 0);
    safe_rows_ = rows_;
    destination_.publish();
  }
  void close() override {
    if (!file_.valid()) return;
    flush();
    const Hdf5Lock lock;
    check(close_handles());
  }

 private:
  bool close_handles() { return values_.close() && file_.close(); }
  void check(bool done) {
    if (done) return;
    const std::string reason = hdf5_reason();
    // Closing would mark a file as whole that is not. As it is, it reads up to the last flush; the
    // library keeps its memory and the open file until the process ends.
    values_.abandon();
    file_.abandon();
    throw write_error(destination_.path(), reason, safe_rows_);
  }
  void write_names(const char* name, const std::vector<Signal>& signals,
                   std::string Signal::*part) {
    const hsize_t n = signals.size();
    std::vector<const char*> texts;
    for (const Signal& signal : signals) texts.push_back((signal.*part).c_str());
    const Hdf5Handle type = make_string_type(), space = make_space(1, &n);
    const Hdf5Handle data(
        H5Dcreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    check(data.valid() && H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) >= 0);
  }
  void write_attribute(const std::string& key, const std::string& value) {
    const char* text = value.c_str();
    const Hdf5Handle type = make_string_type(), space = make_space(0, nullptr);
    const Hdf5Handle attribute(
        H5Acreate2(file_, key.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(attribute.valid() && H5Awrite(attribute, type, &text) >= 0);
  }
  void create_values() {
    const size_t chunk_rows = std::max<size_t>(1, chunk_bytes / (columns_ * sizeof(double)));
    const std::array<hsize_t, 2> none{0, columns_}, any{H5S_UNLIMITED, columns_},
        chunk{chunk_rows, columns_};
    const Hdf5Handle create(H5Pcreate(H5P_DATASET_CREATE), H5Pclose),
        space = make_space(2, none.data(), any.data());
    check(H5Pset_chunk(create, 2, chunk.data()) >= 0);
    H5Pset_fill_time(create, H5D_FILL_TIME_NEVER);  // rows past the end are never seen
    values_ = {H5Dcreate2(file_, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, create, H5P_DEFAULT),
               H5Dclose};
    check(values_.valid());
  }

  Destination destination_;
  hsize_t columns_;
  Hdf5Handle file_, values_;
  hsize_t rows_ = 0, safe_rows_ = 0;
};

std::unique_ptr<ResultWriter> make(const Path& path, const std::vector<Signal>& signals,
                                   const About& about, bool overwrite) {
  return std::make_unique<Hdf5Writer>(path, signals, about, overwrite);
}

// A file whose writer was killed cannot be written to safely. Its rows are copied to a new one,
// which takes its place with the first flush.
std::unique_ptr<ResultWriter> reopen(const Path& path, const std::vector<Signal>& signals,
                                     const About& about, size_t rows, std::uint64_t fingerprint) {
  std::unique_ptr<ResultWriter> writer;
  size_t left = rows;
  std::uint64_t found = base::hash_start;
  const auto begin = [&](const Recording& header, size_t rows_there) {
    if (header.signals != signals) fail_other_signals(path);
    if (rows_there < rows) fail_too_few_rows(path, rows_there, rows);
    writer = make(path, signals, about, true);
  };
  const auto copy = [&](std::span<const double> values) {
    const size_t n = std::min(left, values.size() / signals.size());
    writer->append(values.first(n * signals.size()));
    found = base::hash(values.first(n * signals.size()), found);
    left -= n;
  };
  stream_hdf5(path, begin, copy);
  if (found != fingerprint) fail_other_rows(path);
  return writer;
}

}  // namespace

const Format hdf5_format{{".h5", ".hdf5"}, make, reopen, read_hdf5};

}  // namespace couplet::results
