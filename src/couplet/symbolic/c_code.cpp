#include "couplet/symbolic/c_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/symbolic/c_operations.hpp"
#include "couplet/symbolic/external.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/plan.hpp"

namespace couplet::symbolic {
namespace {

std::vector<Expr> all_outputs(const CFunction& function) {
  std::vector<Expr> all;
  for (const CFunction::Output& output : function.outputs)
    all.insert(all.end(), output.values.begin(), output.values.end());
  return all;
}

/// Numbers that one part hands to a later one live in the array w; its places are used again.
class Handover {
 public:
  std::uint32_t take() {
    if (free_.empty()) return size_++;
    const std::uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }
  void give_back(std::uint32_t place) { free_.push_back(place); }
  std::uint32_t size() const { return size_; }

 private:
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> free_;
};

class Writer {
 public:
  Writer(const CFunction& function, std::size_t longest_part)
      : function_(function),
        type_(c_type(function.lanes)),
        order_(Order::by_creation(all_outputs(function))),
        plan_(order_),
        part_of_(order_.size()),
        last_part_(order_.size()),
        text_(order_.size()),
        array_(order_.size(), -1) {
    find_inputs();
    find_outputs();
    cut(longest_part);
  }

  std::string definition() {
    for (std::size_t part = 0; part < part_count_; ++part) write_part(part);
    std::string body = handover();
    for (std::size_t part = 0; part < part_count_; ++part)
      body += has_parts() ? call(part) : bodies_[part];
    if (has_packs() && !plain_outputs_.empty())
      body += fmt::format("  for (int p = 0; p < packs; ++p) {{\n{}  }}\n", plain_outputs_);
    else
      body += plain_outputs_;
    body += unused_arrays();
    std::string text;
    for (std::size_t part = 0; has_parts() && part < part_count_; ++part)
      text += fmt::format("COUPLET_PART static void {}({}) {{\n{}}}\n\n", part_name(part),
                          part_parameters(part), bodies_[part]);
    return text + fmt::format("{} {{\n{}}}\n", head(), body);
  }

  std::string unused_arrays() const {
    std::set<int> used;
    for (const std::set<int>& part : used_) used.insert(part.begin(), part.end());
    for (const auto& [root, places] : outputs_)
      if (!is_statement(root)) {
        if (array_[root] >= 0) used.insert(array_[root]);
        for (const auto& [array, i] : places) used.insert(array);
      }
    std::string text;
    if (has_packs() && used.empty()) text += "  (void)packs;\n";
    for (int k = 0; k < array_count(); ++k)
      if (!used.contains(k)) text += fmt::format("  (void){};\n", array_name(k));
    return text;
  }

  std::string head() const {
    std::vector<std::string> parameters;
    if (has_packs()) parameters.emplace_back("int packs");
    for (int k = 0; k < array_count(); ++k)
      parameters.push_back(
          fmt::format("{}double *restrict {}", is_input(k) ? "const " : "", array_name(k)));
    return fmt::format("void {}({})", function_.name, fmt::join(parameters, ", "));
  }

 private:
  // Arrays: the inputs, then the outputs.
  int input_count() const { return static_cast<int>(function_.inputs.size()); }
  int array_count() const { return input_count() + static_cast<int>(function_.outputs.size()); }
  bool is_input(int array) const { return array < input_count(); }
  const std::string& array_name(int k) const {
    return is_input(k) ? function_.inputs[static_cast<std::size_t>(k)].name
                       : function_.outputs[static_cast<std::size_t>(k - input_count())].name;
  }
  std::size_t array_size(int k) const {
    return is_input(k)
               ? function_.inputs[static_cast<std::size_t>(k)].symbols.size()
               : function_.outputs[static_cast<std::size_t>(k - input_count())].values.size();
  }
  bool has_packs() const { return function_.packs > 1; }
  bool has_parts() const { return part_count_ > 1 || has_packs(); }

  // The array w, aligned: a pack across two lines of the cache takes twice as long.
  std::string handover() const {
    if (handover_.size() == 0) return "";
    const std::string packs = has_packs() ? fmt::format("[{}]", function_.packs) : "";
    const std::string aligned =
        function_.lanes > 1 ? fmt::format(" __attribute__((aligned({})))", 8 * function_.lanes)
                            : "";
    return fmt::format("  {} w{}[{}]{};\n", type_, packs, handover_.size(), aligned);
  }
  std::string call(std::size_t part) const {
    std::vector<std::string> arguments;
    for (const int array : used_[part])
      arguments.push_back(passed(array) +
                          (has_packs() ? fmt::format(" + {}*p", array_size(array)) : ""));
    if (uses_w_[part]) arguments.emplace_back(has_packs() ? "w[p]" : "w");
    return fmt::format("  {}{}({});\n", has_packs() ? "for (int p = 0; p < packs; ++p) " : "",
                       part_name(part), fmt::join(arguments, ", "));
  }
  // Packs are read and written through pointers to them: parts get such, the function has doubles.
  std::string passed(int array) const {
    if (function_.lanes == 1) return array_name(array);
    return fmt::format("({}{} *){}", is_input(array) ? "const " : "", type_, array_name(array));
  }
  std::string element(int array, std::size_t i) const {
    const bool needs_cast = function_.lanes > 1 && !has_parts();
    return needs_cast ? fmt::format("({})[{}]", passed(array), i)
                      : fmt::format("{}[{}]", array_name(array), i);
  }
  std::string part_name(std::size_t part) const {
    return fmt::format("{}_part{}", function_.name, part + 1);
  }
  std::string part_parameters(std::size_t part) const {
    std::vector<std::string> parameters;
    for (const int k : used_[part])
      parameters.push_back(
          fmt::format("{}{} *restrict {}", is_input(k) ? "const " : "", type_, array_name(k)));
    if (uses_w_[part]) parameters.push_back(fmt::format("{} *restrict w", type_));
    return fmt::format("{}", fmt::join(parameters, ", "));
  }

