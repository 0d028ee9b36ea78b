// The language test suite: small models in tests/models/*.txt, each with what must come out.
//   # rule                 starts a case; the last class of its text is translated
//   > 3 unknowns           balanced, with this number
//   > 3 unknowns, 2 equations
//   > text                 a part of the flat model (blanks do not count)
//   ~ text                 not a part of it
//   ! text                 a part of a message; the class must be refused
//   ? text                 a part of a warning
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "couplet/modelica/flatten/count.hpp"
#include "couplet/modelica/translate.hpp"

namespace couplet::modelica {
namespace {

struct Case {
  std::string file, rule, text;
  std::vector<std::string> expectations;
};

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::vector<std::filesystem::path> files;
  const char* folder = COUPLET_SOURCE_DIR "/src/couplet/modelica/tests/models";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("# ")) {
        cases.push_back({file.stem().string(), line.substr(2), "", {}});
      } else if (!cases.empty() && !line.empty()) {
        const bool expects = line.size() > 2 && line[1] == ' ' &&
                             std::string(">~!?").find(line[0]) != std::string::npos;
        if (expects)
          cases.back().expectations.push_back(line);
        else
          cases.back().text += line + "\n";
      }
    }
  }
  return cases;
}

std::string without_blanks(const std::string& text) {
  std::string kept;
  for (const char c : text)
    if (c != ' ' && c != '\n') kept += c;
  return kept;
}

bool contains(const std::string& text, const std::string& part) {
  return without_blanks(text).find(without_blanks(part)) != std::string::npos;
}

struct Outcome {
  CheckResult check;
  std::string flat, messages;
};

Outcome translate(const std::string& text) {
  Outcome outcome;
  base::Diagnostics reading;
  Library library(reading);
  const std::vector<std::string> names = library.add_text("case.mo", text);
  for (const auto& d : reading.list()) outcome.messages += d.str() + "\n";
  if (names.empty() || reading.has_errors()) return outcome;
  outcome.check = check(library, names.back());
  for (const auto& d : outcome.check.diagnostics.list()) outcome.messages += d.str() + "\n";
  for (const auto& d : reading.list()) outcome.messages += d.str() + "\n";
  try {
    outcome.flat = flatten(library, names.back());
  } catch (const base::UserError&) {
    EXPECT_FALSE(outcome.check.ok) << "check and flatten disagree";
  }
  return outcome;
}

void expect(const Outcome& out, const std::string& line) {
  const std::string what = line.substr(2);
  long unknowns = 0, equations = 0;
  if (line[0] == '!') {
    EXPECT_FALSE(out.check.ok);
    EXPECT_TRUE(contains(out.messages, what)) << "missing: " << what << "\nmessages:\n"
                                              << out.messages;
  } else if (line[0] == '?') {
    EXPECT_TRUE(contains(out.messages, what)) << "missing: " << what << "\nmessages:\n"
                                              << out.messages;
  } else if (std::sscanf(what.c_str(), "%ld unknowns, %ld equations", &unknowns, &equations) == 2) {
    EXPECT_EQ(out.check.unknowns, unknowns) << out.flat;
    EXPECT_EQ(out.check.equations, equations) << out.flat;
  } else if (what.find(" unknowns") != std::string::npos &&
             std::sscanf(what.c_str(), "%ld", &unknowns) == 1) {
    EXPECT_EQ(out.check.unknowns, unknowns) << out.flat << out.messages;
    EXPECT_EQ(out.check.equations, unknowns) << out.flat << out.messages;
  } else {
    const bool wanted = line[0] == '>';
    const bool there = contains(out.flat, what) || contains(out.check.str(), what);
    EXPECT_EQ(there, wanted) << what << "\nflat:\n" << out.flat << out.messages;
  }
}

TEST(Language, EveryRuleGivesWhatItMust) {
  const std::vector<Case> cases = read_cases();
  EXPECT_GE(cases.size(), 300u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.file + ": " + c.rule + "\n" + c.text);
    EXPECT_FALSE(c.expectations.empty()) << "this case expects nothing";
    const Outcome out = translate(c.text);
    bool refuses = false;
    for (const std::string& line : c.expectations) {
      refuses = refuses || line[0] == '!';
      expect(out, line);
    }
    EXPECT_EQ(out.check.ok, !refuses) << out.messages;
  }
}

// Flat Modelica is Modelica: translated again, it has the same numbers of unknowns and equations.
TEST(Language, FlatModelsTranslateToThemselves) {
  for (const Case& c : read_cases()) {
    const Outcome first = translate(c.text);
    if (!first.check.ok) continue;
    SCOPED_TRACE(c.file + ": " + c.rule + "\n" + first.flat);
    const Outcome second = translate(first.flat);
    EXPECT_TRUE(second.check.ok) << second.messages;
    EXPECT_EQ(first.check.unknowns, second.check.unknowns);
    EXPECT_EQ(first.check.equations, second.check.equations);
  }
}

// Damaged models: a message, never a crash or a hang.
TEST(Language, SurvivesDamagedModels) {
  unsigned state = 1;
  const auto random = [&state] { return state = state * 1664525u + 1013904223u, state >> 8; };
  const std::vector<Case> cases = read_cases();
  for (size_t i = 0; i < cases.size(); ++i) {
    for (int round = 0; round < 4; ++round) {
      std::string text = cases[i].text;
      const size_t at = random() % text.size();
      const std::string& other = cases[random() % cases.size()].text;
      if (round == 0) text.erase(at, 1 + random() % 10);
      if (round == 1) text.insert(at, other.substr(random() % other.size(), random() % 20));
      if (round == 2) std::swap(text[at], text[random() % text.size()]);
      if (round == 3) text += other;
      base::Diagnostics reading;
      Library library(reading);
      const std::vector<std::string> names = library.add_text("case.mo", text);
      if (!names.empty()) check(library, names.back());
    }
  }
}

}  // namespace
}  // namespace couplet::modelica
