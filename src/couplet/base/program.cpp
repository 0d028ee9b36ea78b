#include "couplet/base/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

extern char** environ;

namespace couplet::base {
namespace {

/// Takes the actions over. -1: it could not be started.
pid_t spawn(const std::vector<std::string>& words, posix_spawn_file_actions_t& actions) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int failed =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return failed ? -1 : child;
}

}  // namespace

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
  const pid_t child = spawn(words, actions);
  ::close(in[0]);
  ::close(out[1]);
  if (child < 0) {
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

pid_t start_program(const std::vector<std::string>& words, int kept) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (const int file : {1, 2})
    ::posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, kept, 3);
  return spawn(words, actions);
}

std::optional<int> find_status(pid_t program) {
  int status = 0;
  if (::waitpid(program, &status, WNOHANG) == 0) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool has_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((std::filesystem::path(folder) / name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace couplet::base
