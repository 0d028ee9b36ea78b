#include "couplet/simulate/signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "couplet/base/text.hpp"
#include "couplet/constraints/entry.hpp"
#include "couplet/model/cut_joint.hpp"
#include "couplet/results/select.hpp"
#include "couplet/symbolic/parse.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::simulate {

using symbolic::Expr;

namespace {

constexpr const char* axes[] = {".x", ".y", ".z"};

bool is_glob(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

}  // namespace

std::vector<SignalSet::Entry> SignalSet::make_entries(const MechanismProblem& problem) {
  const Mechanism& m = problem.mechanism();
  const integrate::Layout& layout = problem.layout();
  std::vector<Entry> entries;
  const auto add = [&](std::string name, std::string unit, Source source, int index,
                       int component = 0) {
    entries.push_back({{std::move(name), std::move(unit)}, {source, index, component}});
  };
  const auto add_vector = [&](const std::string& name, const char* unit, Source source, int index,
                              int first) {
    for (int k = 0; k < 3; ++k) add(name + axes[k], unit, source, index, first + k);
  };
  const auto add_tau = [&](const std::string& prefix, int freedom, Source source, int index,
                           int component = 0) {
    const auto j = static_cast<size_t>(freedom);
    add(prefix + m.dof_names[j] + ".tau", m.turns[j] ? "N m" : "N", source, index, component);
  };
  const auto add_reaction = [&](const std::string& joint, int index) {
    add_vector(joint + ".force", "N", Source::reaction, index, 0);
    add_vector(joint + ".torque", "N m", Source::reaction, index, 3);
    add_vector(joint + ".local_force", "N", Source::reaction, index, 6);
    add_vector(joint + ".local_torque", "N m", Source::reaction, index, 9);
  };
  for (int i = 0; i < layout.size(); ++i) {
    const integrate::Component& c = layout.components[static_cast<size_t>(i)];
    add(c.name, c.unit, Source::state, i);
  }
  for (int i = 0; i < layout.nv; ++i) {
    const integrate::Component& c = layout.components[static_cast<size_t>(layout.nq + i)];
    add(c.name + "dot", c.unit + "2", Source::acceleration, i);
  }
  for (const model::TreeJoint& slot : m.joints) {
    const model::Joint& joint = m.model->joints[static_cast<size_t>(slot.joint)];
    const model::JointInfo& type = info(joint.type);
    if (!joint.motion.empty())
      for (int j = slot.iv; j < slot.iv + type.nv; ++j) add_tau("", j, Source::force, j);
    add_reaction(joint.name, slot.joint);
  }
  for (const model::CutJoint& cut : m.cuts)
    add_reaction(m.model->joints[static_cast<size_t>(cut.joint)].name, cut.joint);
  if (const dynamics::ConstraintSolver* constraints = problem.system().constraints()) {
    const dynamics::ConstraintSet& set = constraints->set();
    const std::vector<dynamics::ConstraintForce> forces =
        set.calc_constraint_forces(VecX::Zero(set.rows()));
    for (size_t i = 0; i < forces.size(); ++i) {
      const model::Element& constraint = m.model->constraints[i];
      const int index = static_cast<int>(i);
      int first = 0;  // of the components of all that it exerts
      for (const constraints::Exerted& exerted : constraints::entry_of(constraint).exerts) {
        const std::string name = constraint.name + "." + exerted.name;
        if (exerted.kind == constraints::Exerted::Kind::on_freedoms) {
          for (const auto& [freedom, value] : forces[i].on_freedoms)
            add_tau(constraint.name + ".", freedom, Source::constraint, index, first++);
        } else if (exerted.components() == 3) {
          add_vector(name, exerted.unit, Source::constraint, index, first);
          first += 3;
        } else {
          add(name, exerted.unit, Source::constraint, index, first++);
        }
      }
    }
    add("constraints.position", "", Source::residual, 0, 0);
    add("constraints.velocity", "", Source::residual, 0, 1);
  }
  for (size_t i = 0; i < m.model->points.size(); ++i) {
    const std::string& name = m.model->points[i].name;
    const int index = static_cast<int>(i);
    add_vector(name + ".position", "m", Source::point, index, 0);
    add_vector(name + ".velocity", "m/s", Source::point, index, 3);
    add_vector(name + ".angular_velocity", "rad/s", Source::point, index, 6);
    add_vector(name + ".acceleration", "m/s2", Source::point, index, 9);
    constexpr const char* parts[] = {".w", ".x", ".y", ".z"};
    for (int k = 0; k < 4; ++k)
      add(name + ".orientation" + parts[k], "", Source::point, index, 12 + k);
  }
  add("energy.kinetic", "J", Source::kinetic, 0);
  add("energy.potential", "J", Source::potential, 0);
  add("energy.total", "J", Source::total, 0);
  add_vector("momentum.linear", "kg m/s", Source::momentum, 0, 0);
  add_vector("momentum.angular", "kg m2/s", Source::momentum, 0, 3);
  for (size_t i = 0; i < m.model->parameters.size(); ++i)
    add(m.model->parameters[i].name, "", Source::parameter, static_cast<int>(i));
  for (size_t i = 0; i < m.model->outputs.size(); ++i)
    add(m.model->outputs[i].name, m.model->outputs[i].unit, Source::output,
        -1 - static_cast<int>(i));
  return entries;
}

std::vector<results::Signal> SignalSet::catalogue(const MechanismProblem& problem) {
  std::vector<results::Signal> signals;
  for (Entry& entry : make_entries(problem)) signals.push_back(std::move(entry.signal));
  return signals;
}

SignalSet::SignalSet(MechanismProblem& problem, const std::vector<std::string>& patterns)
    : problem_(problem),
      kinematics_(problem.mechanism()),
      vdot_(VecX::Zero(problem.layout().nv)),
      tau_(vdot_),
      reactions_(problem.mechanism().model->joints.size()) {
  std::vector<Entry> entries = make_entries(problem);
  for (Entry& entry : entries)  // outputs of the model are expressions
    if (entry.column.source == Source::output) {
      const model::Output& output =
          problem.mechanism().model->outputs[static_cast<size_t>(-1 - entry.column.index)];
      entry.column.index = bind(output.value, output.where, entries);
    }
  add({{"t", "s"}, {Source::time}});
  if (patterns.empty())
    for (const Entry& entry : entries) {
      const Source s = entry.column.source;
      if (s == Source::state || s == Source::output || s == Source::kinetic ||
          s == Source::potential || s == Source::total)
        add(entry);
    }
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (const Entry& entry : entries)
      if (is_glob(pattern) ? results::matches(entry.signal.name, pattern)
                           : pattern == entry.signal.name) {
        add(entry);
        found = true;
      }
    if (!found && pattern != "t") add_expression(pattern, entries);
  }
  find_stretches();
  for (const Expression& expression : expressions_) {
    inputs_.resize(std::max(inputs_.size(), expression.inputs.size()));
    registers_.resize(std::max(registers_.size(), expression.tape.register_count()));
  }
}

