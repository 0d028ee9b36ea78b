// Diagnostics: what is wrong, where, and how to fix it. Readers collect as many as they can find
// and throw them together as one UserError; the command line prints them and exits with status 2.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace couplet::base {

/// The name of a file as messages show it, or none. Every element of a model has one, so it takes
/// four bytes; the names themselves stay until the program ends.
class FileName {
 public:
  FileName() = default;
  template <std::convertible_to<std::string_view> T>
  FileName(const T& name) : number_(number_of(name)) {}  // NOLINT: it is one
  FileName(std::nullptr_t) = delete;
  explicit operator bool() const { return number_ != 0; }
  const std::string& operator*() const;
  bool operator==(const FileName&) const = default;

 private:
  static uint32_t number_of(std::string_view name);
  uint32_t number_ = 0;
};

/// A place in a text file. Lines and columns count from 1; 0 means unknown.
struct SourceLocation {
  FileName file;
  int line = 0;
  int column = 0;

  std::string str() const;  // "robot.yaml:12:7", or as much of it as is known
};

enum class Severity { warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  SourceLocation where;
  std::string what;  // one sentence, names the element
  std::string fix;   // what to write instead; may be empty

  std::string str() const;  // "file:1:2: error: what\n  fix: ..."
};

/// The input is wrong: exit status 2. Carries every diagnostic that was found.
class UserError : public std::runtime_error {
 public:
  explicit UserError(std::vector<Diagnostic> diagnostics);
  UserError(SourceLocation where, std::string what, std::string fix = {});
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// The computation failed on valid input: exit status 1. Names the element and the time.
class ComputationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Collects diagnostics while a file is read, so that the user sees all of them at once.
class Diagnostics {
 public:
  void error(SourceLocation where, std::string what, std::string fix = {});
  void warning(SourceLocation where, std::string what, std::string fix = {});
  bool has_errors() const { return errors_ > 0; }
  bool full() const { return errors_ >= max_errors; }  // readers stop here
  const std::vector<Diagnostic>& list() const { return list_; }
  void append(const Diagnostics& other);
  void check() const;  // throws UserError when there are errors

  static constexpr int max_errors = 50;

 private:
  std::vector<Diagnostic> list_;
  int errors_ = 0;
};

/// Our own mistake: the claim that does not hold, with its place in our source.
void ensure(bool holds, std::string_view claim, const char* file = __builtin_FILE(),
            int line = __builtin_LINE());

}  // namespace couplet::base
