// Bodies have the axes of the file's frames, at the places of the start; joints are placed in the world
// there. A weld whose frames do not stand alike at the start is a revolute joint about the frames' z axes and
// a point of the first body on a plane of the second: x_a on the plane of normal y_b.
#include "model/import/robot_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanism/joint_kinds.h"
#include "model/import/robot_text.h"

namespace trammel::model {
namespace {

// Below this, of a metre or of a component of a direction, frames stand alike: rounding of products of
// rotations.
constexpr double kAlike = 1e-12;

class RobotWriter {
 public:
  explicit RobotWriter(Robot& robot) : text_(robot), robot_(robot), m_(text_.m) {}

  RobotModel write(const std::string& remark) {
    m_.remark(remark);
    m_.gravity(robot_.gravity);
    for (RobotBody& body : robot_.bodies) text_.names_of_bodies.push_back(name_of(body));
    for (RobotJoint& joint : robot_.joints)
      text_.names_of_joints.push_back(joint.is_gone ? "" : text_.names.take(joint.name, "_joint"));
    for (std::size_t i = 1; i < robot_.bodies.size(); ++i) add_body(static_cast<int>(i));
    if (const auto drawn = drawn_values(robot_, 0); !drawn.empty())
      m_.set("ground", Map{{"drawn", Value::list(drawn)}});
    for (const RobotPoint& point : robot_.points)
      if (robot_.whole(point.body) == 0) add_ground_point(point.name, point.at, point.node, "point");
    for (std::size_t i = 0; i < robot_.joints.size(); ++i)
      if (!robot_.joints[i].is_gone) add_joint(static_cast<int>(i));
    for (const RobotLoop& loop : robot_.loops) add_loop(loop);
    for (const RobotCoupling& coupling : robot_.couplings) add_coupling(coupling);
    for (const RobotRelation& relation : robot_.relations) add_relation(relation);
    write_robot_forces(text_);
    return {std::move(m_), std::move(text_.lines)};
  }

 private:
  std::string name_of(const RobotBody& body) {
    if (&body == &robot_.bodies.front()) return kGround;
    const bool is_own = body.merged_into < 0;
    return is_own ? text_.names.take(body.name, "_body") : "";
  }

  void add_body(int i) {
    const RobotBody& body = robot_.body(i);
    if (body.merged_into >= 0) return add_point(i);
    const std::string& name = text_.names_of_bodies[static_cast<std::size_t>(i)];
    const Mat3 axes = body.placement.axes;
    const Inertial& own = body.inertial;
    BodyEntry entry = m_.body(name).mass(own.mass);
    const Mat3 tensor = axes.transpose() * own.inertia * axes;
    const double rounding = 1e-15 * tensor.cwiseAbs().maxCoeff();
    Map inertia{{"xx", tensor(0, 0)}, {"yy", tensor(1, 1)}, {"zz", tensor(2, 2)}};
    const std::array<std::pair<const char*, double>, 3> products{
        {{"xy", tensor(0, 1)}, {"xz", tensor(0, 2)}, {"yz", tensor(1, 2)}}};
    for (const auto& [key, value] : products)
      if (std::abs(value) > rounding) inertia.set(key, value);
    entry.inertia(inertia);
    const Vec3 com = axes.transpose() * (own.com - body.placement.at);
    if (own.mass > 0 && com.norm() > 1e-15) entry.com(tidy(com));
    entry.at(tidy(body.placement.at));
    if (!axes.isIdentity(0)) {
      const Eigen::Quaterniond q(axes);
      entry.orientation({{"quaternion", {tidy(q.w()), tidy(q.x()), tidy(q.y()), tidy(q.z())}}});
    }
    if (body.floats) entry.free();
    if (const Map points = own_points(i); !points.empty()) entry.points(points);
    if (const auto drawn = drawn_values(robot_, i); !drawn.empty()) entry.drawn(Value::list(drawn));
    text_.from("bodies", name, body.node);
    RobotText::became(body.node, body.name, "body", name);
  }

