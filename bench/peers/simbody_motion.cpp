#include "simbody_motion.hpp"

#include "simbody_bodies.hpp"

namespace couplet::bench {

struct SimbodyMotion::Engine {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::Gravity gravity_force{forces, matter, simtk(gravity)};
  std::vector<SimTK::MobilizedBodyIndex> index;
  SimTK::State start;
};

SimbodyMotion::SimbodyMotion(const Model& model) : engine_(std::make_unique<Engine>()) {
  engine_->matter.setShowDefaultGeometry(false);
  engine_->index = add_bodies(model, engine_->matter);
  engine_->start = engine_->system.realizeTopology();
  engine_->system.realizeModel(engine_->start);
}

SimbodyMotion::~SimbodyMotion() = default;

SimbodyMotion::Result SimbodyMotion::run(const std::vector<double>& q, const std::vector<double>& v,
                                         double accuracy, double t_end) const {
  const Engine& e = *engine_;
  SimTK::State state = e.start;
  for (std::size_t i = 0; i < e.index.size(); ++i) {
    const SimTK::MobilizedBody& body = e.matter.getMobilizedBody(e.index[i]);
    body.setOneQ(state, 0, q[i]);
    body.setOneU(state, 0, v[i]);
  }
  SimTK::RungeKuttaMersonIntegrator integrator(e.system);
  integrator.setAccuracy(accuracy);
  integrator.setFinalTime(t_end);
  integrator.initialize(state);
  while (integrator.getTime() < t_end) integrator.stepTo(t_end);

  Result result;
  const SimTK::State& end = integrator.getState();
  for (const SimTK::MobilizedBodyIndex i : e.index)
    result.y.push_back(e.matter.getMobilizedBody(i).getOneQ(end, 0));
  for (const SimTK::MobilizedBodyIndex i : e.index)
    result.y.push_back(e.matter.getMobilizedBody(i).getOneU(end, 0));
  result.steps = integrator.getNumStepsTaken();
  result.evaluations = integrator.getNumRealizations();
  return result;
}

}  // namespace couplet::bench
