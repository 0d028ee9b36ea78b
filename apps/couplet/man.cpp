// couplet man: man pages in groff, of one verb or of all.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "couplet/base/files.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct ManOptions {
  std::string verb, out;
  bool overwrite = false;
};

enum class Act { check, write };

int man(const ManOptions& options) {
  if (!options.out.empty()) {
    std::vector<const Verb*> pages{nullptr};
    pages.insert(pages.end(), verbs().begin(), verbs().end());
    for (const auto act : {Act::check, Act::write})  // all or none
      for (const Verb* verb : pages) {
        const std::string name = verb ? fmt::format("couplet-{}.1", verb->name) : "couplet.1";
        const base::Output page{std::filesystem::path(options.out) / name, "the page",
                                options.overwrite};
        act == Act::check ? base::check_output(page) : base::save_file(page, man_page(verb));
      }
    return 0;
  }
  const Verb* verb = options.verb.empty() ? nullptr : &check_verb_name(options.verb);
  fmt::print("{}", man_page(verb));
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<ManOptions>();
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) names.emplace_back(verb->name);
  arguments.add_word("verb", options->verb, "its page; without it that of the program")
      .with_hints(names)
      .required = false;
  arguments.add_output("--out", "FOLDER", options->out,
                       "write all pages there: couplet.1 and one a verb", options->overwrite,
                       "pages");
  return [options] { return man(*options); };
}

}  // namespace

extern const Verb man_verb;
const Verb man_verb{"man",
                    "prints man pages, in groff",
                    "The installed package has them where man looks for them.",
                    {"couplet man run | man -l -", "couplet man --out /usr/local/share/man/man1"},
                    declare};

}  // namespace couplet::app
