// What all benchmark programs have in common: the command line, and the lines that they print for
// `tools/bench`, one JSON object each.
//
//   bench_x                  times every operation and prints
//     {"suite": "dynamics", "peer": "x", "version": "1.2", "model": "chain6", "joints": 6,
//      "op": "FD", "variant": "its name there", "ns_lowest": …, "ns_median": …, "calls": …}
//   bench_x --verify DIR     first evaluates a few states, writes the results to files in DIR
//                            (doubles in machine format) and prints for each
//     {"suite": …, "peer": …, "model": …, "op": …, "variant": …, "values": "file name"}
//   bench_x --repetitions 0  times nothing
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "benchmark_models.hpp"
#include "timing.hpp"

namespace couplet::bench {

/// Forward dynamics (q, v, tau) → vdot; inverse dynamics (q, v, vdot) → tau; mass matrix q → M.
enum class Operation { forward, inverse, mass };
const char* short_name(Operation op);  // FD, ID, M

class Program {
 public:
  /// Reads the command line; prints the usage and exits on a mistake in it.
  Program(std::string peer, std::string version, int argc, char** argv);

  /// Only this model was asked for, or all of them, or none (another suite was asked for).
  bool wants(const std::string& model, const std::string& suite = "dynamics") const;
  std::vector<Model> models() const;  // those of make_models() that are wanted

  /// Times `call(k)`, which evaluates state k of the pool. To verify, collects `values()` after
  /// some calls: those of the revolute joints in the model's order (FD, ID: one number each; M:
  /// their block of the matrix, by rows). A pool may be smaller where 1,000 states need too much
  /// memory.
  template <class Call, class Values>
  void run(const Model& model, Operation op, const std::string& variant, Call&& call,
           Values&& values, int pool = pool_size) const {
    if (verifying()) {
      std::vector<double> all;
      for (int k = 0; k < std::min(pool, verified_states(model, op)); ++k) {
        call(k);
        const std::vector<double> some = values();
        all.insert(all.end(), some.begin(), some.end());
      }
      write_values(model, op, variant, all);
    }
    if (timing()) print_timing(model, op, variant, measure(call, pool, measure_));
  }

  bool verifying() const { return !verify_into_.empty(); }
  bool timing() const { return measure_.repetitions > 0; }
  const MeasureOptions& measure_options() const { return measure_; }
  void print_timing(const Model& model, Operation op, const std::string& variant,
                    const Measurement& measured) const;

 private:
  static int verified_states(const Model& model, Operation op);
  void write_values(const Model& model, Operation op, const std::string& variant,
                    const std::vector<double>& values) const;
  std::string line_start(const Model& model, Operation op, const std::string& variant) const;

  std::string peer_, version_;
  std::string suite_, model_;  // wanted ones; empty: all
  std::string verify_into_;    // directory; empty: do not verify
  MeasureOptions measure_;
};

}  // namespace couplet::bench
