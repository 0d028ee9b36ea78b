// Couplet itself on the benchmark models, and the claims about it that need no other engine: what
// other joints cost, how the time per body grows with the number of bodies, how much memory it takes.
#include <cstdio>
#include <deque>

#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/model/mechanism.hpp"
#include "program.hpp"

namespace couplet::bench {
namespace {

using math::MatX;
using math::VecX;

math::Vec3 eigen(const Vec3& v) { return {v[0], v[1], v[2]}; }
math::Mat3 eigen(const Mat3& R) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.data());
}

/// The benchmark model as a user would describe it, with joints of the given type between its bodies.
model::Mechanism make_mechanism(const Model& bench, model::JointType type) {
  model::Model model;
  model.gravity = model::UniformGravity{eigen(gravity)};
  for (std::size_t i = 0; i < bench.bodies.size(); ++i) {
    const Body& b = bench.bodies[i];
    const std::string number = std::to_string(i);
    const bool is_base = bench.floating && i == 0;
    math::MassProperties mass;
    mass.mass = b.mass;
    mass.com = eigen(b.p_BC_B);
    mass.inertia = eigen(b.inertia_BC_B);
    const int body = model.add_body("body" + number, mass);  // body 0 is the world
    const math::Pose X_PF = is_base ? math::Pose{} : math::Pose{eigen(b.R_PF), eigen(b.p_PF_P)};
    const int place = model.add_point("place" + number, b.parent + 1, X_PF);
    model.add_joint("joint" + number, is_base ? model::JointType::free : type, place,
                    model.bodies[body].origin, math::Vec3::Unit(is_base ? 2 : b.axis));
  }
  return model::compile(std::move(model));
}

struct Input {
  model::State state;
  VecX tau, vdot;
};

/// The samples in our layout. Where joints have more coordinates than samples (spherical joints), all
/// take the sample's numbers in turn: any numbers will do to measure the time.
std::vector<Input> make_inputs(const Model& bench, const model::Mechanism& mechanism, int count) {
  const int base_q = bench.floating ? 7 : 0, base_v = bench.floating ? 6 : 0;
  std::vector<Input> inputs;
  for (const Sample& s : make_samples(bench, count)) {
    Input in{mechanism.default_state(), VecX::Zero(mechanism.nv), VecX::Zero(mechanism.nv)};
    if (bench.floating) {
      for (int i = 0; i < 4; ++i) in.state.q[i] = s.quat_WB[i];
      in.state.q.segment<3>(4) = eigen(s.p_WB_W);
      in.state.v.head<6>() << eigen(s.w_WB_B), eigen(s.v_WB_B);
      in.vdot.head<6>() << eigen(s.alpha_WB_B), eigen(s.a_WB_B);
    }
    const int n = bench.joint_count();
    for (int i = base_q; i < mechanism.nq; ++i) in.state.q[i] = s.q[(i - base_q) % n];
    for (int i = base_v; i < mechanism.nv; ++i) {
      in.state.v[i] = s.v[(i - base_v) % n];
      in.tau[i] = s.tau[(i - base_v) % n];
      in.vdot[i] = s.vdot[(i - base_v) % n];
    }
    inputs.push_back(std::move(in));
  }
  return inputs;
}

class Couplet {
 public:
  Couplet(const Model& bench, model::JointType type, int pool)
      : mechanism_(make_mechanism(bench, type)),
        inputs_(make_inputs(bench, mechanism_, pool)),
        base_(bench.floating ? 6 : 0),
        recursive_(mechanism_),
        inverse_(mechanism_),
        mass_matrix_(mechanism_),
        result_(VecX::Zero(mechanism_.nv)) {}

  void forward(int k) {
    Input& in = inputs_[k];
    dynamics::calc_forward_dynamics(mechanism_, in.state, in.tau, nullptr, recursive_, result_);
    keep(result_);
  }
  void inverse(int k) {
    const Input& in = inputs_[k];
    dynamics::calc_inverse_dynamics(mechanism_, in.state, in.vdot, nullptr, inverse_, result_);
    keep(result_);
  }
  void prepare_mass() { M_ = MatX::Zero(mechanism_.nv, mechanism_.nv); }
  void mass(int k) {
    dynamics::calc_mass_matrix(mechanism_, inputs_[k].state.q, mass_matrix_, M_);
    keep(M_);
  }

