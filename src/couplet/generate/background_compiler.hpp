// Compiles C in the background and loads the result; what was compiled once is found in the user's
// cache folder ($XDG_CACHE_HOME or ~/.cache, then couplet/compiled/), under the hash of its
// content.
//
// The folder is private (0700), files appear there by renaming, and before a library is loaded the
// source beside it is compared, and its SHA-256 with the one that was taken when it was compiled. A
// process that ends does not stop its compiler: the next one finds the result. COUPLET_CC names
// another compiler than `cc`; it is ended after ten minutes (COUPLET_CC_SECONDS).
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace couplet::generate {

class BackgroundCompiler {
 public:
  enum class Status { compiling, ready, unavailable };

  /// Whether there is a program of the compiler's name at all; it may fail nevertheless.
  static bool is_installed();

  /// Starts at once. `flags` come after -O2 -std=c99 -fPIC -shared.
  BackgroundCompiler(std::string source, std::vector<std::string> flags);
  ~BackgroundCompiler();
  BackgroundCompiler(const BackgroundCompiler&) = delete;
  BackgroundCompiler& operator=(const BackgroundCompiler&) = delete;

  Status status() const { return status_.load(std::memory_order_acquire); }
  void wait() const { status_.wait(Status::compiling); }
  /// When ready: a function by its name. The library stays loaded as long as this object lives.
  void* find(const char* name) const;
  /// When unavailable: why.
  const std::string& reason() const { return reason_; }

 private:
  void work(const std::stop_token& stop);
  void run(const std::stop_token& stop);
  bool load(const std::string& library);

  std::string source_;
  std::vector<std::string> flags_;
  void* library_ = nullptr;
  std::string reason_;
  std::atomic<Status> status_{Status::compiling};
  std::jthread thread_;  // last: starts when the rest is there
};

}  // namespace couplet::generate
