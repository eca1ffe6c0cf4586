// What the writers of a Robot share: the model that they make, the names in it, and where its lines come
// from.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/import/foreign_reader.h"
#include "model/import/model_names.h"
#include "model/import/robot.h"
#include "trammel/model_builder.h"

namespace trammel::model {

// Zero for what rounding leaves of zero, so that a person can read it.
double tidy(double value);
Value tidy(const Vec3& v);

struct RobotText {
  explicit RobotText(Robot& of) : robot(of), m(of.name) {}

  Robot& robot;
  ModelBuilder m;
  ModelNames names = {};
  std::map<std::string, int> lines = {};  // of the foreign file, by section and entry
  std::vector<std::string> names_of_bodies = {}, names_of_joints = {};

  // An entry comes from this element.
  void from(const std::string& section, const std::string& name, const XmlNode* node, int line = 0);
  // The element became this; its name is told where the model has another.
  static void became(XmlNode* node, const std::string& old, const std::string& what, const std::string& name);
  const std::string& joint_name(int i) const { return names_of_joints[static_cast<std::size_t>(i)]; }
  const std::string& body_name(int i) const {
    return names_of_bodies[static_cast<std::size_t>(robot.whole(i))];
  }
  std::string coordinate(int joint) const;  // "hinge.angle"
  // A sum of coordinates, less a constant, and of their rates.
  std::string sum(const std::vector<RobotTerm>& terms, double less = 0) const;
  std::string sum_of_rates(const std::vector<RobotTerm>& terms) const;
  // A point of a body.
  Value place(int body, const Vec3& at) const { return Map{{"body", body_name(body)}, {"at", tidy(at)}}; }
};

// The shapes that are drawn of a body and its parts, in its axes.
std::vector<Value> drawn_values(const Robot& robot, int body);

// Stops, springs, friction, gravity compensation and drives.
void write_robot_forces(RobotText& text);

}  // namespace trammel::model
