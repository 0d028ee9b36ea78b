#include "arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::app {
namespace {

using base::UserError;

double check_number(const std::string& flag, const std::string& text) {
  const auto number = base::parse_double(text);
  if (!number)
    throw UserError({}, fmt::format("{} {} is not a number", flag, base::quoted(text)),
                    fmt::format("write a number, as in {} 0.5", flag));
  return *number;
}

void read(const std::string&, const std::string& text, std::string& out) { out = text; }
void read(const std::string& flag, const std::string& text, double& out) {
  out = check_number(flag, text);
}
void read(const std::string& flag, const std::string& text, int& out) {
  const double number = check_number(flag, text);
  if (number != std::floor(number) || std::abs(number) > 1e9)
    throw UserError({}, fmt::format("{} {} is not a whole number", flag, base::quoted(text)));
  out = static_cast<int>(number);
}
void read(const std::string& flag, const std::string& text, std::optional<double>& out) {
  out = check_number(flag, text);
}
void read(const std::string&, const std::string& text, std::vector<std::string>& out) {
  out.push_back(text);
}

template <class T>
std::function<void(const std::string&)> bounded(const std::string& flag, T& out, T least, T most) {
  return [=, &out](const std::string& text) {
    read(flag, text, out);
    if (!(out >= least && out <= most))
      throw UserError({}, fmt::format("{} {} is not possible", flag, text),
                      fmt::format("give a number from {} to {}", least, most));
  };
}

/// The option that a word names, and the value that it may hold: --out=FILE, -oFILE, -o=FILE.
struct Flag {
  std::string name;
  std::optional<std::string> value;
};

Flag split_flag(const std::string& word) {
  const bool is_long = word.starts_with("--");
  const size_t end = is_long ? word.find('=') : 2;
  if (end >= word.size()) return {word, {}};
  return {word.substr(0, end), word.substr(end + (word[end] == '=' ? 1 : 0))};
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return text;
}

// A value, not the next option: -9.81 and - are values.
bool is_value(const std::string& word) {
  return word.size() < 2 || word[0] != '-' || base::parse_double(word).has_value() ||
         std::isdigit(static_cast<unsigned char>(word[1])) || word[1] == '.';
}

}  // namespace

Option& Arguments::push(Option option) { return options_.emplace_back(std::move(option)); }

Option& Arguments::add_switch(std::string flag, bool& out, std::string doc) {
  Option option{std::move(flag), 0, "", std::move(doc)};
  option.take = [&out](const std::string&) { out = true; };
  return push(std::move(option));
}

template <class T>
Option& Arguments::add(std::string flag, std::string value, T& out, std::string doc) {
  Option option{flag, 0, std::move(value), std::move(doc)};
  option.many = std::is_same_v<T, std::vector<std::string>>;
  option.take = [flag, &out](const std::string& text) { read(flag, text, out); };
  return push(std::move(option));
}
template Option& Arguments::add(std::string, std::string, std::string&, std::string);
template Option& Arguments::add(std::string, std::string, double&, std::string);
template Option& Arguments::add(std::string, std::string, int&, std::string);
template Option& Arguments::add(std::string, std::string, std::optional<double>&, std::string);
template Option& Arguments::add(std::string, std::string, std::vector<std::string>&, std::string);

Option& Arguments::add_number(std::string flag, std::string value, double& out, double least,
                              double most, std::string doc) {
  Option option{flag, 0, std::move(value), std::move(doc)};
  option.take = bounded(flag, out, least, most);
  return push(std::move(option));
}

Option& Arguments::add_number(std::string flag, std::string value, int& out, int least, int most,
                              std::string doc) {
  Option option{flag, 0, std::move(value), std::move(doc)};
  option.take = bounded(flag, out, least, most);
  return push(std::move(option));
}

void Arguments::add_output(const std::string& flag, std::string value, std::string& out,
                           std::string doc, bool& overwrite, const std::string& what) {
  add(flag, std::move(value), out, std::move(doc))
      .with_letter(flag == "--out" ? 'o' : '\0')
      .of_files();
  const bool several = what.ends_with('s');
  add_switch("--overwrite", overwrite,
             fmt::format("replace {} that {}", what, several ? "exist" : "exists"));
}

