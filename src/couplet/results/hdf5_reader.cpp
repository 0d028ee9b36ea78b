#include "couplet/results/hdf5_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "couplet/base/child_process.hpp"
#include "couplet/base/text.hpp"
#include "couplet/results/destination.hpp"
#include "couplet/results/hdf5_library.hpp"

namespace couplet::results {
namespace {

using base::UserError;
using Path = std::filesystem::path;

constexpr size_t block_bytes = 1 << 20;
constexpr size_t most_signals = 10'000'000;
constexpr size_t most_about = 10'000;

size_t block_rows(size_t columns) {
  return std::max<size_t>(1, block_bytes / (columns * sizeof(double)));
}

// ---- In the child: everything that touches the file. What is wrong is thrown as text. ----

struct File {
  Hdf5Handle id;
  bool complete = true;
};

File open_file(const std::string& path) {
  // The `log` driver logs nothing here. It is another driver than the writer's, so a file that this
  // process is writing is opened anew instead of being found among the inherited ones.
  const Hdf5Handle access = make_access_properties();
  H5Pset_fapl_log(access, nullptr, 0, 0);
  H5Pset_metadata_read_attempts(access,
                                20);  // with waits of 1, 2, 4 … ns: the default of 100 never ends
  File file{{H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose}, true};
  if (!file.id.valid())  // marked as being written
    file = {{H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access), H5Fclose}, false};
  if (!file.id.valid()) throw std::runtime_error("this HDF5 file is damaged: " + hdf5_reason());
  return file;
}

Hdf5Handle open_dataset(hid_t file, const char* name) {
  Hdf5Handle data(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  if (!data.valid())
    throw std::runtime_error(fmt::format("there is no dataset '{}' in this HDF5 file", name));
  return data;
}

std::vector<hsize_t> sizes_of(hid_t data) {
  const Hdf5Handle space(H5Dget_space(data), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> sizes(static_cast<size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  return sizes;
}

// Text of any HDF5 kind: variable or fixed length.
template <class Read>
std::vector<std::string> read_texts(const Hdf5Handle& stored, size_t n, const Read& read) {
  if (H5Tget_class(stored) != H5T_STRING)
    throw std::runtime_error("a name in this HDF5 file is no text");
  std::vector<std::string> texts;
  if (H5Tis_variable_str(stored) > 0) {
    std::vector<char*> pointers(n, nullptr);
    if (read(stored, pointers.data()) < 0) throw std::runtime_error(hdf5_reason());
    for (const char* text : pointers) texts.emplace_back(text ? text : "");
  } else {
    const size_t size = H5Tget_size(stored);
    if (size == 0 || n > (size_t{1} << 30) / size)
      throw std::runtime_error("its names are too long");
    std::vector<char> bytes(n * size);
    if (read(stored, bytes.data()) < 0) throw std::runtime_error(hdf5_reason());
    for (size_t i = 0; i < n; ++i)
      texts.emplace_back(&bytes[i * size], strnlen(&bytes[i * size], size));
  }
  return texts;
}

std::vector<std::string> read_dataset_texts(hid_t file, const char* name, size_t columns) {
  const Hdf5Handle data = open_dataset(file, name);
  if (sizes_of(data) != std::vector<hsize_t>{columns})
    throw std::runtime_error(
        fmt::format("'values' has {} columns, but '{}' has another size", columns, name));
  return read_texts(Hdf5Handle(H5Dget_type(data), H5Tclose), columns, [&](hid_t type, void* to) {
    return H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}

About read_about(hid_t file) {
  H5O_info_t info;
  if (H5Oget_info2(file, &info, H5O_INFO_NUM_ATTRS) < 0) return {};
  About about;
  for (hsize_t i = 0; i < std::min<hsize_t>(info.num_attrs, most_about); ++i) {
    const Hdf5Handle attribute(
        H5Aopen_by_idx(file, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    const Hdf5Handle type(attribute.valid() ? H5Aget_type(attribute) : H5I_INVALID_HID, H5Tclose);
    const Hdf5Handle space(attribute.valid() ? H5Aget_space(attribute) : H5I_INVALID_HID, H5Sclose);
    if (!type.valid() || H5Tget_class(type) != H5T_STRING ||
        H5Sget_simple_extent_npoints(space) != 1)
      continue;
    std::string name(static_cast<size_t>(std::max<ssize_t>(H5Aget_name(attribute, 0, nullptr), 0)),
                     '\0');
    H5Aget_name(attribute, name.size() + 1, name.data());
    about.emplace_back(name, read_texts(type, 1, [&](hid_t as, void* to) {
                         return H5Aread(attribute, as, to);
                       })[0]);
  }
  return about;
}

void send_header(const Recording& header, size_t rows, base::ChildOutput& out) {
  out.write(std::string());  // no complaint
  out.write(header.columns());
  for (const Signal& signal : header.signals) out.write(signal.name), out.write(signal.unit);
  out.write(header.about.size());
  for (const auto& [key, value] : header.about) out.write(key), out.write(value);
  out.write(size_t{header.complete});
  out.write(rows);
}

void read_in_child(const std::string& path, size_t file_bytes, base::ChildOutput& out) {
  const File file = open_file(path);
  const Hdf5Handle values = open_dataset(file.id, "values");
  const std::vector<hsize_t> sizes = sizes_of(values);
  if (sizes.size() != 2 || sizes[1] == 0 || sizes[1] > most_signals)
    throw std::runtime_error("its dataset 'values' is not a table of rows and signals");
  const Hdf5Handle type(H5Dget_type(values), H5Tclose);
  if (H5Tget_class(type) != H5T_FLOAT && H5Tget_class(type) != H5T_INTEGER)
    throw std::runtime_error("its dataset 'values' does not hold numbers");
  const auto [rows, columns] = std::pair(sizes[0], sizes[1]);
  const Hdf5Handle creation(H5Dget_create_plist(values), H5Pclose);
  // What is not filtered is there byte by byte; deflate cannot do better than that.
  const size_t best_compression = H5Pget_nfilters(creation) > 0 ? 1100 : 1;
  const size_t row_bytes = columns * std::max<size_t>(1, H5Tget_size(type));
  if (rows > (file_bytes * best_compression + block_bytes) / row_bytes)
    throw std::runtime_error("it claims to hold more rows than a file of this size can");

  Recording header;
  const std::vector<std::string> names = read_dataset_texts(file.id, "names", columns);
  const std::vector<std::string> units = read_dataset_texts(file.id, "units", columns);
  for (size_t i = 0; i < columns; ++i) header.signals.push_back({names[i], units[i]});
  header.about = read_about(file.id);
  header.complete = file.complete;
  send_header(header, rows, out);

  const Hdf5Handle file_space(H5Dget_space(values), H5Sclose);
  std::vector<double> block;
  for (hsize_t row = 0; row < rows; row += block_rows(columns)) {
    const std::array<hsize_t, 2> start{row, 0},
        count{std::min<hsize_t>(block_rows(columns), rows - row), columns};
    block.resize(count[0] * columns);
    const Hdf5Handle memory_space = make_space(2, count.data());
    if (H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start.data(), nullptr, count.data(),
                            nullptr) < 0 ||
        H5Dread(values, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, block.data()) < 0)
      return;  // the pipe ends too early: the parent says that the file is damaged
    out.write(block.data(), block.size() * sizeof(double));
  }
}

// ---- In the parent ----

// What the child says about the file; false when it stops before the end.
bool receive_header(base::ChildProcess& child, Recording& header, size_t& rows) {
  size_t columns = 0, abouts = 0, complete = 0;
  if (!child.read(columns) || columns == 0 || columns > most_signals) return false;
  for (size_t i = 0; i < columns; ++i) {
    Signal signal;
    if (!child.read(signal.name) || !child.read(signal.unit)) return false;
    header.signals.push_back(std::move(signal));
  }
  if (!child.read(abouts) || abouts > most_about) return false;
  for (size_t i = 0; i < abouts; ++i) {
    std::pair<std::string, std::string> about;
    if (!child.read(about.first) || !child.read(about.second)) return false;
    header.about.push_back(std::move(about));
  }
  if (!child.read(complete) || !child.read(rows)) return false;
  header.complete = complete == 1;
  if (!header.complete)
    header.note = "its writer was killed or is still running; all rows of its last flush are here";
  return true;
}

base::ChildProcess start_child(const Path& path, size_t file_bytes) {
  const Hdf5Lock lock;  // free in the child: nobody else uses it at this moment
  // Blocks and chunks of a result are a few MB; of a stranger's file, a chunk is at most what is in
  // the file.
  const base::ChildLimits limits{.memory = (size_t{512} << 20) + 4 * file_bytes};
  return base::ChildProcess(
      [&](base::ChildOutput& out) {
        try {
          read_in_child(path.string(), file_bytes, out);
        } catch (const std::runtime_error& error) {
          out.write(std::string(error.what()));
        }
      },
      limits);
}

}  // namespace

void stream_hdf5(const Path& path, const std::function<void(const Recording&, size_t)>& begin,
                 const std::function<void(std::span<const double>)>& block) {
  std::error_code error;
  const size_t file_bytes = std::filesystem::file_size(path, error);
  base::ChildProcess child = start_child(path, error ? 0 : file_bytes);
  const auto damaged = [&] {
    return UserError(place(path), "this HDF5 file is damaged",
                     "take another copy of it, or run again");
  };
  std::string complaint;
  Recording header;
  size_t rows = 0;
  if (!child.read(complaint)) throw damaged();
  if (!complaint.empty())
    throw UserError(place(path), complaint,
                    "take another copy; a Couplet result has the datasets values, names and units");
  if (!receive_header(child, header, rows)) throw damaged();
  begin(header, rows);
  const size_t columns = header.columns();
  std::vector<double> values;
  for (size_t row = 0; row < rows; row += block_rows(columns)) {
    values.resize(std::min(block_rows(columns), rows - row) * columns);
    if (!child.read(values.data(), values.size() * sizeof(double))) throw damaged();
    block(values);
  }
}

Recording read_hdf5(const Path& path) {
  Recording out;
  stream_hdf5(
      path,
      [&](const Recording& header, size_t rows) {
        out = header;
        out.values.reserve(rows * out.columns());
      },
      [&](std::span<const double> block) {
        out.values.insert(out.values.end(), block.begin(), block.end());
      });
  return out;
}

}  // namespace couplet::results
