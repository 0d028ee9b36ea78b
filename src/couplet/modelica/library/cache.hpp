// Results on disk, so that asking the same again costs nearly nothing. An entry holds what it was
// made from: it counts only while none of those files and directories has changed. Damaged entries
// are as good as none; several programs may write at the same time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace couplet::modelica {

class Cache {
 public:
  explicit Cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// $XDG_CACHE_HOME/couplet/flat or ~/.cache/couplet/flat; nothing when there is no such folder
  /// that is private, or with COUPLET_CACHE=off.
  static std::optional<Cache> of_user();

  /// What was stored under `key`, when everything it depends on is as it was.
  std::optional<std::string> find(const std::string& key) const;

  /// Keeps `content`. Failure is no fault: the next time it is computed again. What changed within
  /// the last two seconds is not kept, because a second change might leave the same time stamp.
  void store(const std::string& key, const std::string& content,
             const std::vector<std::filesystem::path>& made_from) const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  void forget_oldest() const;

  std::filesystem::path folder_;
};

}  // namespace couplet::modelica
