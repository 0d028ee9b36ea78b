// Time per call of a short operation, in CPU time of the calling thread, so that work of others on
// the machine counts as little as possible. `tools/bench` pins the program to one core.
#pragma once

#include <time.h>

#include <algorithm>
#include <vector>

namespace couplet::bench {

struct MeasureOptions {
  int repetitions = 7;
  double seconds = 0.1;  // aim of one repetition
};

struct Measurement {
  double lowest_ns = 0;  // per call, best repetition
  double median_ns = 0;  // per call, middle repetition
  long calls = 0;        // per repetition
};

inline double thread_cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Tells the optimiser that somebody reads `value`.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

/// Measures call(k) for k = 0, 1, … pool - 1, 0, …: consecutive calls see different inputs.
template <class Call>
Measurement measure(Call&& call, int pool, const MeasureOptions& options) {
  int k = 0;
  const auto next = [&] {
    call(k);
    if (++k == pool) k = 0;
  };

  // Warm up, and find out how many calls make a repetition.
  long warm_up = 0;
  const double start = thread_cpu_seconds();
  double elapsed = 0;
  do {
    next();
    ++warm_up;
    elapsed = thread_cpu_seconds() - start;
  } while (elapsed < 0.5 * options.seconds);
  const double per_call = elapsed / static_cast<double>(warm_up);
  const long calls = std::max(1L, static_cast<long>(options.seconds / per_call));

  // A call that outlasts a repetition is not repeated more than three times.
  const int repetitions =
      per_call > options.seconds ? std::min(3, options.repetitions) : options.repetitions;
  std::vector<double> ns;
  for (int r = 0; r < repetitions; ++r) {
    const double begin = thread_cpu_seconds();
    for (long i = 0; i < calls; ++i) next();
    ns.push_back((thread_cpu_seconds() - begin) * 1e9 / static_cast<double>(calls));
  }
  std::sort(ns.begin(), ns.end());
  return {ns.front(), ns[ns.size() / 2], calls};
}

}  // namespace couplet::bench
