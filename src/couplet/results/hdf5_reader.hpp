// Reading HDF5 results. The library is known to crash on damaged files, so a child process reads
// and passes on what it finds; a crash there is a message here.
#pragma once

#include <functional>
#include <span>

#include "couplet/results/recording.hpp"

namespace couplet::results {

Recording read_hdf5(const std::filesystem::path& path);

/// The same by blocks of whole rows, for results larger than memory: first `begin`, with a
/// recording without values and the number of rows to come, then `block` until all are there.
void stream_hdf5(const std::filesystem::path& path,
                 const std::function<void(const Recording& header, size_t rows)>& begin,
                 const std::function<void(std::span<const double> whole_rows)>& block);

}  // namespace couplet::results
