// Compiles C text with the system's compiler and loads it, for tests of generated code.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace couplet::symbolic {

class CompiledC {
 public:
  /// Warnings are errors: generated code is clean.
  explicit CompiledC(const std::string& text, const std::string& flags = "") {
    static int count = 0;
    const std::string stem = std::filesystem::temp_directory_path().string() + "/couplet_c_" +
                             std::to_string(getpid()) + "_" + std::to_string(count++);
    std::ofstream(stem + ".c") << text;
    const std::string command =
        "cc -std=c99 -O2 -ffp-contract=off -Wall -Wextra -Werror -fPIC "
        "-shared " +
        flags + " -o " + stem + ".so " + stem + ".c -lm 2>" + stem + ".log";
    if (std::system(command.c_str()) == 0) library_ = dlopen((stem + ".so").c_str(), RTLD_NOW);
    std::ifstream log(stem + ".log");
    log_.assign(std::istreambuf_iterator<char>(log), {});
    if (!library_ && log_.empty()) log_ = "cannot load";
    for (const char* end : {".c", ".so", ".log"}) std::filesystem::remove(stem + end);
  }
  ~CompiledC() {
    if (library_) dlclose(library_);
  }
  CompiledC(const CompiledC&) = delete;
  CompiledC& operator=(const CompiledC&) = delete;

  static bool is_available() { return std::system("cc --version >/dev/null 2>&1") == 0; }

  bool is_loaded() const { return library_ != nullptr; }
  const std::string& log() const { return log_; }
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

 private:
  void* library_ = nullptr;
  std::string log_;
};

}  // namespace couplet::symbolic
