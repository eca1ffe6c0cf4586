#include "model/import/robot_motion.h"

#include <algorithm>

#include "model/import/foreign_reader.h"

namespace trammel::model {
namespace {

Mat3 turn(const Vec3& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }

// What a freedom does to places in the world.
Frame motion_of(const RobotFreedom& f, double by) {
  if (!f.turns) return {by * f.axis, Mat3::Identity()};
  const Mat3 R = turn(f.axis, by);
  return {f.at - R * f.at, R};
}

void move_inertial(const Frame& by, Inertial& own) {
  own.com = by.at + by.axes * own.com;
  own.inertia = (by.axes * own.inertia * by.axes.transpose()).eval();
}

}  // namespace

RobotMotion::RobotMotion(const Robot& robot)
    : robot_(&robot), parent_(robot.bodies.size(), -1), total_(robot.bodies.size()) {
  std::vector<bool> is_reached(robot.bodies.size(), false), is_used(robot.joints.size(), false);
  for (std::size_t j = 0; j < robot.joints.size(); ++j) is_used[j] = robot.joints[j].is_gone;
  for (int root = 0; root < static_cast<int>(robot.bodies.size()); ++root) {
    if (robot.whole(root) != root || is_reached[index(root)]) continue;
    is_reached[index(root)] = true;
    if (root != 0) add_floating(root);
    for (std::size_t next = order_.size(), k = (order_.push_back(root), next); k < order_.size(); ++k) {
      const int from = order_[k];
      for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j) {
        if (is_used[static_cast<std::size_t>(j)]) continue;
        const int child = robot.whole(robot.joint(j).child), parent = robot.whole(robot.joint(j).parent);
        if (child != from && parent != from) continue;
        const int to = child == from ? parent : child;
        is_used[static_cast<std::size_t>(j)] = true;
        is_tree_ = is_tree_ && !is_reached[index(to)];
        if (!is_tree_) return;
        is_reached[index(to)] = true;
        parent_[index(to)] = from;
        order_.push_back(to);
        add_joint(j, from, to);
      }
    }
  }
}

RobotFreedom& RobotMotion::add(int joint, int body, bool turns, const Vec3& at, const Vec3& axis) {
  RobotFreedom& f = freedoms_.emplace_back(RobotFreedom{joint, body, turns, at, axis});
  if (joint >= 0 && robot_->joint(joint).has_coordinate()) {
    f.value = robot_->joint(joint).start;
    f.lower = robot_->joint(joint).lower;
    f.upper = robot_->joint(joint).upper;
  }
  return f;
}

void RobotMotion::add_ball(int joint, int body, const Vec3& at) {
  for (int k = 0; k < 3; ++k) add(joint, body, true, at, Vec3::Unit(k)).keeps_axis = true;
}

void RobotMotion::add_floating(int body) {
  const Vec3& at = robot_->body(body).placement.at;
  for (int k = 0; k < 3; ++k) add(-1, body, false, at, Vec3::Unit(k)).keeps_axis = true;
  add_ball(-1, body, at);
}

// A coordinate counts the child's motion from the parent. Where the tree passes the joint from the child, the
// parent moves the other way.
void RobotMotion::add_joint(int joint, int from, int to) {
  const RobotJoint& j = robot_->joint(joint);
  const bool is_outward = robot_->whole(j.parent) == from;
  const double sign = is_outward ? 1 : -1;
  switch (j.kind) {
    case Joint::Kind::revolute:
      add(joint, to, true, j.at, sign * j.axis);
      return;
    case Joint::Kind::prismatic:
      add(joint, to, false, j.at, sign * j.axis);
      return;
    case Joint::Kind::cylindrical:
      add(joint, to, true, j.at, j.axis);
      add(joint, to, false, j.at, j.axis);
      return;
    case Joint::Kind::universal:
      add(joint, to, true, j.at, is_outward ? j.axis2 : j.axis);
      add(joint, to, true, j.at, is_outward ? j.axis : j.axis2);
      return;
    case Joint::Kind::spherical:
      return add_ball(joint, to, j.at);
    case Joint::Kind::planar: {
      const Vec3 first = j.axis.unitOrthogonal();
      add(joint, to, false, j.at, first);
      add(joint, to, false, j.at, j.axis.cross(first));
      add(joint, to, true, j.at, j.axis);
      return;
    }
    default:
      is_tree_ = false;
  }
}

