// Simbody 3.7 as packaged in Debian: relative coordinates, loops closed by constraints, error-controlled
// integrators that project.
#include <Simbody.h>

#include <stdexcept>

#include "peers/simbody_model.h"

namespace trammel::bench {
namespace {

SimTK::Vec3 vec(const Vec3& x) { return {x[0], x[1], x[2]}; }
Vec3 vec(const SimTK::Vec3& x) { return {x[0], x[1], x[2]}; }

SimTK::Transform transform(const Place& frame) {
  SimTK::Mat33 m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = frame.axes(i, j);
  return {SimTK::Rotation(m), vec(frame.at)};
}

Place compose(const Place& a, const Place& b) { return {a.at + a.axes * b.at, a.axes * b.axes}; }

// Sliders move along x: turns a marker's z into x.
Place z_to_x(const Place& frame) {
  Mat3 turn;
  turn.col(0) = Vec3::UnitZ();
  turn.col(1) = Vec3::UnitX();
  turn.col(2) = Vec3::UnitY();
  return {frame.at, frame.axes * turn};
}

struct Model {
  explicit Model(const Links& given);
  void add_link(const Link& link);
  void close(const Tie& tie);
  void add_forces();
  SimTK::MobilizedBody& body(int link) {
    return link < 0 ? matter.updGround() : matter.updMobilizedBody(bodies[static_cast<std::size_t>(link)]);
  }
  SimTK::State start();

  Links links;
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  std::vector<SimTK::MobilizedBodyIndex> bodies;
  std::vector<std::pair<Place, Place>> frames;  // of each link's joint, on the parent and on the link
};

Model::Model(const Links& given) : links(given), matter(system), forces(system) {
  for (const Link& link : links.links) add_link(link);
  for (const Tie& tie : links.ties)
    if (!tie.in_tree) close(tie);
  add_forces();
}

void Model::add_link(const Link& link) {
  // Inertia about the link's origin.
  const Mat3 about = link.inertia + link.mass * (link.com.squaredNorm() * Mat3::Identity() -
                                                 link.com * link.com.transpose());
  const SimTK::Body::Rigid rigid(SimTK::MassProperties(
      link.mass, vec(link.com),
      SimTK::Inertia(about(0, 0), about(1, 1), about(2, 2), about(0, 1), about(0, 2), about(1, 2))));
  SimTK::MobilizedBody& parent = body(link.parent);
  if (link.tie < 0) {
    frames.emplace_back();
    bodies.push_back(SimTK::MobilizedBody::Free(parent, rigid).getMobilizedBodyIndex());
    return;
  }
  const Tie& tie = links.tie_of(link);
  const bool slides = tie.kind == Tie::Kind::prismatic;
  const Place on_parent = slides ? z_to_x(tie.on_a) : tie.on_a, own = slides ? z_to_x(tie.on_b) : tie.on_b;
  frames.emplace_back(on_parent, own);
  const SimTK::Transform f = transform(on_parent), m = transform(own);
  SimTK::MobilizedBody made;
  if (tie.kind == Tie::Kind::revolute)
    made = SimTK::MobilizedBody::Pin(parent, f, rigid, m);
  else if (slides)
    made = SimTK::MobilizedBody::Slider(parent, f, rigid, m);
  else
    made = SimTK::MobilizedBody::Ball(parent, f, rigid, m);
  bodies.push_back(made.getMobilizedBodyIndex());
}

// In the plane two equations are enough; a hinge in space takes five.
void Model::close(const Tie& tie) {
  SimTK::MobilizedBody &a = body(tie.a), &b = body(tie.b);
  const SimTK::Vec3 on_a = vec(tie.on_a.at), on_b = vec(tie.on_b.at);
  const SimTK::UnitVec3 x(vec(Vec3(tie.on_a.axes.col(0)))), y(vec(Vec3(tie.on_a.axes.col(1)))),
      z(vec(Vec3(tie.on_b.axes.col(2))));
  if (tie.kind == Tie::Kind::distance) {
    SimTK::Constraint::Rod(a, on_a, b, on_b, tie.length);
  } else if (links.is_planar) {
    SimTK::Constraint::PointInPlane(a, x, SimTK::dot(x, on_a), b, on_b);
    SimTK::Constraint::PointInPlane(a, y, SimTK::dot(y, on_a), b, on_b);
  } else {
    SimTK::Constraint::Ball(a, on_a, b, on_b);
    if (tie.kind == Tie::Kind::spherical) return;
    if (tie.kind == Tie::Kind::prismatic) throw std::runtime_error("no loop is closed by a slider here");
    SimTK::Constraint::ConstantAngle(a, x, b, z, SimTK::Pi / 2);
    SimTK::Constraint::ConstantAngle(a, y, b, z, SimTK::Pi / 2);
  }
}

void Model::add_forces() {
  if (links.gravity.norm() > 0) SimTK::Force::Gravity(forces, matter, vec(links.gravity));
  for (const Spring& spring : links.springs) {
    SimTK::MobilizedBody &a = body(spring.a), &b = body(spring.b);
    SimTK::Force::TwoPointLinearSpring(forces, a, vec(spring.on_a), b, vec(spring.on_b), spring.stiffness,
                                       spring.length);
    if (spring.damping > 0)
      SimTK::Force::TwoPointLinearDamper(forces, a, vec(spring.on_a), b, vec(spring.on_b), spring.damping);
  }
  for (const Torque& torque : links.torques)
    SimTK::Force::ConstantTorque(forces, body(torque.on), vec(torque.value));
}

SimTK::State Model::start() {
  SimTK::State state = system.realizeTopology();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Link& link = links.links[k];
    const Place f = compose(links.place(link.parent), frames[k].first),
                m = compose(link.frame, frames[k].second);
    const SimTK::MobilizedBody& mobilized = body(static_cast<int>(k));
    mobilized.setQToFitTransform(state, ~transform(f) * transform(m));
    Vec3 spin = link.spin, velocity = link.velocity;
    if (link.tie >= 0) {
      // In the joint's axes on the parent, turned as the slider's are.
      const Tie& tie = links.tie_of(link);
      const Mat3 turn = frames[k].first.axes.transpose() * tie.on_a.axes;
      spin = turn * links.relative_spin(link);
      velocity = turn * links.relative_velocity(link);
    }
    mobilized.setUToFitVelocity(state, SimTK::SpatialVec(vec(spin), vec(velocity)));
  }
  return state;
}

constexpr int kMostSteps = 20000;  // between two samples

class SimbodyModelHere final : public SimbodyModel {
 public:
  SimbodyModelHere(const Links& links, const std::string& rule, bool by_tolerance, double value)
      : model_(links) {
    const SimTK::State state = model_.start();
    if (rule == "RungeKuttaMerson")
      integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(model_.system);
    else if (rule == "RungeKutta3")
      integrator_ = std::make_unique<SimTK::RungeKutta3Integrator>(model_.system);
    else if (rule == "Verlet")
      integrator_ = std::make_unique<SimTK::VerletIntegrator>(model_.system);
    else if (rule == "CPodes BDF")
      integrator_ = std::make_unique<SimTK::CPodesIntegrator>(model_.system, SimTK::CPodes::BDF);
    else
      integrator_ = std::make_unique<SimTK::SemiExplicitEulerIntegrator>(model_.system, value);
    if (by_tolerance) {
      integrator_->setAccuracy(value);
      integrator_->setConstraintTolerance(std::min(0.1 * value, 1e-4));
    }
    integrator_->setInternalStepLimit(kMostSteps);
    integrator_->initialize(state);
  }

