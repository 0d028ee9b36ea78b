#include "couplet/results/plot/png.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/results/destination.hpp"

extern char** environ;

namespace couplet::results {
namespace {

struct Output {
  int status = -1;   // of the program; -1: it could not be started, or was killed
  std::string text;  // standard output and error
};

// Runs a program without a shell, feeding it `input`.
Output run(const std::vector<std::string>& words, const std::string& input) {
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
  const int failed = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  if (failed != 0) {
    ::close(in[1]), ::close(out[0]);
    return {};
  }

  // Writing and reading in turn, whatever the program is ready for.
  Output result;
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

}  // namespace

std::optional<std::string> find_png_converter() {
  const Output output = run({"rsvg-convert", "--version"}, "");
  return output.status == 0 ? std::optional(output.text) : std::nullopt;
}

void write_png(const std::string& svg, const std::filesystem::path& path, double scale) {
  if (!find_png_converter())
    throw base::UserError(place(path), "PNG pictures need the program rsvg-convert, which is not installed",
                          "install it (apt install librsvg2-bin), or write a .svg");
  const Output output =
      run({"rsvg-convert", "--format=png", fmt::format("--zoom={}", scale), "--output", path.string()}, svg);
  if (output.status != 0)
    throw base::UserError(place(path), "the picture cannot be written: " + output.text,
                          "check the folder, or write elsewhere with --out");
}

}  // namespace couplet::results
