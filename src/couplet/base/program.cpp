#include "couplet/base/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

extern char** environ;

namespace couplet::base {

ProgramOutput run_program(const std::vector<std::string>& words, const std::string& input) {
  std::array<int, 2> in{}, out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0) return {};
  if (::pipe2(out.data(), O_CLOEXEC) != 0) {
    ::close(in[0]), ::close(in[1]);
    return {};
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], 2);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int failed =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  if (failed != 0) {
    ::close(in[1]), ::close(out[0]);
    return {};
  }

  // Writing and reading in turn, whatever the program is ready for.
  ProgramOutput result;
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  ::fcntl(in[1], F_SETFL, O_NONBLOCK);
  size_t sent = 0;
  int to = in[1];
  for (std::array<char, 4096> block{};;) {
    if (to >= 0 && sent == input.size()) ::close(std::exchange(to, -1));
    std::array<pollfd, 2> ready{pollfd{out[0], POLLIN, 0}, pollfd{to, POLLOUT, 0}};
    if (::poll(ready.data(), 2, -1) < 0 && errno != EINTR) break;
    if (ready[1].revents != 0) {
      const ssize_t n = ::write(to, input.data() + sent, input.size() - sent);
      if (n > 0) sent += static_cast<size_t>(n);
      if (n < 0 && errno != EAGAIN && errno != EINTR) ::close(std::exchange(to, -1));
    }
    if (ready[0].revents != 0) {
      const ssize_t n = ::read(out[0], block.data(), block.size());
      if (n == 0 || (n < 0 && errno != EINTR)) break;
      if (n > 0) result.text.append(block.data(), static_cast<size_t>(n));
    }
  }
  if (to >= 0) ::close(to);
  ::close(out[0]);
  std::signal(SIGPIPE, old);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  while (!result.text.empty() && result.text.back() == '\n') result.text.pop_back();
  return result;
}

}  // namespace couplet::base
