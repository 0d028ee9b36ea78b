// The command line of Couplet: finds the verb, lets it declare what it takes, parses, and acts.
// Exit status: 0 done, 1 the computation failed, 2 the input is wrong.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <system_error>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "interrupts.hpp"
#include "remarks.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

using base::Diagnostic;

/// Help where it is asked for, else what the verb does with its words.
int act(const Verb& verb, Arguments& arguments, const std::vector<std::string>& words) {
  const std::function<int()> action = declare(verb, arguments);
  const auto end = std::find(words.begin(), words.end(), "--");
  if (std::find(words.begin(), end, "--help") != end || std::find(words.begin(), end, "-h") != end)
    return fmt::print("{}", help_text(verb)), 0;
  arguments.parse(words);
  return action();
}

/// An option where the verb should be.
[[noreturn]] void refuse_before_verb(const std::string& option,
                                     const std::vector<std::string>& words) {
  const auto verb =
      std::find_if(words.begin(), words.end(), [](const auto& word) { return find_verb(word); });
  if (verb == words.end()) {
    const auto fix = option == "-v" ? std::optional<std::string>("-V")
                                    : base::find_nearest(option, {"--help", "--version"});
    if (fix)
      throw base::UserError({}, fmt::format("there is no option {}", base::quoted(option)),
                            fmt::format("did you mean {}?", base::quoted(*fix)));
  }
  throw base::UserError({}, fmt::format("{} stands before the verb", base::quoted(option)),
                        verb == words.end()
                            ? "write couplet VERB [options]; couplet help names the verbs"
                            : fmt::format("write couplet {} … {}", *verb, option));
}

int dispatch(std::vector<std::string> words, Arguments& arguments) {
  const std::string first = words.empty() ? "help" : words.front();
  if (first == "--version" || first == "-V") return fmt::print("couplet " COUPLET_VERSION "\n"), 0;
  const bool help = first == "--help" || first == "-h" || first == "help";
  if (help && words.size() < 2) return fmt::print("{}", overview()), 0;
  if (help) return fmt::print("{}", help_text(check_verb_name(words[1]))), 0;
  if (first.starts_with('-')) refuse_before_verb(first, words);
  words.erase(words.begin());
  return act(check_verb_name(first), arguments, words);
}

}  // namespace

std::string in_our_words(const std::string& message, const Arguments& arguments) {
  std::string out;
  Arguments of_run;  // for what another verb is told
  find_verb("run")->declare(of_run);
  for (size_t at = 0; at < message.size();) {
    const size_t open = message.find('`', at);
    const size_t close = open == std::string::npos ? open : message.find('`', open + 1);
    if (close == std::string::npos) return out + message.substr(at);
    std::string name = message.substr(open + 1, close - open - 1);
    std::replace(name.begin(), name.end(), '_', '-');
    out += message.substr(at, open - at);
    if (name == "out" && !arguments.find("--out") && arguments.find("--end-state"))
      out += "--end-state";
    else if (arguments.find("--" + name))
      out += "--" + name;
    else if (of_run.find("--" + name))
      out += "run --" + name;
    else if (find_verb(name))
      out += "couplet " + name;
    else
      out += message.substr(open, close - open + 1);
    at = close + 1;
  }
  return out;
}

namespace {

int attempt(const std::vector<std::string>& words) {
  Arguments arguments;
  const auto fail = [&](const std::string& what) {
    report({{base::Severity::error, {}, in_our_words(what, arguments), {}}}, 1);
    return 1;
  };
  try {
    return dispatch(words, arguments);
  } catch (const base::UserError& error) {
    std::vector<Diagnostic> errors = error.diagnostics();
    for (Diagnostic& each : errors) {
      each.what = in_our_words(each.what, arguments);
      each.fix = in_our_words(each.fix, arguments);
      if (each.where.file)  // a value that was given as an option
        each.where.file = in_our_words(*each.where.file, arguments);
    }
    report(errors, 2);
    return 2;
  } catch (const base::ComputationError& error) {
    return fail(error.what());
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  } catch (const std::exception& error) {
    if (std::ferror(stdout)) {  // said below
      if (const auto* why = dynamic_cast<const std::system_error*>(&error))
        errno = why->code().value();
      return 1;
    }
    return fail(fmt::format("{}\n  this is a fault of Couplet: please report it with the model",
                            error.what()));
  }
}

/// What was printed has left only now; a full disk is found out here.
int check_output(int status) {
  if (!std::ferror(stdout)) errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  const std::string reason = errno != 0 ? std::strerror(errno) : "it was refused";
  report({{base::Severity::error, {}, "standard output cannot be written: " + reason, {}}}, 1);
  return status == 0 ? 1 : status;
}

/// Where a standard file is closed, the next file that is opened would take its place, and get what
/// is printed: something else takes it that refuses.
void occupy_standard_files() {
  for (const int file : {0, 1, 2})
    if (::fcntl(file, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY));
}

}  // namespace

int execute(const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), "--json") != words.end()) speak_json();
  return check_output(attempt(words));
}

}  // namespace couplet::app

int main(int argc, char** argv) {
  couplet::app::occupy_standard_files();
  couplet::app::guard_terminal();
  couplet::app::explain_crashes();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that gets too large is an error of its write
  return couplet::app::execute({argv + 1, argv + argc});
}
