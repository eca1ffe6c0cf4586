// Motions of a robot along the coordinates of its joints: where frames come to stand, and the robot in the
// new position. The tree of joints begins at ground; where it does not reach, at a body that floats.
#pragma once

#include <vector>

#include "model/import/robot.h"

namespace trammel::model {

// What one coordinate moves: all that hangs on `body`, about or along an axis.
struct RobotFreedom {
  int joint = -1;  // −1: of a body that floats
  int body = 0;
  bool turns = true;
  Vec3 at = Vec3::Zero(), axis = Vec3::UnitX();  // world, where the robot stands now
  bool keeps_axis = false;                       // in the world: one of three of a ball or a body that floats
  double value = 0;                              // rad or m: of a joint that has a coordinate, this one
  std::optional<double> lower = {}, upper = {};  // rad or m
};

class RobotMotion {
 public:
  explicit RobotMotion(const Robot& robot);  // which must outlive it

  // False: joints form circles or are of kinds that this does not move.
  bool is_tree() const { return is_tree_; }
  std::vector<RobotFreedom>& freedoms() { return freedoms_; }
  const std::vector<RobotFreedom>& freedoms() const { return freedoms_; }
  // The motion of each body, as a map of places in the world, if each freedom moves by its part of `by`.
  std::vector<Frame> moved(const std::vector<double>& by) const;
  // The same, and the freedoms are now those of the new position.
  void move(const std::vector<double>& by);
  // The motion of a body since the start.
  const Frame& since_start(int body) const { return total_[index(body)]; }
  // The freedoms that move a body.
  std::vector<std::size_t> moving(int body) const;
  // The robot where it stands now.
  void stand(Robot& robot) const;

 private:
  std::size_t index(int body) const { return static_cast<std::size_t>(robot_->whole(body)); }
  void add_joint(int joint, int from, int to);
  void add_floating(int body);
  RobotFreedom& add(int joint, int body, bool turns, const Vec3& at, const Vec3& axis);
  void add_ball(int joint, int body, const Vec3& at);

  const Robot* robot_;
  bool is_tree_ = true;
  std::vector<RobotFreedom> freedoms_;  // of bodies nearer to the root first
  std::vector<int> order_, parent_;     // bodies from the roots outwards; the one before each, −1: none
  std::vector<Frame> total_;
};

}  // namespace trammel::model
