// What all passes of one translation share.
#pragma once

#include <deque>
#include <map>

#include "couplet/base/diagnostics.hpp"
#include "couplet/modelica/instantiate/instance.hpp"
#include "couplet/modelica/library/library.hpp"

namespace couplet::modelica {

struct Fault {};  // thrown after a report; caught where translation can go on with the next thing

struct TooDeep {
};  // thrown after a report; ends the translation: going on would meet it again and again

struct ConnectionResults;  // of flatten/: who is root

constexpr size_t max_stack = 4u << 20;    // bytes; threads have 8 MB
constexpr size_t max_memory = 1u << 30;   // bytes of expressions in one translation
constexpr size_t max_array = 5'000'000;   // elements of a variable or expression, which stays whole
constexpr size_t max_elements = 500'000;  // of one value at translation: some 70 MB
constexpr long max_values = 5'000'000;    // elements of all values that are alive: some 700 MB
constexpr long max_steps = 50'000'000;    // of loops and of the interpreter, per translation

struct Place {
  const ClassInst* scope = nullptr;
  Range range;
};

struct Redeclaration {  // kept until all is instantiated, then checked
  const Entry* entry;
  ClassInst* replacement;
  const Mod* mod;
};

struct Context {
  Context(Library& library, base::Diagnostics& diagnostics);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Library& library;
  base::Diagnostics& diagnostics;
  Arena arena;
  std::deque<ClassInst> classes;
  std::deque<Entry> entries;
  std::deque<Component> components;
  std::deque<Value> values;
  std::deque<RecordType> records;
  std::deque<Function> functions;
  ClassInst* top = nullptr;                        // the unnamed class around everything
  Component* model = nullptr;                      // the class that is translated
  const ConnectionResults* connections = nullptr;  // once the connections are known
  std::vector<Redeclaration> redeclarations;
  std::unordered_map<const Source*, ClassInst*> files;  // around classes at the top
  std::map<std::string, Component*> missing_inner;      // made because nobody declared it
  int depth = 0;                                        // of nested work; see Deeper
  size_t component_count = 0;
  size_t connected = 0;  // ends of connections
  Place place;           // of the expression that was typed last
  long steps = 0;        // of loops and of the interpreter
  const char* stack_base;
  bool uses_streams = false;  // inStream or actualStream is somewhere
  int muted = 0;              // inside of Muted: errors are counted, not reported
  int muted_errors = 0;       // so far

  /// Reports at a place in the text of `scope` and throws Fault.
  [[noreturn]] void fail(const ClassInst* scope, Range range, std::string what,
                         std::string fix = {});
  /// Counts work that could go on for ever, and fails when it is too much.
  void count_step(const ClassInst* scope, Range range, long count = 1);
  /// Fails before the stack overflows; called wherever recursion follows the input.
  void check_stack() {
    const char here = 0;
    if (static_cast<size_t>(stack_base - &here) > max_stack) stack_is_full();
  }
  [[noreturn]] void stack_is_full();
  void error(const ClassInst* scope, Range range, std::string what, std::string fix = {});
};

/// Errors of what may turn out not to exist, e.g. a branch that is never taken, are only counted.
struct Muted {
  explicit Muted(Context& c) : context(c), before(c.muted_errors) { ++c.muted; }
  ~Muted() { --context.muted; }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;
  bool failed() const { return context.muted_errors > before; }
  Context& context;
  int before;
};

/// Bounds recursion through classes, components and bindings: no input may overflow the stack.
struct Deeper {
  Deeper(Context& c, const ClassInst* scope, Range range, const char* what);
  ~Deeper() { --context.depth; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  Context& context;
};

constexpr int max_depth = 400;
constexpr size_t max_components = 1'000'000;  // some 2 kB each
constexpr size_t max_connected = 4'000'000;   // ends of connections, arrays by their elements

// ---- lookup.cpp
// ------------------------------------------------------------------------------------

/// What a name means: the declared thing, or nothing.
Entry* find_element(Context& context, ClassInst* scope, Symbol name);  // own and inherited
Entry* find_name(Context& context, ClassInst* scope, Symbol name);     // and enclosing scopes
Entry* find_path(Context& context, ClassInst* scope, const ast::Name& name);
/// The class that `name` means in `scope`; fails with suggestions when there is none.
/// Functions that are called may be those of a component.
ClassInst* lookup_class(Context& context, ClassInst* scope, const ast::Name& name,
                        bool to_call = false);
/// Fails: says that `name` is not known in `scope`, with the nearest name that is.
[[noreturn]] void fail_unknown(Context& context, ClassInst* scope, ClassInst* searched, Symbol name,
                               Range range);
/// Fails when `entry` of the component `c` is protected: a.x cannot be reached from outside of a.
void check_public(Context& context, const ClassInst* scope, const Component* c, const Entry* entry,
                  Range range);
bool is_stored(Context& context, const ClassInst* package, Symbol name);  // in a file of its own
Entry* find_qualified(Context& context, const std::string& path);         // from the top: A.B.C

// ---- expand.cpp
// ------------------------------------------------------------------------------------

void expand(Context& context, ClassInst* c);
ClassInst* class_of(Context& context, Entry* entry);  // with redeclarations applied
/// A fresh use of the class `c`, with further outer modifications.
ClassInst* use_class(Context& context, ClassInst* c, Mods outer);
Entry* find_own(Context& context, ClassInst* c, Symbol name);  // declared in the text of c
ast::ClassKind kind_of(const ClassInst* c);                    // follows `class` to what it extends

/// Reports a redeclaration of something that is not replaceable.
void check_replaceable(Context& context, const Entry* entry, const Mod* mod);

/// The class that `c` is another name for: `type T = U[3]`, or `type T extends U;`. Null at the
/// end.
ClassInst* definition_of(const ClassInst* c);

// ---- component.cpp
// -----------------------------------------------------------------------------------

Component* component_of(Context& context, Entry* entry);
Component* make_model(Context& context, ClassInst* c);         // the instance at the top
void instantiate_all(Context& context, Component* component);  // everything below
/// Calls visit(child) for every component directly inside, without removed ones.
std::vector<Component*> children(Context& context, Component* component);

}  // namespace couplet::modelica
