// Every reader of files that users and strangers write.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cmath>

#include "couplet/base/hash.hpp"
#include "couplet/formats/urdf.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/mechanics/simulation.hpp"
#include "couplet/modelica/tables/table.hpp"
#include "couplet/results/csv_reader.hpp"
#include "couplet/results/hdf5_reader.hpp"
#include "couplet/results/writer.hpp"
#include "couplet/symbolic/parse.hpp"
#include "couplet/symbolic/print.hpp"
#include "couplet/symbolic/tape.hpp"
#include "couplet/workbench/state_file.hpp"
#include "targets.hpp"

namespace couplet::fuzz {
namespace {

/// What a reader may say instead of an answer. Anything else ends the program.
template <class F>
void may_refuse(F&& read) {
  try {
    read();
  } catch (const base::UserError& error) {
    claim(*error.what() != 0, "a refusal says why");
  } catch (const base::ComputationError&) {
  }
}

/// A file that is on no disk.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : file_(memfd_create("fuzz", 0)) {
    claim(file_ >= 0 &&
              write(file_, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
          "there is memory for a file");
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

// A model that is read is compiled or refused, and starts at numbers.
void fuzz_model(const model::Model& model) {
  const model::Mechanism mechanism = model::compile(model);
  const model::State state = mechanism.default_state();
  claim(state.q.size() == mechanism.nq && state.v.size() == mechanism.nv, "a state has its size");
}

void fuzz_yaml(std::string_view input) {
  may_refuse([&] {
    base::Diagnostics warnings;
    fuzz_model(formats::read_yaml_text(std::string(input), "/nonexistent/fuzz.yaml", {}, warnings));
  });
}

void fuzz_urdf(std::string_view input) {
  may_refuse([&] {
    base::Diagnostics warnings;
    fuzz_model(formats::read_urdf_text(std::string(input), "/nonexistent/fuzz.urdf", {}, warnings));
  });
}

// What parses prints to text with the same meaning.
void fuzz_expression(std::string_view input) {
  may_refuse([&] {
    const symbolic::Expr e = symbolic::parse(input);
    constexpr std::size_t longest = 1 << 16;
    const std::string text = symbolic::print(e, longest + 1);
    if (text.size() > longest) return;
    claim(symbolic::parse(text) == e, "printed text is the same expression", text);
  });
}

std::shared_ptr<const model::Mechanism> load(const char* name) {
  base::Diagnostics warnings;
  return std::make_shared<const model::Mechanism>(model::compile(
      formats::read_yaml(std::string(COUPLET_SOURCE_DIR "/models/") + name, {}, warnings)));
}

void fuzz_state(std::string_view input) {
  static const auto mechanism = load("every_joint.yaml");
  may_refuse([&] {
    const workbench::StateInput state =
        workbench::read_state_text(std::string(input), "fuzz.json", *mechanism);
    claim(state.state.q.allFinite() && state.state.v.allFinite(), "states are numbers");
  });
}

void check_table(const results::Recording& recording) {
  claim(recording.columns() > 0 && recording.values.size() % recording.columns() == 0,
        "every row has all columns");
}

void fuzz_csv(std::string_view input) {
  const MemoryFile file(input);
  may_refuse([&] { check_table(results::read_csv(file.path())); });
}

void fuzz_csv_table(std::string_view input) {
  const MemoryFile file(input);
  may_refuse([&] {
    std::vector<int> lines;
    const results::Recording table = results::read_csv_table(file.path(), lines);
    check_table(table);
    claim(lines.size() == table.rows(), "every row has its line");
  });
}

// The library's text format, CSV and MATLAB: the reader looks which.
void fuzz_table_file(std::string_view input) {
  const MemoryFile file(input);
  may_refuse([&] {
    const modelica::tables::Matrix matrix =
        modelica::tables::read_table({.file = file.path(), .name = "a"});
    claim(matrix.values.size() == matrix.rows * matrix.columns, "the matrix is full");
  });
}

void fuzz_hdf5(std::string_view input) {
  const MemoryFile file(input);
  may_refuse([&] { check_table(results::read_hdf5(file.path())); });
}

struct NoWriter final : results::ResultWriter {
  void append(std::span<const double>) override {}
  void flush() override {}
  void close() override {}
};

// With the sum that belongs to it: the numbers then reach driver, problem and recorder.
void fuzz_checkpoint(std::string_view input) {
  static const auto mechanism = load("bouncing_ball.yaml");
  const std::string body(input.substr(0, std::min(input.rfind("end "), input.size())));
  char end[32];
  std::snprintf(end, sizeof end, "end %016llx\n",
                static_cast<unsigned long long>(base::hash(body)));
  const MemoryFile file(body + end);
  may_refuse([&] {
    const simulate::Checkpoint checkpoint = simulate::read_checkpoint(file.path());
    mechanics::RunOptions options;
    options.integrator = "dopri5";
    options.tolerance = {1e-6, 1e-6};
    options.t_end = 3;
    options.interval = 0.1;
    simulate::Simulation simulation = mechanics::make_simulation(mechanism, options);
    simulation.record_to(std::make_unique<NoWriter>());
    simulation.resume(checkpoint);
    simulation.run([](double) { return false; });  // a step
  });
}

constexpr std::string_view reader_words[] = {
    "couplet: 1\n",
    "name: ",
    "parameters: ",
    "bodies: ",
    "joints: ",
    "forces: ",
    "constraints: ",
    "tables: ",
    "states: ",
    "outputs: ",
    "subsystems: ",
    "when: ",
    "gravity: ",
    "type: ",
    "from: world",
    "to: ",
    "axis: ",
    "mass: ",
    "inertia: ",
    "com: ",
    "shape: {sphere: 1}",
    "points: ",
    "limits: ",
    "motion: ",
    "friction: ",
    "stiffness: ",
    "spherical",
    "free",
    "screw",
    "<link name=\"a\">",
    "</link>",
    "<joint name=\"j\" type=\"revolute\">",
    "</joint>",
    "<parent link=\"a\"/>",
    "<child link=\"b\"/>",
    "<mimic joint=\"j\"/>",
    "<origin xyz=\"0 0 1\" rpy=\"0 0 1\"/>",
    "<!--",
    "-->",
    "&amp;",
    "&#155;",
    "<![CDATA[",
    "sin(",
    "if ",
    " then ",
    " else ",
    " and ",
    "min(",
    "atan2(",
    "sqrt(",
    "der(",
    "t",
    "q",
    "pi",
    "&a",
    "*a",
    "!!str ",
    "? ",
    "- ",
    ": ",
    "|\n",
    ">\n",
    "---\n",
    "~",
    "null",
    "true",
    "nan",
    "inf",
    "-0",
    "0",
    "1",
    "-1",
    "1e308",
    "1e-308",
    "1e999",
    "99999999999999999999",
    "0x1p-1074",
    "0x1p1023",
    "18446744073709551615",
    "deg",
    " kg*m^2",
    "'",
    "\"",
    "\\",
    "\\u0000",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    ";",
    "#",
    "#1\ndouble a(2,2)\n",
    "\n",
    "\r\n",
    "\t",
    "  ",
    "\xff",
    "\xef\xbb\xbf",
    "\xc3\xa9",
    std::string_view("\0", 1),
    std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff", 8),
    std::string_view("\0\0\0\0\0\0\0\0", 8),
};

constexpr std::array all = {
    Target{"yaml", "models, compiled", fuzz_yaml, "models", ".yaml"},
    Target{"urdf", "robots, compiled", fuzz_urdf, "models", ".urdf"},
    Target{"expression", "text to formula, to text, to the same formula", fuzz_expression},
    Target{"state", "states in JSON", fuzz_state},
    Target{"csv", "results in CSV", fuzz_csv},
    Target{"csv_table", "tables of a model in CSV", fuzz_csv_table},
    Target{"table_file", "tables of Modelica classes: text, CSV, MATLAB", fuzz_table_file},
    Target{"checkpoint", "checkpoints, resumed from", fuzz_checkpoint},
    Target{"hdf5", "results in HDF5, by a child process", fuzz_hdf5},
};

}  // namespace

std::span<const Target> targets() { return all; }
std::span<const std::string_view> words() { return reader_words; }

const Target* find_target(std::string_view name) {
  for (const Target& t : all)
    if (t.name == name) return &t;
  return nullptr;
}

}  // namespace couplet::fuzz
