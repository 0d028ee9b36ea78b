#include "couplet/integrate/pace.hpp"

#include <algorithm>
#include <thread>

namespace couplet::integrate {

void Pace::wait_for(double t) {
  constexpr double tolerated = 1e-3;  // s: what a desktop's scheduler does to us
  const std::chrono::duration<double> due((t - t_start_) / factor_), now = Clock::now() - began_;
  if (now < due) std::this_thread::sleep_for(due - now);
  const double delay = std::chrono::duration<double>(Clock::now() - began_ - due).count();
  longest_delay_ = std::max(longest_delay_, delay);
  if (delay > tolerated) ++overruns_;
}

}  // namespace couplet::integrate
