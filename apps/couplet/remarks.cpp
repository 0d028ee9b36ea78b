#include "remarks.hpp"

#include "couplet/workbench/json.hpp"
#include "terminal.hpp"

namespace couplet::app {
namespace {

bool as_json = false;

void write(workbench::JsonWriter& json, const base::Diagnostic& each, const char* severity) {
  json.begin_object();
  if (each.where.file) json.key("file").value(*each.where.file);
  if (each.where.line > 0) json.key("line").value(each.where.line);
  if (each.where.column > 0) json.key("column").value(each.where.column);
  json.members("severity", severity, "what", each.what);
  if (!each.fix.empty()) json.key("fix").value(each.fix);
  json.end_object();
}

const char* severity_of(const base::Diagnostic& each) {
  return each.severity == base::Severity::error ? "error" : "warning";
}

void say_json(const base::Diagnostic& each, const char* severity) {
  workbench::JsonWriter json;
  write(json, each, severity);
  complain("{}\n", json.text());
}

}  // namespace

void speak_json() { as_json = true; }

void remark(const base::Diagnostic& what) {
  as_json ? say_json(what, severity_of(what)) : complain("{}\n", what.str());
}

void remark(const char* severity, const std::string& what) {
  as_json ? say_json({{}, {}, what, {}}, severity) : complain("{}: {}\n", severity, what);
}

void say(const std::string& line) { as_json ? remark("note", line) : complain("{}\n", line); }

void report(const std::vector<base::Diagnostic>& errors, int status) {
  if (!as_json) {
    for (const base::Diagnostic& error : errors) complain("{}\n", error.str());
    return;
  }
  workbench::JsonWriter json;
  json.begin_object();
  json.key("status").value(status);
  json.key("errors").begin_array();
  for (const base::Diagnostic& error : errors) write(json, error, severity_of(error));
  json.end_array().end_object();
  complain("{}\n", json.text());
}

}  // namespace couplet::app