  std::vector<double> result() const {
    return {result_.data() + base_, result_.data() + result_.size()};
  }
  std::vector<double> mass_matrix() const {
    const MatX full = M_.selfadjointView<Eigen::Upper>();
    std::vector<double> rows;
    for (int i = base_; i < mechanism_.nv; ++i)
      for (int j = base_; j < mechanism_.nv; ++j) rows.push_back(full(i, j));
    return rows;
  }

  /// Bytes that forward dynamics reads and writes for each link.
  double bytes_per_link() const {
    return sizeof(model::Link) + static_cast<double>(recursive_.bytes()) /
                                     static_cast<double>(mechanism_.links.size());
  }

 private:
  model::Mechanism mechanism_;
  std::vector<Input> inputs_;
  int base_;  // freedoms of the base
  dynamics::RecursiveWorkspace<double> recursive_;
  dynamics::InverseWorkspace<double> inverse_;
  dynamics::MassMatrixWorkspace<double> mass_matrix_;
  VecX result_;
  MatX M_;
};

void print_row(const char* row, const char* metric, double value, double target) {
  std::printf(R"({"suite": "dynamics", "row": "%s", "metric": "%s", "value": %.4g, "target": %g, )"
              R"("ok": %s})"
              "\n",
              row, metric, value, target, value <= target ? "true" : "false");
  std::fflush(stdout);
}

double forward_ns(Couplet& engine, int pool, const MeasureOptions& options) {
  return measure([&](int k) { engine.forward(k); }, pool, options).lowest_ns;
}

/// Other joints cost in proportion to their freedoms, or less.
void compare_joint_types(const MeasureOptions& options) {
  const Model chain = make_chain(20);
  Couplet revolute(chain, model::JointType::revolute, pool_size);
  Couplet spherical(chain, model::JointType::spherical, pool_size);
  double one = 1e30, three = 1e30;
  for (int round = 0; round < 3; ++round) {  // a busy moment shall not hit one of them alone
    one = std::min(one, forward_ns(revolute, pool_size, options));
    three = std::min(three, forward_ns(spherical, pool_size, options));
  }
  print_row("chain20", "FD spherical/revolute", three / one, 2);
}

/// O(n): the time per body is the same for 10 and for 10,000 bodies.
void compare_lengths(const MeasureOptions& options) {
  constexpr int lengths[] = {10, 30, 100, 300, 1000, 3000, 10000};
  std::deque<Couplet> engines;
  std::vector<int> pools;
  for (const int n : lengths) {
    pools.push_back(std::max(10, std::min(pool_size, 100000 / n)));
    engines.emplace_back(make_chain(n), model::JointType::revolute, pools.back());
  }
  std::vector<double> per_body(std::size(lengths), 1e30);
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < std::size(lengths); ++i)
      per_body[i] = std::min(per_body[i], forward_ns(engines[i], pools[i], options) / lengths[i]);
  const auto [low, high] = std::minmax_element(per_body.begin(), per_body.end());
  print_row("10..10000", "FD per body max/min", *high / *low, 1.3);
  print_row("chain10000", "FD bytes per body", engines.back().bytes_per_link(), 1024);
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet;
  using namespace couplet::bench;
  const Program program("couplet", COUPLET_VERSION, argc, argv);
  for (const Model& model : program.models()) {
    const int pool = model.joint_count() < 1000 ? pool_size : 100;
    Couplet engine(model, model::JointType::revolute, pool);
    const auto result = [&] { return engine.result(); };
    program.run(
        model, Operation::forward, "recursive", [&](int k) { engine.forward(k); }, result, pool);
    program.run(
        model, Operation::inverse, "recursive", [&](int k) { engine.inverse(k); }, result, pool);
    engine.prepare_mass();
    program.run(
        model, Operation::mass, "composite", [&](int k) { engine.mass(k); },
        [&] { return engine.mass_matrix(); }, pool);
  }
  if (!program.timing()) return 0;
  if (program.wants("joint_types")) compare_joint_types(program.measure_options());
  if (program.wants("lengths")) compare_lengths(program.measure_options());
}
