// Help as text and as man pages, from the entries of the verbs.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "verb.hpp"

namespace couplet::app {
namespace {

constexpr const char* what_it_is =
    "Couplet: one model, every formalism, each checked against the others.";

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Width on a terminal: continuation bytes of UTF-8 take none.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Of the terminal, as far as lines of that length can be read; 80 for files and pipes.
size_t columns_of_output() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<size_t>(size.ws_col, 50, 100);
}

// Words in lines that fit; the first line begins at column `indent` already.
std::string wrapped(const std::string& text, size_t indent) {
  static const size_t columns = columns_of_output();
  std::string out;
  size_t column = indent;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (column > indent && column + 1 + width_of(word) > columns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) out += ' ', ++column;
    out += word;
    column += width_of(word);
    at = end + 1;
  }
  return out;
}

std::string spelled(const Option& option) {  // -o, --out FILE
  std::string text =
      option.letter ? fmt::format("-{}, {}", option.letter, option.flag) : option.flag;
  if (!option.is_switch()) text += " " + option.value + (option.many ? "…" : "");
  return text;
}

std::string usage(const Verb& verb, const Arguments& arguments) {
  std::string text = fmt::format("couplet {}", verb.name);
  for (const Option& word : arguments.words()) {
    const std::string name = upper(word.flag) + (word.many ? "…" : "");
    text += word.required ? " " + name : " [" + name + "]";
  }
  return text + (arguments.options().empty() ? "" : " [options]");
}

std::string lines(const std::vector<Option>& options, bool words) {
  constexpr size_t indent = 28;
  std::string out;
  for (const Option& option : options) {
    const std::string left = "  " + (words ? upper(option.flag) : spelled(option));
    const size_t width = width_of(left);
    out += left + (width + 2 > indent ? "\n" + std::string(indent, ' ')
                                      : std::string(indent - width, ' '));
    out += wrapped(option.doc, indent) + "\n";
  }
  return out;
}

Arguments arguments_of(const Verb& verb) {
  Arguments arguments;
  declare(verb, arguments);
  return arguments;
}

// Those of the verb, then what many have.
std::pair<std::vector<Option>, std::vector<Option>> sorted_options(const Arguments& arguments) {
  std::pair<std::vector<Option>, std::vector<Option>> out;
  for (const Option& option : arguments.options())
    (option.common ? out.second : out.first).push_back(option);
  Option help{"--help", 'h', "", "this"};
  (out.second.empty() ? out.first : out.second).push_back(std::move(help));
  return out;
}

// Text for groff: a hyphen that can be copied, no escapes, no requests at the start of a line.
std::string groff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '-')
      out += "\\-";
    else if (c == '\\')
      out += "\\\\";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      (out += "\\&") += c;
    else
      out += c;
  }
  return out;
}

std::string man_head(const std::string& name, const std::string& doc) {
  return fmt::format(".TH \"{}\" 1 \"\" \"couplet " COUPLET_VERSION
                     "\" \"Couplet\"\n.SH NAME\n{} \\- {}\n",
                     upper(name), groff(name), groff(doc));
}

constexpr const char* man_status =
    ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nthe computation failed\n.TP\n2\nthe input is wrong\n"
    ".TP\n130\ninterrupted by Ctrl-C; what was computed is kept\n";

std::string man_of_program() {
  std::string out = man_head("couplet", "multibody dynamics workbench");
  out += ".SH SYNOPSIS\n.B couplet\n.I verb\n[\\fIoptions\\fR]\n.SH DESCRIPTION\n" +
         groff(what_it_is) + "\n.SH VERBS\n";
  for (const Verb* verb : verbs())
    out += fmt::format(".TP\n.BR couplet\\-{} (1)\n{}\n", verb->name, groff(verb->doc));
  return out + man_status;
}

}  // namespace

std::string overview() {
  std::string out = fmt::format("{}\n\nusage: couplet VERB [options]\n\n", what_it_is);
  for (const Verb* verb : verbs()) out += fmt::format("  {:<14}{}\n", verb->name, verb->doc);
  return out +
         "\n  -h, --help     this\n  -V, --version  which one this is\n\nExamples:\n"
         "  couplet check models/double_pendulum.yaml\n"
         "  couplet compare models/humanoid.yaml\n"
         "  couplet evaluate models/arm7.urdf --state state.json --json\n"
         "Every verb explains itself: couplet help VERB\n";
}

std::string help_text(const Verb& verb) {
  const Arguments arguments = arguments_of(verb);
  std::string out = fmt::format("{}\n\nusage: {}\n\n", verb.doc, usage(verb, arguments));
  out += lines(arguments.words(), true);
  const auto [own, common] = sorted_options(arguments);
  if (!own.empty()) out += "options:\n" + lines(own, false);
  if (!common.empty()) out += "common options:\n" + lines(common, false);
  if (*verb.more) out += fmt::format("\n{}\n", wrapped(verb.more, 0));
  out += "\nExamples:\n";
  for (const char* example : verb.examples) out += fmt::format("  {}\n", example);
  return out;
}

std::string man_page(const Verb* verb) {
  if (!verb) return man_of_program();
  const Arguments arguments = arguments_of(*verb);
  std::string out = man_head(fmt::format("couplet-{}", verb->name), verb->doc);
  out += ".SH SYNOPSIS\n" + groff(usage(*verb, arguments)) + "\n";
  if (*verb->more) out += ".SH DESCRIPTION\n" + groff(verb->more) + "\n";
  out += ".SH OPTIONS\n";
  for (const Option& word : arguments.words())
    out += fmt::format(".TP\n.I {}\n{}\n", groff(upper(word.flag)), groff(word.doc));
  const auto [own, common] = sorted_options(arguments);
  for (const std::vector<Option>* options : {&own, &common})
    for (const Option& option : *options)
      out += fmt::format(".TP\n.B {}\n{}\n", groff(spelled(option)), groff(option.doc));
  out += ".SH EXAMPLES\n.nf\n";
  for (const char* example : verb->examples) out += groff(example) + "\n";
  return out + ".fi\n" + man_status + ".SH SEE ALSO\n.BR couplet (1)\n";
}

}  // namespace couplet::app
