// The Modelica front end against its limits: how each pass grows with the model, memory, and, where
// MODELICAPATH has the Modelica Standard Library, its examples. Prints finished rows for
// tools/bench.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "couplet/modelica/translate.hpp"

namespace couplet::bench {
namespace {

using namespace modelica;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void print_row(const std::string& row, const std::string& metric, double value, double target) {
  std::printf(
      R"({"suite": "modelica", "row": "%s", "metric": "%s", "value": %.4g, "target": %g, "ok": %s})"
      "\n",
      row.c_str(), metric.c_str(), value, target, value <= target ? "true" : "false");
  std::fflush(stdout);
}

std::map<std::string, double> pass_times(int n) {
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_file(COUPLET_SOURCE_DIR "/models/modelica/Chain.mo");
  library.add_text("chain.mo", "model M extends Chain.Main(n = " + std::to_string(n) + "); end M;");
  std::map<std::string, double> lowest;
  for (int round = 0; round < 2; ++round) {
    std::vector<PassTime> times;
    if (!check(library, "M", {.times = &times}).balanced()) std::exit(1);
    for (const PassTime& t : times) {
      const auto [place, first] = lowest.emplace(t.name, t.seconds);
      if (!first) place->second = std::min(place->second, t.seconds);
    }
  }
  return lowest;
}

// n log n has an exponent of 1.12 between these lengths; caches that are left behind add some.
void growth() {
  const std::map<std::string, double> small = pass_times(1000), large = pass_times(16000);
  for (const auto& [name, seconds] : small)
    if (seconds > 2e-4)  // what is shorter measures the clock
      print_row("chain 1000..16000", name + " exponent",
                std::log(large.at(name) / seconds) / std::log(16), 1.35);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  print_row("chain 16000", "peak MB", static_cast<double>(usage.ru_maxrss) / 1024, 500);
}

std::string find_msl() {
  const char* path = std::getenv("MODELICAPATH");
  std::istringstream all(path ? path : "");
  for (std::string one; std::getline(all, one, ':');)
    if (std::filesystem::exists(one + "/Modelica/package.mo")) return one;
  return {};
}

void parse_all(const std::string& msl) {
  const double start = cpu_seconds();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(msl)) {
    if (entry.path().extension() != ".mo") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    base::Diagnostics diagnostics;
    parse(entry.path().string(), std::move(text).str(), diagnostics, {.annotations = true});
  }
  print_row("MSL", "read and parse all, s", cpu_seconds() - start, 3);
}

void examples(const std::string& msl) {
  struct Limit {
    const char* name;
    double warm;  // s
  };
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_path(msl);
  for (const Limit& e : {Limit{"Elementary.Pendulum", 0.1}, Limit{"Systems.RobotR3.FullRobot", 0.4},
                         Limit{"Loops.EngineV6", 1}}) {
    const std::string name = std::string("Modelica.Mechanics.MultiBody.Examples.") + e.name;
    double start = cpu_seconds();
    flatten(library, name);
    print_row(e.name, "flatten, cold, s", cpu_seconds() - start, e.warm);
    start = cpu_seconds();
    flatten(library, name);
    print_row(e.name, "flatten, warm, s", cpu_seconds() - start, e.warm);
  }
}

// The options of all benchmark programs; only these two matter here.
bool is_wanted(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--suite" && value != "modelica") return false;
    if (option == "--repetitions" && value == "0") return false;
  }
  return true;
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  if (!is_wanted(argc, argv)) return 0;
  const std::string msl = find_msl();
  if (msl.empty()) {
    std::fprintf(stderr, "no Modelica Standard Library on MODELICAPATH: its rows are left out\n");
  } else {
    examples(msl);
    parse_all(msl);
  }
  growth();
}
