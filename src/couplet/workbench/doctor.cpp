#include "couplet/workbench/doctor.hpp"

#include <fmt/format.h>
#include <sundials/sundials_config.h>
#include <unistd.h>

#include <Eigen/Core>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>
#include <thread>

#include "couplet/base/files.hpp"
#include "couplet/base/program.hpp"
#include "couplet/dynamics/minimal/kernels.hpp"
#include "couplet/generate/background_compiler.hpp"
#include "couplet/results/format.hpp"
#include "couplet/results/plot/png.hpp"

namespace couplet::workbench {
namespace {

namespace fs = std::filesystem;
using Fact = DoctorReport::Fact;
using Part = DoctorReport::Part;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

std::vector<Fact> facts() {
  const std::string kernels = dynamics::kernels().name;
  const std::string forced =
      environment("COUPLET_ISA").empty() ? "" : ", COUPLET_ISA=" + environment("COUPLET_ISA");
  return {
      {"version", COUPLET_VERSION},
      {"compiler",
       fmt::format("g++ {}, C++{}, {}", __VERSION__, __cplusplus / 100 % 100, COUPLET_BUILD_TYPE)},
      {"processor",
       fmt::format("{}, {} threads", processor(), std::thread::hardware_concurrency())},
      {"kernels",
       kernels + (kernels == "portable" ? " (no AVX2, or switched off" + forced + ")" : forced)},
      {"Eigen",
       fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"fmt",
       fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"HDF5", results::hdf5_version()},
      {"SUNDIALS", SUNDIALS_VERSION},
      {"yaml-cpp", COUPLET_YAML_CPP_VERSION},
      {"pugixml", fmt::format("{}.{}", PUGIXML_VERSION / 1000, PUGIXML_VERSION / 10 % 100)}};
}

Part c_compiler() {
  const std::string name = environment("CC").empty() ? "cc" : environment("CC");
  const base::ProgramOutput output = base::run_program({name, "--version"});
  return {"C compiler", "force plug-ins", output.status == 0,
          output.status == 0 ? first_line(output.text) : name + " does not run",
          "apt install gcc, or set CC"};
}

// Compiles, or finds in the cache, and loads: all that `generated` needs. Not for long.
Part generated_code() {
  using namespace std::chrono_literals;
  using generate::BackgroundCompiler;
  const std::string name =
      environment("COUPLET_CC").empty() ? "cc" : "COUPLET_CC=" + environment("COUPLET_CC");
  Part part{"generated code", "formalisms generated, fast", false, name + ": ",
            "apt install gcc, or set COUPLET_CC; until then these run on the tape"};
  const BackgroundCompiler compiler("int couplet_doctor(void) { return 42; }\n", {});
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (compiler.status() == BackgroundCompiler::Status::compiling &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(5ms);
  const auto status = compiler.status();
  part.found = status == BackgroundCompiler::Status::ready;
  part.detail += part.found                                        ? "compiled and loaded"
                 : status == BackgroundCompiler::Status::compiling ? "not done after 10 s"
                                                                   : first_line(compiler.reason());
  return part;
}

Part png() {
  const auto converter = results::find_png_converter();
  return {"rsvg-convert", "plots as PNG", converter.has_value(), converter.value_or(""),
          "apt install librsvg2-bin"};
}

Part modelica_path() {
  const std::string path = environment("MODELICAPATH");
  Part part{"MODELICAPATH", "Modelica libraries", !path.empty(), path,
            "export MODELICAPATH=/folder/of/the/libraries"};
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code ignored;
    if (folder.empty() || fs::is_directory(folder, ignored)) continue;
    part.found = false;
    part.detail = "there is no folder " + folder;
  }
  return part;
}

// Writes a result and reads it back: the disk, the library and the child process that reads.
Part result_files() {
  Part part{"result files", "written and read back", false, "",
            "set TMPDIR to a folder that can be written to"};
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  std::string own = (folder / "couplet-doctor-XXXXXX").string();  // nobody else's, no link
  const fs::path path = fs::path(::mkdtemp(own.data()) ? own : "none") / "a.h5";
  try {
    const auto writer = results::make_writer(path, {{"t", "s"}}, {}, false);
    writer->append(std::vector<double>{0, 1, 2});
    writer->close();
    part.found = results::read_result(path).rows() == 3;
    part.detail = "HDF5 in " + folder.string();
  } catch (const std::exception& failure) {
    part.detail = first_line(failure.what());
  }
  fs::remove_all(own, error);
  return part;
}

Part cache_folder() {
  Part part{"cache folder", "compiled models, flat Modelica classes", true, "",
            "set XDG_CACHE_HOME to a folder of your own"};
  try {
    for (const char* purpose : {"compiled", "flat"}) {
      const fs::path folder = base::make_cache_folder(purpose);
      part.detail = folder.parent_path().string();
      const base::TemporaryFile can_be_written(folder / "doctor");
    }
  } catch (const std::exception& failure) {
    part.found = false;
    part.detail = first_line(failure.what());
  }
  return part;
}

// Engines to compare with: their shared libraries, where Debian puts them.
Part peers() {
  const std::vector<std::pair<std::string, std::string>> engines = {
      {"Simbody", "libSimTKsimbody.so"},
      {"MuJoCo", "libmujoco.so"},
      {"DART", "libdart.so"},
      {"KDL", "liborocos-kdl.so"},
      {"Bullet", "libBulletDynamics.so"}};
  std::string found, missing;
  for (const auto& [name, library] : engines) {
    bool there = false;
    std::error_code ignored;
    for (const char* folder : {"/usr/lib", "/usr/local/lib", COUPLET_LIBRARY_FOLDER})
      there = there || fs::exists(fs::path(folder) / library, ignored);
    std::string& list = there ? found : missing;
    list += (list.empty() ? "" : ", ") + name;
  }
  return {"other engines", "benchmarks and cross-checks", missing.empty(),
          found.empty() ? "none" : found + (missing.empty() ? "" : "; not " + missing),
          "make bench-peers"};
}

}  // namespace

DoctorReport examine() {
  return {facts(),
          {result_files(), c_compiler(), generated_code(), png(), modelica_path(), cache_folder(),
           peers()}};
}

}  // namespace couplet::workbench
