// CSV results: text that grows by whole blocks of rows. A kill can cut the last block anywhere; the
// reader drops a row without its line feed.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "couplet/results/csv_reader.hpp"
#include "couplet/results/csv_text.hpp"
#include "couplet/results/destination.hpp"
#include "couplet/results/format.hpp"

namespace couplet::results {
namespace {

using base::UserError;
using Path = std::filesystem::path;

class CsvWriter final : public ResultWriter {
 public:
  /// A new file.
  CsvWriter(const Path& path, const std::vector<Signal>& signals, bool overwrite)
      : path_(path), columns_(signals.size()), text_(csv_header(signals)) {
    if (path == "-") {
      file_ = ::dup(STDOUT_FILENO);
      if (file_ < 0) fail_to_open(errno);
      return;
    }
    destination_ = std::make_unique<Destination>(path, overwrite);
    // A pipe that nobody reads is an error, not something to wait for.
    file_ = ::open(destination_->working().c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (file_ < 0) fail_to_open(errno);
    ::fcntl(file_, F_SETFL, ::fcntl(file_, F_GETFL) & ~O_NONBLOCK);
  }
  /// The file at `path` as far as `bytes`, which hold its header and `rows` rows.
  CsvWriter(const Path& path, size_t columns, size_t bytes, size_t rows)
      : path_(path), columns_(columns), appended_(rows), written_(rows) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(bytes)) != 0 ||
        ::lseek(file_, 0, SEEK_END) < 0)
      fail_to_open(errno);
  }
  ~CsvWriter() override {
    if (file_ >= 0) ::close(file_);
  }

  void append(std::span<const double> whole_rows) override {
    base::ensure(whole_rows.size() % columns_ == 0, "whole rows are appended");
    constexpr size_t block = 32 << 10;  // numbers turned into text at once: bounds the memory
    const size_t step = std::max<size_t>(1, block / columns_) * columns_;
    for (size_t i = 0; i < whole_rows.size(); i += step) {
      const size_t n = std::min(step, whole_rows.size() - i);
      append_csv_rows(whole_rows.subspan(i, n), columns_, text_);
      appended_ += n / columns_;
      write();
    }
  }
  void flush() override {
    write();  // a new file without rows has its header to write
    if (destination_) destination_->publish();
  }
  void close() override {
    if (file_ < 0) return;
    flush();
    const int status = ::close(std::exchange(file_, -1));
    if (status != 0)
      throw write_error(path_, std::strerror(errno), written_);  // network disks, quotas
  }

 private:
  void write() {
    const char* p = text_.data();
    const char* const end = p + text_.size();
    while (p < end) {
      const ssize_t n = ::write(file_, p, static_cast<size_t>(end - p));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        const std::string reason = std::strerror(errno);
        text_.erase(0, static_cast<size_t>(p - text_.data()));  // what is left may be tried again
        throw write_error(path_, reason, written_);
      }
      p += n;
    }
    text_.clear();
    written_ = appended_;
  }
  [[noreturn]] void fail_to_open(int error) {
    throw UserError(place(path_),
                    error == ENXIO
                        ? "nobody reads this pipe"
                        : fmt::format("cannot write to this file: {}", std::strerror(error)),
                    "check its permissions, or write elsewhere with `out`");
  }

  Path path_;
  std::unique_ptr<Destination> destination_;  // absent when a file is continued in place
  size_t columns_;
  std::string text_;  // not yet written
  int file_ = -1;
  size_t appended_ = 0, written_ = 0;  // rows
};

std::unique_ptr<ResultWriter> make(const Path& path, const std::vector<Signal>& signals,
                                   const About&, bool overwrite) {
  return std::make_unique<CsvWriter>(path, signals, overwrite);
}

std::unique_ptr<ResultWriter> reopen(const Path& path, const std::vector<Signal>& signals,
                                     const About&, size_t rows, std::uint64_t fingerprint) {
  const size_t bytes = find_csv_row(path, signals, rows, fingerprint);
  return std::make_unique<CsvWriter>(path, signals.size(), bytes, rows);
}

}  // namespace

const Format csv_format{{".csv"}, make, reopen, read_csv};

}  // namespace couplet::results
