// Couplet itself on the benchmark models, and the claims about it that need no other engine: what
// other joints cost, how the time per body grows with the number of bodies, how much memory it
// takes.
#include <cstdio>
#include <deque>

#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet_models.hpp"
#include "program.hpp"

namespace couplet::bench {
namespace {

using math::MatX;
using math::VecX;

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
    return sizeof(model::Link) +
           static_cast<double>(recursive_.bytes()) / static_cast<double>(mechanism_.links.size());
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
