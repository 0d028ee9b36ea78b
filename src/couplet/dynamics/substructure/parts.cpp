#include "couplet/dynamics/substructure/parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "couplet/math/dense_symmetric.hpp"

namespace couplet::dynamics {
namespace {

using Vec3Map = Eigen::Map<Vec3>;
using ConstVec3Map = Eigen::Map<const Vec3>;
using math::Mat3;

constexpr int most_connections = 4;  // of a body; one with more is several parts
constexpr int per_part = 2;          // connections, beside the welds
// A body without inertia in some direction gets this share of what it has in others, or its
// neighbours: what that changes, solving for the residual takes away, by this factor each time.
constexpr double little = 1e-7;
constexpr double none = 1e-13;
constexpr int worth_a_task = 200;  // parts or ties

size_t at(int k) { return static_cast<size_t>(k); }

/// A force at p as one at C.
void write_row(const Vec6& F, const Vec3& arm, double sign, double* out) {
  Vec3Map couple(out), force(out + 3);
  couple += sign * (F.head<3>() + arm.cross(F.tail<3>()));
  force += sign * F.tail<3>();
}

}  // namespace

// ---- Structure.

Parts::Parts(const Mechanism& mechanism, OuterRows outer)
    : mechanism_(mechanism), outer_(std::move(outer)), joint_of_freedom_(at(mechanism.nv), -1) {
  add_rigid_bodies();
  add_inertia_where_there_is_none();
  add_joints();
  add_outer();
  list_holds();
  size_t row = 0;
  for (const Tie& tie : ties_) first_row_.push_back(row), row += at(tie.rows);
}

void Parts::add_rigid_bodies() {
  rigid_of_body_.assign(mechanism_.bodies.size(), -1);
  std::map<int, int> of_link;
  std::vector<math::MassProperties> masses;
  for (size_t b = 1; b < mechanism_.bodies.size(); ++b) {
    const model::BodyPlacement& place = mechanism_.bodies[b];
    if (place.link < 0) continue;
    const auto [found, is_new] = of_link.emplace(place.link, static_cast<int>(rigids_.size()));
    const math::MassProperties& mass = mechanism_.model->bodies[b].mass;
    rigid_of_body_[b] = found->second;
    if (is_new) {
      rigids_.emplace_back();
      masses.push_back(mass);
    } else {
      const auto first = at(rigids_[at(found->second)].bodies.front());
      masses[at(found->second)] =
          masses[at(found->second)] + mass.in(mechanism_.bodies[first].X_LB.inverse() * place.X_LB);
    }
    rigids_[at(found->second)].bodies.push_back(static_cast<int>(b));
  }
  for (size_t r = 0; r < rigids_.size(); ++r) {
    rigids_[r].mass = masses[r].mass;
    rigids_[r].com = masses[r].com;
    rigids_[r].inertia = masses[r].inertia;
  }
}

void Parts::add_inertia_where_there_is_none() {
  // How far its joints are, and the lightest neighbour.
  std::vector<double> reach(rigids_.size(), 0), neighbour(rigids_.size(), 0);
  double mean = 0;
  for (const Rigid& rigid : rigids_) mean += rigid.mass / static_cast<double>(rigids_.size());
  if (mean == 0) mean = 1;
  for (const model::TreeJoint& slot : mechanism_.joints) {
    const int P = rigid_of(slot.parent_body), C = rigid_of(slot.child_body);
    if (P == C) continue;
    const auto meet = [&](int own, int body, const Vec3& p, int other) {
      if (own < 0) return;
      const Rigid& rigid = rigids_[at(own)];
      const Vec3 in_first = mechanism_.bodies[at(rigid.bodies.front())].X_LB.inverse() *
                            (mechanism_.bodies[at(body)].X_LB * p);
      reach[at(own)] = std::max(reach[at(own)], (in_first - rigid.com).norm());
      if (other < 0 || rigids_[at(other)].mass == 0) return;
      double& least = neighbour[at(own)];
      least = least == 0 ? rigids_[at(other)].mass : std::min(least, rigids_[at(other)].mass);
    };
    meet(P, slot.parent_body, slot.X_PF.p, C);
    meet(C, slot.child_body, slot.X_MB.inverse().p, P);
  }
  for (size_t r = 0; r < rigids_.size(); ++r) {
    Rigid& rigid = rigids_[r];
    const double mass = rigid.mass > 0 ? rigid.mass : neighbour[r] > 0 ? neighbour[r] : mean;
    rigid.slides = 1 / (rigid.mass > 0 ? mass : little * mass);
    const Vec3 J = math::eigenvalues_of_symmetric(rigid.inertia);
    double scale = J.maxCoeff();
    if (!(scale > none * mass * reach[r] * reach[r])) scale = mass * reach[r] * reach[r];
    if (!(scale > 0)) scale = mass;  // nothing tells its size
    const bool lacks = !(J.minCoeff() > none * scale);
    lacks_inertia_ = lacks_inertia_ || lacks || rigid.mass == 0;
    rigid.turns = Mat3(rigid.inertia + (lacks ? little * scale : 0) * Mat3::Identity()).inverse();
  }
}

void Parts::count_connections(std::vector<int>& connections) const {
  connections.assign(rigids_.size(), 0);
  const auto connect = [&](int a, int b) {
    if (a == b || a < 0 || b < 0) return;
    ++connections[at(a)], ++connections[at(b)];
  };
  for (const model::TreeJoint& slot : mechanism_.joints)
    connect(rigid_of(slot.parent_body), rigid_of(slot.child_body));
  if (!outer_.set) return;
  std::pair<int, int> last(-1, -1);
  for (const int row : outer_.rows) {
    const std::pair<int, int> bodies = outer_.set->bodies(row);
    if (bodies != last && bodies.first >= 0)
      connect(rigid_of(bodies.first), rigid_of(bodies.second));
    last = bodies;
  }
}

/// The part that the next connection of a body is on.
int Parts::take_part(int rigid) {
  if (rigid < 0) return -1;
  const Rigid& of = rigids_[at(rigid)];
  return of.first_part + std::min(taken_[at(rigid)]++ / per_part, of.parts - 1);
}

void Parts::add_joints() {
  std::vector<int> connections;
  count_connections(connections);
  taken_.assign(rigids_.size(), 0);
  for (size_t r = 0; r < rigids_.size(); ++r) {
    Rigid& rigid = rigids_[r];
    rigid.first_part = count();
    rigid.parts =
        connections[r] > most_connections ? (connections[r] + per_part - 1) / per_part : 1;
    for (int k = 0; k < rigid.parts; ++k) {
      parts_.push_back({static_cast<int>(r)});
      if (k == 0) continue;
      welds_.push_back(static_cast<int>(ties_.size()));
      ties_.push_back({6, {count() - 2, count() - 1}});
    }
  }
  for (const model::TreeJoint& slot : mechanism_.joints) {
    const int P = rigid_of(slot.parent_body), C = rigid_of(slot.child_body);
    if (P == C) continue;
    const model::Joint& joint = mechanism_.model->joints[at(slot.joint)];
    JointTie tie;
    tie.parent = take_part(P), tie.child = P < 0 ? rigids_[at(C)].first_part : take_part(C);
    tie.iv = slot.iv, tie.nv = info(joint.type).nv;
    tie.prescribed = !joint.motion.empty();
    tie.S.resize(6, tie.nv);
    const int rows = tie.prescribed ? 6 : 6 - tie.nv;
    if (rows > 0) {
      tie.tie = static_cast<int>(ties_.size());
      ties_.push_back({rows, {tie.child}, true});
      if (P >= 0) ties_.back().parts.push_back(tie.parent);
    }
    for (int k = 0; k < tie.nv; ++k)
      joint_of_freedom_[at(tie.iv + k)] = static_cast<int>(joints_.size());
    joints_.push_back(tie);
  }
}

void Parts::add_outer() {
  const auto add_relation = [&](int k, const SparseRows& G, int row) {
    OuterTie outer{static_cast<int>(ties_.size()), k, 1, -1, -1, {}, {}, {}};
    Tie tie{1, {}};
    const auto end_of = [&](int part) {
      if (part < 0) return -1;
      const auto found = std::find(tie.parts.begin(), tie.parts.end(), part);
      const auto end = static_cast<int>(found - tie.parts.begin());
      if (found == tie.parts.end()) tie.parts.push_back(part);
      return end;
    };
    for (int e = G.begin[at(row)]; e < G.begin[at(row) + 1]; ++e) {
      const int joint = joint_of_freedom_[at(G.column[at(e)])];
      outer.joints.push_back(joint);
      outer.ends_of_parent.push_back(end_of(joints_[at(joint)].parent));
      outer.ends_of_child.push_back(end_of(joints_[at(joint)].child));
    }
    outer_ties_.push_back(std::move(outer));
    ties_.push_back(std::move(tie));
  };
  if (outer_.mimics)
    for (const model::Coupling& coupling : mechanism_.couplings) {
      mimics_.column.insert(mimics_.column.end(), {coupling.iv, coupling.source_iv});
      mimics_.value.insert(mimics_.value.end(), {1, -coupling.ratio});
      mimics_.begin.push_back(static_cast<int>(mimics_.column.size()));
      add_relation(-1, mimics_, mimics_.rows() - 1);
    }
  std::pair<int, int> last(-1, -1);
  for (size_t k = 0; k < outer_.rows.size(); ++k) {
    const std::pair<int, int> bodies = outer_.set->bodies(outer_.rows[k]);
    if (bodies.first < 0) {
      add_relation(static_cast<int>(k), outer_.set->G(), outer_.rows[k]);
    } else if (bodies == last && outer_ties_.back().rows < 6) {
      ++outer_ties_.back().rows;
      ++ties_.back().rows;
    } else {
      OuterTie outer{static_cast<int>(ties_.size()), static_cast<int>(k), 1, -1, -1, {}, {}, {}};
      const int A = rigid_of(bodies.first), B = rigid_of(bodies.second);
      if (A != B) outer.a = take_part(A), outer.b = take_part(B);
      Tie tie{1, {}};
      for (const int part : {outer.a, outer.b})
        if (part >= 0) tie.parts.push_back(part);
      outer_ties_.push_back(std::move(outer));
      ties_.push_back(std::move(tie));
    }
    last = bodies;
  }
}

void Parts::list_holds() {
  for (size_t t = 0; t < ties_.size(); ++t)
    for (size_t end = 0; end < ties_[t].parts.size(); ++end)
      parts_[at(ties_[t].parts[end])].holds.push_back({static_cast<int>(t), static_cast<int>(end)});
  for (size_t k = 0; k < joints_.size(); ++k) {
    parts_[at(joints_[k].child)].pushes.push_back({static_cast<int>(k), 1});
    if (joints_[k].parent >= 0)
      parts_[at(joints_[k].parent)].pushes.push_back({static_cast<int>(k), -1});
  }
}

// ---- At a stage.

void Parts::form(const Kinematics& kinematics, const forces::AppliedForces& applied) {
  for_all(static_cast<int>(rigids_.size()), worth_a_task,
          [&](int r) { form_load(rigids_[at(r)], kinematics, applied); });
  for_all(static_cast<int>(joints_.size()), worth_a_task,
          [&](int k) { form_joint(joints_[at(k)], kinematics); });
}

void Parts::form_load(Rigid& rigid, const Kinematics& kinematics,
                      const forces::AppliedForces& applied) {
  const math::Pose& X_WB = kinematics.bodies[at(rigid.bodies.front())].X_WB;
  rigid.C = X_WB * rigid.com;
  rigid.J = X_WB.R * rigid.inertia * X_WB.R.transpose();
  rigid.J_inverse = X_WB.R * rigid.turns * X_WB.R.transpose();
  rigid.load.setZero();
  for (const int b : rigid.bodies) {
    const math::MassProperties& mass = mechanism_.model->bodies[at(b)].mass;
    const BodyMotion& body = kinematics.bodies[at(b)];
    const BodyAcceleration& at_rest = kinematics.accelerations[at(b)];
    const Mat3& R = body.X_WB.R;
    const Vec3 c = R * mass.com;  // from the body's origin
    const Vec3 a_com = at_rest.a + at_rest.alpha.cross(c) + body.w.cross(body.w.cross(c));
    Vec3 force = mass.mass * (a_com - mechanism_.uniform_gravity);
    Vec3 couple = R * (mass.inertia * (R.transpose() * at_rest.alpha)) +
                  body.w.cross(R * (mass.inertia * (R.transpose() * body.w)));
    if (applied.any_on_bodies) {  // about the body's origin
      couple -= applied.on_bodies[at(b)].head<3>() - c.cross(applied.on_bodies[at(b)].tail<3>());
      force -= applied.on_bodies[at(b)].tail<3>();
    }
    rigid.load.head<3>() += couple + Vec3(body.X_WB.p + c - rigid.C).cross(force);
    rigid.load.tail<3>() += force;
  }
}

void Parts::form_joint(JointTie& joint, const Kinematics& kinematics) {
  joint.p = kinematics.freedoms[at(joint.iv)].p;
  for (int k = 0; k < joint.nv; ++k) {
    const FreedomMotion& freedom = kinematics.freedoms[at(joint.iv + k)];
    joint.S.col(k) << freedom.w, freedom.v + freedom.w.cross(joint.p - freedom.p);
  }
  joint.space.split(joint.S);
}

void Parts::fill(Assembly& assembly) const {
  for_all(count(), worth_a_task, [&](int part) {
    assembly.part(part) = {rigid(part).parts * rigid(part).J_inverse,
                           rigid(part).parts * rigid(part).slides, rigid(part).C};
  });
  for (const int weld : welds_)
    for (int r = 0; r < 6; ++r)
      for (int end = 0; end < 2; ++end) assembly.row(weld, end, r)[r] = end == 0 ? 1 : -1;
  for_all(static_cast<int>(joints_.size()), worth_a_task, [&](int k) {
    if (joints_[at(k)].tie >= 0) fill_joint(joints_[at(k)], assembly);
  });
  for (const OuterTie& outer : outer_ties_) fill_outer(outer, assembly);
}

void Parts::fill_joint(const JointTie& joint, Assembly& assembly) const {
  const auto fill_end = [&](int end, int part, double sign) {
    const Vec3 arm = joint.p - rigid(part).C;
    for (int r = 0; r < ties_[at(joint.tie)].rows; ++r) {
      double* row = assembly.row(joint.tie, end, r);
      std::fill_n(row, 6, 0.0);
      write_row(joint.prescribed ? Vec6(Vec6::Unit(r)) : Vec6(joint.space.D.col(r)), arm, sign,
                row);
    }
  };
  JointGeometry& geometry = assembly.joint(joint.tie);
  geometry.p = joint.p;
  geometry.S = joint.prescribed ? math::Cols6(6, 0) : joint.S;
  geometry.D = joint.prescribed ? math::Cols6(math::Cols6::Identity(6, 6)) : joint.space.D;
  fill_end(0, joint.child, 1);
  if (joint.parent >= 0) fill_end(1, joint.parent, -1);
}

void Parts::fill_outer(const OuterTie& outer, Assembly& assembly) const {
  const Tie& tie = ties_[at(outer.tie)];
  for (int end = 0; end < static_cast<int>(tie.parts.size()); ++end)
    std::fill_n(assembly.row(outer.tie, end, 0), 6 * tie.rows, 0.0);
  if (!outer.joints.empty()) {  // Σ g v̇ = Σ g Bᵀ (δA_child - δA_parent)
    const SparseRows& G = outer.first < 0 ? mimics_ : outer_.set->G();
    int e = outer.first < 0 ? G.begin[at(static_cast<int>(&outer - outer_ties_.data()))]
                            : G.begin[at(outer_.rows[at(outer.first)])];
    for (size_t k = 0; k < outer.joints.size(); ++k, ++e) {
      const JointTie& joint = joints_[at(outer.joints[k])];
      const Vec6 F = G.value[at(e)] * Vec6(joint.space.B.col(G.column[at(e)] - joint.iv));
      write_row(F, joint.p - rigid(joint.child).C, 1,
                assembly.row(outer.tie, outer.ends_of_child[k], 0));
      if (joint.parent >= 0)
        write_row(F, joint.p - rigid(joint.parent).C, -1,
                  assembly.row(outer.tie, outer.ends_of_parent[k], 0));
    }
    return;
  }
  for (int r = 0; r < tie.rows; ++r) {
    const constraints::PairRow& pair = outer_.set->pair_row(outer_.rows[at(outer.first + r)]);
    Vec6 F;
    F << pair.couple, pair.force;
    int end = 0;
    for (const auto& [part, sign] : {std::pair(outer.a, -1), std::pair(outer.b, 1)})
      if (part >= 0)
        write_row(F, pair.point - rigid(part).C, sign, assembly.row(outer.tie, end++, r));
  }
}

// ---- Loads and answers.

void Parts::calc_forces(const VecX& tau, bool loads, std::span<double> f) {
  for_all(static_cast<int>(joints_.size()), worth_a_task, [&](int k) {
    JointTie& joint = joints_[at(k)];
    joint.F.setZero();
    for (int j = 0; j < joint.nv && !joint.prescribed; ++j)
      joint.F += tau[joint.iv + j] * Vec6(joint.space.B.col(j));
  });
  for_all(count(), worth_a_task, [&](int part) {
    Eigen::Map<Vec6> out(&f[6 * at(part)]);
    out = (loads ? -share(part) : 0) * rigid(part).load;
    for (const Push& push : parts_[at(part)].pushes) {
      const JointTie& joint = joints_[at(push.joint)];
      write_row(joint.F, joint.p - rigid(part).C, push.sign, out.data());
    }
  });
}

void Parts::calc_gamma(const VecX& vdot, const VecX* bias, std::span<double> gamma) const {
  std::fill(gamma.begin(), gamma.end(), 0.0);
  for (const JointTie& joint : joints_) {
    if (!joint.prescribed) continue;
    double* out = &gamma[first_row_[at(joint.tie)]];
    for (int k = 0; k < joint.nv; ++k)
      for (int i = 0; i < 6; ++i) out[i] -= joint.S(i, k) * vdot[joint.iv + k];
  }
  if (!bias) return;
  for (const OuterTie& outer : outer_ties_) {
    if (outer.first < 0) continue;
    double* out = &gamma[first_row_[at(outer.tie)]];
    for (int r = 0; r < outer.rows; ++r) out[r] = (*bias)[outer_.rows[at(outer.first + r)]];
  }
}

double Parts::calc_usual_acceleration(std::span<const double> f) const {
  double force = 0, mass = 0;
  for (int part = 0; part < count(); ++part) {
    force = std::max(force, ConstVec3Map(&f[6 * at(part) + 3]).norm());
    mass = std::max(mass, share(part) * rigid(part).mass);
  }
  return mass > 0 ? force / mass : 0;
}

void Parts::calc_residual(const Assembly& assembly, std::span<const double> f,
                          std::span<const double> gamma, std::span<const double> a,
                          std::span<const double> lambda, std::span<double> force,
                          std::span<double> row) const {
  for_all(count(), worth_a_task, [&](int part) {
    const Rigid& of = rigid(part);
    const size_t i = 6 * at(part);
    Vec3Map couple(&force[i]), pull(&force[i + 3]);
    couple = ConstVec3Map(&f[i]) - share(part) * (of.J * ConstVec3Map(&a[i]));
    pull = ConstVec3Map(&f[i + 3]) - share(part) * of.mass * ConstVec3Map(&a[i + 3]);
    for (const Hold& hold : parts_[at(part)].holds)
      for (int r = 0; r < ties_[at(hold.tie)].rows; ++r) {
        const double* R = assembly.row(hold.tie, hold.end, r);
        for (size_t k = 0; k < 6; ++k)
          force[i + k] -= R[k] * lambda[first_row_[at(hold.tie)] + at(r)];
      }
  });
  for_all(static_cast<int>(ties_.size()), worth_a_task, [&](int t) {
    for (int r = 0; r < ties_[at(t)].rows; ++r) {
      double left = gamma[first_row_[at(t)] + at(r)];
      for (int end = 0; end < static_cast<int>(ties_[at(t)].parts.size()); ++end) {
        const double* R = assembly.row(t, end, r);
        for (size_t k = 0; k < 6; ++k) left += R[k] * a[6 * at(ties_[at(t)].parts[at(end)]) + k];
      }
      row[first_row_[at(t)] + at(r)] = left;
    }
  });
}

void Parts::read_motion(std::span<const double> a, std::span<const double> lambda, VecX& tau,
                        VecX& vdot) const {
  for_all(static_cast<int>(joints_.size()), worth_a_task, [&](int index) {
    const JointTie& joint = joints_[at(index)];
    if (joint.prescribed) {
      const size_t first = first_row_[at(joint.tie)];
      for (int k = 0; k < joint.nv; ++k) {
        tau[joint.iv + k] = 0;
        for (int i = 0; i < 6; ++i) tau[joint.iv + k] -= joint.S(i, k) * lambda[first + at(i)];
      }
      return;
    }
    const auto acceleration_at_p = [&](int part) -> Vec6 {
      if (part < 0) return Vec6::Zero();
      const ConstVec3Map alpha(&a[6 * at(part)]), linear(&a[6 * at(part) + 3]);
      Vec6 out;
      out << alpha, linear + alpha.cross(joint.p - rigid(part).C);
      return out;
    };
    const Vec6 relative = acceleration_at_p(joint.child) - acceleration_at_p(joint.parent);
    for (int k = 0; k < joint.nv; ++k) vdot[joint.iv + k] = joint.space.B.col(k).dot(relative);
  });
}

void Parts::read_lambda(std::span<const double> lambda, VecX& out) const {
  out.setZero(static_cast<Eigen::Index>(outer_.rows.size()));
  for (const OuterTie& outer : outer_ties_)
    for (int r = 0; r < outer.rows && outer.first >= 0; ++r)
      out[outer.first + r] = lambda[first_row_[at(outer.tie)] + at(r)];
}

}  // namespace couplet::dynamics
