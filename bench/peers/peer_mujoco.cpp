// MuJoCo on the benchmark models, handed over as MJCF with 17 digits. Contacts, constraints,
// passive forces and actuators are switched off: what remains is rigid-body dynamics.
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>

#include "../program.hpp"

namespace couplet::bench {
namespace {

constexpr int deepest_xml = 50;  // bodies; MuJoCo's reader gives up at some 100 nested elements

std::string attribute(const char* name, std::span<const double> values) {
  std::string text = std::string(" ") + name + "=\"";
  char number[32];
  for (const double x : values) {
    std::snprintf(number, sizeof number, "%.17g ", x);
    text += number;
  }
  text.back() = '"';
  return text;
}

/// Body i with everything that hangs on it; only itself when `alone`.
std::string body_element(const Model& model, int i, bool alone) {
  const Body& b = model.bodies[i];
  const bool free = model.floating && i == 0;
  const double axis[] = {b.axis == 0 ? 1.0 : 0.0, b.axis == 1 ? 1.0 : 0.0, b.axis == 2 ? 1.0 : 0.0};
  std::string xml = "<body";
  if (!free) xml += attribute("pos", b.p_PF_P) + attribute("quat", b.quat_PF);
  xml += "><inertial" + attribute("mass", {&b.mass, 1}) + attribute("pos", b.p_BC_B) +
         attribute("quat", b.quat_BI) + attribute("diaginertia", b.principal) + "/>";
  xml += free ? "<freejoint/>" : "<joint type=\"hinge\"" + attribute("axis", axis) + "/>";
  for (std::size_t k = i + 1; !alone && k < model.bodies.size(); ++k)
    if (model.bodies[k].parent == i) xml += body_element(model, static_cast<int>(k), alone);
  return xml + "</body>\n";
}

std::string mjcf(const Model& model, bool side_by_side) {
  std::string xml = "<mujoco><compiler angle=\"radian\"/><size nstack=\"4000000\"/><option" +
                    attribute("gravity", gravity) +
                    "><flag constraint=\"disable\" contact=\"disable\" passive=\"disable\" "
                    "actuation=\"disable\"/></option><worldbody>\n";
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (side_by_side || model.bodies[i].parent < 0)
      xml += body_element(model, static_cast<int>(i), side_by_side);
  return xml + "</worldbody></mujoco>\n";
}

/// Bodies that were loaded side by side on the world, one hinge each, become one chain.
void link_as_chain(mjModel& m) {
  m.nM = 0;
  for (int dof = 0; dof < m.nv; ++dof) {
    const int body = dof + 1;  // body 0 is the world
    m.body_parentid[body] = body - 1;
    m.body_rootid[body] = 1;
    m.body_weldid[body] = body;
    m.body_simple[body] = 0;
    m.dof_parentid[dof] = dof - 1;
    m.dof_simplenum[dof] = 0;
    m.dof_Madr[dof] = m.nM;
    m.nM += dof + 1;  // a row of the sparse mass matrix: this freedom and its ancestors
  }
  m.nD = 2 * m.nM - m.nv;
}

mjModel* load(const std::string& xml) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[0], xml.data(), xml.size());
  char error[500] = "";
  mjModel* model = mj_loadXML("model.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo does not load the model: ") + error);
  return model;
}

class Mujoco {
 public:
  explicit Mujoco(const Model& model)
      : model_(nullptr, mj_deleteModel), data_(nullptr, mj_deleteData) {
    const bool side_by_side = model.bodies.size() > deepest_xml;
    model_.reset(load(mjcf(model, side_by_side)));
    if (side_by_side) link_as_chain(*model_);
    data_.reset(mj_makeData(model_.get()));
    if (side_by_side) mj_setConst(model_.get(), data_.get());
    first_dof_ = model.floating ? 6 : 0;
    for (const Sample& s : make_samples(model)) inputs_.push_back(make_input(model, s));
    torques_.resize(model_->nv);
  }

