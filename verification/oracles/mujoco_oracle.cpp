// MuJoCo's body frame is put at our joint frame M, so that all its joints sit at the origin. Its
// speeds u are linear in ours, and with u = J(q)·v:
//
//   u̇ = J·v̇ + γ,   tau = Jᵀ·tau_u,   (Jᵀ M J)·v̇ = tau − Jᵀ·(M γ + bias)
//
// J is the identity but for the screw, (1, pitch), and the free joint, made of three slides in the
// axes of F and a ball: u = (R_FM·v, w), γ = (R_FM·(w × v), 0).
#include "mujoco_oracle.hpp"

#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <cstdio>
#include <cstring>

namespace couplet::oracles {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

Matrix3d matrix(const std::array<double, 9>& m) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.data());
}
Vector3d vector(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

Eigen::Isometry3d pose(const OraclePose& X) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = matrix(X.rotation);
  T.translation() = vector(X.position);
  return T;
}

std::string joint_elements(const std::string& type) {
  const std::string x = "axis='1 0 0'/>", y = "axis='0 1 0'/>", z = "axis='0 0 1'/>";
  const std::string hinge = "<joint type='hinge' ", slide = "<joint type='slide' ";
  const std::string ball = "<joint type='ball'/>";
  if (type == "weld") return "";
  if (type == "revolute") return hinge + z;
  if (type == "prismatic") return slide + z;
  if (type == "screw" || type == "cylindrical") return hinge + z + slide + z;
  if (type == "universal") return hinge + x + hinge + y;
  if (type == "gimbal") return hinge + x + hinge + y + hinge + z;
  if (type == "spherical") return ball;
  if (type == "planar") return slide + x + slide + y + hinge + z;
  if (type == "xyz") return slide + x + slide + y + slide + z;
  if (type == "free") return slide + x + slide + y + slide + z + ball;
  throw std::invalid_argument("unknown joint type '" + type + "'");
}

std::string body_element(const OracleTree& tree, int i) {
  const OracleBody& body = tree.bodies[i];
  Eigen::Isometry3d X_MpF = pose(body.X_PF);  // Mp: frame M of the parent
  if (body.parent >= 0) X_MpF = pose(tree.bodies[body.parent].X_BM).inverse() * X_MpF;
  const Vector3d p = X_MpF.translation();
  const Eigen::Quaterniond q(X_MpF.linear());
  char place[300];
  std::snprintf(place, sizeof place,
                "<body name='%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>", i, p[0],
                p[1], p[2], q.w(), q.x(), q.y(), q.z());
  // A stand-in off the origin and off the axes, so that MuJoCo prepares for the general case.
  std::string xml = place;
  xml += "<inertial mass='1' pos='.1 .2 .3' quat='.1 .2 .3 .4' diaginertia='1 1.1 1.2'/>";
  xml += joint_elements(body.joint_type);
  for (std::size_t k = i + 1; k < tree.bodies.size(); ++k)
    if (tree.bodies[k].parent == i) xml += body_element(tree, static_cast<int>(k));
  return xml + "</body>\n";
}

mjModel* load(const OracleTree& tree) {
  std::string xml =
      "<mujoco><option><flag constraint='disable' contact='disable' passive='disable' "
      "actuation='disable'/></option><worldbody>\n";
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    if (tree.bodies[i].parent < 0) xml += body_element(tree, static_cast<int>(i));
  xml += "</worldbody></mujoco>\n";

  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "tree.xml", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[0], xml.data(), xml.size());
  char error[500] = "";
  mjModel* model = mj_loadXML("tree.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo does not load the tree: ") + error);
  return model;
}

/// Mass properties go straight into the model: MuJoCo's reader would round and judge them.
void set_mass_properties(const OracleBody& body, mjModel& m, int id) {
  const Matrix3d R_MB = matrix(body.X_BM.rotation).transpose();
  const Vector3d com_M = R_MB * (vector(body.com) - vector(body.X_BM.position));
  const Matrix3d inertia_M = R_MB * matrix(body.inertia) * R_MB.transpose();
  const Eigen::SelfAdjointEigenSolver<Matrix3d> principal(inertia_M);
  Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  const Eigen::Quaterniond q(axes);

  m.body_mass[id] = body.mass;
  const double quat[] = {q.w(), q.x(), q.y(), q.z()};
  mju_copy(m.body_ipos + 3 * id, com_M.data(), 3);
  mju_copy(m.body_iquat + 4 * id, quat, 4);
  mju_copy(m.body_inertia + 3 * id, principal.eigenvalues().data(), 3);
}

}  // namespace

