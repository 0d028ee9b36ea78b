#include "couplet/modelica/tables/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "couplet/base/diagnostics.hpp"

namespace couplet::modelica::tables {

std::string inflate(std::string_view zlib, size_t longest) {
  const auto damaged = [] {
    return base::UserError({}, "the compressed data of the MATLAB file is damaged");
  };
  z_stream stream{};
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(zlib.data()));  // zlib does not change it
  stream.avail_in = static_cast<uInt>(std::min<size_t>(zlib.size(), UINT32_MAX));
  if (inflateInit(&stream) != Z_OK) throw damaged();
  std::string out;
  int status = Z_OK;
  for (std::array<char, 1 << 16> piece{}; status == Z_OK && out.size() <= longest;) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = ::inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw damaged();  // also when it is cut off, or the check sum differs
  if (out.size() > longest)
    throw base::UserError({}, "the MATLAB file holds more data than can be read");
  return out;
}

}  // namespace couplet::modelica::tables