Option& Arguments::add_word(std::string name, std::string& out, std::string doc) {
  Option word{name, 0, name, std::move(doc)};
  word.is_word = word.required = true;
  word.take = [&out](const std::string& text) { out = text; };
  return words_.emplace_back(std::move(word));
}

Option& Arguments::add_words(std::string name, std::vector<std::string>& out, std::string doc) {
  Option word{name, 0, name, std::move(doc)};
  word.is_word = word.required = word.many = true;
  word.take = [&out](const std::string& text) { out.push_back(text); };
  return words_.emplace_back(std::move(word));
}

void Arguments::mark_common() {
  for (Option& option : options_) option.common = true;
}

const Option* Arguments::find(const std::string& flag) const {
  for (const Option& option : options_)
    if (option.flag == flag || (option.letter && flag == std::string("-") + option.letter))
      return &option;
  return nullptr;
}

const Option& Arguments::check_option(const std::string& word, const std::string& before) const {
  const std::string name = split_flag(word).name;
  if (const Option* option = find(name)) return *option;
  if (name == "--help") throw UserError({}, "--help takes no value", "write --help alone");
  if (const Option* last = before.empty() ? nullptr : find(before);
      last && !last->is_switch() && !word.starts_with("--"))
    throw UserError({}, fmt::format("there is no option {}", base::quoted(word)),
                    fmt::format("if it is the value of {}, write {}={}", before, last->flag, word));
  std::vector<std::string> flags{"--help"};
  for (const Option& option : options_) flags.push_back(option.flag);
  const std::string& typed = word.starts_with("--") ? name : word;
  throw UserError({}, fmt::format("there is no option {}", base::quoted(typed)),
                  base::suggest(typed, flags));
}

void Arguments::take(const Option& option, const std::string& text) const {
  const auto take_one = [&](const std::string& value) {
    const std::vector<std::string>& all = option.choices;
    if (!all.empty() && std::find(all.begin(), all.end(), value) == all.end())
      throw UserError(
          {},
          fmt::format("{} cannot be {}", option.is_word ? upper(option.flag) : option.flag,
                      base::quoted(value)),
          base::suggest(value, all));
    option.take(value);
  };
  if (!option.split) return take_one(text);
  int depth = 0;  // of parentheses: min(a,b) is one value
  std::string value;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != option.split || depth > 0)
      value += c;
    else if (!value.empty())
      take_one(std::exchange(value, {}));
  }
  if (!value.empty()) take_one(value);
}

void Arguments::parse(const std::vector<std::string>& words) const {
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i)  // the likelier mistake
    if (!is_value(words[i])) check_option(words[i], i > 0 ? words[i - 1] : "");
  size_t position = 0;  // of the next word that is no option
  std::vector<char> given(words_.size(), 0);
  bool only_words = false;
  const auto take_word = [&](const std::string& word) {
    if (position == words_.size())
      throw UserError({}, fmt::format("{} was not expected", base::quoted(word)),
                      words_.empty()
                          ? "there are only options here"
                          : fmt::format("only options follow {}", upper(words_.back().flag)));
    take(words_[position], word);
    given[position] = 1;
    if (!words_[position].many) ++position;
  };
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!only_words && word == "--") {
      only_words = true;
    } else if (only_words || is_value(word)) {
      take_word(word);
    } else {
      const Option& option = check_option(word);
      const std::optional<std::string> value = split_flag(word).value;
      const bool inside = value.has_value();
      if (option.is_switch() && inside)
        throw UserError({}, fmt::format("{} takes no value", option.flag),
                        fmt::format("write {} alone", option.flag));
      if (option.is_switch()) {
        option.take("");
        continue;
      }
      if (!inside && (i + 1 == words.size() || !is_value(words[i + 1])))
        throw UserError({}, fmt::format("{} has no value", option.flag),
                        fmt::format("write {} {}", option.flag, option.value));
      take(option, inside ? *value : words[++i]);
      while (option.many && !inside && i + 1 < words.size() && is_value(words[i + 1]) &&
             (!option.numbers || base::parse_double(words[i + 1])))
        take(option, words[++i]);
    }
  }
  for (size_t k = 0; k < words_.size(); ++k)
    if (words_[k].required && !given[k])
      throw UserError({}, fmt::format("{} is missing", upper(words_[k].flag)), words_[k].doc);
}

}  // namespace couplet::app