void SignalSet::find_stretches() {
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    if (column.source != Source::state) {
      others_.push_back(i);
      continue;
    }
    if (!stretches_.empty()) {
      Stretch& last = stretches_.back();
      if (last.column + static_cast<size_t>(last.length) == i &&
          last.component + last.length == column.index) {
        ++last.length;
        continue;
      }
    }
    stretches_.push_back({i, column.index, 1});
  }
}

void SignalSet::add(const Entry& entry) {
  for (const results::Signal& each : list_)
    if (each == entry.signal) return;
  list_.push_back(entry.signal);
  columns_.push_back(entry.column);
  note_needs(entry.column);
}

void SignalSet::note_needs(const Column& column) {
  switch (column.source) {
    case Source::acceleration:
    case Source::force:
      needs_vdot_ = true;
      break;
    case Source::point:
      needs_motions_ = true;
      if (column.component >= 9 && column.component < 12) needs_vdot_ = needs_accelerations_ = true;
      break;
    case Source::reaction:
      needs_vdot_ = needs_reactions_ = true;
      break;
    case Source::constraint:
      needs_vdot_ = needs_constraints_ = true;
      break;
    case Source::residual:
      needs_residuals_ = true;
      break;
    case Source::kinetic:
    case Source::potential:
    case Source::total:
      needs_energy_ = needs_motions_ = true;
      break;
    case Source::momentum:
      needs_momentum_ = needs_motions_ = true;
      break;
    case Source::output:
      for (const Column& input : expressions_[static_cast<size_t>(column.index)].inputs)
        note_needs(input);
      break;
    default:
      break;
  }
}

int SignalSet::bind(const Expr& value, const base::SourceLocation& where,
                    const std::vector<Entry>& entries) {
  std::vector<Column> inputs;
  const std::vector<std::string> names = symbolic::find_symbols(value);
  for (const std::string& name : names) {
    if (name == "t") {
      inputs.push_back({Source::time});
      continue;
    }
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
      return entry.column.source != Source::output &&
             (entry.signal.name == name || Expr::symbol(entry.signal.name).name() == name);
    });
    if (found == entries.end()) {
      model::check_has_coordinates(problem_.mechanism(), name, where);
      std::vector<std::string> known;
      for (const Entry& entry : entries) known.push_back(entry.signal.name);
      throw base::UserError(
          where, fmt::format("there is no quantity {} to record", base::quoted(name)),
          base::find_nearest(name, known)
              ? base::suggest(name, known)
              : "couplet run MODEL --list shows all names; patterns such as '*.q' choose several");
    }
    inputs.push_back(found->column);
  }
  expressions_.push_back({symbolic::Tape(std::span(&value, 1), names), std::move(inputs)});
  return static_cast<int>(expressions_.size()) - 1;
}

void SignalSet::add_expression(const std::string& pattern, const std::vector<Entry>& entries) {
  model::check_has_coordinates(problem_.mechanism(), pattern);
  std::optional<Expr> expression;
  try {
    expression = symbolic::parse(pattern);
  } catch (const base::UserError&) {
    if (!is_glob(pattern)) throw;
    throw base::UserError({}, fmt::format("no quantity matches {}", base::quoted(pattern)),
                          "couplet run MODEL --list shows all names");
  }
  add({{pattern, ""}, {Source::output, bind(*expression, {}, entries)}});
}

