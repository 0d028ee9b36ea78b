#include "couplet/modelica/library/cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <system_error>

#include "couplet/base/files.hpp"
#include "couplet/base/hash.hpp"

namespace couplet::modelica {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view magic = "couplet cache 1\n";  // the number changes with the format
constexpr size_t most_entries = 400;

// Size and time of last change; of a directory the time alone, which changes with its entries.
struct Stamp {
  uint64_t size = 0;
  int64_t time = INT64_MIN;  // ns; the least: not there
  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const fs::path& path) {
  std::error_code failed;
  const auto time = fs::last_write_time(path, failed);
  if (failed) return {};
  const bool is_file = fs::is_regular_file(path, failed);
  return {is_file ? fs::file_size(path, failed) : 0,
          std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count()};
}

bool is_recent(const Stamp& s) {
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
      fs::file_time_type::clock::now().time_since_epoch());
  return s.time != INT64_MIN && now.count() - s.time < 2'000'000'000;
}

void put(std::string& out, uint64_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void put(std::string& out, std::string_view text) {
  put(out, text.size());
  out += text;
}

class Reader {
 public:
  explicit Reader(std::string_view data) : rest_(data) {}
  uint64_t number() {
    uint64_t n = 0;
    const std::string_view bytes = take(sizeof n);
    if (bytes.size() == sizeof n) std::memcpy(&n, bytes.data(), sizeof n);
    return n;
  }
  std::string_view text() { return take(number()); }
  bool good() const { return good_; }

 private:
  std::string_view take(uint64_t size) {
    if (size > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

std::optional<Cache> Cache::of_user() {
  const char* wish = std::getenv("COUPLET_CACHE");
  if (wish && std::string_view(wish) == "off") return {};
  try {
    return Cache(base::make_cache_folder("flat"));
  } catch (const std::exception&) {  // it only saves time
    return {};
  }
}

fs::path Cache::file_of(const std::string& key) const {
  return folder_ / (base::name_of_content(key) + ".flat");
}

std::optional<std::string> Cache::find(const std::string& key) const {
  const auto read = base::try_read_file(file_of(key), uintmax_t{1} << 30);
  if (!std::holds_alternative<std::string>(read)) return {};
  const std::string& data = std::get<std::string>(read);
  if (!data.starts_with(magic) || data.size() < magic.size() + 8) return {};
  const std::string_view body(data.data(), data.size() - 8);
  uint64_t sum = 0;
  std::memcpy(&sum, data.data() + body.size(), 8);
  if (sum != base::hash(body)) return {};
  Reader reader(body.substr(magic.size()));
  if (reader.text() != key) return {};
  for (uint64_t n = reader.number(); n > 0 && reader.good(); --n) {
    const fs::path path = std::string(reader.text());
    const uint64_t size = reader.number();
    const auto time = static_cast<int64_t>(reader.number());
    if (stamp_of(path) != Stamp{size, time}) return {};
  }
  const std::string_view content = reader.text();
  if (!reader.good()) return {};
  return std::string(content);
}

void Cache::store(const std::string& key, const std::string& content,
                  const std::vector<fs::path>& made_from) const {
  std::string data(magic);
  put(data, key);
  const std::set<fs::path> paths(made_from.begin(), made_from.end());
  put(data, paths.size());
  for (const fs::path& path : paths) {
    const Stamp s = stamp_of(path);
    if (is_recent(s)) return;
    put(data, path.string());
    put(data, s.size);
    put(data, static_cast<uint64_t>(s.time));
  }
  put(data, content);
  put(data, base::hash(data));
  std::error_code failed;
  fs::create_directories(folder_, failed);
  try {
    base::write_file(file_of(key), data);
  } catch (const std::system_error&) {
    return;
  }
  forget_oldest();
}

void Cache::forget_oldest() const {
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  for (const auto& entry : fs::directory_iterator(folder_, failed))
    entries.emplace_back(entry.last_write_time(failed), entry.path());
  if (entries.size() <= most_entries) return;
  std::sort(entries.begin(), entries.end());
  for (size_t i = 0; i < entries.size() - most_entries * 3 / 4; ++i)
    fs::remove(entries[i].second, failed);
}

}  // namespace couplet::modelica
