// A massless rod with a ball at each end: two points keep their distance, which may change with
// time.
#include <fmt/format.h>

#include <array>

#include "couplet/constraints/entry.hpp"
#include "couplet/constraints/faults.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::constraints {
namespace {

class DistanceRow final : public PairElement {
 public:
  explicit DistanceRow(const Binding& b)
      : PairElement(b.point("from").body, b.point("to").body),
        p_A_(b.point("from").X_BP.p),
        p_B_(b.point("to").X_BP.p),
        length_(b.over_time(std::array{b.element.expression("length")})) {}

  int position_rows() const override { return 1; }
  std::string direction(int) const override { return "distance"; }
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now, const char*,
                PairRow* rows) override {
    const std::span<const double> L = length_.evaluate(now);
    rows[0] = distance(A, A.X() * p_A_, B, B.X() * p_B_, L[0], L[1], L[2]);
  }

 private:
  Vec3 p_A_, p_B_;
  SmallTape length_;  // L, L̇, L̈ of time and parameters
};

std::optional<model::Fault> find_fault(const model::Model& model, const Element& e) {
  const Expr& length = e.expression("length");
  const std::optional<double> start = find_value_at_start(model, length);
  const bool varies = !(symbolic::substitute(length, {{Expr::symbol("t"), Expr(0.0)}}) == length);
  if (start && !(*start > 0))
    return model::Fault{fmt::format("has a length of {} m{}", *start, varies ? " at t = 0" : ""),
                        "give a length > 0; a spherical joint holds points together", "length"};
  return find_one_body(model, e.point("from"), e.point("to"));
}

}  // namespace

template <>
const Entry& entry<struct Distance>() {
  using namespace model::keys;
  static const Entry made(
      {"distance",
       "two points keep their distance: a massless rod with balls",
       {point("from", "one end"), point("to", "the other end"),
        expression("length", model::kinds::length, model::Uses::variable,
                   "how far apart; > 0, of t and parameters")
            .of("t", "the length of a distance")},
       find_fault},
      "{type: distance, from: world.post, to: tube.tip, length: 1.1 + 0.1*sin(2*t)}",
      [](const Binding& b) -> std::unique_ptr<PairElement> {
        return std::make_unique<DistanceRow>(b);
      },
      {pull});
  return made;
}

}  // namespace couplet::constraints