  // Points of a body: links that are a part of it.
  Map own_points(int whole) {
    Map points;
    ModelNames own;
    const Frame world = inverse(robot_.body(whole).placement);
    for (int i = 1; i < static_cast<int>(robot_.bodies.size()); ++i) {
      RobotBody& part = robot_.body(i);
      if (i == whole || robot_.whole(i) != whole) continue;
      const std::string name = own.take(part.name, "_point");
      points.set(name, tidy((world * part.placement).at));
      RobotText::became(
          part.node, part.name,
          fmt::format("{} of '{}', with its origin as the point", part.is_gone ? "point" : "part",
                      text_.names_of_bodies[static_cast<std::size_t>(whole)]),
          name);
    }
    for (const RobotPoint& point : robot_.points) {
      if (robot_.whole(point.body) != whole) continue;
      const std::string name = own.take(point.name, "_point");
      points.set(name, tidy((world * Frame{point.at, Mat3::Identity()}).at));
      RobotText::became(point.node, point.name,
                        fmt::format("point of '{}'", text_.names_of_bodies[static_cast<std::size_t>(whole)]),
                        name);
    }
    return points;
  }

  // Of ground, a point has a place of its own in the file.
  void add_point(int i) {
    const RobotBody& part = robot_.body(i);
    if (robot_.whole(i) == 0)
      add_ground_point(part.name, part.placement.at, part.node,
                       "part of ground, with its origin as the point");
  }

  void add_ground_point(const std::string& wanted, const Vec3& at, XmlNode* node, const std::string& what) {
    const std::string name = text_.names.take(wanted, "_point");
    m_.point(name, tidy(at)).on(kGround);
    text_.from("points", name, node);
    RobotText::became(node, wanted, what, name);
  }

  void add_joint(int i) {
    const RobotJoint& joint = robot_.joint(i);
    const std::string& name = text_.names_of_joints[static_cast<std::size_t>(i)];
    const mechanism::JointInfo& kind = mechanism::about(joint.kind);
    JointEntry entry = m_.joint(name).set(std::string(kind.name),
                                          {text_.body_name(joint.child), text_.body_name(joint.parent)});
    entry.at(tidy(joint.at));
    if (joint.has_coordinate() || joint.kind == Joint::Kind::cylindrical) entry.axis(tidy(joint.axis));
    if (joint.kind == Joint::Kind::planar) entry.normal(tidy(joint.axis));
    if (joint.kind == Joint::Kind::universal) entry.axes(tidy(joint.axis), tidy(joint.axis2));
    if (joint.has_coordinate() && joint.start != 0) entry.coordinate(joint.start);
    if (joint.has_coordinate() && joint.armature != 0) entry.armature(joint.armature);
    text_.from("joints", name, joint.node);
    RobotText::became(joint.node, joint.name, fmt::format("{} joint", kind.name), name);
  }

  void add_loop(const RobotLoop& loop) {
    const Frame &a = loop.on_first, &b = loop.on_second;
    const bool meet = (a.at - b.at).norm() < kAlike, alike = (a.axes - b.axes).cwiseAbs().maxCoeff() < kAlike;
    const bool turned = loop.whole && !alike;
    const std::string name = text_.names.take(loop.name, "_loop");
    const Joint::Kind kind = turned       ? Joint::Kind::revolute
                             : loop.whole ? Joint::Kind::fixed
                                          : Joint::Kind::spherical;
    const std::string kind_name(mechanism::about(kind).name);
    JointEntry entry =
        m_.joint(name).set(kind_name, {text_.body_name(loop.first), text_.body_name(loop.second)});
    const Value pair{text_.place(loop.first, a.at), text_.place(loop.second, b.at)};
    entry.at(meet ? tidy(a.at) : pair);
    text_.from("joints", name, loop.node, loop.line);
    if (turned) {
      entry.axis({tidy(a.axes.col(2)), tidy(b.axes.col(2))});
      const std::string stop = text_.names.take(loop.name + "_turn", "_loop");
      m_.joint(stop)
          .point_on_plane(text_.place(loop.first, a.at + a.axes.col(0)))
          .through(tidy(b.at))
          .normal(tidy(b.axes.col(1)))
          .of(text_.body_name(loop.second));
      text_.from("joints", stop, loop.node, loop.line);
    }
    RobotText::became(loop.node, loop.name, fmt::format("{} joint", kind_name), name);
  }

