#include "couplet/workbench/test_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "couplet/base/text.hpp"
#include "couplet/results/tube.hpp"

namespace couplet::workbench {
namespace {

namespace fs = std::filesystem;

struct Reference {
  std::vector<std::string> names;  // that are compared, without the time
  std::vector<double> times;
  std::vector<std::vector<double>> columns;  // of names
  double start = 0, stop = 1, interval = 0, tolerance = 1e-6;
};

std::vector<std::string> split_header(const std::string& line) {
  std::vector<std::string> names;
  std::string now;
  bool in_quotes = false;
  for (const char c : line) {
    if (c == '"')
      in_quotes = !in_quotes;
    else if (c == ',' && !in_quotes)
      names.push_back(std::exchange(now, {}));
    else if (c != '\r')
      now += c;
  }
  names.push_back(now);
  return names;
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

Reference read_reference(const fs::path& folder, const std::string& model) {
  Reference r;
  std::ifstream settings(folder / "creation.txt");
  for (std::string line; std::getline(settings, line);) {
    line = without_blanks(line);
    const size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = line.substr(0, equals);
    const double v = std::strtod(line.c_str() + equals + 1, nullptr);
    if (key == "StartTime") r.start = v;
    if (key == "StopTime") r.stop = v;
    if (key == "Interval") r.interval = v;
    if (key == "Tolerance") r.tolerance = v;
  }
  const fs::path path = folder / (model.substr(model.rfind('.') + 1) + ".csv");
  std::ifstream table(path);
  std::string line;
  if (!std::getline(table, line))
    throw base::UserError({path.string(), 0, 0}, "this reference cannot be read");
  const std::vector<std::string> header = split_header(line);
  std::ifstream list(folder / "comparisonSignals.txt");
  std::vector<size_t> places;
  for (std::string name; std::getline(list, name);) {
    while (!name.empty() && (name.back() == '\r' || name.back() == ' ')) name.pop_back();
    const auto found = std::find(header.begin(), header.end(), name);
    if (name.empty() || name == "time" || name == "Time" || found == header.end()) continue;
    r.names.push_back(without_blanks(name));
    places.push_back(static_cast<size_t>(found - header.begin()));
  }
  r.columns.resize(r.names.size());
  std::vector<double> row(header.size());
  while (std::getline(table, line)) {
    const char* at = line.c_str();
    size_t n = 0;
    for (char* end = nullptr; n < row.size(); ++n) {
      row[n] = std::strtod(at, &end);
      if (end == at) break;
      at = *end == ',' ? end + 1 : end;
    }
    if (n < row.size()) continue;
    r.times.push_back(row[0]);
    for (size_t i = 0; i < places.size(); ++i) r.columns[i].push_back(row[places[i]]);
  }
  return r;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void compare(const Reference& reference, const results::Recording& recording, ReferenceTest& test) {
  const std::vector<double> times = recording.column(0);
  test.outcome = ReferenceTest::Outcome::passed;
  for (size_t i = 0; i < reference.names.size(); ++i) {
    const auto column = recording.find(reference.names[i]);
    if (!column) continue;
    const results::TubeResult r = results::compare_with_tube(reference.times, reference.columns[i],
                                                             times, recording.column(*column));
    if (!r.inside) test.outcome = ReferenceTest::Outcome::differs;
    if (r.worst > test.error || test.worst.empty()) {
      test.error = r.worst;
      test.worst = reference.names[i];
      test.at = r.time;
    }
  }
}

// Whether a difference is one of the integration here: the same with a smaller tolerance.
std::string tell_convergence(const LoadedModelica& loaded, const Reference& reference,
                             simulate::RunOptions options, double error) {
  constexpr double finer = 1e-2;
  options.tolerance.relative *= finer;
  options.tolerance.absolute *= finer;
  simulate::Simulation simulation(make_subject(loaded), options);
  ReferenceTest again;
  compare(reference, simulate::record(simulation), again);
  return fmt::format("with a hundredth of the tolerance the error is {:.3g}: {}", again.error,
                     std::abs(again.error - error) < 0.1 * error
                         ? "the motion here does not depend on the tolerance"
                         : "the motion depends on the tolerance");
}

void run(ModelicaClass& package, const fs::path& folder, const std::string& integrator,
         ReferenceTest& test) {
  auto clock = std::chrono::steady_clock::now();
  const Reference reference = read_reference(folder, test.model);
  const LoadedModelica loaded = load_modelica(package, test.model);
  simulate::Subject subject = make_subject(loaded);
  test.translation = seconds_since(clock);
  test.states = loaded.model->count_freedoms();
  test.systems = dynamic_cast<equations::EquationProblem&>(*subject.problem).program().systems();
  test.outcome = ReferenceTest::Outcome::failed;
  simulate::RunOptions options;
  options.integrator = integrator;
  options.t_end = reference.times.empty() ? reference.stop : reference.times.back();
  options.tolerance = {reference.tolerance, reference.tolerance};
  options.interval =
      options.t_end > 0 ? std::max(reference.interval, options.t_end / 20000) : 0.001;
  std::vector<std::string> known;
  for (size_t i = 0; i < subject.observables->size(); ++i)
    known.push_back(subject.observables->at(i).name);
  std::sort(known.begin(), known.end());
  for (const std::string& name : reference.names) {
    ++test.signals;
    if (std::binary_search(known.begin(), known.end(), name))
      options.record.push_back(name);
    else
      ++test.missing;
  }
  if (options.record.empty()) options.record.emplace_back("t");
  clock = std::chrono::steady_clock::now();
  simulate::Simulation simulation(std::move(subject), options);
  simulate::Summary summary;
  const results::Recording recording = simulate::record(simulation, &summary);
  test.simulation = seconds_since(clock);
  test.evaluations = summary.counts.evaluations + summary.counts.residuals;
  test.steps = summary.counts.steps;
  test.events = summary.counts.events;
  const auto ending = summary.outcome.ending;
  compare(reference, recording, test);
  if (ending == integrate::Ending::failed || ending == integrate::Ending::interrupted) {
    test.outcome = ReferenceTest::Outcome::failed;
    test.message = fmt::format("at t = {:.6g} s: {}", summary.t_end, summary.outcome.message);
  } else if (test.outcome == ReferenceTest::Outcome::differs) {
    test.message = tell_convergence(loaded, reference, options, test.error);
  }
}

}  // namespace

const char* name_of(ReferenceTest::Outcome outcome) {
  switch (outcome) {
    case ReferenceTest::Outcome::passed:
      return "passed";
    case ReferenceTest::Outcome::differs:
      return "differs";
    case ReferenceTest::Outcome::failed:
      return "failed";
    case ReferenceTest::Outcome::refused:
      return "refused";
  }
  return "";
}

std::vector<ReferenceTest> test_library(const std::string& package, const std::string& folder,
                                        const std::string& integrator,
                                        const std::function<void(const ReferenceTest&)>& report) {
  if (folder.empty())
    throw base::UserError({}, "nothing is there to compare with",
                          "give `reference` a folder with a folder for each model");
  std::error_code failed;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && (name == package || name.starts_with(package + ".")))
      names.push_back(name);
  }
  if (names.empty())
    throw base::UserError(
        {folder, 0, 0},
        fmt::format("no results of models below {} are here", base::quoted(package)),
        "give `reference` a folder with a folder for each model");
  std::sort(names.begin(), names.end());
  ModelicaClass found(package);
  std::vector<ReferenceTest> tests;
  for (const std::string& name : names) {
    ReferenceTest test;
    test.model = name;
    try {
      run(found, fs::path(folder) / name, integrator, test);
    } catch (const base::UserError& error) {
      test.message = error.diagnostics().empty() ? error.what() : error.diagnostics().front().str();
    } catch (const std::exception& error) {
      test.message = error.what();
    }
    if (report) report(test);
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace couplet::workbench
