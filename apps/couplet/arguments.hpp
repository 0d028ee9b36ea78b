// What a verb can be told: words by position and options, each with its doc. Help, man pages and
// completion are made from the same list that parses.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace couplet::app {

struct Option {
  std::string flag;                       // "--until"; of a word by position, its name: "model"
  char letter = 0;                        // 'o' of -o; 0: none
  std::string value;                      // what stands for its value in help, "T"; empty: a switch
  std::string doc;                        // one phrase
  std::vector<std::string> choices = {};  // all that it may be; empty: anything
  std::vector<std::string> hints = {};    // some that it may be, for completion
  bool files = false;                     // completed by the names of files
  bool many = false;                      // takes words until the next option, and may come again
  bool numbers = false;                   // of those words, only numbers after the first
  char split = 0;                         // a word is several values, between these
  bool is_word = false;                   // by position, without a flag
  bool required = false;                  // of these
  bool common = false;                    // of many verbs: it stands behind those of the verb
  std::function<void(const std::string&)> take = {};  // throws UserError when it does not fit

  bool is_switch() const { return value.empty(); }
  const std::vector<std::string>& offered() const { return choices.empty() ? hints : choices; }
  Option& with_letter(char c) { return letter = c, *this; }
  Option& with_choices(std::vector<std::string> all) { return choices = std::move(all), *this; }
  Option& with_hints(std::vector<std::string> some) { return hints = std::move(some), *this; }
  Option& of_files() { return files = true, *this; }
  Option& of_numbers() { return numbers = true, *this; }
  Option& split_at(char c) { return split = c, *this; }
  Option& once() { return many = false, *this; }
};

class Arguments {
 public:
  Option& add_switch(std::string flag, bool& out, std::string doc);
  /// Of a string, a number, an optional number or a list; numbers outside [least, most] are
  /// refused.
  template <class T>
  Option& add(std::string flag, std::string value, T& out, std::string doc);
  Option& add_number(std::string flag, std::string value, double& out, double least, double most,
                     std::string doc);
  Option& add_number(std::string flag, std::string value, int& out, int least, int most,
                     std::string doc);
  /// What is written: `flag`, -o where that is --out, and --overwrite, to replace `what`.
  void add_output(const std::string& flag, std::string value, std::string& out, std::string doc,
                  bool& overwrite, const std::string& what);
  /// Words by position, in this order.
  Option& add_word(std::string name, std::string& out, std::string doc);
  Option& add_words(std::string name, std::vector<std::string>& out, std::string doc);

  /// Throws UserError that names what was typed, and the nearest that exists.
  void parse(const std::vector<std::string>& words) const;

  const std::vector<Option>& options() const { return options_; }
  const std::vector<Option>& words() const { return words_; }
  const Option* find(const std::string& flag) const;
  /// What was added so far is what many verbs have.
  void mark_common();

 private:
  Option& push(Option option);
  /// Of a word that looks like one; `before` it stands another, whose value it may be.
  const Option& check_option(const std::string& word, const std::string& before = "") const;
  void take(const Option& option, const std::string& text) const;

  std::vector<Option> options_, words_;
};

}  // namespace couplet::app