  // first = k·second + constant: a gear for two angles, a rack for an angle and a displacement.
  void add_coupling(const RobotCoupling& c) {
    const RobotJoint &first = robot_.joint(c.first), &second = robot_.joint(c.second);
    const std::string& a = text_.names_of_joints[static_cast<std::size_t>(c.first)];
    const std::string& b = text_.names_of_joints[static_cast<std::size_t>(c.second)];
    const std::string name = text_.names.take(c.name, "_coupling");
    const bool turns = first.kind == Joint::Kind::revolute, drives = second.kind == Joint::Kind::revolute;
    JointEntry entry = m_.joint(name);
    if (turns && drives) entry.gear(a, b).ratio(-c.multiplier);
    if (!turns && drives) entry.rack(b, a).radius(c.multiplier);
    if (turns && !drives) entry.rack(a, b).radius(1 / c.multiplier);
    if (!turns && !drives) entry.velocity({{a + ".rate", 1}, {b + ".rate", -c.multiplier}});
    text_.from("joints", name, c.node);
    RobotText::became(c.node, c.name, "coupler", name);
  }

  // The first joint on the left follows the others, or, in a sum, is moved until the sum fits.
  void add_relation(const RobotRelation& r) {
    const std::string name = text_.names.take(r.name, "_coupling");
    const std::string x = fmt::format("({})", text_.sum(r.right, r.right_at));
    std::string follows = fmt::format("{}", r.polynomial.empty() ? 0 : r.polynomial[0]);
    for (std::size_t k = 1; k < r.polynomial.size(); ++k)
      if (r.polynomial[k] != 0)
        follows += fmt::format(" + ({})*{}{}", r.polynomial[k], x, k == 1 ? "" : fmt::format("^{}", k));
    const bool is_sum = r.left.size() > 1 || r.left[0].coefficient != 1;
    std::string law = fmt::format("({}) + {}", r.left_at, follows);
    if (is_sum)
      law = fmt::format("{} - ({}) + {}", text_.coordinate(r.left[0].joint), text_.sum(r.left, r.left_at),
                        follows);
    std::vector<int> joints;
    for (const auto* side : {&r.left, &r.right})
      for (const RobotTerm& t : *side)
        if (std::ranges::find(joints, t.joint) == joints.end()) joints.push_back(t.joint);
    std::vector<Value> list;
    for (const int j : joints) list.emplace_back(text_.joint_name(j));
    m_.joint(name).coupler(Value::list(list)).equals(law);
    text_.from("joints", name, r.node);
    RobotText::became(r.node, r.name, "coupler", name);
  }

  RobotText text_;
  Robot& robot_;
  ModelBuilder& m_;
};

}  // namespace

double tidy(double value) { return std::abs(value) < 1e-15 ? 0.0 : value; }
Value tidy(const Vec3& v) { return Value(Vec3(tidy(v.x()), tidy(v.y()), tidy(v.z()))); }

void RobotText::from(const std::string& section, const std::string& name, const XmlNode* node, int line) {
  if (node != nullptr) line = node->line;
  if (line == 0) return;
  lines[section + "." + name] = line;
  m.remark(section, name, fmt::format("line {}", line));
}

void RobotText::became(XmlNode* node, const std::string& old, const std::string& what,
                       const std::string& name) {
  if (node == nullptr || node->note.outcome == Treatment::ignored) return;
  std::string text = fmt::format("{} '{}'", what, name);
  if (old != name) text += fmt::format(", for '{}' is no name of a model or taken", old);
  ForeignReader::use(*node, node->note.reason.empty() ? text : text + "; " + node->note.reason);
}

std::string RobotText::coordinate(int joint) const {
  const bool turns = robot.joint(joint).kind == Joint::Kind::revolute;
  return joint_name(joint) + (turns ? ".angle" : ".displacement");
}

std::string RobotText::sum(const std::vector<RobotTerm>& terms, double less) const {
  std::string text;
  for (const RobotTerm& t : terms) {
    const std::string factor = t.coefficient == 1 ? "" : fmt::format("({})*", t.coefficient);
    text += (text.empty() ? "" : " + ") + factor + coordinate(t.joint);
  }
  if (less != 0) text += fmt::format(" - ({})", less);
  return text;
}

std::string RobotText::sum_of_rates(const std::vector<RobotTerm>& terms) const {
  std::string text;
  for (const RobotTerm& t : terms) {
    const std::string factor = t.coefficient == 1 ? "" : fmt::format("({})*", t.coefficient);
    text += (text.empty() ? "" : " + ") + factor + joint_name(t.joint) + ".rate";
  }
  return text;
}

RobotModel robot_model(Robot& robot, const std::string& remark) { return RobotWriter(robot).write(remark); }

}  // namespace trammel::model
