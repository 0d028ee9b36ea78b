// Replays the corpus and tries seeded changes of it. The input that is running lies in a file, so
// it is there after a crash, a failed claim, or a hang.
#include <fcntl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "mutate.hpp"
#include "targets.hpp"

namespace couplet::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* usage =
    "usage: fuzz_… [--target NAME] [--together] [--seconds S] [--executions N] [--seed N] "
    "[--keep FILE] [FILE...]\n"
    "  replays the corpus of every target, then tries changed inputs, for S seconds or N times "
    "each,\n"
    "  with --together all targets at once; FILEs are replayed instead of the corpus\n";

// Seconds of the processor for one input. An endless loop of a function ends after 50 million
// steps: 2 s, with sanitizers twenty times as long.
#ifdef __SANITIZE_ADDRESS__
constexpr int longest = 300;
#else
constexpr int longest = 20;
#endif

// Ends the program when so much time is used; 0 stops the clock.
void end_after(int seconds) {
  const itimerval limit{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

struct Options {
  const Target* only = nullptr;
  bool together = false;
  double seconds = 2;   // per target
  long executions = 0;  // instead
  uint64_t seed = 1;
  std::string keep = "fuzz_input";
  std::vector<std::string> files;
};

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> list_files(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().ends_with(ending)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// A file of the language test suite, whose cases start at "# ".
void add_cases(const fs::path& file, std::vector<std::string>& corpus) {
  std::istringstream lines(read(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# "))
      corpus.emplace_back();
    else if (line.size() < 2 || line[1] != ' ' || !std::strchr(">~!?", line[0]))
      corpus.back() += line + "\n";
  }
}

std::vector<std::string> read_corpus(const Target& target) {
  const fs::path root = COUPLET_SOURCE_DIR;
  std::vector<std::string> corpus;
  const fs::path own = root / "verification/fuzz/corpus" / target.name;
  for (const fs::path& file : list_files(own, "")) corpus.push_back(read(file));
  if (target.more.empty()) return corpus;
  const bool cases = target.ending == ".cases";
  for (const fs::path& file : list_files(root / target.more, cases ? "" : target.ending)) {
    if (cases)
      add_cases(file, corpus);
    else
      corpus.push_back(read(file));
  }
  return corpus;
}

class Runner {
 public:
  explicit Runner(const Options& options)
      : file_(open(options.keep.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644)) {
    if (file_ >= 0) return;
    std::perror(options.keep.c_str());
    std::exit(2);
  }
  ~Runner() { close(file_); }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void run(const Target& target, const std::string& input) {
    if (ftruncate(file_, 0) != 0 || pwrite(file_, input.data(), input.size(), 0) < 0)
      std::perror("keeping the input");
    end_after(longest);
    target.run(input);
    end_after(0);
  }

 private:
  int file_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void fuzz(const Target& target, const Options& options) {
  Runner runner(options);
  if (!options.files.empty()) {
    for (const std::string& file : options.files) runner.run(target, read(file));
    return;
  }
  const std::vector<std::string> corpus = read_corpus(target);
  for (const std::string& input : corpus) runner.run(target, input);
  Random random(options.seed);
  long tried = 0;
  double slowest = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto goes_on = [&](double seconds) {
    return options.executions > 0 ? tried < options.executions : seconds < options.seconds;
  };
  for (double last = 0; goes_on(last); ++tried) {
    runner.run(target, mutate(corpus, words(), random));
    const double now = seconds_since(start);
    slowest = std::max(slowest, now - last);
    last = now;
  }
  std::printf("%s: %zu kept inputs, %ld changed ones, the slowest took %.2f s\n",
              std::string(target.name).c_str(), corpus.size(), tried, slowest);
  std::fflush(stdout);
}

// A process for each target, of low priority: a minute for all of them is a minute.
int fuzz_together(const Options& options) {
  nice(15);
  std::map<pid_t, std::string> running;  // where each keeps its input
  for (const Target& t : targets()) {
    Options own = options;
    own.keep += "_" + std::string(t.name);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) {
      std::perror("fork");
      return 2;
    }
    if (child == 0) {
      fuzz(t, own);
      unlink(own.keep.c_str());
      _exit(0);
    }
    running[child] = own.keep;
  }
  int worst = 0;
  for (int status = 0; !running.empty();) {
    const pid_t ended = wait(&status);
    if (status != 0) {
      std::fprintf(stderr, "a fault: its input is in %s\n", running[ended].c_str());
      worst = 1;
    }
    running.erase(ended);
  }
  return worst;
}

int run(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (!word.starts_with("--")) {
      options.files.push_back(word);
      continue;
    }
    if (word == "--together") {
      options.together = true;
      continue;
    }
    if (word == "--target" && value)
      options.only = find_target(value);
    else if (word == "--seconds" && value)
      options.seconds = std::atof(value);
    else if (word == "--executions" && value)
      options.executions = std::atol(value);
    else if (word == "--seed" && value)
      options.seed = std::strtoull(value, nullptr, 10);
    else if (word == "--keep" && value)
      options.keep = value;
    if (!value || (word == "--target" && !options.only)) {
      std::fputs(usage, stderr);
      for (const Target& t : targets())
        std::fprintf(stderr, "  %-12s %s\n", std::string(t.name).c_str(), t.doc.data());
      return 2;
    }
    ++i;
  }
  if (options.together) return fuzz_together(options);
  for (const Target& t : targets())
    if (!options.only || &t == options.only) fuzz(t, options);
  unlink(options.keep.c_str());
  return 0;
}

}  // namespace
}  // namespace couplet::fuzz

int main(int argc, char** argv) { return couplet::fuzz::run(argc, argv); }
