#include "program.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace couplet::bench {
namespace {

[[noreturn]] void exit_with_usage(const char* program, const std::string& mistake) {
  std::fprintf(stderr,
               "%s\nusage: %s [--verify DIR] [--model NAME] [--suite NAME] [--repetitions N] "
               "[--seconds S]\n",
               mistake.c_str(), program);
  std::exit(2);
}

}  // namespace

const char* short_name(Operation op) {
  switch (op) {
    case Operation::forward:
      return "FD";
    case Operation::inverse:
      return "ID";
    case Operation::mass:
      return "M";
  }
  return "";
}

Program::Program(std::string peer, std::string version, int argc, char** argv)
    : peer_(std::move(peer)), version_(std::move(version)) {
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) exit_with_usage(argv[0], option + " needs a value");
    const char* value = argv[i + 1];
    if (option == "--verify")
      verify_into_ = value;
    else if (option == "--model")
      model_ = value;
    else if (option == "--suite")
      suite_ = value;
    else if (option == "--repetitions")
      measure_.repetitions = std::atoi(value);
    else if (option == "--seconds")
      measure_.seconds = std::atof(value);
    else
      exit_with_usage(argv[0], "unknown option " + option);
  }
}

bool Program::wants(const std::string& model, const std::string& suite) const {
  const bool wanted = suite_.empty() || suite_ == suite || suite_ == model;
  return wanted && (model_.empty() || model_ == model);
}

std::vector<Model> Program::models() const {
  std::vector<Model> models = make_models();
  std::erase_if(models, [&](const Model& m) { return !wants(m.name); });
  return models;
}

int Program::verified_states(const Model& model, Operation op) {
  if (op == Operation::mass) return 1;  // a matrix of numbers each
  return model.joint_count() < 1000 ? 20 : 3;
}

std::string Program::line_start(const Model& model, Operation op,
                                const std::string& variant) const {
  return R"({"suite": "dynamics", "peer": ")" + peer_ + R"(", "version": ")" + version_ +
         R"(", "model": ")" + model.name + R"(", "joints": )" +
         std::to_string(model.joint_count()) + R"(, "op": ")" + short_name(op) +
         R"(", "variant": ")" + variant + '"';
}

void Program::print_timing(const Model& model, Operation op, const std::string& variant,
                           const Measurement& measured) const {
  std::printf("%s, \"ns_lowest\": %.1f, \"ns_median\": %.1f, \"calls\": %ld}\n",
              line_start(model, op, variant).c_str(), measured.lowest_ns, measured.median_ns,
              measured.calls);
  std::fflush(stdout);
}

void Program::write_values(const Model& model, Operation op, const std::string& variant,
                           const std::vector<double>& values) const {
  std::string name = peer_ + "." + model.name + "." + short_name(op) + "." + variant + ".f64";
  for (char& c : name)
    if (c == ' ' || c == '/') c = '_';
  std::ofstream file(verify_into_ + "/" + name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file.flush()) throw std::runtime_error("cannot write " + verify_into_ + "/" + name);
  std::printf("%s, \"values\": \"%s\"}\n", line_start(model, op, variant).c_str(), name.c_str());
  std::fflush(stdout);
}

}  // namespace couplet::bench
