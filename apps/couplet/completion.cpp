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
    app::declare(*verb, out.back().arguments);
  }
  return out;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) names.emplace_back(verb->name);
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string bash() {
  std::string flags, values;
  const auto add_value = [&](const Verb& verb, const std::string& after, const Option& option) {
    const std::string what = !option.offered().empty()
                                 ? "choices=" + quoted_for_shell(joined(option.offered()))
                             : option.files ? "choices="
                                            : "offer ''; return";
    values += fmt::format("    {}:{}) {} ;;\n", verb.name, after, what);
  };
  for (const VerbWords& each : all_words()) {
    flags += fmt::format("    {}) words={} ;;\n", each.verb->name,
                         quoted_for_shell(joined(each.flags())));
    for (const Option& option : each.arguments.options()) {
      if (option.is_switch()) continue;
      add_value(*each.verb, option.flag, option);
      if (option.letter) add_value(*each.verb, std::string("-") + option.letter, option);
    }
    for (size_t k = 0; k < each.arguments.words().size(); ++k)
      if (const Option& word = each.arguments.words()[k]; !word.offered().empty())
        add_value(*each.verb, fmt::format("{}", k + 1), word);
  }
  return fmt::format(R"(# bash completion of couplet; made by `couplet completion bash`
_couplet() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}}
  local words='' choices=''
  COMPREPLY=()
  offer() {{ compopt +o default 2>/dev/null; COMPREPLY=($(compgen -W "$1" -- "$cur")); }}
  if [ "$COMP_CWORD" -eq 1 ]; then
    offer '{} help --help --version'
    return
  fi
  if [ "$cur" = = ]; then cur=''; elif [ "$prev" = = ]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  if [ "${{prev:0:1}}" != - ]; then prev=$((COMP_CWORD - 1)); fi
  case $verb in
{}  esac
  case $verb:$prev in
    help:1) choices='{}' ;;
{}  esac
  if [ -n "$choices" ]; then
    offer "$choices"
  elif [ "${{cur:0:1}}" = - ]; then
    offer "$words"
  fi  # else names of files, which bash completes best itself: blanks, quotes, ~
}}
complete -o default -F _couplet couplet
)",
                     joined(verb_names()), flags, joined(verb_names()), values);
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

std::string zsh_value(const Option& option) {
  if (!option.offered().empty())
    return fmt::format(":{}:({})", zsh_text(option.value), joined(option.offered()));
  return fmt::format(":{}:{}", zsh_text(option.value), option.files ? "_files" : " ");
}

std::string zsh() {
  std::string list, cases;
  for (const VerbWords& each : all_words()) {
    list += fmt::format("    {}\n",
                        quoted_for_shell(fmt::format("{}:{}", each.verb->name, each.verb->doc)));
    cases += fmt::format("    {})\n      _arguments", each.verb->name);
    for (const Option& option : each.arguments.options()) {
      const std::string rest = quoted_for_shell(
          fmt::format("[{}]{}", zsh_text(option.doc), option.is_switch() ? "" : zsh_value(option)));
      cases += option.letter
                   ? fmt::format(" \\\n        {{-{},{}}}{}", option.letter, option.flag, rest)
                   : fmt::format(" \\\n        {}{}", option.flag, rest);
    }
    for (size_t k = 0; k < each.arguments.words().size(); ++k) {
      const Option& word = each.arguments.words()[k];
      if (k > 0 && each.arguments.words()[k - 1].many) break;  // that one takes all
      cases += fmt::format(" \\\n        '{}{}'", word.many ? "*" : fmt::format("{}", k + 1),
                           zsh_value(word));
    }
    cases += "\n      ;;\n";
  }
  return fmt::format(R"(#compdef couplet
# zsh completion of couplet; made by `couplet completion zsh`
_couplet() {{
  local -a verbs
  verbs=(
{}    'help:explains a verb'
  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
    help)
      _arguments '1:verb:({})'
      ;;
{}  esac
}}
if [ "$funcstack[1]" = _couplet ]; then _couplet "$@"; else compdef _couplet couplet; fi
)",
                     list, joined(verb_names()), cases);
}

std::string fish() {
  std::string out = "# fish completion of couplet; made by `couplet completion fish`\n";
  const std::string names = quoted_for_shell(joined(verb_names()));
  out += "complete -c couplet -n __fish_use_subcommand -f -a help -d 'explains a verb'\n" +
         fmt::format("complete -c couplet -n '__fish_seen_subcommand_from help' -f -a {}\n", names);
  for (const VerbWords& each : all_words()) {
    out += fmt::format("complete -c couplet -n __fish_use_subcommand -f -a {} -d {}\n",
                       each.verb->name, quoted_for_shell(each.verb->doc));
    const std::string here = fmt::format(
        "complete -c couplet -n '__fish_seen_subcommand_from {}; and not "
        "__fish_seen_subcommand_from help'",
        each.verb->name);
    for (const Option& word : each.arguments.words())
      if (!word.offered().empty())
        out += fmt::format("{}{} -a {}\n", here, each.arguments.words().size() == 1 ? " -f" : "",
                           quoted_for_shell(joined(word.offered())));
    for (const Option& option : each.arguments.options()) {
      out += fmt::format("{} -l {}", here, option.flag.substr(2));
      if (option.letter) out += fmt::format(" -s {}", option.letter);
      if (!option.is_switch()) out += option.files ? " -r" : " -x";
      if (!option.offered().empty())
        out += fmt::format(" -a {}", quoted_for_shell(joined(option.offered())));
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
