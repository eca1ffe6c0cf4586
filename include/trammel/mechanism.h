// Mechanism: bodies, joints, drivers and forces as a person names them. No indices, no numerics.
//
// The YAML reader and the C++ builder both produce this; compile() lowers it to a System in the coordinates
// asked for. Every place is a Marker: a frame fixed to a body, given in that body's own axes. Planar
// mechanisms live in the plane z = 0 and use the same types.
//
// Angles in rad, everything in SI units.
#pragma once

#include <Eigen/Core>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "trammel/plan.h"
#include "trammel/user.h"

namespace trammel {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Mat6 = Eigen::Matrix<double, 6, 6>;

inline const std::string kGround = "ground";

// Where something stands in the model file, from 1; line 0: built in C++.
struct Source {
  int line = 0;
  int column = 0;
  bool operator==(const Source&) const = default;
};

// A position and an orientation: x_world = at + axes · x_local.
struct Frame {
  Vec3 at = Vec3::Zero();
  Mat3 axes = Mat3::Identity();
  bool operator==(const Frame&) const = default;
};

// A frame fixed to a body, in the body's axes. Joint axes are the marker's z axis in space; in the plane a
// sliding direction is the marker's x axis.
struct Marker {
  std::string body = kGround;
  Frame frame;
  bool operator==(const Marker&) const = default;
};

// A rotor that spins at a constant rate about an axis fixed in its carrier. The carrier's mass and inertia
// already contain it as if locked; only its relative momentum inertia·speed·axis is added.
struct Rotor {
  Vec3 axis = Vec3::UnitZ();  // body axes, unit
  double inertia = 0;         // kg.m², about the axis
  double speed = 0;           // rad/s, relative to the carrier
  bool operator==(const Rotor&) const = default;
};

// A closed surface of triangles, their corners counterclockwise as seen from outside.
struct SurfaceMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  bool operator==(const SurfaceMesh&) const = default;
};

// Parts of one.
struct Colour {
  double red = 0, green = 0, blue = 0, opacity = 1;
  bool operator==(const Colour&) const = default;
};

// What a body's mass fills evenly, and how it is drawn.
struct Shape {
  enum class Kind { box, cylinder, sphere, capsule, mesh, ellipsoid, bar };
  Kind kind = Kind::box;
  // m: the sides of a box; radius and length of a cylinder or capsule, along z, without the capsule's ends;
  // the radius of a sphere; the half axes of an ellipsoid; of a bar with round ends the distance of their
  // centres, along x, its width, along y, and its thickness
  Vec3 size = Vec3::Zero();
  Frame place;                                // its centre and axes in the body; of a mesh its origin
  std::string file;                           // mesh: as the model names it
  Vec3 scale = Vec3::Ones();                  // mesh: m for one unit of the file, along its axes
  double density = 0;                         // kg/m³, if the mass follows from it; 0: the mass is given
  std::shared_ptr<const SurfaceMesh> mesh{};  // in m, its own axes
  bool operator==(const Shape& other) const {
    return kind == other.kind && size == other.size && place == other.place && file == other.file &&
           scale == other.scale && density == other.density;
  }
};

// A mesh that is read from its file when somebody draws it.
class MeshSource {
 public:
  struct Surface {
    std::shared_ptr<const SurfaceMesh> mesh;  // null: the file cannot be read
    std::string note;                         // what a person should know of it; empty: nothing
  };
  virtual ~MeshSource() = default;
  // With about this many triangles at most, in units of the file.
  virtual Surface drawn(std::size_t most_triangles) const = 0;
};

// What is drawn of a body, or of ground, and has no mass.
struct DrawnShape {
  Shape shape;
  std::optional<Colour> colour;               // else the body's
  std::shared_ptr<const MeshSource> surface;  // of a mesh; null: its file is not there
  bool operator==(const DrawnShape& other) const { return shape == other.shape && colour == other.colour; }
};

