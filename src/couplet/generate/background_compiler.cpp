#include "couplet/generate/background_compiler.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

extern char** environ;

namespace couplet::generate {
namespace {

namespace fs = std::filesystem;

/// FNV-1a twice with different starts: 128 bits name a file; its content is compared, too.
std::string hash_of(const std::string& text) {
  std::uint64_t a = 0xcbf29ce484222325ull, b = 0x9ae16a3b2f90404full;
  for (const unsigned char c : text) {
    a = (a ^ c) * 0x100000001b3ull;
    b = (b ^ c) * 0x100000001b3ull + 0x9e3779b97f4a7c15ull;
  }
  return fmt::format("{:016x}{:016x}", a, b);
}

/// The cache folder, made if it is missing. Throws when it is not private.
fs::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (cache && *cache == '/')
    folder = cache;
  else if (home && *home == '/')
    folder = fs::path(home) / ".cache";
  else
    throw std::runtime_error("there is no cache folder: neither XDG_CACHE_HOME nor HOME is set");
  folder /= "couplet";
  fs::create_directories(folder.parent_path());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw std::runtime_error("cannot make the cache folder " + folder.string());
  struct stat about {};
  if (lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid() ||
      (about.st_mode & 0077) != 0)
    throw std::runtime_error("the cache folder " + folder.string() + " is not private (0700)");
  return folder;
}

/// A name that nobody else writes to, in this process or another.
std::string part_of(const fs::path& path) {
  static std::atomic<int> count{0};
  return fmt::format("{}.{}-{}.part", path.string(), getpid(), count++);
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, const std::string& text) {
  const fs::path part = part_of(path);
  std::ofstream(part, std::ios::binary) << text;
  fs::rename(part, path);
}

/// Somebody compiles this library at present. A mark that is older than any compiler takes is
/// nobody's any more.
bool is_claimed(const fs::path& library) {
  using namespace std::chrono_literals;
  std::error_code absent;
  const auto since = fs::last_write_time(library.string() + ".busy", absent);
  return !absent && fs::file_time_type::clock::now() - since < 10min;
}

/// True for the first who asks: the others wait for his result.
bool claim(const fs::path& library) {
  const std::string mark = library.string() + ".busy";
  if (!is_claimed(library)) unlink(mark.c_str());
  const int file = open(mark.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return false;
  close(file);
  return true;
}

/// False when asked to stop.
bool wait_for_other(const fs::path& library, const std::stop_token& stop) {
  using namespace std::chrono_literals;
  while (is_claimed(library)) {
    if (stop.stop_requested()) return false;
    std::this_thread::sleep_for(3ms);
  }
  return true;
}

/// Compiles to a name of its own and renames: a library is there whole or not at all. The shell
/// does both, so that it also happens when this process has ended.
pid_t start_compiler(const std::vector<std::string>& flags, const fs::path& source,
                     const fs::path& library) {
  const char* wish = std::getenv("COUPLET_CC");
  const std::string part = part_of(library);
  std::vector<std::string> words{
      "sh",
      "-c",
      "umask 077; renice -n 10 $$; cc=$1; part=$2; out=$3; src=$4; shift 4; "
      "if \"$cc\" -O2 -std=c99 -fPIC -shared \"$@\" -o \"$part\" \"$src\" -lm; "
      "then mv -f \"$part\" \"$out\"; rm -f \"$out.busy\"; "
      "else rm -f \"$part\" \"$out.busy\"; exit 1; fi",
      "couplet",
      wish && *wish ? wish : "cc",
      part,
      library.string(),
      source.string()};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (const int fd : {1, 2})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, "sh", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) {
    unlink((library.string() + ".busy").c_str());  // nobody has to wait for it
    throw std::runtime_error("cannot start the C compiler");
  }
  return child;
}

/// False when asked to stop; the compiler then goes on by itself.
bool wait_for(pid_t child, const std::stop_token& stop) {
  using namespace std::chrono_literals;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (stop.stop_requested()) return false;
    std::this_thread::sleep_for(3ms);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("there is no C compiler, or it failed");
  return true;
}

}  // namespace

BackgroundCompiler::BackgroundCompiler(std::string source, std::vector<std::string> flags)
    : source_(std::move(source)),
      flags_(std::move(flags)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

BackgroundCompiler::~BackgroundCompiler() {
  thread_.request_stop();
  thread_.join();
  if (library_) dlclose(library_);
}

void* BackgroundCompiler::find(const char* name) const {
  return status() == Status::ready ? dlsym(library_, name) : nullptr;
}

void BackgroundCompiler::work(const std::stop_token& stop) {
  try {
    run(stop);
  } catch (const std::exception& error) {
    reason_ = error.what();
  }
  status_.store(library_ ? Status::ready : Status::unavailable, std::memory_order_release);
  status_.notify_all();
}

void BackgroundCompiler::run(const std::stop_token& stop) {
  const fs::path folder = cache_folder();
  std::string key = source_;
  for (const std::string& flag : flags_) key += "\n" + flag;
  const fs::path stem = folder / hash_of(key);
  const fs::path source = stem.string() + ".c", library = stem.string() + ".so";
  if (read_file(source) == source_ && load(library)) return;
  bool is_done = false;
  if (claim(library)) {
    write_file(source, source_);
    is_done = wait_for(start_compiler(flags_, source, library), stop);
  } else {
    is_done = wait_for_other(library, stop);
  }
  if (is_done && !load(library)) throw std::runtime_error("the C compiler failed");
}

bool BackgroundCompiler::load(const std::string& library) {
  struct stat about {};
  if (lstat(library.c_str(), &about) != 0 || about.st_uid != geteuid()) return false;
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library_ != nullptr;
}

}  // namespace couplet::generate
