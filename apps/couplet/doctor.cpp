// couplet doctor: what this program is made of, which optional parts it finds, and how to get those
// that are missing. Made to be pasted into a bug report.
#include "couplet/workbench/doctor.hpp"

#include <fmt/format.h>

#include <memory>

#include "couplet/workbench/json.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

int doctor(bool as_json) {
  const workbench::DoctorReport report = workbench::examine();
  if (as_json) {
    workbench::JsonWriter json;
    json.begin_object();
    for (const auto& fact : report.facts) json.key(fact.name).value(fact.value);
    json.objects("parts", report.parts, [&](const auto& part) {
      json.members("name", part.name, "purpose", part.purpose, "found", part.found, "detail",
                   part.detail);
      if (!part.found) json.key("fix").value(part.fix);
    });
    json.end_object();
    fmt::print("{}\n", json.text());
    return 0;
  }
  for (const auto& fact : report.facts) fmt::print("{:<14} {}\n", fact.name, fact.value);
  fmt::print("\n");
  for (const auto& part : report.parts) {
    fmt::print("{} {:<14} {:<28} {}\n", part.found ? "ok     " : "missing", part.name, part.purpose,
               part.detail);
    if (!part.found) fmt::print("        fix: {}\n", part.fix);
  }
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto json = std::make_shared<bool>(false);
  arguments.add_switch("--json", *json, "the answer, errors and warnings as JSON");
  return [json] { return doctor(*json); };
}

}  // namespace

extern const Verb doctor_verb;
const Verb doctor_verb{"doctor",
                       "says which version this is, and which parts are missing",
                       "",
                       {"couplet doctor", "couplet doctor --json"},
                       declare};

}  // namespace couplet::app
