// couplet man: man pages in groff, of one verb or of all.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush())
    throw base::UserError({}, fmt::format("cannot write {}", base::quoted(path.string())),
                          "give --out a folder that you may write to");
}

struct ManOptions {
  std::string verb, out;
};

int man(const ManOptions& options) {
  if (!options.out.empty()) {
    write(std::filesystem::path(options.out) / "couplet.1", man_page(nullptr));
    for (const Verb* verb : verbs())
      write(std::filesystem::path(options.out) / fmt::format("couplet-{}.1", verb->name),
            man_page(verb));
    return 0;
  }
  const Verb* verb = options.verb.empty() ? nullptr : &check_verb_name(options.verb);
  fmt::print("{}", man_page(verb));
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<ManOptions>();
  arguments.add_word("verb", options->verb, "its page; without it that of the program").required =
      false;
  arguments.add("--out", "FOLDER", options->out, "write all pages there: couplet.1 and one a verb")
      .with_letter('o')
      .of_files();
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
