// ModelBuilder: a model in C++ that reads as its YAML file does.
//
//   ModelBuilder m("slider-crank");                         name: slider-crank
//   m.plane().gravity({0, -9.81}).parameter("L", "0.3 m");  plane: xy, …
//   m.point("O", {0, 0}).on("ground");                      points: {O: {at: [0, 0], on: ground}, …
//   m.body("crank").rod("O", "A").mass("1 kg").length("L"); bodies: {crank: {rod: [O, A], mass: 1 kg, …
//   m.joint("guide").point_on_line("B").through({0, 0}).along({1, 0});
//   m.driver("motor").angle("crank").equals("60*t");
//   m.simulate().duration("2 s").step("1 ms");
//   const ModelInput model = m.build();
//
// A builder makes the text of a model file and reads it, so that keys, units, expressions, checks and
// messages are those of docs/model-format.md. Each function below is a key of the format; set() writes any
// key. A key that is written again takes the new value. Numbers are in SI units, texts may have units or be
// expressions of parameters.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <initializer_list>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "trammel/model.h"
#include "trammel/user.h"

namespace trammel {

class Map;

// What a key may hold: a number, a text, true or false, a list in braces, or a Map.
class Value {
 public:
  Value(double number);
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T number) : Value(static_cast<double>(number)) {}
  template <std::same_as<bool> T>
  Value(T flag) : yaml_(flag ? "true" : "false") {}
  Value(const char* text);
  Value(const std::string& text);
  Value(std::initializer_list<Value> list);
  Value(const Eigen::Vector2d& vector);
  Value(const Eigen::Vector3d& vector);
  Value(const Map& map);
  static Value list(const std::vector<Value>& items);  // of any length

  const std::string& yaml() const { return yaml_; }

 private:
  std::string yaml_;  // in flow style
};

// Named values: Map{{"xx", 1}, {"yy", "2 kg.m^2"}}.
class Map {
 public:
  Map(std::initializer_list<std::pair<std::string, Value>> entries = {});
  Map& set(const std::string& key, const Value& value);
  bool empty() const { return yaml_.empty(); }
  std::string yaml() const { return "{" + yaml_ + "}"; }

 private:
  std::string yaml_;  // between the braces
};

// A value, or entries in their order.
struct ModelNode {
  std::string value;
  std::list<std::pair<std::string, ModelNode>> entries;
  std::string remark;  // a comment at the end of the entry's line

  ModelNode& at(const std::string& key);  // made if it is not there yet
};

// One entry of a section; Self is the class below that derives from it. It refers to the builder's data, and
// is used up in the statement that makes it.
template <class Self>
class Entry {
 public:
  explicit Entry(ModelNode& node) : node_(node) {}
  Self set(const std::string& key, const Value& value) {
    node_.at(key).value = value.yaml();
    return Self(node_);
  }

 private:
  ModelNode& node_;
};

class PointEntry : public Entry<PointEntry> {
 public:
  using Entry::Entry;
  PointEntry at(const Value& place) { return set("at", place); }
  PointEntry on(const Value& body) { return set("on", body); }
};

class BodyEntry : public Entry<BodyEntry> {
 public:
  using Entry::Entry;
  BodyEntry rod(const Value& from, const Value& to) { return set("rod", {from, to}); }
  BodyEntry point(const Value& name) { return set("point", name); }
  BodyEntry mass(const Value& value) { return set("mass", value); }
  BodyEntry length(const Value& value) { return set("length", value); }
  BodyEntry inertia(const Value& value) { return set("inertia", value); }
  BodyEntry shape(const Value& kind) { return set("shape", kind); }
  BodyEntry size(const Value& sides) { return set("size", sides); }
  BodyEntry radius(const Value& value) { return set("radius", value); }
  BodyEntry density(const Value& value) { return set("density", value); }
  BodyEntry file(const Value& path) { return set("file", path); }
  BodyEntry scale(const Value& value) { return set("scale", value); }
  BodyEntry center(const Value& place) { return set("center", place); }
  BodyEntry axis(const Value& direction) { return set("axis", direction); }
  BodyEntry com(const Value& place) { return set("com", place); }
  BodyEntry at(const Value& place) { return set("at", place); }
  BodyEntry angle(const Value& value) { return set("angle", value); }
  BodyEntry orientation(const Map& map) { return set("orientation", map); }
  BodyEntry points(const Map& map) { return set("points", map); }
  BodyEntry vectors(const Map& map) { return set("vectors", map); }
  BodyEntry carries(const Value& points) { return set("carries", points); }
  BodyEntry rotor(const Map& map) { return set("rotor", map); }
  BodyEntry free() { return set("free", true); }
  BodyEntry colour(const Value& value) { return set("colour", value); }
  BodyEntry drawn(const Value& shapes) { return set("drawn", shapes); }
};

