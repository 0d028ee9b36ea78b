// Damaged models: whatever is missing or changed, the reader answers with a model or a UserError.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <random>

#include "couplet/formats/yaml.hpp"
#include "couplet/formats/yaml/tree.hpp"

namespace couplet::formats {
namespace {

std::vector<std::string> model_files() {
  std::vector<std::string> files;
  const std::string models = COUPLET_SOURCE_DIR "/models";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(models))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

enum class Answer { model, user_error };

Answer read(const std::string& text, const std::string& file) {
  base::Diagnostics warnings;
  try {
    read_yaml_text(text, file, {}, warnings);
    return Answer::model;
  } catch (const base::UserError& error) {
    EXPECT_FALSE(error.diagnostics().empty());
    for (const base::Diagnostic& d : error.diagnostics()) EXPECT_FALSE(d.what.empty());
    return Answer::user_error;
  }
}

// The tree as JSON, with one node (counted in the order of writing) replaced; "" deletes it.
class Writer {
 public:
  Writer(int victim, std::string replacement) : victim_(victim), by_(std::move(replacement)) {}

  std::string write(const yaml::Node& node) {
    if (count_++ == victim_) return by_;
    if (node.is_scalar()) return quote(node.name());
    if (node.is_null()) return "null";
    std::string text;
    for (const yaml::Node& item : node.items()) append(text, "", write(item));
    for (const auto& [key, value] : node.entries())
      append(text, quote(key.name()) + ": ", write(value));
    return node.is_sequence() ? "[" + text + "]" : "{" + text + "}";
  }
  int count() const { return count_; }

 private:
  static void append(std::string& text, const std::string& key, const std::string& value) {
    if (value.empty()) return;
    if (!text.empty()) text += ", ";
    text += key + value;
  }
  static std::string quote(const std::string& text) { return '"' + text + '"'; }

  int victim_;
  int count_ = 0;
  std::string by_;
};

void for_each_model(const std::function<void(const yaml::Node&, const std::string& file)>& check) {
  for (const std::string& file : model_files()) {
    SCOPED_TRACE(file);
    base::Diagnostics diagnostics;
    const auto tree = yaml::parse_yaml(yaml::read_text_file(file), {}, diagnostics);
    check(tree->root(), file);
  }
}

TEST(DamagedYaml, JsonOfEveryModelIsTheSameModel) {
  for_each_model([](const yaml::Node& root, const std::string& file) {
    base::Diagnostics warnings;
    const model::Model a = read_yaml(file, {}, warnings);
    const model::Model b = read_yaml_text(Writer(-1, "").write(root), file, {}, warnings);
    EXPECT_EQ(a.points.size(), b.points.size());
    EXPECT_EQ(a.joints.size(), b.joints.size());
    EXPECT_EQ(a.forces.size(), b.forces.size());
    EXPECT_EQ(a.constraints.size(), b.constraints.size());
    EXPECT_TRUE(warnings.list().empty());
  });
}

TEST(DamagedYaml, EachNodeInTurnIsDeletedOrReplaced) {
  int refused = 0, accepted = 0;
  for_each_model([&](const yaml::Node& root, const std::string& file) {
    Writer whole(-1, "");
    whole.write(root);
    for (const char* replacement : {"", "null", "[]", "{}", "\"nothing\"", "-1e59"}) {
      for (int victim = 0; victim < whole.count(); ++victim) {
        const Answer answer = read(Writer(victim, replacement).write(root), file);
        ++(answer == Answer::model ? accepted : refused);
      }
    }
  });
  EXPECT_GT(refused, 1000);
  EXPECT_GT(accepted, 100);  // many keys are optional
}

TEST(DamagedYaml, RandomBytesAreChanged) {
  std::mt19937 random(20240611);
  const std::string alphabet = "{}[]:,-&*!|>'\"%@`#?~ \n\t\\.019eE+()^/abqtv<\xc3\xa4\x80\x01";
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (const std::string& file : model_files()) {
    SCOPED_TRACE(file);
    const std::string original = yaml::read_text_file(file);
    for (int i = 0; i < 150; ++i) {
      std::string text = original;
      for (size_t changes = 1 + below(4); changes > 0; --changes) {
        const size_t at = below(text.size());
        switch (below(4)) {
          case 0:
            text[at] = alphabet[below(alphabet.size())];
            break;
          case 1:
            text.insert(at, 1, alphabet[below(alphabet.size())]);
            break;
          case 2:
            text.erase(at, 1 + below(20));
            break;
          default:
            text.insert(at, text.substr(below(text.size()), below(40)));
            break;
        }
      }
      read(text, file);
    }
  }
}

}  // namespace
}  // namespace couplet::formats
