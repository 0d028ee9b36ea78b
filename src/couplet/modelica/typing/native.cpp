// External C functions of the Modelica Standard Library that translation may need, given natively.
#include <fmt/format.h>

#include <algorithm>

#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {

std::optional<Value> call_native(Context& context, const Function& f, Frame& frame) {
  const std::string& name = f.external->function.text();
  std::vector<Value> a;
  for (const Exp* e : f.external_arguments) a.push_back(evaluate(context, e, &frame));
  if (name == "ModelicaStrings_length" && a.size() == 1)
    return Value::integer(static_cast<double>(a[0].text.size()));
  if (name == "ModelicaStrings_substring" && a.size() == 3) {
    const auto from = static_cast<size_t>(std::max(1.0, a[1].number)) - 1;
    const auto to = static_cast<size_t>(std::max(0.0, a[2].number));
    return Value::string(from < a[0].text.size() && to > from ? a[0].text.substr(from, to - from)
                                                              : "");
  }
  if (name == "ModelicaStrings_compare" && a.size() == 3) {
    std::string x = a[0].text, y = a[1].text;
    if (!a[2].truth())
      for (std::string* s : {&x, &y})
        std::transform(s->begin(), s->end(), s->begin(),
                       [](unsigned char c) { return std::tolower(c); });
    Value v = Value::scalar(Value::Kind::enumeration, x < y ? 1 : x == y ? 2 : 3);
    v.type = f.outputs[0]->type;
    return v;
  }
  if (name == "ModelicaStrings_hashString" && a.size() == 1) {
    unsigned hash = 0;
    for (const char c : a[0].text) hash = hash * 31u + static_cast<unsigned char>(c);
    return Value::integer(static_cast<int>(hash));
  }
  return {};
}

}  // namespace couplet::modelica
