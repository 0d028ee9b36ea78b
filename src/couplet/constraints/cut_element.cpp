#include "couplet/constraints/cut_element.hpp"

namespace couplet::constraints {
namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};

}  // namespace

std::string CutElement::direction(int row) const {
  const model::Closure& equation = closure_[static_cast<size_t>(row)];
  return equation.kind == model::Closure::Kind::along
             ? std::string("translation along ") + axis_names[equation.axis]
             : std::string("rotation about ") + axis_names[equation.turn()];
}

void CutElement::evaluate(const BodyState& A, const BodyState& B, TimeAndParameters,
                          const char* wanted, PairRow* rows) {
  const math::Pose X_WF = A.X() * X_AF_, X_WM = B.X() * X_BM_;
  for (const model::Closure& equation : closure_) {
    PairRow& row = *rows++;
    if (!*wanted++) continue;
    const Vec3 axis = X_WF.R.col(equation.axis);
    row = equation.kind == model::Closure::Kind::along
              ? along(A, X_WF.p, axis, B, X_WM.p)
              : normal(A, axis, B, X_WM.R.col(equation.other));
  }
}

}  // namespace couplet::constraints
