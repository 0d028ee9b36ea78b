#include "couplet/generate/background_compiler.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "couplet/base/files.hpp"
#include "couplet/base/hash.hpp"
#include "couplet/base/program.hpp"
#include "couplet/base/sha256.hpp"

namespace couplet::generate {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_file = 1u << 30;

bool holds(const fs::path& path, const std::string& content) {
  const auto read = base::try_read_file(path, largest_file);
  const auto* text = std::get_if<std::string>(&read);
  return text && *text == content;
}

/// Closes a file at the end of its life.
struct Closed {
  int file;
  ~Closed() { close(file); }
};

std::string mark_of(const fs::path& library) { return library.string() + ".busy"; }

/// A lock on the mark of a library, or -1 while somebody else has it. Whoever compiles keeps it
/// open: it ends with him, however he ends.
int try_lock(const fs::path& library) {
  const std::string mark = mark_of(library);
  while (true) {
    const int file = open(mark.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) throw std::runtime_error("cannot write to the cache folder");
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      close(file);
      return -1;
    }
    struct stat ours {
    }, there{};
    if (fstat(file, &ours) == 0 && lstat(mark.c_str(), &there) == 0 && ours.st_ino == there.st_ino)
      return file;
    close(file);  // its last holder removed it meanwhile
  }
}

/// As it was compiled: loading one that was cut ends the process with SIGBUS, one that was altered
/// computes what it likes.
bool is_whole(const fs::path& library) {
  const auto read = base::try_read_file(library, largest_file);
  const auto* content = std::get_if<std::string>(&read);
  return content && holds(library.string() + ".sum", base::sha256(*content) + "  -\n");
}

std::string compiler_name() {
  const char* wish = std::getenv("COUPLET_CC");
  return wish && *wish ? wish : "cc";
}

/// Compiles to a name of its own and renames: a library is there whole or not at all. The shell
/// does both, so that it also happens when this process has ended; it has the lock from here on. A
/// compiler that hangs is ended.
pid_t start_compiler(const std::vector<std::string>& flags, const fs::path& source,
                     const fs::path& library, int lock) {
  const char* patience = std::getenv("COUPLET_CC_SECONDS");
  std::vector<std::string> words{
      "sh",
      "-c",
      "umask 077; renice -n 10 $$; cc=$1; out=$2; src=$3; time=$4; shift 4; part=$out.$$.part; "
      "if timeout -k 5 \"$time\" \"$cc\" -O2 -std=c99 -fPIC -shared \"$@\" -o \"$part\" \"$src\" "
      "-lm && sha256sum < \"$part\" > \"$part.sum\"; "
      "then mv -f \"$part.sum\" \"$out.sum\"; mv -f \"$part\" \"$out\"; rm -f \"$out.busy\"; "
      "else rm -f \"$part\" \"$part.sum\" \"$out.busy\"; exit 1; fi",
      "couplet",
      compiler_name(),
      library.string(),
      source.string(),
      patience && *patience ? patience : "600"};
  words.insert(words.end(), flags.begin(), flags.end());
  const pid_t child = base::start_program(words, lock);
  if (child < 0) {
    unlink(mark_of(library).c_str());
    throw std::runtime_error("cannot start the C compiler");
  }
  return child;
}

/// False when asked to stop; the compiler then goes on by itself.
bool wait_for(pid_t child, const std::stop_token& stop) {
  using namespace std::chrono_literals;
  std::optional<int> status;
  while (!(status = base::find_status(child))) {
    if (stop.stop_requested()) return false;
    std::this_thread::sleep_for(3ms);
  }
  if (*status != 0)
    throw std::runtime_error(BackgroundCompiler::is_installed() ? "the C compiler failed"
                                                                : "there is no C compiler");
  return true;
}

}  // namespace

bool BackgroundCompiler::is_installed() { return base::has_program(compiler_name()); }

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
  using namespace std::chrono_literals;
  const fs::path folder = base::make_cache_folder("compiled");
  std::string key = source_;
  for (const std::string& flag : flags_) key += "\n" + flag;
  const fs::path stem = folder / base::name_of_content(key);
  const fs::path source = stem.string() + ".c", library = stem.string() + ".so";
  const auto is_there = [&] { return holds(source, source_) && load(library); };
  if (is_there()) return;
  int lock = -1;
  while ((lock = try_lock(library)) <
         0) {  // the first who asks compiles, the others wait for his result
    if (stop.stop_requested()) return;
    std::this_thread::sleep_for(3ms);
  }
  const Closed at_the_end{lock};
  if (is_there()) {
    unlink(mark_of(library).c_str());
    return;
  }
  base::write_file(source, source_);
  const pid_t compiler = start_compiler(flags_, source, library, lock);
  if (wait_for(compiler, stop) && !load(library)) throw std::runtime_error("the C compiler failed");
}

bool BackgroundCompiler::load(const std::string& library) {
  struct stat about {};
  if (lstat(library.c_str(), &about) != 0 || about.st_uid != geteuid() || !is_whole(library))
    return false;
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library_ != nullptr;
}

}  // namespace couplet::generate