class MujocoOracle::Engine {
 public:
  explicit Engine(const OracleTree& tree)
      : tree_(tree), model_(load(tree), mj_deleteModel), data_(nullptr, mj_deleteData) {
    mju_copy(model_->opt.gravity, tree.gravity.data(), 3);
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
      id_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, std::to_string(i).c_str()));
      set_mass_properties(tree.bodies[i], *model_, id_.back());
    }
    data_.reset(mj_makeData(model_.get()));
    mj_setConst(model_.get(), data_.get());
  }

  std::vector<double> forward(const OracleState& state, const std::vector<double>& tau) {
    set_state(state);
    mj_crb(model_.get(), data_.get());
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> M(model_->nv, model_->nv);
    mj_fullM(model_.get(), M.data(), data_->qM);
    const VectorXd bias = calc_forces(gamma_);
    const MatrixXd H = J_.transpose() * M * J_;
    const VectorXd f = Eigen::Map<const VectorXd>(tau.data(), J_.cols()) - J_.transpose() * bias;
    const VectorXd vdot = H.llt().solve(f);
    return {vdot.data(), vdot.data() + vdot.size()};
  }

  std::vector<double> inverse(const OracleState& state, const std::vector<double>& vdot) {
    set_state(state);
    const VectorXd udot = J_ * Eigen::Map<const VectorXd>(vdot.data(), J_.cols()) + gamma_;
    const VectorXd tau = J_.transpose() * calc_forces(udot);
    return {tau.data(), tau.data() + tau.size()};
  }

 private:
  /// M·udot + bias, by recursive Newton-Euler.
  VectorXd calc_forces(const VectorXd& udot) {
    mju_copy(data_->qacc, udot.data(), model_->nv);
    VectorXd forces(model_->nv);
    mj_rne(model_.get(), data_.get(), /*with accelerations*/ 1, forces.data());
    return forces;
  }

  void set_state(const OracleState& state) {
    J_ = MatrixXd::Zero(model_->nv, static_cast<Eigen::Index>(state.v.size()));
    gamma_ = VectorXd::Zero(model_->nv);
    int q = 0, v = 0;
    for (std::size_t i = 0; i < id_.size(); ++i) {
      const JointSize size = joint_size(tree_.bodies[i].joint_type);
      if (size.nv > 0) set_joint(static_cast<int>(i), state.q.data() + q, state.v.data() + v, v);
      q += size.nq;
      v += size.nv;
    }
    const VectorXd u = J_ * Eigen::Map<const VectorXd>(state.v.data(), J_.cols());
    mju_copy(data_->qvel, u.data(), model_->nv);
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
  }

  /// Positions, and the joint's block of J (from column `at`) and γ.
  void set_joint(int i, const double* q, const double* v, int at) {
    const OracleBody& body = tree_.bodies[i];
    const int row = model_->body_dofadr[id_[i]];
    double* qpos = data_->qpos + model_->jnt_qposadr[model_->body_jntadr[id_[i]]];
    if (body.joint_type == "screw") {
      qpos[0] = q[0];
      qpos[1] = body.pitch * q[0];
      J_(row, at) = 1;
      J_(row + 1, at) = body.pitch;
    } else if (body.joint_type == "free") {
      std::copy_n(q + 4, 3, qpos);
      std::copy_n(q, 4, qpos + 3);
      const Matrix3d R_FM = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
      const Vector3d w(v[0], v[1], v[2]), linear(v[3], v[4], v[5]);
      J_.block<3, 3>(row, at + 3) = R_FM;
      J_.block<3, 3>(row + 3, at).setIdentity();
      gamma_.segment<3>(row) = R_FM * w.cross(linear);
    } else {
      const JointSize size = joint_size(body.joint_type);
      std::copy_n(q, size.nq, qpos);
      J_.block(row, at, size.nv, size.nv).setIdentity();
    }
  }

  friend class MujocoOracle;
  OracleTree tree_;
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_;
  std::unique_ptr<mjData, void (*)(mjData*)> data_;
  std::vector<int> id_;  // MuJoCo's number of each body
  MatrixXd J_;
  VectorXd gamma_;
};

MujocoOracle::MujocoOracle(const OracleTree& tree) : engine_(std::make_unique<Engine>(tree)) {}
MujocoOracle::~MujocoOracle() = default;

std::vector<double> MujocoOracle::forward_dynamics(const OracleState& state,
                                                   const std::vector<double>& tau) {
  check_sizes(engine_->tree_, state, tau);
  return engine_->forward(state, tau);
}

std::vector<double> MujocoOracle::inverse_dynamics(const OracleState& state,
                                                   const std::vector<double>& vdot) {
  check_sizes(engine_->tree_, state, vdot);
  return engine_->inverse(state, vdot);
}

}  // namespace couplet::oracles
