// Specification: a random mechanism, as the generator draws it. Two independent readers make a model of it:
// model_text() the YAML of a Trammel model, Oracle the equations that judge it.
//
// Every place and direction is in world axes at the start, where the mechanism is exactly assembled: a joint
// holds its bodies as they stand. Planar mechanisms lie in z = 0. SI units.
#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <string>
#include <vector>

namespace trammel::campaigns::random {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

inline constexpr int kGroundBody = -1;

struct BodySpec {
  double mass = 1;                          // kg
  Matrix3d inertia = Matrix3d::Identity();  // kg.m², about the centre of mass, body axes
  Vector3d com = Vector3d::Zero();          // of the centre of mass in body axes, m
  Vector3d position = Vector3d::Zero();     // of the centre of mass
  Quaterniond orientation = Quaterniond::Identity();
  double angle = 0;                           // planar, with its turns; the orientation follows
  Vector3d velocity = Vector3d::Zero();       // of the centre of mass
  Vector3d spin = Vector3d::Zero();           // rad/s
  bool given = false;                         // the model states its velocity
  Vector3d rotor_axis = Vector3d::UnitZ();    // body axes
  double rotor_inertia = 0, rotor_speed = 0;  // kg.m², rad/s; 0: no rotor
  double size = 1;                            // m, of the order of its points' distances
};

struct JointSpec {
  enum class Kind {
    revolute,
    prismatic,
    cylindrical,
    universal,
    spherical,
    planar,
    fixed,
    distance,        // from `at` on a to `second` on b
    point_on_line,   // `at` on a, line through `second` along `axis` on b
    point_on_plane,  // likewise, normal `axis`
    point_on_curve,  // `at` on a, curve on b
    gear,            // couples joints of[0], of[1]
    rack,
    screw,
    knife_along,   // point `at` of a moves along `axis` (fixed in a) only, as seen from b
    knife_across,  // does not move along `axis`
    rolling,       // wheel or ball about `at` of a on the line or plane through `second`, normal `axis`, of b
    rolling_disk,  // disk about `at` with axis `axis2` of a on the plane through `second`, normal `axis`, of
                   // b
    pursuit,       // `at` of a moves towards `second` of b
    velocity       // of[0].rate + value · of[1].rate = c
  };
  Kind kind = Kind::revolute;
  int a = 0, b = kGroundBody;
  Vector3d at = Vector3d::Zero(), second = Vector3d::Zero();
  Vector3d axis = Vector3d::UnitZ(), axis2 = Vector3d::UnitX();
  double value = 0;  // ratio, radius or pitch
  int of[2] = {-1, -1};
  std::vector<Vector3d> curve;  // places in the world at the start; closed
};

// c0 + c1 t + amplitude · sin(frequency t + phase) + Σ coefficient · (coordinate or rate of a joint)
struct LawSpec {
  double c0 = 0, c1 = 0, amplitude = 0, frequency = 0, phase = 0;
  struct Signal {
    double coefficient = 0;
    int joint = 0;
    bool rate = false;
  };
  std::vector<Signal> signals;
};

struct DriverSpec {
  enum class Kind { joint, speed, body_angle, distance, position };
  Kind kind = Kind::joint;
  int of = 0;  // joint, or body
  int a = 0, b = kGroundBody;
  Vector3d at = Vector3d::Zero(), second = Vector3d::Zero();
  int component = 0;  // position: along this axis, the others are free
  LawSpec law;        // agrees with the start
};

struct ForceSpec {
  enum class Kind { spring, tension, joint_spring, joint_law, friction, bushing, force, torque };
  Kind kind = Kind::spring;
  int a = 0, b = kGroundBody, joint = -1;
  Vector3d at = Vector3d::Zero(), second = Vector3d::Zero();
  double stiffness = 0, free = 0, damping = 0, preload = 0;                    // spring, joint_spring
  double coulomb = 0, viscous = 0, transition = 1;                             // friction
  Eigen::Matrix<double, 6, 6> K = Eigen::Matrix<double, 6, 6>::Zero(), C = K;  // bushing
  LawSpec laws[3];                                                             // of the components
  bool body_axes = false;
};

struct Specification {
  std::uint64_t seed = 0;
  bool planar = false;
  Vector3d gravity = Vector3d::Zero();
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;
  std::vector<DriverSpec> drivers;
  std::vector<ForceSpec> forces;
  double size = 1;  // m
  double rate = 1;  // rad/s, of the motion
  double duration = 1;
  int rows = 10;  // of the results, after the start
};

inline std::string body_name(int body) { return body < 0 ? "ground" : "b" + std::to_string(body); }
inline std::string joint_name(int joint) { return "j" + std::to_string(joint); }
inline std::string driver_name(std::size_t driver) { return "d" + std::to_string(driver); }

}  // namespace trammel::campaigns::random