// ---- Evaluation.

void SignalSet::calc(double t, const VecX& y, double* row) {
  if (needs_vdot_) problem_.calc_vdot(t, y, vdot_, tau_);
  if (needs_motions_) {
    const Mechanism& m = problem_.mechanism();
    const State& state = problem_.state(t, y);
    if (needs_energy_) potential_ = problem_.system().calc_potential_energy(state);
    dynamics::calc_kinematics(m, state, kinematics_);
    if (needs_energy_) kinetic_ = dynamics::calc_kinetic_energy(m, kinematics_);
    if (needs_accelerations_) dynamics::calc_accelerations(m, state, vdot_, kinematics_);
    if (needs_momentum_) momentum_ = dynamics::calc_momentum(m, kinematics_);
  }
  if (needs_residuals_) residuals_ = problem_.system().calc_residuals(problem_.state(t, y));
  if (needs_reactions_)
    for (const dynamics::Reaction& reaction :
         problem_.system().calc_reactions(problem_.state(t, y), vdot_))
      reactions_[static_cast<size_t>(reaction.joint)] = reaction;
  if (needs_constraints_)
    constraint_forces_ = problem_.system().calc_constraint_forces(problem_.state(t, y));
  for (const Stretch& part : stretches_)
    std::copy_n(y.data() + part.component, part.length, row + part.column);
  for (const size_t i : others_) {
    const Column& column = columns_[i];
    if (column.source != Source::output) {
      row[i] = value(column, t, y);
      continue;
    }
    const Expression& expression = expressions_[static_cast<size_t>(column.index)];
    for (size_t k = 0; k < expression.inputs.size(); ++k)
      inputs_[k] = value(expression.inputs[k], t, y);
    expression.tape.evaluate({inputs_.data(), expression.inputs.size()}, {row + i, 1}, registers_);
  }
}

double SignalSet::calc_energy(double t, const VecX& y) {
  const State& state = problem_.state(t, y);
  const double potential = problem_.system().calc_potential_energy(state);
  dynamics::calc_kinematics(problem_.mechanism(), state, kinematics_);
  return potential + dynamics::calc_kinetic_energy(problem_.mechanism(), kinematics_);
}

double SignalSet::value(const Column& column, double t, const VecX& y) const {
  switch (column.source) {
    case Source::time:
      return t;
    case Source::state:
      return y[column.index];
    case Source::acceleration:
      return vdot_[column.index];
    case Source::force:
      return tau_[column.index];
    case Source::point:
      return point_value(column);
    case Source::reaction: {
      const dynamics::Reaction& r = reactions_[static_cast<size_t>(column.index)];
      const int k = column.component % 3;
      return column.component < 3   ? r.force[k]
             : column.component < 6 ? r.torque[k]
             : column.component < 9 ? r.local_force()[k]
                                    : r.local_torque()[k];
    }
    case Source::constraint:
      return constraint_value(column);
    case Source::residual:
      return column.component == 0 ? residuals_.position : residuals_.velocity;
    case Source::kinetic:
      return kinetic_;
    case Source::potential:
      return potential_;
    case Source::total:
      return kinetic_ + potential_;
    case Source::momentum:
      return column.component < 3 ? momentum_.linear[column.component]
                                  : momentum_.angular[column.component - 3];
    case Source::parameter:
      return problem_.parameters()[static_cast<size_t>(column.index)];
    case Source::output:
      break;
  }
  return std::nan("");
}

double SignalSet::point_value(const Column& column) const {
  const model::Point& point = problem_.mechanism().model->points[static_cast<size_t>(column.index)];
  const model::BodyMotion& body = kinematics_.bodies[static_cast<size_t>(point.body)];
  const math::Pose X_WP = body.X_WB * point.X_BP;
  const int c = column.component;
  if (c < 3) return X_WP.p[c];
  if (c < 6) return body.velocity_at(X_WP.p)[c - 3];
  if (c < 9) return body.w[c - 6];
  if (c < 12) {
    const dynamics::BodyAcceleration& A =
        kinematics_.accelerations[static_cast<size_t>(point.body)];
    const math::Vec3 r = X_WP.p - body.X_WB.p;
    return (A.a + A.alpha.cross(r) + body.w.cross(body.w.cross(r)))[c - 9];
  }
  return math::quaternion(X_WP.R)[c - 12];
}

double SignalSet::constraint_value(const Column& column) const {
  const auto index = static_cast<size_t>(column.index);
  const dynamics::ConstraintForce& force = constraint_forces_[index];
  int component = column.component;
  for (const constraints::Exerted& exerted :
       constraints::entry_of(problem_.mechanism().model->constraints[index]).exerts) {
    if (exerted.kind == constraints::Exerted::Kind::on_freedoms || component < exerted.components())
      return exerted.value(force, component);
    component -= exerted.components();
  }
  return std::nan("");
}

}  // namespace couplet::simulate
