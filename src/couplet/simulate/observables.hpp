// Beside the gate (integrate/problem.hpp) stands its twin: everything that can be recorded of a
// model, whatever kind of model it is.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/math/spatial.hpp"
#include "couplet/symbolic/expr.hpp"

namespace couplet::simulate {

using math::VecX;

enum class Kind { state, rate, motion, force, energy, momentum, residual, parameter, output };

/// What one more value at a point costs, at most; dear ones are shared by all that need them.
enum class Cost {
  none,        // it is a component of y, or known
  kinematics,  // where everything is, and how fast
  dynamics,    // an evaluation of the equations of motion
  reactions,   // the same, and what follows from it joint by joint
};

struct Observable {
  std::string name, unit;
  Kind kind;
  Cost cost;
  int component = -1;  // of y; -1: it is computed
};

/// A named expression of observables and t.
struct Output {
  std::string name, unit;
  symbolic::Expr value;
  base::SourceLocation where;
};

const char* name_of(Kind kind);
const char* name_of(Cost cost);

/// Some observables of a model, to be evaluated together.
class Probe {
 public:
  virtual ~Probe() = default;
  /// One value per observable that was chosen. Allocates nothing up to Cost::dynamics.
  virtual void calc(double t, const VecX& y, double* values) = 0;
};

class Observables {
 public:
  virtual ~Observables() = default;

  // There are dozens for each body: they are described one by one, when they are asked for. Names
  // are unique. Outputs are not among them.
  virtual size_t size() const = 0;
  virtual Observable at(size_t i) const = 0;
  virtual Kind kind(size_t i) const { return at(i).kind; }
  virtual const std::vector<Output>& outputs() const = 0;
  /// Indices below size(). The probe lives no longer than this.
  virtual std::unique_ptr<Probe> choose(std::span<const size_t> wanted) = 0;
  /// Throws UserError with the reason why a name that people expect is not in the list, if there is
  /// one.
  virtual void check_expected(std::string_view /*name*/,
                              const base::SourceLocation& /*where*/) const {}
};

}  // namespace couplet::simulate
