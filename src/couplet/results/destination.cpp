#include "couplet/results/destination.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "couplet/base/text.hpp"
#include "couplet/results/writer.hpp"

namespace couplet::results {
namespace {

namespace fs = std::filesystem;
using base::UserError;

std::string folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

[[noreturn]] void fail_to_create(const fs::path& path, int error) {
  const std::string folder = folder_of(path);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      throw UserError(
          place(path), fmt::format("there is no folder {}", base::quoted(folder)),
          fmt::format("create it (mkdir -p {}), or write elsewhere with `out`", folder));
    case EACCES:
    case EPERM:
    case EROFS:
      throw UserError(place(path),
                      fmt::format("the folder {} may not be written to", base::quoted(folder)),
                      "write to a folder of your own with `out`");
    case ENOSPC:
    case EDQUOT:
      throw UserError(place(path), "the disk is full",
                      "free some space, or write elsewhere with `out`");
    default:
      throw UserError(place(path), fmt::format("cannot create this file: {}", std::strerror(error)),
                      "write elsewhere with `out`");
  }
}

[[noreturn]] void fail_exists(const fs::path& path) {
  throw UserError(place(path), "there is a result of this name already",
                  "replace it with `overwrite`, or choose another name with `out`");
}

}  // namespace

base::SourceLocation place(const fs::path& path) { return {path.string(), 0, 0}; }

base::ComputationError write_error(const fs::path& path, const std::string& reason,
                                   size_t safe_rows) {
  if (path == "-")
    return base::ComputationError(fmt::format("standard output cannot be written: {}", reason));
  return base::ComputationError(
      fmt::format("cannot write {}: {}; its first {} rows are safe and readable\n"
                  "  fix: make room (or write elsewhere with `out`), then run or resume again",
                  path.string(), reason, safe_rows));
}

void fail_other_signals(const fs::path& path) {
  throw UserError(place(path), "this result has other signals than the run that is to be continued",
                  "continue it with the same model and outputs, or write elsewhere with `out`");
}

void fail_too_few_rows(const fs::path& path, size_t there, size_t needed) {
  throw UserError(
      place(path),
      fmt::format("this result has {} rows; {} are needed to continue it", there, needed),
      "take the result that was written together with the checkpoint, or start again");
}

void fail_other_rows(const fs::path& path) {
  throw UserError(
      place(path),
      "the rows of this result are not those that the checkpoint beside it goes on from",
      "take the result that was written together with the checkpoint, or start again");
}

std::optional<base::FileLock> claim_result(const fs::path& path) {
  if (path == "-") return std::nullopt;
  std::error_code ignored;
  fs::path file = fs::canonical(path, ignored);  // through links: all names of a result are one
  if (ignored) file = fs::weakly_canonical(path.parent_path(), ignored) / path.filename();
  if (fs::is_other(file, ignored) || fs::is_directory(file, ignored)) return std::nullopt;
  file += ".lock";
  try {
    auto taken = base::FileLock::try_take(file);
    if (auto* lock = std::get_if<base::FileLock>(&taken)) return std::move(*lock);
    const std::string& process = std::get<base::FileLock::Holder>(taken).process;
    throw UserError(place(path),
                    fmt::format("another run{} is writing this result",
                                process.empty() ? "" : fmt::format(" (process {})", process)),
                    "wait for it, or end it; another run takes another name with `out`");
  } catch (const std::system_error& failure) {
    const int error = failure.code().value();
    fail_to_create(error == ENOENT || error == ENOTDIR ? path : file, error);
  }
}

Destination::Destination(const fs::path& path, bool overwrite)
    : path_(path), final_(path), overwrite_(overwrite) {
  std::error_code error;
  if (const fs::path target = fs::canonical(path, error); !error) final_ = target;  // through links
  const fs::file_status status = fs::status(final_, error);
  if (fs::is_directory(status))
    throw UserError(place(path), "this is a folder", "name a file in it");
  if (fs::exists(status) &&
      !fs::is_regular_file(status)) {  // a device, a pipe: nothing to lose, no names
    working_ = final_;
    published_ = true;
    return;
  }
  if (fs::exists(status) && !overwrite) fail_exists(path);
  if (fs::exists(status) && ::access(final_.c_str(), W_OK) != 0)
    throw UserError(place(path), "this result is write-protected",
                    "choose another name with `out`");

  try {
    file_.emplace(final_);
  } catch (const std::system_error& failure) {
    fail_to_create(path, failure.code().value());
  }
  working_ = file_->path();
}

void Destination::publish() {
  if (published_) return;
  using base::Existing;
  try {
    file_->publish(overwrite_ ? Existing::replace : Existing::refuse);
  } catch (const std::system_error& failure) {
    if (failure.code().value() == EEXIST) fail_exists(path_);
    file_->keep();
    published_ = true;
    throw base::ComputationError(fmt::format("cannot give {} its name: {}; the result is in {}",
                                             path_.string(), failure.code().message(),
                                             working_.string()));
  }
  published_ = true;
}

}  // namespace couplet::results