struct Body {
  enum class Kind { rigid, rod, point_mass };
  std::string name;
  Kind kind = Kind::rigid;
  double mass = 0;                     // kg
  Vec3 com = Vec3::Zero();             // m, body axes
  Mat3 inertia = Mat3::Zero();         // kg.m², about the centre of mass, body axes; in the plane only (2,2)
  double length = 0;                   // m, rods: from the origin along the body's x axis
  double angle = 0;                    // rad, planar: the rotation at the start as given, with its turns
  Frame placement;                     // where it is at the start, roughly: assembly makes it exact
  std::map<std::string, Vec3> points;  // body axes
  std::map<std::string, Vec3> vectors;  // body axes, unit
  std::optional<Rotor> rotor;
  std::optional<Shape> shape;
  std::vector<DrawnShape> drawn;         // body axes; empty: as its shape, mass and joints tell
  std::optional<Colour> colour;          // none: the page chooses
  std::optional<double> held_angle;      // rad, planar: met exactly at the start, unlike `angle`
  std::optional<Vec3> velocity;          // of the centre of mass at the start, world axes
  std::optional<Vec3> angular_velocity;  // at the start, world axes
  bool free = false;                     // connected to nothing on purpose
  Source where;
  bool operator==(const Body&) const = default;
};

// A named place that bodies share ("a point shared by two bodies is a joint").
struct Point {
  std::string name;
  Vec3 at = Vec3::Zero();        // world, at the start
  std::vector<Marker> on;        // the point as each body that carries it sees it; ground included
  std::optional<Vec3> velocity;  // at the start, world axes
  Source where;
  bool operator==(const Point&) const = default;
};

struct Joint {
  enum class Kind {
    pin,  // a shared point: revolute in the plane, spherical in space; two markers or more
    revolute,
    prismatic,
    cylindrical,
    universal,
    spherical,
    planar,
    fixed,
    distance,        // |first − second| = length
    point_on_line,   // first's origin on the line through second's origin along its axis
    point_on_plane,  // first's origin on the plane through second's origin normal to its z axis
    gear,            // angle of `of[0]` + ratio · angle of `of[1]` = const
    screw,           // displacement of `of[0]` = pitch/2π · its angle + const
    rack,            // displacement of `of[1]` = radius · angle of `of[0]` + const
    // Of velocities, so that the bodies may reach places that their motion at any moment does not allow:
    knife_edge,  // first's origin does not move across: along first's y axis, as seen from the second body
    velocity_along,  // first's origin moves along first's x axis only, as seen from the second body (space)
    rolling,         // a wheel (plane) or ball (space) about first's origin, on second's x axis or xy plane
    rolling_disk,  // space: a thin disk about first's origin, normal to first's z axis, on second's xy plane
    pursuit,       // plane: first's origin moves towards second's
    velocity,      // Σ law[k] · rate signal of[k] = law.back()
    point_on_curve,  // first's origin on a spline fixed to second's axes
    gear_pair,       // two gears about the markers' origins and z axes, which are parallel
    coupler,         // coordinate of `of[0]` = law[0], an expression of coordinates of the joints in `of`
    screw_pair,      // displacement of first along second's z axis = pitch/2π · its angle about it + const
    constant_velocity,  // a shared point; shafts along the z axes turn by the same angle, however they bend
    rack_pair,          // a pinion about first's z axis on a rack along second's x axis
    bevel_pair,         // two bevel gears about the markers' z axes, which meet in both origins (space)
    worm_pair,          // a worm about first's z axis, a wheel about second's, the origins next to each other
    belt,               // a span of a belt from a pulley about first's z axis to one about second's
    cam                 // first's origin, or a face through it, on a spline in second's xy plane
  };
  struct Curve {                // a cubic spline
    std::vector<Vec3> through;  // m; in the plane z = 0
    bool closed = false;        // goes on from the last point to the first
    bool operator==(const Curve&) const = default;
  };
  // Where the teeth of two gears press on each other.
  struct Teeth {
    // m, of the pitch circles; that of a ring toothed inside is negative, that of a rack infinite
    std::array<double, 2> radii{};
    double pressure_angle = 0;  // rad, across the teeth
    // rad, of the first gear, positive: right-handed; of a bevel pair its spiral angle, of a worm its lead
    // angle
    double helix_angle = 0;
    // The sense of the torque on the first gear that the pressing flanks give it; 0: either flank presses.
    int flank = 0;
    bool operator==(const Teeth&) const = default;
  };
  // m, of two pulleys; positive where the belt, on its way from the first to the second, runs
  // counterclockwise about the marker's z axis.
  using Pulleys = std::array<double, 2>;
  struct Cam {
    bool face = false;  // a flat face, normal to first's x axis, which points to the cam; else a roller
    int side = -1;      // of the curve on which the follower is: 1 left of it, −1 right
    bool operator==(const Cam&) const = default;
  };
  std::string name;
  Kind kind = Kind::revolute;
  std::vector<Marker> markers;   // none for couplers
  std::vector<std::string> of;   // couplers: the joints they couple; velocity: the signals
  std::vector<std::string> law;  // velocity: expressions of t and positions; coupler: one of coordinates
  double value = 0;              // length (m), ratio, pitch (m/turn) or radius (m)
  Curve curve;                   // point_on_curve, cam: in the second marker's axes
  Teeth teeth;                   // gear_pair, rack_pair, bevel_pair, worm_pair
  Pulleys pulleys{};             // belt
  Cam cam;                       // cam; the roller's radius is the value, zero of a point
  // rolling: also the height above the plane; else something else holds it. cam: the gap is zero; else free
  bool keeps_contact = true;
  std::optional<double>
      friction;                // rolling: the tangential over the normal force that a real contact could bear
  bool ends_run = false;       // rolling, cam: where the reaction would need more friction, or a pull
  bool shares = true;          // its bodies may share coordinates at it; false: it is written as equations
  double armature = 0;         // kg.m² or kg: adds ½ armature·rate² of the only coordinate to the energy
  double offset = 0;           // what the coordinate reads where the model file places the bodies
  std::optional<double> held;  // rad or m: the joint's coordinate at the start, met exactly
  std::optional<double> speed;  // of the joint's coordinate at the start
  Source where;
  bool operator==(const Joint&) const = default;
};