  // Where steps shrink to nothing it goes on for ever: that is a failure.
  bool advance(double t) override {
    try {
      const int before = integrator_->getNumStepsAttempted();
      while (integrator_->getTime() < t) {
        if (integrator_->stepTo(t) == SimTK::Integrator::EndOfSimulation) return false;
        if (integrator_->getNumStepsAttempted() - before > kMostSteps) return false;
      }
    } catch (const std::exception&) {
      return false;
    }
    return true;
  }

  std::vector<LinkState> states() override {
    const SimTK::State& state = integrator_->getState();
    model_.system.realize(state, SimTK::Stage::Velocity);
    std::vector<LinkState> all;
    for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
      const SimTK::MobilizedBody& body = model_.body(static_cast<int>(k));
      const SimTK::Transform& x = body.getBodyTransform(state);
      LinkState link;
      link.frame.at = vec(x.p());
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) link.frame.axes(i, j) = x.R()[i][j];
      link.velocity = vec(body.getBodyOriginVelocity(state));
      link.spin = vec(body.getBodyAngularVelocity(state));
      all.push_back(link);
    }
    return all;
  }

  long steps() const override { return integrator_->getNumStepsTaken(); }

 private:
  Model model_;
  std::unique_ptr<SimTK::Integrator> integrator_;
};

}  // namespace

std::unique_ptr<SimbodyModel> make_simbody_model(const Links& links, const std::string& rule,
                                                 bool by_tolerance, double value) {
  return std::make_unique<SimbodyModelHere>(links, rule, by_tolerance, value);
}

}  // namespace trammel::bench
