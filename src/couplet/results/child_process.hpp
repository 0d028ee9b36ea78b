// Work that may crash, done in a child process, with a pipe to tell what it found.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

namespace couplet::results {

/// What the child writes to. It ends the child when nobody listens any more.
class ChildOutput {
 public:
  explicit ChildOutput(int pipe) : pipe_(pipe) {}
  void write(const void* data, size_t bytes);
  void write(size_t number) { write(&number, sizeof number); }
  void write(const std::string& text);

 private:
  int pipe_;
};

class ChildProcess {
 public:
  /// Forks; the child does `work` and ends. Locks that `work` takes must be free, or held by the
  /// caller.
  explicit ChildProcess(const std::function<void(ChildOutput&)>& work);
  ~ChildProcess();  // ends it, if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Reads so many bytes; false when the child has ended, crashed, or said nothing for a minute.
  bool read(void* data, size_t bytes);
  bool read(size_t& number) { return read(&number, sizeof number); }
  bool read(std::string& text);  // also false when it is longer than 16 MB

 private:
  pid_t id_ = -1;
  int pipe_ = -1;
};

}  // namespace couplet::results
