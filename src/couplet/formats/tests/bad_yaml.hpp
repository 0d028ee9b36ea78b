// Small wrong models and what must be said about them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "couplet/formats/yaml.hpp"

namespace couplet::formats::bad_yaml {

struct BadYaml {
  const char* name;
  std::string text;
  const char* first_line;  // of the first message, without the name of the file: "3:15: error: …"
  const char* fix;         // how its fix begins
};

inline std::string model(const std::string& rest) { return "couplet: 1\n" + rest; }
inline std::string body(const std::string& keys) { return model("bodies:\n  arm: " + keys + "\n"); }
inline std::string model_with_arm(const std::string& rest) {
  return body("{mass: 1, shape: {sphere: 0.1}, points: {tip: [0, 0, 1]}}") + rest;
}
inline std::string joint(const std::string& keys) {
  return model_with_arm("joints:\n  pin: " + keys + "\n");
}
inline std::string revolute(const std::string& keys) {
  return joint("{type: revolute, from: world, to: arm, " + keys + "}");
}
inline std::string force(const std::string& keys) {
  return joint("{type: revolute, from: world, to: arm}") + "forces:\n  f: " + keys + "\n";
}
/// A constraint beside the joints `pin` (revolute), `rail` (prismatic), `ball` (spherical) and
/// `disc` (planar).
inline std::string constraint(const std::string& keys) {
  return model(
      "bodies: {arm: &b {mass: 1, shape: {sphere: 0.1}, points: {tip: [0, 0, 1]}}, b: *b, c: *b, "
      "d: *b}\n"
      "joints: {pin: {type: revolute, from: world, to: arm}, rail: {type: prismatic, from: arm, "
      "to: b},"
      " ball: {type: spherical, from: b, to: c}, disc: {type: planar, from: c, to: d}}\n"
      "constraints:\n  c: " +
      keys + "\n");
}

/// Nine lists, each of ten times the one before: 10⁹ values in 400 bytes.
inline std::string bomb() {
  std::string text = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    text += std::string(1, c) + ": &" + c + " [*" + static_cast<char>(c - 1);
    for (int i = 0; i < 9; ++i) text += std::string(",*") + static_cast<char>(c - 1);
    text += "]\n";
  }
  return text;
}

inline std::string nested_subsystems(int depth) {
  std::string text = "{}";
  for (int i = 0; i < depth; ++i) text = "{s: {model: {subsystems: " + text + "}}}";
  return model("subsystems: " + text + "\n");
}

inline void expect_messages(const std::vector<BadYaml>& cases) {
  for (const BadYaml& bad : cases) {
    SCOPED_TRACE(bad.name);
    base::Diagnostics warnings;
    try {
      read_yaml_text(bad.text, "bad.yaml", {}, warnings);
      ADD_FAILURE() << "must be refused:\n" << bad.text;
    } catch (const base::UserError& error) {
      const std::string text = error.what();
      EXPECT_EQ(
          text.substr(0, text.find('\n')),
          (bad.first_line[0] == 'e' ? "bad.yaml: " : "bad.yaml:") + std::string(bad.first_line));
      EXPECT_TRUE(error.diagnostics()[0].fix.starts_with(bad.fix)) << error.diagnostics()[0].fix;
    }
  }
}

}  // namespace couplet::formats::bad_yaml