// Each freedom moves what hangs on it by the motions of those before it and its own.
std::vector<Frame> RobotMotion::moved(const std::vector<double>& by) const {
  std::vector<Frame> motion(robot_->bodies.size());
  std::size_t k = 0;
  for (const int body : order_) {
    Frame& own = motion[index(body)];
    if (parent_[index(body)] >= 0) own = motion[index(parent_[index(body)])];
    for (; k < freedoms_.size() && freedoms_[k].body == body; ++k) own = own * motion_of(freedoms_[k], by[k]);
  }
  return motion;
}

void RobotMotion::move(const std::vector<double>& by) {
  const std::vector<Frame> motion = moved(by);
  Frame own;
  for (std::size_t k = 0; k < freedoms_.size(); ++k) {
    RobotFreedom& f = freedoms_[k];
    if (k == 0 || freedoms_[k - 1].body != f.body)
      own = parent_[index(f.body)] >= 0 ? motion[index(parent_[index(f.body)])] : Frame();
    own = own * motion_of(f, by[k]);
    f.value += by[k];
    f.at = (own.at + own.axes * f.at).eval();
    if (!f.keeps_axis) f.axis = (own.axes * f.axis).normalized();
  }
  for (std::size_t b = 0; b < total_.size(); ++b) total_[b] = motion[b] * total_[b];
}

std::vector<std::size_t> RobotMotion::moving(int body) const {
  std::vector<std::size_t> out;
  for (int b = robot_->whole(body); b >= 0; b = parent_[index(b)])
    for (std::size_t k = 0; k < freedoms_.size(); ++k)
      if (freedoms_[k].body == b) out.push_back(k);
  return out;
}

void RobotMotion::stand(Robot& robot) const {
  const auto place = [&](int body, Vec3& at) {
    const Frame& by = since_start(body);
    at = (by.at + by.axes * at).eval();
  };
  const auto turn_with = [&](int body, Vec3& axis) { axis = (since_start(body).axes * axis).eval(); };
  const auto frame = [&](int body, Frame& own) { own = since_start(body) * own; };
  for (int i = 1; i < static_cast<int>(robot.bodies.size()); ++i) {
    RobotBody& body = robot.body(i);
    frame(i, body.placement);
    move_inertial(since_start(i), body.inertial);
    move_inertial(since_start(i), body.weightless);
  }
  for (RobotJoint& j : robot.joints) {
    place(j.child, j.at);
    turn_with(j.child, j.axis);
    turn_with(j.parent, j.axis2);
  }
  for (const RobotFreedom& f : freedoms_)
    if (f.joint >= 0 && robot.joint(f.joint).has_coordinate()) robot.joint(f.joint).start = f.value;
  for (RobotLoop& loop : robot.loops) {
    frame(loop.first, loop.on_first);
    frame(loop.second, loop.on_second);
  }
  const auto legs = [&](std::vector<RobotLeg>& all) {
    for (RobotLeg& leg : all)
      for (RobotPlace* end : {&leg.first, &leg.second}) frame(end->body, end->frame);
  };
  for (RobotSpring& spring : robot.springs) legs(spring.legs);
  for (RobotActuator& actuator : robot.actuators) {
    legs(actuator.between);
    for (RobotPlace& one : actuator.at) frame(one.body, one.frame);
  }
  for (RobotPoint& point : robot.points) place(point.body, point.at);
  for (RobotShape& shape : robot.shapes) frame(shape.body, shape.drawn.shape.place);
}

}  // namespace trammel::model
