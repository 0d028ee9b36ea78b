// What recording costs an integration loop: rows of 75 numbers through RowStream to a file, as fast
// as a loop can make them.
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "couplet/results/row_stream.hpp"
#include "program.hpp"

namespace couplet::bench {
namespace {

constexpr size_t columns = 75;

struct Cost {
  double loop_ns = 0;  // CPU time of the loop, per row: filling it, handing it over
  double all_ns = 0;   // and of the writer
};

double process_cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Cost record(const std::filesystem::path& path, size_t rows) {
  std::vector<results::Signal> signals{{"t", "s"}};
  for (size_t i = 1; i < columns; ++i) signals.push_back({"x" + std::to_string(i), "m"});
  results::RowStream stream(results::make_writer(path, signals, {}, true), columns);
  const double loop = thread_cpu_seconds(), all = process_cpu_seconds();
  for (size_t k = 0; k < rows; ++k) {
    double* row = stream.row();
    for (size_t i = 0; i < columns; ++i)
      row[i] = static_cast<double>(k) * 1e-3 + static_cast<double>(i);
    stream.commit();
  }
  const auto n = static_cast<double>(rows);
  const double loop_ns = 1e9 * (thread_cpu_seconds() - loop) / n;
  stream.close();
  return {loop_ns, 1e9 * (process_cpu_seconds() - all) / n};
}

void print(const std::string& row, const char* metric, double value, double target) {
  std::printf(
      R"({"suite": "results", "row": "%s", "metric": "%s", "value": %.1f, "target": %.1f, "ok": %s})"
      "\n",
      row.c_str(), metric, value, target, value <= target ? "true" : "false");
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("couplet", COUPLET_VERSION, argc, argv);
  if (!program.timing() || !program.wants("recording", "results")) return 0;
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  for (const char* ending : {".h5", ".csv"}) {
    const bool csv = ending == std::string(".csv");
    const std::filesystem::path path =
        folder / ("couplet-bench-" + std::to_string(::getpid()) + ending);
    const Cost cost = record(path, csv ? 30'000 : 300'000);
    std::filesystem::remove(path);
    const std::string row = std::string("75 numbers to ") + ending;
    print(row, "loop, CPU ns per row", cost.loop_ns, 200);
    // The system copies 600 bytes to its page cache; text is made at 50 to 100 ns a number.
    print(row, "loop and writer, CPU ns per row", cost.all_ns, csv ? 8000 : 700);
  }
}
