#include "couplet/base/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

namespace couplet::base {

namespace {

// From now on. Sanitizers reserve terabytes of addresses: memory is not limited there.
void limit_memory([[maybe_unused]] size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  if (pages == 0) return;
  const rlimit limit{pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) + bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

// The kernel ends the child (SIGXCPU) when it uses so much more.
void limit_silence(unsigned seconds) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto so_far = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  const rlimit limit{so_far + 1 + seconds, RLIM_INFINITY};
  ::setrlimit(RLIMIT_CPU, &limit);
}

}  // namespace

void ChildOutput::write(const void* data, size_t bytes) {
  limit_silence(limits_.silence);
  const char* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(pipe_, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) ::_exit(1);
    p += n;
    bytes -= static_cast<size_t>(n);
  }
}

void ChildOutput::write(const std::string& text) {
  write(text.size());
  write(text.data(), text.size());
}

ChildProcess::ChildProcess(const std::function<void(ChildOutput&)>& work,
                           const ChildLimits& limits) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  ::fcntl(ends[1], F_SETPIPE_SZ,
          1 << 20);  // fewer turns; the default is enough when this is refused
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (id_ == 0) {
    // An orphan must not go on: it would wait for ever for a reader of the pipe, and keep the
    // output of its ancestors open.
    ::close(ends[0]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // the parent died before this
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGXCPU})
      std::signal(signal, SIG_DFL);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (const int nothing = ::open("/dev/null", O_WRONLY); nothing >= 0) {
      ::dup2(nothing, 1);
      ::dup2(nothing, 2);
    }
    limit_memory(limits.memory);
    limit_silence(limits.silence);
    ChildOutput output(ends[1], limits);
    try {
      work(output);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

ChildProcess::~ChildProcess() {
  ::close(pipe_);
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ChildProcess::read(void* data, size_t bytes) {
  constexpr int patience = 60000;  // ms
  char* p = static_cast<char*>(data);
  while (bytes > 0) {
    pollfd ready{pipe_, POLLIN, 0};
    const int events = ::poll(&ready, 1, patience);
    if (events < 0 && errno == EINTR) continue;
    if (events <= 0) return false;
    const ssize_t n = ::read(pipe_, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

bool ChildProcess::read(std::string& text) {
  constexpr size_t longest = 16 << 20;
  size_t size = 0;
  if (!read(size) || size > longest) return false;
  text.resize(size);
  return read(text.data(), size);
}

}  // namespace couplet::base
