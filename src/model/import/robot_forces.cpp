// What acts on a Robot. A drive becomes an input and a force that depends on it; where several coordinates
// share it, a name for the whole effort stands in `define`.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/import/robot_balls.h"
#include "model/import/robot_text.h"

namespace trammel::model {
namespace {

class ForceWriter {
 public:
  explicit ForceWriter(RobotText& text) : text_(text), robot_(text.robot), m_(text.m) {}

  void write() {
    for (std::size_t i = 0; i < robot_.joints.size(); ++i)
      if (!robot_.joints[i].is_gone && robot_.joints[i].has_coordinate()) add_on_joint(static_cast<int>(i));
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) add_on_ball(static_cast<int>(i));
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

  // What turns a ball joint back and damps it: a torque on the child, and its counterpart on the parent.
  void add_on_ball(int i) {
    const RobotJoint& joint = robot_.joint(i);
    const bool acts = joint.stiffness != 0 || joint.damping != 0;
    if (joint.is_gone || joint.kind != Joint::Kind::spherical || !acts) return;
    const std::array<std::string, 3> torque = ball_torque(text_, i);
    const std::string& of = text_.joint_name(i);
    const std::string name = of + (joint.stiffness != 0 ? "_spring" : "_damping");
    const auto with_sign = [&](const char* sign) {
      return Value{sign + torque[0], sign + torque[1], sign + torque[2]};
    };
    if (robot_.whole(joint.child) != 0)
      force(name, joint.node).torque(with_sign("-")).on(text_.body_name(joint.child));
    if (robot_.whole(joint.parent) != 0)
      force(name, joint.node).torque(with_sign("")).on(text_.body_name(joint.parent));
  }

  Value place(const RobotPlace& p) const { return text_.place(p.body, p.frame.at); }

  void add_spring(const RobotSpring& s) {
    const Way way = way_of(s.legs);
    if (way.legs.empty())
      return ForeignReader::ignore(*s.node, "all its points are on one rigid body: its length is constant");
    if (way.is_plain() && s.length == s.upper_length) {
      ForceEntry entry = force(s.name, s.node).spring(place(way.legs[0].first), place(way.legs[0].second));
      entry.length(s.length);
      if (s.stiffness != 0) entry.stiffness(s.stiffness);
      if (s.damping != 0) entry.damping(s.damping);
      return;
    }
    const std::vector<std::string> names = leg_names(way, s.name);
    const std::string length = sum_of(way, names, "length"), rate = sum_of(way, names, "rate");
    std::string law = fmt::format("({})*({} - ({}))", s.stiffness, length, s.length);
    if (s.length != s.upper_length)
      law = fmt::format("({})*(max({} - ({}), 0) + min({} - ({}), 0))", s.stiffness, length, s.upper_length,
                        length, s.length);
    if (s.damping != 0) law += fmt::format(" + ({})*({})", s.damping, rate);
    pull(way, names, s.name + "_tension", law, s.node);
  }

  // The legs of a cable that change their length, and the sum of the others.
  struct Way {
    std::vector<RobotLeg> legs;
    double constant = 0;
    bool is_plain() const { return legs.size() == 1 && legs[0].part == 1 && constant == 0; }
  };

  Way way_of(const std::vector<RobotLeg>& legs) const {
    Way way;
    for (const RobotLeg& leg : legs) {
      if (robot_.whole(leg.first.body) == robot_.whole(leg.second.body))
        way.constant += leg.part * (leg.first.frame.at - leg.second.frame.at).norm();
      else
        way.legs.push_back(leg);
    }
    return way;
  }

  std::vector<std::string> leg_names(const Way& way, const std::string& name) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < way.legs.size(); ++k)
      names.push_back(
          text_.names.take(way.legs.size() == 1 ? name : fmt::format("{}_{}", name, k + 1), "_force"));
    return names;
  }

  // Of the lengths or the rates of all legs.
  static std::string sum_of(const Way& way, const std::vector<std::string>& names, const std::string& what) {
    std::string sum;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const double part = way.legs[k].part;
      sum += fmt::format("{}{}{}.{}", k == 0 ? "" : " + ", part == 1 ? "" : fmt::format("({})*", part),
                         names[k], what);
    }
    if (what == "length" && way.constant != 0) sum += fmt::format(" + {}", way.constant);
    return sum;
  }

  // One tension in all legs; where there are several, under a name.
  void pull(const Way& way, const std::vector<std::string>& names, const std::string& tension,
            const std::string& law, const XmlNode* node) {
    std::string effort = law;
    if (names.size() > 1) {
      effort = text_.names.take(tension, "_law");
      m_.define(effort, law);
      text_.from("define", effort, node);
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
      const RobotLeg& leg = way.legs[k];
      m_.force(names[k])
          .spring(place(leg.first), place(leg.second))
          .tension(leg.part == 1 ? effort : fmt::format("({})*({})", leg.part, effort));
      text_.from("forces", names[k], node);
    }
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

  // Along the length of a way: what makes it longer is a negative tension.
  void add_pull(const RobotActuator& a, const std::string& input, const std::string& u) {
    const Way way = way_of(a.between);
    if (way.legs.empty())
      return ForeignReader::ignore(*a.node, "all its points are on one rigid body: it moves nothing");
    const std::vector<std::string> names = leg_names(way, input + "_drive");
    const std::string q = sum_of(way, names, "length"), v = sum_of(way, names, "rate");
    const auto grouped = [&](const std::string& sum) { return way.is_plain() ? sum : "(" + sum + ")"; };
    pull(way, names, input + "_tension", "-(" + law_text(a, u, grouped(q), grouped(v)) + ")", a.node);
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
