#include "interrupts.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "couplet/forces/plugin.hpp"
#include "couplet/results/row_stream.hpp"

namespace couplet::app {
namespace {

constexpr unsigned patience = 3;  // s

volatile std::sig_atomic_t interrupt_flag = 0;
char explanation[4096] = "";

// ---- in signal handlers: no memory, no locks

void print(const char* text) {
  [[maybe_unused]] const ssize_t done = ::write(STDERR_FILENO, text, std::strlen(text));
}

void print_name(const char* name) {
  for (; *name; ++name) {
    const char c = static_cast<unsigned char>(*name) < 0x20 || *name == 0x7f ? '?' : *name;
    [[maybe_unused]] const ssize_t done = ::write(STDERR_FILENO, &c, 1);
  }
}

extern "C" void on_interrupt(int signal) {
  if (interrupt_flag != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  interrupt_flag = signal;
  ::alarm(patience);
}

extern "C" void on_no_answer(int) {
  if (const char* plugin = forces::running_plugin()) {
    print("error: interrupted inside plug-in '");
    print_name(plugin);
    print("', which does not return");
  } else {
    print("error: interrupted inside a step");
  }
  print(explanation);
  ::_exit(128 + interrupt_flag);
}

/// The last words about a plug-in; the rows before it are written.
[[noreturn]] void end_because_of(const char* plugin, const char* what, const char* why) {
  static std::atomic_flag ending = ATOMIC_FLAG_INIT;
  if (ending.test_and_set()) ::_exit(1);  // the damage has reached whoever writes the rows
  print("error: plug-in '");
  print_name(plugin);
  print(what);
  print(why);
  results::RowStream::save_all();
  print(explanation[0] ? explanation : "\n");
  ::_exit(1);
}

extern "C" void on_crash(int signal) {
  if (const char* plugin = forces::running_plugin())
    end_because_of(plugin, "' crashed: ",
                   signal == SIGSEGV   ? "it used memory that is not its own"
                   : signal == SIGFPE  ? "it divided integers by zero"
                   : signal == SIGABRT ? "it called abort()"
                                       : "its code cannot be executed");
  if (const char* plugin = forces::loaded_plugin())
    end_because_of(plugin, "' was loaded, and then ",
                   "the program crashed outside of it: it may have damaged memory");
  std::signal(signal, SIG_DFL);  // our own: as it would be without this
  std::raise(signal);
}

void on_exit_of_process() {
  if (const char* plugin = forces::running_plugin())
    end_because_of(plugin, "' ended the program: ", "it called exit()");
}

}  // namespace

void catch_interrupts(const std::string& text) {
  std::strncpy(explanation, text.c_str(), sizeof explanation - 1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    std::signal(signal, on_interrupt);
  }
  std::signal(SIGALRM, on_no_answer);
}

bool interrupted() {
  if (interrupt_flag == 0) return false;
  ::alarm(0);
  return true;
}

int status_of_interrupt() { return 128 + interrupt_flag; }

void explain_crashes() {
  std::atexit(on_exit_of_process);
  static char stack[64 << 10];  // of its own: a plug-in may have used up the other
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  ::sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::sigaction(signal, &action, nullptr);
}

}  // namespace couplet::app
