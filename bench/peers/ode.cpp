// ODE 0.16 as packaged in Debian: coordinates of all bodies, semi-implicit Euler, constraints corrected by
// ERP.
#include <ode/ode.h>

#include <Eigen/Geometry>

#include <stdexcept>

#include "peers/skeleton.h"

namespace trammel::bench {
namespace {

class OdeRun final : public FixedSteps {
 public:
  OdeRun(const Subject& subject, const Setting& setting) : FixedSteps(setting.value), skeleton_(subject) {
    static const bool started = [] {
      dInitODE2(0);
      dAllocateODEDataForThread(dAllocateMaskAll);
      return true;
    }();
    if (!started) throw std::runtime_error("ODE does not start");
    quick_ = setting.rule.name == "dWorldQuickStep";
    world_ = dWorldCreate();
    const Vec3& g = skeleton_.links().gravity;
    dWorldSetGravity(world_, g[0], g[1], g[2]);
    dWorldSetERP(world_, setting.rule.name == "dWorldStep, ERP 0.8" ? 0.8 : 0.2);
    dWorldSetCFM(world_, 1e-10);
    dWorldSetQuickStepNumIterations(world_, 50);
    for (const Link& link : skeleton_.links().links) add_body(link);
    for (const Tie& tie : skeleton_.links().ties) add_joint(tie);
  }
  ~OdeRun() override { dWorldDestroy(world_); }
  OdeRun(const OdeRun&) = delete;
  OdeRun& operator=(const OdeRun&) = delete;

  std::vector<Pose> poses() override {
    std::vector<LinkState> states;
    for (std::size_t k = 0; k < bodies_.size(); ++k) states.push_back(state(k));
    return skeleton_.poses(states);
  }

 protected:
  bool step(double h) override {
    for (const Spring& spring : skeleton_.links().springs) pull(spring);
    for (const Torque& torque : skeleton_.links().torques)
      dBodyAddTorque(body(torque.on), torque.value[0], torque.value[1], torque.value[2]);
    return (quick_ ? dWorldQuickStep(world_, h) : dWorldStep(world_, h)) != 0;
  }

 private:
  dBodyID body(int link) const { return link < 0 ? nullptr : bodies_[static_cast<std::size_t>(link)]; }
  static Vec3 vec(const dReal* x) { return {x[0], x[1], x[2]}; }

  // Its origin is the centre of mass.
  void add_body(const Link& link) {
    const dBodyID made = dBodyCreate(world_);
    dMass mass;
    const Mat3& i = link.inertia;
    dMassSetParameters(&mass, link.mass, 0, 0, 0, i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2));
    dBodySetMass(made, &mass);
    const Vec3 arm = link.frame.axes * link.com, at = link.frame.at + arm,
               v = link.velocity + link.spin.cross(arm);
    dBodySetPosition(made, at[0], at[1], at[2]);
    dMatrix3 axes;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) axes[4 * r + c] = link.frame.axes(r, c);
      axes[4 * r + 3] = 0;
    }
    dBodySetRotation(made, axes);
    dBodySetLinearVel(made, v[0], v[1], v[2]);
    dBodySetAngularVel(made, link.spin[0], link.spin[1], link.spin[2]);
    dBodySetFiniteRotationMode(made, 1);
    bodies_.push_back(made);
  }

  void add_joint(const Tie& tie) {
    const Place a = skeleton_.links().place(tie.a), b = skeleton_.links().place(tie.b);
    const Vec3 on_a = a.at + a.axes * tie.on_a.at, on_b = b.at + b.axes * tie.on_b.at;
    const Vec3 axis = b.axes * tie.on_b.axes.col(2);
    dJointID joint = nullptr;
    // In the plane the tree's hinges hold the bodies upright; balls close the loops.
    const bool ball = tie.kind == Tie::Kind::spherical || (skeleton_.links().is_planar && !tie.in_tree);
    if (tie.kind == Tie::Kind::distance)
      joint = dJointCreateDBall(world_, nullptr);
    else if (ball)
      joint = dJointCreateBall(world_, nullptr);
    else if (tie.kind == Tie::Kind::revolute)
      joint = dJointCreateHinge(world_, nullptr);
    else
      joint = dJointCreateSlider(world_, nullptr);
    dJointAttach(joint, body(tie.b), body(tie.a));
    if (tie.kind == Tie::Kind::distance) {
      dJointSetDBallAnchor1(joint, on_b[0], on_b[1], on_b[2]);
      dJointSetDBallAnchor2(joint, on_a[0], on_a[1], on_a[2]);
    } else if (ball) {
      dJointSetBallAnchor(joint, on_b[0], on_b[1], on_b[2]);
    } else if (tie.kind == Tie::Kind::revolute) {
      dJointSetHingeAnchor(joint, on_b[0], on_b[1], on_b[2]);
      dJointSetHingeAxis(joint, axis[0], axis[1], axis[2]);
    } else {
      dJointSetSliderAxis(joint, axis[0], axis[1], axis[2]);
    }
  }

  LinkState state(std::size_t k) const {
    LinkState s;
    const dReal* axes = dBodyGetRotation(bodies_[k]);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) s.frame.axes(r, c) = axes[4 * r + c];
    const Vec3 arm = s.frame.axes * skeleton_.links().links[k].com;
    s.spin = vec(dBodyGetAngularVel(bodies_[k]));
    s.frame.at = vec(dBodyGetPosition(bodies_[k])) - arm;
    s.velocity = vec(dBodyGetLinearVel(bodies_[k])) - s.spin.cross(arm);
    return s;
  }

  struct End {
    Vec3 at = Vec3::Zero(), velocity = Vec3::Zero();
  };
  End end(int link, const Vec3& local) const {
    if (link < 0) return {local};
    const LinkState s = state(static_cast<std::size_t>(link));
    const Vec3 arm = s.frame.axes * local;
    return {s.frame.at + arm, s.velocity + s.spin.cross(arm)};
  }
  void pull(const Spring& spring) const {
    const End a = end(spring.a, spring.on_a), b = end(spring.b, spring.on_b);
    const Vec3 d = b.at - a.at;
    const double length = d.norm(), rate = d.dot(b.velocity - a.velocity) / length;
    const Vec3 f = (spring.stiffness * (length - spring.length) + spring.damping * rate) / length * d;
    if (spring.a >= 0) dBodyAddForceAtPos(body(spring.a), f[0], f[1], f[2], a.at[0], a.at[1], a.at[2]);
    if (spring.b >= 0) dBodyAddForceAtPos(body(spring.b), -f[0], -f[1], -f[2], b.at[0], b.at[1], b.at[2]);
  }

  Skeleton skeleton_;
  dWorldID world_ = nullptr;
  std::vector<dBodyID> bodies_;
  bool quick_ = false;
};

class OdeCode final : public Code {
 public:
  std::string name() const override { return "ODE"; }
  bool is_peer() const override { return true; }
  std::vector<Rule> rules(const Problem&) const override {
    return {{"dWorldStep, ERP 0.2"}, {"dWorldStep, ERP 0.8"}, {"dWorldQuickStep"}};
  }
  std::vector<Rule> growth_rules(const Problem& problem) const override {
    if (!problem.name.starts_with("chain")) return {};
    return {{"dWorldStep, ERP 0.2"}, {"dWorldQuickStep"}};
  }
  std::unique_ptr<Run> start(const Subject& subject, const Setting& setting) const override {
    return std::make_unique<OdeRun>(subject, setting);
  }
};

}  // namespace

std::unique_ptr<Code> make_ode() { return std::make_unique<OdeCode>(); }

}  // namespace trammel::bench
