// Text of typed expressions and of the classes that they need.
#pragma once

#include <map>
#include <set>
#include <unordered_set>

#include "couplet/modelica/flatten/flat.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {

/// A name as an identifier: a.b[2].c becomes 'a.b[2].c'.
std::string identifier(const std::string& name);

/// Prints expressions, and remembers which functions, records and enumerations they mention.
class FlatPrinter {
 public:
  explicit FlatPrinter(Context& context) : context_(context) {}

  /// Finds the records that stay records: what is printed later refers to their fields as v.x.
  void keep_records(const FlatModel& model);
  const Component* find_kept(
      const Component* c) const;  // the record that `c` is a part of, or null
  std::string name_of(const Component* c) const;

  std::string expression(const Exp& e) { return operand(e, 0); }
  std::string type(const Type& t);  // without dims
  std::string dims(const Type& t, Slice<const Exp*> sizes = {});
  void statements(Slice<const Statement*> body, int indent, std::string& out);
  std::string classes();  // all that were mentioned, as local classes
  /// `text` with the names of functions that turned out to be copies of others replaced. After
  /// classes().
  std::string without_copies(const std::string& text) const;

 private:
  std::string operand(const Exp& e, int least);
  std::string arguments(Slice<const Exp*> args);
  std::string call(const Exp& e);
  std::string builtin(const Exp& e);
  std::string subscripts(const Exp& e);
  std::string comprehension(const Exp& e);
  std::string record_value(const Exp& e);
  std::string field(const Exp& e);
  std::string function_value(const Exp& e);
  std::string variable(Component* c, const Type& t);
  std::string function_name(const Function* f);
  std::string record_name(const RecordType* r);
  void add_record(const RecordType* r);
  std::string class_name(const ClassInst* c);
  std::string join_functions(std::string& others);
  void print_function(const Function& f, std::string& out);
  void print_local(const Local& l, std::string& out);
  void print_record(const RecordType& r, std::string& out);
  void print_external_object(const ClassInst* c, std::string& out);

  Context& context_;
  std::map<const Function*, std::string> functions_;
  std::map<std::string, const RecordType*> records_;  // fields with sizes that all values share
  std::unordered_set<const RecordType*> seen_records_;
  std::map<std::string, const ClassInst*> enumerations_, objects_;
  std::set<std::pair<std::string, std::string>> accessors_;  // record, field
  std::unordered_set<const Component*> kept_;                // records that one call makes
  std::map<std::string, int> used_names_;
  std::vector<const Function*> waiting_;
  std::vector<std::pair<const Function*, std::string>> printed_;  // functions as text
  std::map<std::string, std::string> copies_;                     // identifiers: copy, original
};

}  // namespace couplet::modelica
