#include "couplet/base/diagnostics.hpp"

#include <fmt/format.h>

#include <deque>
#include <mutex>
#include <unordered_map>

namespace couplet::base {
namespace {

struct FileNames {
  std::mutex mutex;
  std::deque<std::string> names{""};  // addresses stay
  std::unordered_map<std::string_view, uint32_t> numbers;

  static FileNames& all() {
    static FileNames names;
    return names;
  }
};

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) {
    if (!text.empty()) text += '\n';
    text += d.str();
  }
  return text;
}

}  // namespace

uint32_t FileName::number_of(std::string_view name) {
  FileNames& all = FileNames::all();
  const std::scoped_lock lock(all.mutex);
  if (const auto known = all.numbers.find(name); known != all.numbers.end()) return known->second;
  const auto number = static_cast<uint32_t>(all.names.size());
  all.numbers.emplace(all.names.emplace_back(name), number);
  return number;
}

const std::string& FileName::operator*() const {
  FileNames& all = FileNames::all();
  const std::scoped_lock lock(all.mutex);
  return all.names[number_];
}

std::string SourceLocation::str() const {
  std::string text = *file;
  if (line > 0) text += fmt::format(":{}", line);
  if (line > 0 && column > 0) text += fmt::format(":{}", column);
  return text;
}

std::string Diagnostic::str() const {
  std::string text = where.str();
  if (!text.empty()) text += ": ";
  text += severity == Severity::error ? "error: " : "warning: ";
  text += what;
  if (!fix.empty()) text += "\n  fix: " + fix;
  return text;
}

UserError::UserError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

UserError::UserError(SourceLocation where, std::string what, std::string fix)
    : UserError(std::vector<Diagnostic>{
          {Severity::error, std::move(where), std::move(what), std::move(fix)}}) {}

void Diagnostics::error(SourceLocation where, std::string what, std::string fix) {
  if (full()) return;
  list_.push_back({Severity::error, std::move(where), std::move(what), std::move(fix)});
  if (++errors_ == max_errors) list_.back().fix += "\n  (further errors are not shown)";
}

void Diagnostics::warning(SourceLocation where, std::string what, std::string fix) {
  list_.push_back({Severity::warning, std::move(where), std::move(what), std::move(fix)});
}

void Diagnostics::append(const Diagnostics& other) {
  for (const Diagnostic& d : other.list_) {
    if (d.severity == Severity::error) ++errors_;
    list_.push_back(d);
  }
}

void Diagnostics::check() const {
  if (has_errors()) throw UserError(list_);
}

void ensure(bool holds, std::string_view claim, const char* file, int line) {
  if (!holds) throw std::logic_error(fmt::format("{}:{}: this must hold: {}", file, line, claim));
}

}  // namespace couplet::base