// A coordinate, or its speed, made to follow an expression of time.
struct Driver {
  enum class Kind { joint, body_angle, distance, position };
  std::string name;
  Kind kind = Kind::joint;
  std::string of;                   // joint or body
  bool of_speed = false;            // joint, body_angle: the coordinate's speed follows, it itself is free
  std::vector<Marker> markers;      // distance: two; position: one
  std::vector<std::string> equals;  // one expression; position: one per axis, empty text: that axis is free
  Source where;
  bool operator==(const Driver&) const = default;
};

// A limit that a joint's coordinate (or a coordinate of one's own) does not pass: it bounces there, or rests.
struct EndStop {
  std::string name;
  std::string joint;
  std::optional<double> lower, upper;  // rad or m
  double restitution = 0;              // speed after over speed before, 0 to 1
  Source where;
  bool operator==(const EndStop&) const = default;
};

// Forces. Text fields are expressions (expressions/expression.h) of t, parameters and signals
// (mechanism/signals.h).
struct SpringDamper {
  Marker a, b;
  double stiffness = 0, length = 0, damping = 0, preload = 0;  // N/m, m, N.s/m, N of tension at free length
  std::string law;  // if given: the tension in N, instead of the numbers
  bool operator==(const SpringDamper&) const = default;
};
struct JointSpring {  // torsional on an angle, linear on a displacement; acts against the coordinate
  std::string joint;
  double stiffness = 0, free = 0, damping = 0, preload = 0;
  std::string law;  // if given: the force or torque that pulls the coordinate back
  bool operator==(const JointSpring&) const = default;
};
// A spring and damper on a length that is a sum of joint coordinates, as of a cable over pulleys:
//
//   length = Σ coefficient · coordinate,   tension = preload + stiffness (length − free) + damping · rate
//
// It acts on each coordinate with −coefficient · tension.
struct Tendon {
  struct Term {
    std::string joint;       // with one coordinate
    double coefficient = 1;  // m/rad on an angle, a plain number on a displacement
    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms;
  double stiffness = 0, free = 0, damping = 0, preload = 0;
  bool operator==(const Tendon&) const = default;
};
struct JointFriction {  // −(coulomb · tanh(rate/transition) + viscous · rate) on a joint's coordinate
  std::string joint;
  double coulomb = 0, viscous = 0, transition = 1e-3;
  bool operator==(const JointFriction&) const = default;
};
struct Motor {  // a torque on a joint's angle or a force on its displacement, positive along the coordinate
  std::string joint;
  bool turns = true;  // acts on the angle; else on the displacement
  std::string law;    // N.m or N
  bool operator==(const Motor&) const = default;
};
// Dry friction with stiction on the relative speed of one joint's coordinate, or of two:
//
//   speed = rate of joints[0] − ratio · rate of joints[1]
//
// While it sticks, speed = 0 is a constraint, as long as that takes no more than the static capacity. While
// it slips, the capacity acts against the speed. One way: the speed may be positive, and is held at zero
// otherwise, whatever that takes.
struct DryFriction {
  enum class Now { open, stuck, forward, backward };
  std::vector<std::string> joints;        // one, or two coaxial ones
  double ratio = 1;                       // two joints
  std::string capacity, static_capacity;  // N.m or N; the second empty: the same
  bool one_way = false;                   // without capacities
  // Instead of capacities, on one joint: capacity = coefficient · load, and while it sticks
  // static_coefficient · load. The load is the force across the joint's axis, on an angle times the radius.
  // With a length it is the sum of the forces at both ends, so that moments count. On the angle of a
  // screw-pair the friction acts along the thread, and the load is the force across its flanks.
  double coefficient = 0, static_coefficient = 0;
  double radius = 0;       // m, of the bearing; of a thread, the mean one
  double length = 0;       // m, between the ends of guide or bearing; 0: moments do not count
  double flank_angle = 0;  // rad, of a thread: half of its thread angle, seen in a section along the axis
  Now now = Now::open;     // a run makes its Systems with it; a model has it open
  bool operator==(const DryFriction&) const = default;
};
struct AppliedForce {
  Marker at;
  std::vector<std::string> components;  // one per axis
  bool body_fixed = false;              // along the body's axes instead of the world's
  bool operator==(const AppliedForce&) const = default;
};
struct AppliedTorque {
  std::string body;
  std::vector<std::string> components;  // in the plane one, in space three
  bool body_fixed = false;
  bool operator==(const AppliedTorque&) const = default;
};
struct Bushing {  // six linear springs and dampers in the second marker's axes: x y z, then small rotations
  Marker a, b;
  // Not aligned, so that programs may be compiled for another processor than the library.
  using Matrix = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;
  Matrix stiffness = Matrix::Zero(), damping = Matrix::Zero();
  bool operator==(const Bushing&) const = default;
};

struct ElasticBelt {  // a span of a belt that stretches, from the pulley about a's z axis to that about b's
  Marker a, b;
  Joint::Pulleys pulleys{};
  std::string law;  // its tension, N
  bool operator==(const ElasticBelt&) const = default;
};

struct Force {
  std::string name;
  std::variant<SpringDamper, JointSpring, Tendon, JointFriction, DryFriction, Motor, AppliedForce,
               AppliedTorque, Bushing, ElasticBelt, UserForcePtr>
      law;
  Source where;
  bool operator==(const Force&) const = default;
};

// A constraint of a person's own, from C++.
struct CustomConstraint {
  std::string name;
  UserConstraintPtr law;
  bool operator==(const CustomConstraint&) const = default;
};

// A first-order state ẋ = derivative(…): a controller's integral, an actuator's lag.
struct AuxiliaryState {
  std::string name;
  std::string derivative;
  double initial = 0;
  Source where;
  bool operator==(const AuxiliaryState&) const = default;
};

// A value that a caller sets between steps.
struct Input {
  std::string name;
  double value = 0;
  bool operator==(const Input&) const = default;
};

// A function of one variable given by points.
struct TableFunction {
  enum class Kind {
    table,    // straight lines
    natural,  // cubic splines: without curvature at both ends
    clamped,  // with given slopes at both ends
    periodic,
    monotone  // no extremum between two points; its second derivative jumps
  };
  std::string name;
  Kind kind = Kind::natural;
  std::vector<double> x, y;
  Source where;
  double first_slope = 0, last_slope = 0;  // clamped
  bool operator==(const TableFunction&) const = default;
};

// A name for an expression, to be used in others.
struct Definition {
  std::string name, text;
  Source where;
  bool operator==(const Definition&) const = default;
};

// A person's own coordinates q with the terms of their equations, instead of bodies and joints:
//
//   M q̈ + Φ_qᵀ λ = Q − ∂V/∂q + ½ ∂(q̇ᵀM q̇)/∂q − Ṁ q̇,   Φ(q, t) = 0 or A(q, t) q̇ + b(q, t) = 0
//
// The last two terms, which a mass matrix that depends on q brings, are added by the System: Q holds applied
// forces only. Texts are expressions of the coordinates by name, t, parameters and functions; constraints may
// use NAME.rate linearly, Q may use NAME.rate, states and inputs too.
struct GeneralizedModel {
  struct Coordinate {
    std::string name;
    double start = 0;            // roughly: assembly makes it exact
    std::optional<double> rate;  // at the start, if known
    Source where;
    bool operator==(const Coordinate&) const = default;
  };
  struct MassEntry {  // of the symmetric M: given once for row, column and column, row
    std::string row, column, value;
    Source where;
    bool operator==(const MassEntry&) const = default;
  };
  struct Term {
    std::string name;  // applied: the coordinate it acts on; constraints: their own
    std::string value;
    Source where;
    bool operator==(const Term&) const = default;
  };
  std::vector<Coordinate> coordinates;
  std::vector<MassEntry> mass;  // the others are zero
  std::vector<Term> applied;
  std::string potential;  // V; empty: none
  std::vector<Term> constraints;
  bool operator==(const GeneralizedModel&) const = default;
};

// Bodies that formulation `modular` solves together, apart from all others: joints between them are inside,
// joints to other bodies are not. A body that no subsystem names is one of its own.
struct Subsystem {
  std::string name;
  std::vector<std::string> bodies;                   // `ground` among them: joints to ground are inside too
  std::string coordinates;                           // natural, reference; empty: as the plan has them
  std::string formulation = "augmented-lagrangian";  // or baumgarte
  double newmark_beta = 0.25, newmark_gamma = 0.5;   // 0 and 1/2: central differences
  int substeps = 1;                                  // in each step of the whole
  Source where;
  bool operator==(const Subsystem&) const = default;
};

struct Mechanism;

// What a Mechanism was read from. The Mechanism keeps it, so that a parameter can change without the file
// being read again.
class MechanismSource {
 public:
  virtual ~MechanismSource() = default;
  // The mechanism with other values of these parameters. Parameters that are expressions of others follow.
  // Throws std::invalid_argument, with every error, when the model cannot have these values.
  virtual Mechanism with(const std::map<std::string, double>& parameters) const = 0;
  // The fields that are written as expressions of parameters: path in the file → text, as in
  // "bodies.crank.mass" → "2*m0".
  virtual std::map<std::string, std::string> expressions() const = 0;
  // The cut-off frequency of the filter that the samples of a function have passed, as it is written: "8 Hz".
  // Empty: none.
  virtual std::string filter_of(const TableFunction& function) const = 0;
};

struct Mechanism {
  // Compiled once, instead of in every source that copies one.
  Mechanism();
  Mechanism(const Mechanism&);
  Mechanism(Mechanism&&) noexcept;
  Mechanism& operator=(const Mechanism&);
  Mechanism& operator=(Mechanism&&) noexcept;
  ~Mechanism();