class JointEntry : public Entry<JointEntry> {
 public:
  using Entry::Entry;
  JointEntry revolute(const Value& a, const Value& b) { return set("revolute", {a, b}); }
  JointEntry prismatic(const Value& a, const Value& b) { return set("prismatic", {a, b}); }
  JointEntry cylindrical(const Value& a, const Value& b) { return set("cylindrical", {a, b}); }
  JointEntry universal(const Value& a, const Value& b) { return set("universal", {a, b}); }
  JointEntry spherical(const Value& a, const Value& b) { return set("spherical", {a, b}); }
  JointEntry planar(const Value& a, const Value& b) { return set("planar", {a, b}); }
  JointEntry fixed(const Value& a, const Value& b) { return set("fixed", {a, b}); }
  JointEntry distance(const Value& p, const Value& q) { return set("distance", {p, q}); }
  JointEntry point_on_line(const Value& point) { return set("point-on-line", point); }
  JointEntry point_on_plane(const Value& point) { return set("point-on-plane", point); }
  JointEntry point_on_curve(const Value& point) { return set("point-on-curve", point); }
  JointEntry gear(const Value& a, const Value& b) { return set("gear", {a, b}); }
  JointEntry screw(const Value& joint) { return set("screw", joint); }
  JointEntry rack(const Value& pinion, const Value& slide) { return set("rack", {pinion, slide}); }
  JointEntry gear_pair(const Value& a, const Value& b) { return set("gear-pair", {a, b}); }
  JointEntry coupler(const Value& joints) {
    return set("coupler", joints);
  }  // a list: the one that follows first
  JointEntry screw_pair(const Value& a, const Value& b) { return set("screw-pair", {a, b}); }
  JointEntry constant_velocity(const Value& a, const Value& b) { return set("constant-velocity", {a, b}); }
  JointEntry rack_pair(const Value& pinion, const Value& rack) { return set("rack-pair", {pinion, rack}); }
  JointEntry bevel_pair(const Value& a, const Value& b) { return set("bevel-pair", {a, b}); }
  JointEntry worm_pair(const Value& worm, const Value& wheel) { return set("worm-pair", {worm, wheel}); }
  JointEntry belt(const Value& pulleys) { return set("belt", pulleys); }  // a list
  JointEntry cam(const Value& body) { return set("cam", body); }
  JointEntry knife_edge(const Value& body) { return set("knife-edge", body); }
  JointEntry rolling(const Value& body) { return set("rolling", body); }
  JointEntry pursuit(const Value& p, const Value& q) { return set("pursuit", {p, q}); }
  JointEntry velocity(const Map& speeds) { return set("velocity", speeds); }
  JointEntry at(const Value& place) { return set("at", place); }
  JointEntry axis(const Value& direction) { return set("axis", direction); }
  JointEntry axes(const Value& first, const Value& second) { return set("axes", {first, second}); }
  JointEntry normal(const Value& direction) { return set("normal", direction); }
  JointEntry along(const Value& direction) { return set("along", direction); }
  JointEntry through(const Value& place) { return set("through", place); }  // a list for point_on_curve
  JointEntry closed() { return set("closed", true); }
  JointEntry of(const Value& body) { return set("of", body); }
  JointEntry on(const Value& body) { return set("on", body); }
  JointEntry length(const Value& value) { return set("length", value); }
  JointEntry ratio(const Value& value) { return set("ratio", value); }
  JointEntry pitch(const Value& value) { return set("pitch", value); }
  JointEntry radius(const Value& value) { return set("radius", value); }
  JointEntry radii(const Value& first, const Value& second) { return set("radii", {first, second}); }
  JointEntry centers(const Value& first, const Value& second) { return set("centers", {first, second}); }
  JointEntry coordinate(const Value& value) { return set("coordinate", value); }
  JointEntry armature(const Value& value) { return set("armature", value); }
  JointEntry polynomial(const Value& coefficients) { return set("polynomial", coefficients); }
  JointEntry equals(const Value& expression) { return set("equals", expression); }
};

