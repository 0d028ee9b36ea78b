// Motions of a benchmark model by Simbody's own integrator. This header has no Simbody in it:
// Simbody's are C++17, Couplet's C++20.
#pragma once

#include <memory>
#include <vector>

#include "../benchmark_models.hpp"

namespace couplet::bench {

class SimbodyMotion {
 public:
  explicit SimbodyMotion(const Model& model);
  ~SimbodyMotion();

  struct Result {
    std::vector<double> y;  // q, then v, per revolute joint in the model's order
    long steps = 0, evaluations = 0;
  };
  /// From q and v at t = 0 under gravity to t_end with RungeKuttaMersonIntegrator.
  Result run(const std::vector<double>& q, const std::vector<double>& v, double accuracy,
             double t_end) const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace couplet::bench
