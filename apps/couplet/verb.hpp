// A verb of the command line: one file with its entry, and its name in CMakeLists.txt.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace couplet::app {

struct Verb {
  const char* name;
  const char* doc;   // one phrase
  const char* more;  // what help says after the options; may be empty
  std::vector<const char*> examples;
  /// Declares what the verb takes; gives what it does, once that is parsed. Exit status: 0 done, 1
  /// the computation failed, 2 the input is wrong (as UserError, which main prints).
  std::function<int()> (*declare)(Arguments&);
};

/// All verbs, in the order of help.
std::span<const Verb* const> verbs();
/// Null when there is none.
const Verb* find_verb(const std::string& name);
/// Throws UserError with the nearest name when there is none.
const Verb& check_verb_name(const std::string& name);

/// What every verb takes: its own, and --json.
std::function<int()> declare(const Verb& verb, Arguments& arguments);

/// The whole program with these words: prints errors, gives the exit status.
int execute(const std::vector<std::string>& words);

// ---- Made from the entries
std::string overview();  // of all verbs
std::string help_text(const Verb& verb);
std::string man_page(const Verb* verb);  // groff; null: of the program
/// For bash, zsh or fish.
std::string completion_script(const std::string& shell);

/// Option names that messages of the library write in backquotes, as this verb spells them:
/// `until` becomes --until, `assemble` becomes couplet assemble.
std::string in_our_words(const std::string& message, const Arguments& arguments);

}  // namespace couplet::app