class DriverEntry : public Entry<DriverEntry> {
 public:
  using Entry::Entry;
  DriverEntry angle(const Value& of) { return set("angle", of); }
  DriverEntry joint(const Value& name) { return set("joint", name); }
  DriverEntry distance(const Value& p, const Value& q) { return set("distance", {p, q}); }
  DriverEntry position(const Value& point) { return set("position", point); }
  DriverEntry speed(const Value& of) { return set("speed", of); }
  DriverEntry equals(const Value& expression) { return set("equals", expression); }
};

class ForceEntry : public Entry<ForceEntry> {
 public:
  using Entry::Entry;
  ForceEntry spring(const Value& p, const Value& q) { return set("spring", {p, q}); }
  ForceEntry joint_spring(const Value& joint) { return set("joint-spring", joint); }
  ForceEntry tendon(const Map& joints) { return set("tendon", joints); }  // with their coefficients
  ForceEntry friction(const Value& joint) { return set("friction", joint); }
  ForceEntry joint(const Value& name) { return set("joint", name); }  // a motor: with torque() or force()
  ForceEntry dry_friction(const Value& joint) { return set("dry-friction", joint); }
  ForceEntry coefficient(const Value& value) { return set("coefficient", value); }
  ForceEntry clutch(const Value& a, const Value& b) { return set("clutch", {a, b}); }
  ForceEntry one_way_clutch(const Value& joint) { return set("one-way-clutch", joint); }
  ForceEntry one_way_clutch(const Value& a, const Value& b) { return set("one-way-clutch", {a, b}); }
  ForceEntry force(const Value& components) { return set("force", components); }
  ForceEntry torque(const Value& components) { return set("torque", components); }
  ForceEntry bushing(const Value& a, const Value& b) { return set("bushing", {a, b}); }
  ForceEntry belt(const Value& pulleys) { return set("belt", pulleys); }  // a list
  ForceEntry at(const Value& place) { return set("at", place); }
  ForceEntry on(const Value& body) { return set("on", body); }
  ForceEntry axes(const Value& choice) { return set("axes", choice); }
  ForceEntry stiffness(const Value& value) { return set("stiffness", value); }
  ForceEntry length(const Value& value) { return set("length", value); }
  ForceEntry free(const Value& value) { return set("free", value); }
  ForceEntry damping(const Value& value) { return set("damping", value); }
  ForceEntry preload(const Value& value) { return set("preload", value); }
  ForceEntry tension(const Value& expression) { return set("tension", expression); }
  ForceEntry coulomb(const Value& value) { return set("coulomb", value); }
  ForceEntry viscous(const Value& value) { return set("viscous", value); }
  ForceEntry transition(const Value& value) { return set("transition", value); }
  ForceEntry capacity(const Value& expression) { return set("capacity", expression); }
  ForceEntry static_capacity(const Value& expression) { return set("static", expression); }
  ForceEntry ratio(const Value& value) { return set("ratio", value); }
};

class StopEntry : public Entry<StopEntry> {
 public:
  using Entry::Entry;
  StopEntry joint(const Value& name) { return set("joint", name); }
  StopEntry lower(const Value& value) { return set("lower", value); }
  StopEntry upper(const Value& value) { return set("upper", value); }
  StopEntry restitution(const Value& value) { return set("restitution", value); }
};

