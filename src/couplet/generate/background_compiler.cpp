#include "couplet/generate/background_compiler.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "couplet/base/files.hpp"
#include "couplet/base/hash.hpp"

extern char** environ;

namespace couplet::generate {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_source = 1u << 30;

bool holds(const fs::path& path, const std::string& content) {
  const auto read = base::try_read_file(path, largest_source);
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

/// ELF: the table of sections is the last of the file. Loading one that was cut ends the process
/// with SIGBUS.
bool is_whole(const fs::path& library) {
  std::ifstream file(library, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return sizeof(void*) != 8;  // of another kind of machine: dlopen tells
  std::error_code failed;
  return header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize <=
             fs::file_size(library, failed) &&
         !failed;
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
      "-lm; "
      "then mv -f \"$part\" \"$out\"; rm -f \"$out.busy\"; "
      "else rm -f \"$part\" \"$out.busy\"; exit 1; fi",
      "couplet",
      compiler_name(),
      library.string(),
      source.string(),
      patience && *patience ? patience : "600"};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (const int fd : {1, 2})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, lock, 3);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, "sh", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) {
    unlink(mark_of(library).c_str());
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
    throw std::runtime_error(BackgroundCompiler::is_installed() ? "the C compiler failed"
                                                                : "there is no C compiler");
  return true;
}

}  // namespace

bool BackgroundCompiler::is_installed() {
  const std::string name = compiler_name();
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return true;
  return false;
}

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