  void find_inputs() {
    std::unordered_map<std::string, std::pair<int, std::size_t>> places;
    std::vector<std::string> names;
    for (int k = 0; k < input_count(); ++k) {
      const std::vector<std::string>& symbols =
          function_.inputs[static_cast<std::size_t>(k)].symbols;
      for (std::size_t i = 0; i < symbols.size(); ++i) {
        places.emplace(canonical_name(symbols[i]), std::pair(k, i));
        names.push_back(symbols[i]);
      }
    }
    base::Diagnostics diagnostics;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (order_.op(i) == Op::constant) text_[i] = c_number(order_.value(i));
      if (order_.op(i) != Op::symbol) continue;
      if (const auto found = places.find(order_.name(i)); found != places.end())
        input_places_.emplace(i, found->second), array_[i] = found->second.first;
      else
        diagnostics.error({}, fmt::format("{} is not known here", base::quoted(order_.name(i))),
                          base::suggest(order_.name(i), names));
    }
    diagnostics.check();
  }

  void find_outputs() {
    std::size_t next = 0;
    for (int k = input_count(); k < array_count(); ++k) {
      const CFunction::Output& out = function_.outputs[static_cast<std::size_t>(k - input_count())];
      for (std::size_t i = 0; i < out.values.size(); ++i)
        outputs_[order_.roots()[next++]].emplace_back(k, i);
    }
  }

  /// Which part makes each number, and which is the last to read it.
  void cut(std::size_t longest_part) {
    std::size_t statements = 0;
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (is_statement(i)) part_of_[i] = statements++ / longest_part;
    part_count_ = statements == 0 ? 0 : (statements - 1) / longest_part + 1;
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (is_statement(i))
        for_each_argument(
            i, [&](std::uint32_t a) { last_part_[a] = std::max(last_part_[a], part_of_[i]); });
    for (const auto& [i, place] : input_places_) text_[i] = element(place.first, place.second);
    bodies_.resize(part_count_);
    used_.resize(part_count_);
    uses_w_.resize(part_count_);
    for (const auto& [root, places] : outputs_)
      if (!is_statement(root))
        for (const auto& [array, i] : places)
          plain_outputs_ += function_.lanes == 1 ? fmt::format("  {}[{}] = {};\n",
                                                               array_name(array), i, plain(root, 0))
                                                 : lane_copies(array, i, root);
  }
  // A number or an input as it is; `lane` counts in arrays of doubles.
  std::string plain(std::uint32_t root, int lane) const {
    const auto found = input_places_.find(root);
    if (found == input_places_.end()) return text_[root];
    return lane_of(found->second.first, found->second.second, lane);
  }
  std::string lane_of(int array, std::size_t i, int lane) const {
    const auto lanes = static_cast<std::size_t>(function_.lanes);
    const std::string pack = has_packs() ? fmt::format("{}*p + ", lanes * array_size(array)) : "";
    return fmt::format("{}[{}{}]", array_name(array), pack,
                       i * lanes + static_cast<std::size_t>(lane));
  }
  std::string lane_copies(int array, std::size_t i, std::uint32_t root) const {
    std::string text;
    for (int l = 0; l < function_.lanes; ++l)
      text += fmt::format("  {} = {};\n", lane_of(array, i, l), plain(root, l));
    return text;
  }

  bool is_statement(std::size_t i) const { return order_.arity(i) > 0 && plan_.is_needed(i); }
  template <class Visit>
  void for_each_argument(std::size_t i, Visit visit) const {
    for (int k = 0; k < info(plan_.op[i]).arity; ++k)
      visit(plan_.args[i][static_cast<std::size_t>(k)]);
  }