class InitialEntry : public Entry<InitialEntry> {
 public:
  using Entry::Entry;
  InitialEntry velocity(const Value& value) { return set("velocity", value); }
  InitialEntry angular_velocity(const Value& value) { return set("angular-velocity", value); }
  InitialEntry speed(const Value& value) { return set("speed", value); }
};

class SimulateEntry : public Entry<SimulateEntry> {
 public:
  using Entry::Entry;
  SimulateEntry duration(const Value& value) { return set("duration", value); }
  SimulateEntry step(const Value& value) { return set("step", value); }
  SimulateEntry tolerance(const Value& value) { return set("tolerance", value); }
  SimulateEntry coordinates(const Value& name) { return set("coordinates", name); }
  SimulateEntry formulation(const Value& name) { return set("formulation", name); }
  SimulateEntry integrator(const Value& name) { return set("integrator", name); }
  SimulateEntry stop_when(const Value& condition) { return set("stop-when", condition); }
};

// An entry of a section that has no class of its own.
class AnyEntry : public Entry<AnyEntry> {
 public:
  using Entry::Entry;
};

class ModelBuilder {
 public:
  explicit ModelBuilder(const std::string& name = "");

  ModelBuilder& plane() { return set("plane", "xy"); }  // left out: in space
  ModelBuilder& gravity(const Value& vector) { return set("gravity", vector); }
  ModelBuilder& parameter(const std::string& name, const Value& value);
  ModelBuilder& define(const std::string& name, const Value& expression);  // a name for an expression
  ModelBuilder& input(const std::string& name, const Value& value = 0);
  ModelBuilder& state(const std::string& name, const Value& derivative, const Value& initial = 0);
  ModelBuilder& output(const std::string& name, const Value& expression);  // a column of the results
  // Any key of the file's first level.
  ModelBuilder& set(const std::string& key, const Value& value);

  PointEntry point(const std::string& name, const Value& at);
  BodyEntry body(const std::string& name) { return BodyEntry(in("bodies", name)); }
  JointEntry joint(const std::string& name) { return JointEntry(in("joints", name)); }
  DriverEntry driver(const std::string& name) { return DriverEntry(in("drivers", name)); }
  ForceEntry force(const std::string& name) { return ForceEntry(in("forces", name)); }
  StopEntry stop(const std::string& name) { return StopEntry(in("stops", name)); }
  InitialEntry initial(const std::string& of) { return InitialEntry(in("initial", of)); }
  SimulateEntry simulate() { return SimulateEntry(root_.at("simulate")); }
  // Any entry of any section: entry("subsystems", "left").set("bodies", {"a", "b"}).
  AnyEntry entry(const std::string& section, const std::string& name) { return AnyEntry(in(section, name)); }
  // Any key of a section that has no entries: section("outputs").set("interval", "10 ms").
  AnyEntry section(const std::string& name) { return AnyEntry(root_.at(name)); }

  // Comments of the model file: above all of it, and at the end of an entry's line.
  ModelBuilder& remark(const std::string& text);
  ModelBuilder& remark(const std::string& section, const std::string& name, const std::string& text);

  // Forces and constraints of a person's own. Such a model cannot be written to a file: its Mechanism has no
  // text.
  ModelBuilder& force(const std::string& name, UserForcePtr law);
  ModelBuilder& constraint(const std::string& name, UserConstraintPtr law);

  // The mechanism, or everything that is wrong with it. InputError::file is then the entry: "bodies.crank".
  ModelInput build() const;
  // The model file. Throws std::runtime_error where the model has forces or constraints of a person's own.
  std::string text() const;
  // The entry that each line of text() holds: "bodies.crank".
  std::vector<std::string> entry_of_line() const;

 private:
  ModelNode& in(const std::string& section, const std::string& name) { return root_.at(section).at(name); }

  ModelNode root_;
  OwnParts own_;
};

}  // namespace trammel
