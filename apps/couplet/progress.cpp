#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace couplet::app {
namespace {

/// Directly: what is printed has no control characters (terminal.hpp).
void draw(const std::string& text) {
  [[maybe_unused]] const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

Progress::Progress(double t_start, double t_end, bool wanted)
    : t_start_(t_start),
      t_end_(t_end),
      draws_(wanted && isatty(STDERR_FILENO)),
      began_(Clock::now()),
      next_(began_ + std::chrono::milliseconds(300)) {}

Progress::~Progress() {
  if (drawn_) draw("\r\033[K");
}

void Progress::update(double t) {
  if (!draws_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  constexpr int width = 40;
  const double part =
      t_end_ > t_start_ ? std::clamp((t - t_start_) / (t_end_ - t_start_), 0.0, 1.0) : 1;
  const double elapsed = std::chrono::duration<double>(now - began_).count();
  std::string bar(static_cast<size_t>(part * width), '#');
  bar.resize(width, '.');
  draw(fmt::format(
      "\r[{}] {:3.0f} %  t = {:.4g} s{}\033[K", bar, 100 * part, t,
      part > 0.005 ? fmt::format("  {} left", duration(elapsed * (1 - part) / part)) : ""));
  drawn_ = true;
}

}  // namespace couplet::app
