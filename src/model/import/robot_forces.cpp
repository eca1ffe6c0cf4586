// What acts on a Robot. A drive becomes an input and a force that depends on it; where several coordinates
// share it, a name for the whole effort stands in `define`.
#include <fmt/format.h>

#include <algorithm>

#include "model/import/robot_text.h"

namespace trammel::model {
namespace {

class ForceWriter {
 public:
  explicit ForceWriter(RobotText& text) : text_(text), robot_(text.robot), m_(text.m) {}

  void write() {
    for (std::size_t i = 0; i < robot_.joints.size(); ++i)
      if (!robot_.joints[i].is_gone && robot_.joints[i].has_coordinate()) add_on_joint(static_cast<int>(i));
    for (const RobotSpring& spring : robot_.springs) add_spring(spring);
    for (const RobotTendon& tendon : robot_.tendons) add_tendon(tendon);
    for (std::size_t i = 1; i < robot_.bodies.size(); ++i)
      if (robot_.bodies[i].merged_into < 0 && robot_.bodies[i].weightless.mass != 0)
        add_lift(static_cast<int>(i));
    for (const RobotActuator& actuator : robot_.actuators) add_actuator(actuator);
  }

 private:
  ForceEntry force(const std::string& wanted, const XmlNode* node) {
    const std::string name = text_.names.take(wanted, "_force");
    const ForceEntry entry = m_.force(name);
    text_.from("forces", name, node);
    return entry;
  }

  void add_on_joint(int i) {
    const RobotJoint& joint = robot_.joint(i);
    const std::string& of = text_.joint_name(i);
    if (joint.lower || joint.upper) {
      const std::string name = text_.names.take(of + "_limit", "_stop");
      StopEntry stop = m_.stop(name).joint(of);
      if (joint.lower) stop.lower(*joint.lower);
      if (joint.upper) stop.upper(*joint.upper);
      text_.from("stops", name, joint.node);
    }
    if (joint.stiffness != 0 || joint.damping != 0) {
      ForceEntry spring = force(of + (joint.stiffness != 0 ? "_spring" : "_damping"), joint.node);
      spring.joint_spring(of);
      if (joint.stiffness != 0) spring.stiffness(joint.stiffness);
      if (joint.stiffness != 0 && joint.free != 0) spring.free(joint.free);
      if (joint.damping != 0) spring.damping(joint.damping);
    }
    if (joint.friction != 0) force(of + "_friction", joint.node).friction(of).coulomb(joint.friction);
  }

  Value place(const RobotPlace& p) const { return text_.place(p.body, p.frame.at); }

  void add_spring(const RobotSpring& s) {
    ForceEntry entry = force(s.name, s.node).spring(place(s.first), place(s.second));
    entry.length(s.length);
    if (s.stiffness != 0) entry.stiffness(s.stiffness);
    if (s.damping != 0) entry.damping(s.damping);
  }

  void add_tendon(const RobotTendon& t) {
    Map joints;
    for (const RobotTerm& term : t.terms) joints.set(text_.joint_name(term.joint), term.coefficient);
    ForceEntry entry = force(t.name, t.node).tendon(joints);
    if (t.stiffness != 0) entry.stiffness(t.stiffness);
    entry.length(t.length);
    if (t.damping != 0) entry.damping(t.damping);
  }

  // The weight of a part of the body, upwards.
  void add_lift(int i) {
    const RobotBody& body = robot_.body(i);
    const Vec3 lift = -body.weightless.mass * robot_.gravity;
    force(text_.body_name(i) + "_lift", body.node).force(tidy(lift)).at(text_.place(i, body.weightless.com));
  }

  void add_actuator(const RobotActuator& a) {
    const std::string input = text_.names.take(a.name, "_input");
    m_.input(input, 0);
    text_.from("inputs", input, a.node);
    RobotText::became(a.node, a.name, "input", input);
    std::string u = input;
    if (!a.filter.empty()) {
      u = text_.names.take(input + "_filtered", "_state");
      m_.state(u, fmt::format(fmt::runtime(a.filter), fmt::arg("u", input), fmt::arg("x", u)));
      text_.from("states", u, a.node);
    }
    if (!a.at.empty())
      add_thrust(a, input, u);
    else if (!a.between.empty())
      add_pull(a, input, u);
    else
      add_drive(a, input, u);
  }

  // Along the distance of two points: what drives it apart is a negative tension.
  void add_pull(const RobotActuator& a, const std::string& input, const std::string& u) {
    const std::string name = text_.names.take(input + "_drive", "_force");
    m_.force(name)
        .spring(place(a.between[0]), place(a.between[1]))
        .tension("-(" + law_text(a, u, name + ".length", name + ".rate") + ")");
    text_.from("forces", name, a.node);
  }

  static std::string law_text(const RobotActuator& a, const std::string& u, const std::string& q,
                              const std::string& v) {
    return fmt::format(fmt::runtime(a.law), fmt::arg("u", u), fmt::arg("q", q), fmt::arg("v", v));
  }

  void add_drive(const RobotActuator& a, const std::string& input, const std::string& u) {
    std::string q = text_.sum(a.along), v = text_.sum_of_rates(a.along);
    const bool is_sum = a.along.size() > 1 || a.along[0].coefficient != 1;
    if (is_sum) q = "(" + q + ")";
    if (is_sum) v = "(" + v + ")";
    std::string effort = law_text(a, u, q, v);
    if (a.along.size() > 1) {
      const std::string name = text_.names.take(input + "_effort", "_law");
      m_.define(name, effort);
      text_.from("define", name, a.node);
      effort = name;
    }
    for (const RobotTerm& t : a.along) {
      const RobotJoint& joint = robot_.joint(t.joint);
      const std::string own = t.coefficient == 1 ? effort : fmt::format("({})*({})", t.coefficient, effort);
      force(input + "_drive", a.node)
          .joint(text_.joint_name(t.joint))
          .set(joint.kind == Joint::Kind::revolute ? "torque" : "force", limited(t.joint, own));
    }
  }

  // Within what the joint bears of its drives.
  std::string limited(int i, const std::string& effort) const {
    const RobotJoint& joint = robot_.joint(i);
    if (!joint.least_drive || !joint.most_drive) return effort;
    return fmt::format("clamp({}, {}, {})", effort, *joint.least_drive, *joint.most_drive);
  }

  // A force and a torque in the axes of a place.
  void add_thrust(const RobotActuator& a, const std::string& input, const std::string& u) {
    const RobotPlace& at = a.at.front();
    const int body = robot_.whole(at.body);
    const Mat3 turn = robot_.body(body).placement.axes.transpose() * at.frame.axes;
    const std::string law = law_text(a, u, "0", "0");
    const auto components = [&](const Vec3& v) {
      const auto one = [&](double c) { return Value(c == 0 ? "0" : fmt::format("({})*({})", c, law)); };
      const Vec3 turned = turn * v;
      return Value{one(tidy(turned[0])), one(tidy(turned[1])), one(tidy(turned[2]))};
    };
    if (!a.force.isZero(0))
      force(input + "_thrust", a.node).force(components(a.force)).at(place(at)).axes("body");
    if (!a.torque.isZero(0))
      force(input + "_torque", a.node).torque(components(a.torque)).on(text_.body_name(at.body)).axes("body");
  }

  RobotText& text_;
  Robot& robot_;
  ModelBuilder& m_;
};

}  // namespace

void write_robot_forces(RobotText& text) { ForceWriter(text).write(); }

}  // namespace trammel::model
