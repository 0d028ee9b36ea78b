// A joint that closes a loop: the equations of its type, between its frames F and M.
#pragma once

#include "couplet/constraints/pair_element.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::constraints {

class CutElement final : public PairElement {
 public:
  CutElement(const model::CutJoint& cut, std::span<const model::Closure> closure)
      : PairElement(cut.from_body, cut.to_body),
        X_AF_(cut.X_AF),
        X_BM_(cut.X_BM),
        closure_(closure) {}

  int position_rows() const override { return static_cast<int>(closure_.size()); }
  std::string direction(int row) const override;
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now, const char* wanted,
                PairRow* rows) override;

 private:
  math::Pose X_AF_, X_BM_;
  std::span<const model::Closure> closure_;
};

}  // namespace couplet::constraints