  void write_part(std::size_t part) {
    std::string& body = bodies_[part];
    std::vector<std::uint32_t> returned;  // places of w that nobody reads after this part
    for (std::size_t i = first_statement_; i < order_.size() && part_of_[i] <= part; ++i) {
      first_statement_ = i + 1;
      if (!is_statement(i)) continue;
      std::string args[3];
      for (std::size_t k = 0; k < static_cast<std::size_t>(info(plan_.op[i]).arity); ++k)
        args[k] = read(plan_.args[i][k], part, returned);
      const ExternalFunction* external = plan_.op[i] == Op::call1 || plan_.op[i] == Op::call2
                                             ? &function_of(order_.expr(i).node())
                                             : nullptr;
      const std::string local = fmt::format("t{}", i);
      body += fmt::format("  const {} {} = {};\n", type_, local,
                          c_operation(plan_.op[i], external, args, function_.lanes));
      text_[i] = local;
      if (const auto found = outputs_.find(static_cast<std::uint32_t>(i)); found != outputs_.end())
        for (const auto& [array, index] : found->second) {
          body += fmt::format("  {} = {};\n", element(array, index), local);
          used_[part].insert(array);
        }
      if (last_part_[i] > part) {
        const std::uint32_t place = handover_.take();
        body += fmt::format("  w[{}] = {};\n", place, local);
        handed_.emplace(i, place);
        uses_w_[part] = 1;
      }
    }
    for (const std::uint32_t place : returned) handover_.give_back(place);
  }

  /// The text of an argument; what an earlier part has made is read once in each part.
  std::string read(std::uint32_t a, std::size_t part, std::vector<std::uint32_t>& returned) {
    if (array_[a] >= 0) used_[part].insert(array_[a]);
    if (!is_statement(a) || part_of_[a] == part) return text_[a];
    const std::uint32_t place = handed_.at(a);
    uses_w_[part] = 1;
    if (read_in_[a] != part + 1) {
      read_in_[a] = part + 1;
      bodies_[part] += fmt::format("  const {} t{} = w[{}];\n", type_, a, place);
      if (last_part_[a] == part) returned.push_back(place);
    }
    return text_[a];
  }

  const CFunction& function_;
  std::string type_;
  Order order_;
  Plan plan_;
  std::vector<std::size_t> part_of_, last_part_;
  std::vector<std::string> text_;  // of each node where it is read
  std::vector<int> array_;         // of a symbol
  std::unordered_map<std::size_t, std::pair<int, std::size_t>> input_places_;
  std::unordered_map<std::uint32_t, std::vector<std::pair<int, std::size_t>>> outputs_;
  std::unordered_map<std::size_t, std::uint32_t> handed_;  // places in w
  std::unordered_map<std::size_t, std::size_t> read_in_;   // part (+ 1) that has read it last
  std::size_t part_count_ = 0, first_statement_ = 0;
  Handover handover_;
  std::vector<std::string> bodies_;
  std::vector<std::set<int>> used_;  // arrays of each part
  std::vector<char> uses_w_;
  std::string plain_outputs_;
};

}  // namespace

std::string write_c_prelude(std::span<const CFunction> functions) {
  std::set<std::pair<Op, int>> used;  // operation, lanes
  std::map<std::string, const ExternalFunction*> externals;
  std::set<std::pair<std::string, int>> packed;  // name, lanes
  int lanes = 1;
  for (const CFunction& function : functions) {
    const Order order(all_outputs(function));
    lanes = std::max(lanes, function.lanes);
    for (std::size_t i = 0; i < order.size(); ++i) {
      used.emplace(order.op(i), function.lanes);
      if (order.op(i) != Op::call1 && order.op(i) != Op::call2) continue;
      const ExternalFunction& external = function_of(order.expr(i).node());
      externals.emplace(external.name, &external);
      packed.emplace(external.name, function.lanes);
    }
  }
  std::string text =
      "#include <math.h>\n\n"
      "#if defined(__GNUC__)\n"
      "#define COUPLET_PART __attribute__((noinline)) /* one huge function compiles slowly */\n"
      "#else\n#define COUPLET_PART\n#endif\n\n";
  for (const auto& [name, external] : externals)
    text += external->c_definition.empty()
                ? fmt::format("extern double {}({});\n", name,
                              external->arity == 1 ? "double" : "double, double")
                : external->c_definition;
  text += c_scalar_helpers(used);
  if (lanes > 1) text += c_pack_helpers(used, lanes);
  for (const auto& [name, width] : packed)
    if (width > 1) text += c_pack_helper(name, externals.at(name)->arity, width);
  return text;
}

std::string write_c_declaration(const CFunction& function) {
  std::vector<std::string> parameters;
  if (function.packs > 1) parameters.emplace_back("int packs");
  for (const CFunction::Input& input : function.inputs)
    parameters.push_back(fmt::format("const double *{}", input.name));
  for (const CFunction::Output& output : function.outputs)
    parameters.push_back(fmt::format("double *{}", output.name));
  return fmt::format("void {}({});\n", function.name, fmt::join(parameters, ", "));
}

std::string write_c_definition(const CFunction& function, std::size_t longest_part) {
  return Writer(function, longest_part).definition();
}

}  // namespace couplet::symbolic
