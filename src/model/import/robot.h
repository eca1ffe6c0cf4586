// What URDF, MJCF and SDF files have in common: bodies where they stand at the start, what joins them, what
// acts on them. Each reader makes a Robot; robot_model.h makes a model file of it.
//
// All places and directions are in world axes at the start, so that bodies may be merged without a change of
// frames. Body 0 is ground.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/import/xml_tree.h"
#include "trammel/mechanism.h"

namespace trammel::model {

struct Inertial {
  double mass = 0;              // kg
  Vec3 com = Vec3::Zero();      // m, world axes at the start
  Mat3 inertia = Mat3::Zero();  // kg.m², about the centre of mass, world axes at the start
};

struct RobotBody {
  std::string name;
  Frame placement = {};  // world, at the start
  Inertial inertial = {};
  Inertial weightless = {};  // the part of its mass that gravity does not pull, with its centre
  XmlNode* node = nullptr;   // where it comes from
  int merged_into = -1;      // the body that it is a part of
  bool is_gone = false;      // a massless leaf: a point of merged_into
  bool floats = false;       // connected to nothing on purpose
};

struct RobotJoint {
  std::string name;
  Joint::Kind kind = Joint::Kind::revolute;
  int child = 0, parent = 0;
  Vec3 at = Vec3::Zero(), axis = Vec3::UnitZ();  // world, at the start; axis: also a plane's normal
  Vec3 axis2 = Vec3::UnitX();                    // universal: the axis fixed to the parent
  double start = 0;                              // its coordinate there, rad or m
  std::optional<double> lower = {}, upper = {};  // rad or m
  double damping = 0, friction = 0;              // N.m.s/rad or N.s/m, N.m or N
  double stiffness = 0, free = 0;                // a spring that pulls the coordinate to `free`
                                                 // spherical: a spring that turns back to the start
  double armature = 0;                           // kg.m² or kg on the coordinate
  std::optional<double> least_drive = {}, most_drive = {};  // N.m or N, of all actuators together
  XmlNode* node = nullptr;
  bool is_gone = false;
  bool has_coordinate() const { return kind == Joint::Kind::revolute || kind == Joint::Kind::prismatic; }
};

// coordinate of `first` = multiplier · coordinate of `second` + constant
struct RobotCoupling {
  std::string name;
  int first = 0, second = 0;
  double multiplier = 1;
  XmlNode* node = nullptr;
};

// A coordinate with its part in a sum.
struct RobotTerm {
  int joint = 0;
  double coefficient = 1;
};

// Σ left − left_at = c0 + c1 x + c2 x² + …,  x = Σ right − right_at
struct RobotRelation {
  std::string name;
  std::vector<RobotTerm> left, right;  // sums of coordinates; right may be empty
  std::vector<double> polynomial;      // c
  double left_at = 0, right_at = 0;
  XmlNode* node = nullptr;
};

// A spring and damper on a sum of coordinates, as a cable over pulleys.
struct RobotTendon {
  std::string name;
  std::vector<RobotTerm> terms;
  double stiffness = 0, length = 0, damping = 0;
  XmlNode* node = nullptr;
};

// What closes a loop: frames fixed to two bodies that are to coincide, in their origins or wholly.
struct RobotLoop {
  std::string name;
  int first = 0, second = 0;
  Frame on_first, on_second;  // world, at the start
  bool whole = false;         // axes too
  XmlNode* node = nullptr;
  int line = 0;  // of a side file, where there is no node
};

// A frame fixed to a body.
struct RobotPlace {
  int body = 0;
  Frame frame = {};  // world, at the start
};

// A straight piece of a cable; its length counts by `part`, as behind a pulley.
struct RobotLeg {
  RobotPlace first, second;
  double part = 1;
};

// A spring and damper along a way over points, with one tension for all of it. It has no force between its
// two lengths.
struct RobotSpring {
  std::string name;
  std::vector<RobotLeg> legs;
  double stiffness = 0, length = 0, upper_length = 0, damping = 0;  // N/m, m, m, N.s/m
  XmlNode* node = nullptr;
};

// A drive with an input of its own. It acts along a sum of coordinates: on each by its coefficient times an
// expression of {u}, the input or what the filter makes of it, {q}, the sum, and {v}, its rate.
struct RobotActuator {
  std::string name;
  std::vector<RobotTerm> along = {};
  std::string law = {};  // N.m or N
  std::string filter =
      {};  // the rate of what the law has for {u}, of {u}, the input, and {x}, itself; or empty
  XmlNode* node = nullptr;
  // Instead of coordinates: the length of a way over points, or a force and a torque at a place of a body.
  std::vector<RobotLeg> between = {};
  std::vector<RobotPlace> at = {};
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  // in the axes of `at`, times the law
};

// A named place of a body.
struct RobotPoint {
  std::string name;
  int body = 0;
  Vec3 at = Vec3::Zero();  // world, at the start
  XmlNode* node = nullptr;
};

// What is drawn of a body.
struct RobotShape {
  int body = 0;
  DrawnShape drawn = {};  // placed in the world, at the start
};

struct Robot {
  std::string name;
  Vec3 gravity{0, 0, -9.81};
  std::vector<RobotBody> bodies = std::vector<RobotBody>(1);
  std::vector<RobotJoint> joints;
  std::vector<RobotCoupling> couplings;
  std::vector<RobotRelation> relations;
  std::vector<RobotTendon> tendons;
  std::vector<RobotLoop> loops;
  std::vector<RobotSpring> springs;
  std::vector<RobotActuator> actuators;
  std::vector<RobotPoint> points;
  std::vector<RobotShape> shapes;

  // The body that it is a part of, or itself.
  int whole(int body) const {
    while (bodies[static_cast<std::size_t>(body)].merged_into >= 0)
      body = bodies[static_cast<std::size_t>(body)].merged_into;
    return body;
  }
  RobotBody& body(int i) { return bodies[static_cast<std::size_t>(i)]; }
  const RobotBody& body(int i) const { return bodies[static_cast<std::size_t>(i)]; }
  RobotJoint& joint(int i) { return joints[static_cast<std::size_t>(i)]; }
  const RobotJoint& joint(int i) const { return joints[static_cast<std::size_t>(i)]; }
};

}  // namespace trammel::model
