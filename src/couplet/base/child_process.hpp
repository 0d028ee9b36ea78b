// Work that may crash, done in a child process, with a pipe to tell what it found.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

namespace couplet::base {

/// What a child may use: a damaged file shall not cost the machine's memory, or an hour.
struct ChildLimits {
  size_t memory = size_t{1} << 30;  // bytes, beyond what it has at its start
  unsigned silence = 10;            // s of processor time between two writes
};

/// What the child writes to. It ends the child when nobody listens any more.
class ChildOutput {
 public:
  ChildOutput(int pipe, const ChildLimits& limits) : pipe_(pipe), limits_(limits) {}
  void write(const void* data, size_t bytes);
  void write(size_t number) { write(&number, sizeof number); }
  void write(const std::string& text);

 private:
  int pipe_;
  ChildLimits limits_;
};

class ChildProcess {
 public:
  /// Forks; the child does `work` and ends. Locks that `work` takes must be free, or held by the
  /// caller.
  explicit ChildProcess(const std::function<void(ChildOutput&)>& work,
                        const ChildLimits& limits = {});
  ~ChildProcess();  // ends it, if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Reads so many bytes; false when the child has ended, crashed, reached a limit, or said
  /// nothing for a minute.
  bool read(void* data, size_t bytes);
  bool read(size_t& number) { return read(&number, sizeof number); }
  bool read(std::string& text);  // also false when it is longer than 16 MB

 private:
  pid_t id_ = -1;
  int pipe_ = -1;
};

}  // namespace couplet::base
