// What a run needs to go on after it was killed: a small text file beside the result, replaced as a
// whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace couplet::simulate {

/// What was asked for, in the words of who asked: keys, which may repeat, and values.
using Request = std::vector<std::pair<std::string, std::string>>;

struct Checkpoint {
  Request request;              // of the run
  std::string model_hash;       // of the model's files
  size_t rows = 0;              // of the result that belong to it
  uint64_t fingerprint = 0;     // base::hash() of the numbers in them
  double t = 0;                 // s
  std::vector<double> numbers;  // the archive of driver, problem and recorder
};

std::filesystem::path checkpoint_path(const std::filesystem::path& result);

/// Replaces the file in one step. ComputationError when the disk refuses.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// UserError when there is none, or it is damaged.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// Of the contents of files, in order (FNV-1a, 64 bit, in hexadecimal).
std::string hash_files(const std::vector<std::string>& paths);

}  // namespace couplet::simulate
