#include "couplet/modelica/tables/matlab.hpp"

#include <cstring>

#include "couplet/base/diagnostics.hpp"
#include "couplet/modelica/tables/inflate.hpp"

namespace couplet::modelica::tables {
namespace {

constexpr size_t longest_matrix = 256u << 20;  // bytes of one uncompressed matrix

[[noreturn]] void damaged() { throw base::UserError({}, "the MATLAB file is damaged"); }

std::string_view part(std::string_view data, size_t begin, size_t size) {
  if (begin > data.size() || size > data.size() - begin) damaged();
  return data.substr(begin, size);
}

template <class T>
T read_as(std::string_view data, size_t at) {
  T value;
  std::memcpy(&value, part(data, at, sizeof(T)).data(), sizeof(T));
  return value;
}

uint32_t word(std::string_view data, size_t at) { return read_as<uint32_t>(data, at); }

// Number `index` of packed numbers of a level 5 type.
double number(std::string_view data, uint32_t type, size_t index) {
  switch (type) {
    case 1:
      return read_as<int8_t>(data, index);
    case 2:
      return read_as<uint8_t>(data, index);
    case 3:
      return read_as<int16_t>(data, index * 2);
    case 4:
      return read_as<uint16_t>(data, index * 2);
    case 5:
      return read_as<int32_t>(data, index * 4);
    case 6:
      return read_as<uint32_t>(data, index * 4);
    case 7:
      return read_as<float>(data, index * 4);
    case 9:
      return read_as<double>(data, index * 8);
    default:
      throw base::UserError({}, "the MATLAB matrix has a type that is not supported",
                            "store it as double");
  }
}

// Files hold columns, tables are read by rows.
Matrix by_rows(size_t rows, size_t columns, std::string_view data, uint32_t type) {
  if (rows > data.size() || (rows > 0 && columns > data.size() / rows)) damaged();
  Matrix m{rows, columns, std::vector<double>(rows * columns)};
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      m.values[r * columns + c] = number(data, type, c * rows + r);
  return m;
}

// ---- level 4: a header of five words, the name, the numbers -------------------------------------

std::optional<Matrix> find_level4(std::string_view file, std::string_view name) {
  constexpr uint32_t types[] = {9, 7, 5, 3, 4, 2};  // double, single, int32, int16, uint16, uint8
  constexpr size_t sizes[] = {8, 4, 4, 2, 2, 1};
  for (size_t at = 0; at + 20 <= file.size();) {
    const uint32_t kind = word(file, at), rows = word(file, at + 4), columns = word(file, at + 8);
    const uint32_t imaginary = word(file, at + 12), length = word(file, at + 16);
    const uint32_t precision = kind / 10 % 10;
    if (kind >= 1000 || precision > 5 || kind % 10 > 2)
      throw base::UserError({}, "this is no MATLAB file with little-endian numbers",
                            "save it again with save('-v4', ...)");
    const std::string_view title = part(file, at + 20, length);
    const double bytes =
        static_cast<double>(rows) * columns * static_cast<double>(sizes[precision]);
    if (bytes > static_cast<double>(file.size())) damaged();
    const std::string_view data =
        part(file, at + 20 + length, static_cast<size_t>(rows) * columns * sizes[precision]);
    if (title.substr(0, title.find('\0')) == name && kind % 10 == 0)
      return by_rows(rows, columns, data, types[precision]);
    at += 20 + length + data.size() * (imaginary ? 2 : 1);
  }
  return {};
}

// ---- level 5: tagged elements -------------------------------------------------------------------

struct Element {
  uint32_t type = 0;
  std::string_view data;
  size_t end = 0;  // where the next one starts
};

Element element_at(std::string_view file, size_t at) {
  Element e;
  const uint32_t tag = word(file, at);
  if (tag >> 16) {  // small: type and size in one word, data in the next
    e.type = tag & 0xffff;
    if ((tag >> 16) > 4) damaged();
    e.data = part(file, at + 4, tag >> 16);
    e.end = at + 8;
    return e;
  }
  e.type = tag;
  const uint32_t size = word(file, at + 4);
  e.data = part(file, at + 8, size);
  e.end = at + 8 + size;
  if (e.type != 15) e.end = (e.end + 7) / 8 * 8;  // compressed elements are not padded
  return e;
}

std::optional<Matrix> matrix_of(std::string_view content, std::string_view name) {
  const Element flags = element_at(content, 0), dims = element_at(content, flags.end);
  const Element title = element_at(content, dims.end);
  if (title.data != name) return {};
  const uint32_t kind = word(flags.data, 0) & 0xff;
  const bool is_numeric = kind >= 6 && kind <= 13;
  if (!is_numeric || dims.data.size() != 8)
    throw base::UserError({}, "the MATLAB variable is no matrix of real numbers");
  const Element real = element_at(content, title.end);
  return by_rows(word(dims.data, 0), word(dims.data, 4), real.data, real.type);
}

std::optional<Matrix> find_level5(std::string_view file, std::string_view name) {
  for (size_t at = 128; at + 8 <= file.size();) {
    const Element e = element_at(file, at);
    std::optional<Matrix> found;
    if (e.type == 14) found = matrix_of(e.data, name);
    if (e.type == 15) {
      const std::string plain = inflate(e.data, longest_matrix);
      const Element inner = element_at(plain, 0);
      if (inner.type == 14) found = matrix_of(inner.data, name);
    }
    if (found) return found;
    at = e.end;
  }
  return {};
}

}  // namespace

std::optional<Matrix> find_matlab_matrix(std::string_view file, std::string_view name) {
  const std::string_view mark = file.size() >= 128 ? file.substr(126, 2) : "";
  if (file.starts_with("MATLAB 7.3"))
    throw base::UserError({}, "MATLAB 7.3 files are not supported",
                          "save it again with save('-v7', ...)");
  if (file.starts_with("MATLAB") && mark == "IM") return find_level5(file, name);
  if (file.starts_with("MATLAB"))
    throw base::UserError({}, "this MATLAB file has big-endian numbers", "save it again");
  return find_level4(file, name);
}

}  // namespace couplet::modelica::tables
