#include "couplet/dynamics/minimal/constraints/couplings.hpp"

#include <map>

#include "couplet/symbolic/substitute.hpp"

namespace couplet::dynamics {
namespace {

class Finder {
 public:
  explicit Finder(const Mechanism& mechanism)
      : mechanism_(mechanism), coupled(static_cast<size_t>(mechanism.nv)) {
    paths_.resize(mechanism.bodies.size());
    for (const model::TreeJoint& slot : mechanism.joints) {
      const model::Joint& joint = mechanism.model->joints[slot.joint];
      const model::JointInfo& type = info(joint.type);
      std::set<int>& path = paths_[static_cast<size_t>(slot.child_body)];
      path = paths_[static_cast<size_t>(slot.parent_body)];
      for (int k = 0; k < type.nv; ++k) {
        path.insert(slot.iv + k);
        owner_[symbolic::Expr::symbol(mechanism.speed_names[slot.iv + k]).name()] = slot.iv + k;
      }
      for (int k = 0; k < type.nq;
           ++k) {  // a quaternion's numbers belong to all speeds of its joint
        const std::string name =
            symbolic::Expr::symbol(mechanism.coordinate_names[slot.iq + k]).name();
        if (!type.on_quaternion())
          owner_[name] = slot.iv + k;
        else
          joint_of_[name] = {slot.iv, type.nv};
      }
      tie(path, path);
    }
    for (int k = 0; k < mechanism.nx; ++k)
      owner_[symbolic::Expr::symbol(mechanism.model->states[k].name).name()] = mechanism.nv + k;
  }

  void tie(const std::set<int>& rows, const std::set<int>& reads) {
    for (const int i : rows) coupled[static_cast<size_t>(i)].insert(reads.begin(), reads.end());
  }
  const std::set<int>& path_to(int point) const {
    return paths_[static_cast<size_t>(mechanism_.model->points[point].body)];
  }
  void add_reads(const symbolic::Expr& e, std::set<int>& reads) const {
    for (const std::string& name : symbolic::find_symbols(e)) {
      if (const auto found = owner_.find(name); found != owner_.end()) reads.insert(found->second);
      if (const auto found = joint_of_.find(name); found != joint_of_.end())
        for (int k = 0; k < found->second.second; ++k) reads.insert(found->second.first + k);
    }
  }

  /// A force element acts where it is attached; one that is attached nowhere may read and move
  /// anything.
  void add(const model::Element& force) {
    const model::Attachments on = find_attachments(*mechanism_.model, force);
    std::set<int> rows;
    for (const int point : on.points) rows.insert(path_to(point).begin(), path_to(point).end());
    for (const model::Coordinate& freedom : on.freedoms)
      rows.insert(mechanism_.joints[mechanism_.joint_slot[freedom.joint]].iv + freedom.index);
    if (on.points.empty() && on.freedoms.empty())
      for (int j = 0; j < mechanism_.nv; ++j) rows.insert(rows.end(), j);
    std::set<int> reads = rows;
    for (const symbolic::Expr& e : find_expressions(*mechanism_.model, force)) add_reads(e, reads);
    tie(rows, reads);
  }

 private:
  const Mechanism& mechanism_;
  std::vector<std::set<int>> paths_;
  std::map<std::string, int> owner_;
  std::map<std::string, std::pair<int, int>> joint_of_;

 public:
  std::vector<std::set<int>> coupled;
};

}  // namespace

std::vector<std::set<int>> find_mass_pattern(const Mechanism& mechanism) {
  return std::move(Finder(mechanism).coupled);
}

std::vector<std::set<int>> find_couplings(const Mechanism& mechanism,
                                          const ConstraintSolver* constraints) {
  Finder finder(mechanism);
  for (const model::Element& force : mechanism.model->forces) finder.add(force);
  if (constraints) {
    const SparseRows& G = constraints->set().G();
    for (const int row : constraints->rows()) {
      const std::set<int> tied(G.column.begin() + G.begin[row],
                               G.column.begin() + G.begin[row + 1]);
      finder.tie(tied, tied);
    }
  }
  return std::move(finder.coupled);
}

// A mimic joint has the coordinates of its source, whatever y says of its own.
std::vector<std::set<int>> find_state_couplings(const Mechanism& mechanism) {
  const Finder finder(mechanism);
  std::vector<std::set<int>> all;
  for (const model::StateVariable& state : mechanism.model->states) {
    std::set<int>& reads = all.emplace_back();
    finder.add_reads(state.rate, reads);
    for (const model::Coupling& c : mechanism.couplings)
      if (reads.contains(c.iv)) reads.insert(c.source_iv);
  }
  return all;
}

}  // namespace couplet::dynamics