  std::string name;
  bool is_planar = false;
  Vec3 gravity = Vec3::Zero();
  std::map<std::string, double> parameters;
  std::vector<TableFunction> functions;
  std::vector<Definition> definitions;
  std::vector<Point> points;
  std::vector<Body> bodies;        // ground is implied
  std::vector<DrawnShape> ground;  // what is drawn of it
  std::vector<Joint> joints;
  std::vector<Driver> drivers;
  std::vector<EndStop> stops;
  std::vector<Force> forces;
  std::vector<CustomConstraint> constraints;
  std::vector<Subsystem> subsystems;
  std::optional<GeneralizedModel> generalized;  // then there are no bodies, joints, drivers, forces
  std::vector<AuxiliaryState> states;
  std::vector<Input> inputs;
  std::map<std::string, std::string> outputs;  // extra columns: name → expression
  std::string stop_when;                       // a condition that ends a run; empty: none
  Plan plan;                                   // the file's own `simulate:` section
  std::string text;  // the model file, with settings and changed parameters in it; embedded in results
  std::shared_ptr<const MechanismSource> source;     // what it was read from; null: built field by field
  std::map<std::string, double> changed_parameters;  // by set_parameter(), since it was read

  const Body* body(const std::string& name) const;
  const Joint* joint(const std::string& name) const;
  const Point* point(const std::string& name) const;
  // The placement of a body at the start; identity for ground.
  Frame placement(const std::string& body) const;
  // A world place at the start, as a marker on a body.
  Marker marker_at(const std::string& body, const Frame& world) const;

  // Changes a parameter and everything that depends on it, to the same bits as reading the file with that
  // value. Other changes made since it was read stay. Throws std::invalid_argument, with a message for a
  // person, when there is no such parameter, the model cannot have that value, or other parts would come into
  // being.
  void set_parameter(const std::string& name, double value);
  // Several at once: what lies between need not be a model.
  void set_parameters(const std::map<std::string, double>& values);

  bool operator==(const Mechanism&) const = default;
};

}  // namespace trammel
