#include "random_tree.hpp"

#include <Eigen/Dense>
#include <algorithm>

namespace couplet::oracles {
namespace {

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Eigen::Quaterniond random_rotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::Quaterniond q;
  for (double& x : q.coeffs()) x = normal(random);
  return q.normalized();
}

std::array<double, 9> row_major(const Eigen::Matrix3d& m) {
  std::array<double, 9> rows;
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows.data()) = m;
  return rows;
}

OraclePose random_pose(std::mt19937_64& random) {
  OraclePose pose;
  pose.rotation = row_major(random_rotation(random).toRotationMatrix());
  for (double& x : pose.position) x = uniform(random, -0.4, 0.4);
  return pose;
}

}  // namespace

const std::vector<std::string>& joint_types() {
  static const std::vector<std::string> types{"weld",        "revolute",  "prismatic", "screw",
                                              "cylindrical", "universal", "spherical", "planar",
                                              "xyz",         "free",      "gimbal"};
  return types;
}

OracleTree random_tree(int bodies, const std::vector<std::string>& types, std::mt19937_64& random) {
  OracleTree tree;
  for (double& g : tree.gravity) g = uniform(random, -10, 10);
  for (int i = 0; i < bodies; ++i) {
    OracleBody body;
    body.parent = std::uniform_int_distribution<int>(-1, i - 1)(random);
    body.joint_type =
        types[std::uniform_int_distribution<std::size_t>(0, types.size() - 1)(random)];
    if (i == 0) body.joint_type = types.front() == "weld" ? types.back() : types.front();
    body.X_PF = random_pose(random);
    body.X_BM = random_pose(random);
    body.pitch = uniform(random, -0.5, 0.5);
    body.mass = uniform(random, 0.5, 3);
    for (double& x : body.com) x = uniform(random, -0.2, 0.2);

    const double a = uniform(random, 0.1, 0.5), b = uniform(random, 0.1, 0.5),
                 c = uniform(random, 0.1, 0.5);
    const Eigen::Vector3d moments(b * b + c * c, a * a + c * c, a * a + b * b);
    const Eigen::Matrix3d R = random_rotation(random).toRotationMatrix();
    const Eigen::Matrix3d inertia = R * (body.mass / 12 * moments).asDiagonal() * R.transpose();
    body.inertia = row_major(0.5 * (inertia + inertia.transpose()));
    tree.bodies.push_back(body);
  }
  return tree;
}

OracleState random_state(const OracleTree& tree, std::mt19937_64& random) {
  OracleState state;
  for (const OracleBody& body : tree.bodies) {
    const JointSize size = joint_size(body.joint_type);
    int remaining = size.nq;
    if (size.nq != size.nv) {
      const Eigen::Quaterniond q = random_rotation(random);
      state.q.insert(state.q.end(), {q.w(), q.x(), q.y(), q.z()});
      remaining -= 4;
    }
    for (int k = 0; k < remaining; ++k) state.q.push_back(uniform(random, -2, 2));
  }
  state.v = random_speeds(tree, random, 2);
  return state;
}

std::vector<double> random_speeds(const OracleTree& tree, std::mt19937_64& random, double limit) {
  std::vector<double> v(tree_size(tree).nv);
  for (double& x : v) x = uniform(random, -limit, limit);
  return v;
}

}  // namespace couplet::oracles
