// couplet completion: what a shell needs to complete verbs, options and their values. From the
// entries.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "couplet/base/diagnostics.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

std::string quoted_for_shell(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// One per line: VERB, tab, words after it.
struct VerbWords {
  const Verb* verb;
  Arguments arguments;
  std::vector<std::string> flags() const {
    std::vector<std::string> out;
    for (const Option& option : arguments.options()) out.push_back(option.flag);
    out.emplace_back("--help");
    return out;
  }
};

std::vector<VerbWords> all_words() {
  std::vector<VerbWords> out;
  for (const Verb* verb : verbs()) {
    out.push_back({verb, {}});
    verb->declare(out.back().arguments);
  }
  return out;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) names.emplace_back(verb->name);
  return names;
}

std::string bash() {
  std::string flags, values;
  for (const VerbWords& each : all_words()) {
    flags += fmt::format("    {}) words={} ;;\n", each.verb->name,
                         quoted_for_shell(fmt::format("{}", fmt::join(each.flags(), " "))));
    for (const auto* list : {&each.arguments.options(), &each.arguments.words()})
      for (const Option& option : *list)
        if (!option.choices.empty())
          values +=
              fmt::format("    {}:{}) choices={} ;;\n", each.verb->name,
                          list == &each.arguments.words() ? "*" : option.flag,
                          quoted_for_shell(fmt::format("{}", fmt::join(option.choices, " "))));
  }
  return fmt::format(R"(# bash completion of couplet; made by `couplet completion bash`
_couplet() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}}
  local words='' choices=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$cur"))
    return
  fi
  case $verb in
{}  esac
  case $verb:$prev in
{}  esac
  if [ -n "$choices" ]; then
    COMPREPLY=($(compgen -W "$choices" -- "$cur"))
  elif [ "${{cur:0:1}}" = - ]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _couplet couplet
)",
                     fmt::join(verb_names(), " "), flags, values);
}

// zsh: text of a description inside '…[…]'.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh() {
  std::string list, cases;
  for (const VerbWords& each : all_words()) {
    list += fmt::format("    {}\n",
                        quoted_for_shell(fmt::format("{}:{}", each.verb->name, each.verb->doc)));
    cases += fmt::format("    {})\n      _arguments", each.verb->name);
    for (const Option& option : each.arguments.options()) {
      std::string value;
      if (!option.choices.empty())
        value = fmt::format(":{}:({})", option.value, fmt::join(option.choices, " "));
      else if (!option.is_switch())
        value = fmt::format(":{}:{}", zsh_text(option.value), option.files ? "_files" : " ");
      cases += " \\\n        " +
               quoted_for_shell(fmt::format("{}[{}]{}", option.flag, zsh_text(option.doc), value));
    }
    cases += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return fmt::format(R"(#compdef couplet
# zsh completion of couplet; made by `couplet completion zsh`
_couplet() {{
  local -a verbs
  verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
{}  esac
}}
_couplet "$@"
)",
                     list, cases);
}

std::string fish() {
  std::string out = "# fish completion of couplet; made by `couplet completion fish`\n";
  for (const VerbWords& each : all_words()) {
    out += fmt::format("complete -c couplet -n __fish_use_subcommand -a {} -d {}\n",
                       each.verb->name, quoted_for_shell(each.verb->doc));
    for (const Option& option : each.arguments.options()) {
      out += fmt::format("complete -c couplet -n '__fish_seen_subcommand_from {}' -l {}",
                         each.verb->name, option.flag.substr(2));
      if (option.letter) out += fmt::format(" -s {}", option.letter);
      if (!option.is_switch()) out += " -r";
      if (!option.choices.empty())
        out += fmt::format(" -f -a {}",
                           quoted_for_shell(fmt::format("{}", fmt::join(option.choices, " "))));
      out += fmt::format(" -d {}\n", quoted_for_shell(option.doc));
    }
  }
  return out;
}

std::function<int()> declare(Arguments& arguments) {
  const auto shell = std::make_shared<std::string>();
  arguments.add_word("shell", *shell, "bash, zsh or fish").with_choices({"bash", "zsh", "fish"});
  return [shell] {
    fmt::print("{}", completion_script(*shell));
    return 0;
  };
}

}  // namespace

std::string completion_script(const std::string& shell) {
  return shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish();
}

extern const Verb completion_verb;
const Verb completion_verb{
    "completion",
    "prints what a shell needs to complete verbs and options",
    "The installed package puts it where shells look for it.",
    {"source <(couplet completion bash)", "couplet completion zsh > ~/.zfunc/_couplet",
     "couplet completion fish > ~/.config/fish/completions/couplet.fish"},
    declare};

}  // namespace couplet::app