  void forward(int k) {
    set_state(k);
    mju_copy(data_->qfrc_applied, inputs_[k].tau.data(), model_->nv);
    mj_forward(model_.get(), data_.get());
    keep(data_->qacc);
  }
  /// What mj_forward does for a mechanism without constraints: M, its sparse LᵀDL factor, the bias
  /// force and one solution.
  void forward_smooth(int k) {
    mjModel* m = model_.get();
    mjData* d = data_.get();
    set_state(k);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, /*with accelerations*/ 0, d->qfrc_bias);
    mju_sub(d->qfrc_smooth, inputs_[k].tau.data(), d->qfrc_bias, m->nv);
    mj_solveM(m, d, d->qacc_smooth, d->qfrc_smooth, 1);
    keep(d->qacc_smooth);
  }
  void inverse(int k) {
    set_state(k);
    mju_copy(data_->qacc, inputs_[k].vdot.data(), model_->nv);
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), /*with accelerations*/ 1, torques_.data());
    keep(torques_);
  }
  void mass(int k) {
    mju_copy(data_->qpos, inputs_[k].q.data(), model_->nq);
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_crb(model_.get(), data_.get());
    keep(data_->qM);
  }

  std::vector<double> accelerations() const { return joint_entries(data_->qacc); }
  std::vector<double> smooth_accelerations() const { return joint_entries(data_->qacc_smooth); }
  std::vector<double> torques() const { return joint_entries(torques_.data()); }
  std::vector<double> mass_matrix() const {
    const int nv = model_->nv;
    std::vector<double> full(static_cast<std::size_t>(nv) * nv), rows;
    mj_fullM(model_.get(), full.data(), data_->qM);
    for (int i = first_dof_; i < nv; ++i)
      for (int j = first_dof_; j < nv; ++j)
        rows.push_back(full[static_cast<std::size_t>(i) * nv + j]);
    return rows;
  }

 private:
  struct Input {
    std::vector<double> q, v, tau, vdot;
  };

  /// MuJoCo sorts bodies depth first, and so are the models: joint i is freedom first_dof_ + i.
  static Input make_input(const Model& model, const Sample& s) {
    Input in;
    const auto append = [](std::vector<double>& to, std::span<const double> part) {
      to.insert(to.end(), part.begin(), part.end());
    };
    if (model.floating) {
      // Free joint: position and linear velocity in world axes (so vdot holds the classical
      // acceleration a + w × v), then quaternion and angular velocity in body axes.
      const Mat3 R_WB = rotation(s.quat_WB);
      append(in.q, s.p_WB_W);
      append(in.q, s.quat_WB);
      append(in.v, R_WB * s.v_WB_B);
      append(in.v, s.w_WB_B);
      append(in.vdot, R_WB * (s.a_WB_B + cross(s.w_WB_B, s.v_WB_B)));
      append(in.vdot, s.alpha_WB_B);
      in.tau.assign(6, 0.0);
    }
    append(in.q, s.q);
    append(in.v, s.v);
    append(in.tau, s.tau);
    append(in.vdot, s.vdot);
    return in;
  }

  void set_state(int k) {
    mju_copy(data_->qpos, inputs_[k].q.data(), model_->nq);
    mju_copy(data_->qvel, inputs_[k].v.data(), model_->nv);
  }
  std::vector<double> joint_entries(const double* x) const {
    return {x + first_dof_, x + model_->nv};
  }

  std::unique_ptr<mjModel, void (*)(mjModel*)> model_;
  std::unique_ptr<mjData, void (*)(mjData*)> data_;
  int first_dof_ = 0;
  std::vector<Input> inputs_;
  std::vector<double> torques_;
};

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("mujoco", mj_versionString(), argc, argv);
  for (const Model& model : program.models()) {
    Mujoco engine(model);
    program.run(
        model, Operation::forward, "mj_forward", [&](int k) { engine.forward(k); },
        [&] { return engine.accelerations(); });
    program.run(
        model, Operation::forward, "smooth part", [&](int k) { engine.forward_smooth(k); },
        [&] { return engine.smooth_accelerations(); });
    program.run(
        model, Operation::inverse, "kinematics + rne", [&](int k) { engine.inverse(k); },
        [&] { return engine.torques(); });
    program.run(
        model, Operation::mass, "kinematics + crb, sparse", [&](int k) { engine.mass(k); },
        [&] { return engine.mass_matrix(); });
  }
}
