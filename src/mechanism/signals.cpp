// What dotted names in expressions mean: JOINT.angle, BODY.x, SPRING.rate, POINT.vx, …
#include "mechanism/signals.h"

#include <algorithm>
#include <array>
#include <utility>

#include "mechanism/functions.h"
#include "mechanism/joint_kinds.h"

namespace trammel::mechanism {
namespace {

constexpr const char* kReactionTorque = "torque";

constexpr int kTimeSlot = 0;
constexpr std::array<const char*, 9> kCoordinates = {"x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"};
constexpr std::array<const char*, 3> kSignalAxes = {"x", "y", "z"};

// Larger mechanisms offer no names in messages: finding them takes longer than reading the model.
constexpr std::size_t kMaxParts = 1000;

bool turns(const Mechanism& mechanism, const Marker& marker) {
  const Body* body = mechanism.body(marker.body);
  return body == nullptr || body->kind != Body::Kind::point_mass;
}

const SpringDamper* find_spring(const Mechanism& mechanism, const std::string& name) {
  for (const Force& force : mechanism.forces) {
    if (force.name == name) return std::get_if<SpringDamper>(&force.law);
  }
  return nullptr;
}

// first, second or tangent of an elastic span, or its rate
std::optional<Signal> belt_signal(const Mechanism& mechanism, const std::string& head,
                                  const std::string& tail) {
  static constexpr std::array<const char*, 3> kParts = {"first", "second", "tangent"};
  const bool is_belt = std::ranges::any_of(mechanism.forces, [&](const Force& force) {
    return force.name == head && std::holds_alternative<ElasticBelt>(force.law);
  });
  const bool rate = tail.ends_with("_rate");
  const auto part = std::ranges::find(kParts, tail.substr(0, tail.size() - (rate ? 5 : 0)));
  if (!is_belt || part == kParts.end()) return std::nullopt;
  return Signal{Signal::Kind::belt_part, rate, head, {}, static_cast<int>(part - kParts.begin())};
}

// x … vz of a point fixed to a body
std::optional<Signal> coordinate_signal(const Mechanism& mechanism, const Marker& point,
                                        const std::string& tail) {
  const auto found = std::find(kCoordinates.begin(), kCoordinates.end(), tail);
  if (found == kCoordinates.end()) return std::nullopt;
  const auto index = static_cast<int>(found - kCoordinates.begin());
  Signal signal;
  signal.kind = Signal::Kind::coordinate;
  signal.rate = index / 3 == 1;
  signal.acceleration = index / 3 == 2;
  signal.axis = index % 3;
  signal.point = point;
  if (mechanism.is_planar && signal.axis == 2) return std::nullopt;
  return signal;
}

std::optional<Signal> joint_signal(const Mechanism& mechanism, const Joint& joint, const std::string& tail) {
  const bool angle = has_angle(mechanism, joint);
  const bool displacement = has_displacement(mechanism, joint);
  const auto is = [&](Signal::Kind kind, bool rate) { return Signal{kind, rate, joint.name, {}, 0}; };
  if (angle && tail == "angle") return is(Signal::Kind::joint_angle, false);
  if (displacement && tail == "displacement") return is(Signal::Kind::joint_displacement, false);
  if (angle && displacement) {
    if (tail == "angle_rate") return is(Signal::Kind::joint_angle, true);
    if (tail == "displacement_rate") return is(Signal::Kind::joint_displacement, true);
  } else if (tail == "rate") {
    if (angle) return is(Signal::Kind::joint_angle, true);
    if (displacement) return is(Signal::Kind::joint_displacement, true);
  }
  return std::nullopt;
}

std::optional<Signal> body_signal(const Mechanism& mechanism, const Body& body, const std::string& tail) {
  const bool is_rate = tail == "rate", is_second = tail == "alpha";
  if (is_rate || is_second || tail == "angle") {
    if (!mechanism.is_planar || body.kind == Body::Kind::point_mass) return std::nullopt;
    return Signal{Signal::Kind::body_angle, is_rate, body.name, {}, 0, is_second};
  }
  return coordinate_signal(mechanism, {body.name, {body.com, Mat3::Identity()}}, tail);
}

// BODY.ex.x
std::optional<Signal> body_axis_signal(const Mechanism& mechanism, const std::string& head,
                                       const std::string& tail) {
  const std::size_t dot = head.find('.');
  const Body* body = dot == std::string::npos ? nullptr : mechanism.body(head.substr(0, dot));
  if (body == nullptr) return std::nullopt;
  for (int k = 0; k < shown_axes(mechanism, *body); ++k) {
    if (head.substr(dot + 1) != std::string("e") + kSignalAxes[static_cast<std::size_t>(k)]) continue;
    Marker axis{body->name, {}};
    axis.frame.axes.col(0) = Vec3::Unit(k);
    auto signal = coordinate_signal(mechanism, axis, tail);
    if (signal) {
      signal->kind = Signal::Kind::body_axis;
      signal->object = body->name;
    }
    return signal;
  }
  return std::nullopt;
}

// JOINT.force.x, JOINT.BODY.torque.z; what it is must be a joint, a driver, a stop or dry friction.
std::optional<Signal> reaction_signal(const Mechanism& mechanism, const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (c == '.')
      words.emplace_back();
    else
      words.back() += c;
  }
  Signal signal;
  signal.object = words.front();
  const Joint* joint = mechanism.joint(signal.object);
  const auto named = [&](const auto& all) {
    return std::ranges::any_of(all, [&](const auto& one) { return one.name == signal.object; });
  };
  const bool rubs = std::ranges::any_of(mechanism.forces, [&](const Force& force) {
    return force.name == signal.object && std::holds_alternative<DryFriction>(force.law);
  });
  if (joint == nullptr && !rubs && !named(mechanism.drivers) && !named(mechanism.stops)) return std::nullopt;
  const bool is_belt = joint != nullptr && joint->kind == Joint::Kind::belt;
  if (words.size() == 2 && words[1] == (is_belt ? "tension" : "effort")) {
    signal.kind = Signal::Kind::effort;
    return signal;
  }
  const bool many = joint != nullptr && joint->markers.size() > 2;
  if (words.size() != (many ? 4U : 3U)) return std::nullopt;
  if (many) {
    signal.body = words[1];
    if (std::ranges::none_of(joint->markers, [&](const Marker& m) { return m.body == signal.body; }))
      return std::nullopt;
  }
  const std::string& quantity = words[words.size() - 2];
  signal.kind = Signal::Kind::reaction;
  signal.joint_axes = quantity.starts_with("joint_");
  signal.torque = quantity.ends_with(kReactionTorque);
  if (quantity !=
      std::string(signal.joint_axes ? "joint_" : "") + (signal.torque ? kReactionTorque : "force"))
    return std::nullopt;
  const auto axis = std::ranges::find(kSignalAxes, words.back());
  if (axis == kSignalAxes.end()) return std::nullopt;
  signal.axis = static_cast<int>(axis - kSignalAxes.begin());
  // In the plane a force has x and y, a torque z.
  if (mechanism.is_planar && (signal.axis == 2) != signal.torque) return std::nullopt;
  return signal;
}

// BODY.POINT.x
std::optional<Signal> own_point_signal(const Mechanism& mechanism, const std::string& head,
                                       const std::string& tail) {
  const std::size_t dot = head.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const Body* body = mechanism.body(head.substr(0, dot));
  if (body == nullptr) return std::nullopt;
  const auto point = body->points.find(head.substr(dot + 1));
  if (point == body->points.end()) return std::nullopt;
  return coordinate_signal(mechanism, {body->name, {point->second, Mat3::Identity()}}, tail);
}

void append_coordinates(const Mechanism& mechanism, const std::string& head,
                        std::vector<std::string>& names) {
  for (std::size_t i = 0; i < kCoordinates.size(); ++i) {
    if (!mechanism.is_planar || i % 3 != 2) names.push_back(head + "." + kCoordinates[i]);
  }
}

}  // namespace

bool has_angle(const Mechanism& mechanism, const Joint& joint) {
  return about(joint.kind).angle.in(mechanism.is_planar) && joint.markers.size() == 2 &&
         turns(mechanism, joint.markers[0]) && turns(mechanism, joint.markers[1]);
}

bool is_thread(const Joint& joint) { return joint.kind == Joint::Kind::screw_pair; }

bool can_rub(const Mechanism& mechanism, const Joint& joint) {
  return is_thread(joint) || has_angle(mechanism, joint) != has_displacement(mechanism, joint);
}

int shown_axes(const Mechanism& mechanism, const Body& body) {
  if (body.kind == Body::Kind::point_mass) return 0;
  if (mechanism.is_planar) return 2;
  return body.kind == Body::Kind::rod ? 1 : 3;
}

bool has_displacement(const Mechanism& mechanism, const Joint& joint) {
  return about(joint.kind).displacement.in(mechanism.is_planar);
}

namespace {

std::optional<Signal> resolve_plain(const Mechanism& mechanism, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string head = name.substr(0, dot), tail = name.substr(dot + 1);

  // A shared point and its pin have one name: A.angle is the pin's, A.x the point's.
  if (const Joint* joint = mechanism.joint(head)) {
    if (auto signal = joint_signal(mechanism, *joint, tail)) return signal;
  }
  if (const Point* point = mechanism.point(head); point != nullptr && !point->on.empty()) {
    return coordinate_signal(mechanism, point->on.front(), tail);
  }
  if (const Body* body = mechanism.body(head)) return body_signal(mechanism, *body, tail);
  if (find_spring(mechanism, head) != nullptr && (tail == "length" || tail == "rate")) {
    return Signal{Signal::Kind::spring_length, tail == "rate", head, {}, 0};
  }
  if (auto signal = belt_signal(mechanism, head, tail)) return signal;
  return own_point_signal(mechanism, head, tail);
}

}  // namespace

std::optional<Signal> resolve_signal(const Mechanism& mechanism, const std::string& name) {
  if (auto signal = resolve_plain(mechanism, name)) return signal;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot < 2) return std::nullopt;
  // .v.x is .vx, as columns have it.
  if (const std::string middle = name.substr(dot - 2, 2); middle == ".v" || middle == ".a")
    if (auto signal = resolve_plain(mechanism, name.substr(0, dot) + name.substr(dot + 1))) return signal;
  if (auto signal = body_axis_signal(mechanism, name.substr(0, dot), name.substr(dot + 1))) return signal;
  return reaction_signal(mechanism, name);
}

std::vector<std::string> signal_names(const Mechanism& mechanism) {
  std::vector<std::string> names;
  const auto append_if_known = [&](const std::string& head, std::initializer_list<const char*> tails) {
    for (const char* tail : tails) {
      std::string name = head + "." + tail;
      if (resolve_signal(mechanism, name)) names.push_back(std::move(name));
    }
  };
  for (const Joint& joint : mechanism.joints) {
    append_if_known(joint.name, {"angle", "displacement", "rate", "angle_rate", "displacement_rate"});
  }
  for (const Body& body : mechanism.bodies) {
    append_if_known(body.name, {"angle", "rate", "alpha"});
    append_coordinates(mechanism, body.name, names);
    for (const auto& [point, at] : body.points) append_coordinates(mechanism, body.name + "." + point, names);
  }
  for (const Point& point : mechanism.points)
    if (!point.on.empty()) append_coordinates(mechanism, point.name, names);
  for (const Force& force : mechanism.forces) append_if_known(force.name, {"length", "rate"});
  return names;
}

std::vector<std::string> names_outside(Scope scope, const Mechanism& mechanism,
                                       const expressions::Symbols& symbols,
                                       const expressions::Expression& expression) {
  std::vector<std::string> names;
  for (const int slot : expression.slots()) {
    const std::string& name = symbols.name(slot);
    if (scope == Scope::outputs || slot == kTimeSlot) continue;
    const std::optional<Signal> signal = resolve_signal(mechanism, name);
    const bool follows = signal && signal->follows_forces();
    if (scope == Scope::forces && !follows) continue;
    if (scope == Scope::positions && signal && !follows && !signal->rate) continue;
    names.push_back(name);
  }
  return names;
}

std::string scope_owner(Scope scope) {
  if (scope == Scope::forces) return "what moves the mechanism";
  return scope == Scope::time ? "a driver" : "a constraint of velocities";
}

std::string scope_remedy(Scope scope) {
  if (scope == Scope::forces)
    return "accelerations and reactions follow from the forces, so that this is an algebraic loop; use "
           "positions and speeds, or write it to a column of outputs";
  return scope == Scope::time
             ? "a driver may use t, parameters and functions only; a force may use positions and speeds"
             : "besides the speeds it ties it may use t, parameters, functions and "
               "positions such as hinge.angle";
}

bool is_reported_elsewhere(const expressions::ExpressionError& error, const std::string& definition) {
  if (error.circle.empty()) return !error.definition.empty();
  std::string first;  // names of forces have a dot
  for (const std::string& name : error.circle)
    if (name.find('.') == std::string::npos && (first.empty() || name < first)) first = name;
  return !first.empty() && definition != first;
}

std::unique_ptr<expressions::Symbols> make_symbols(const Mechanism& mechanism) {
  auto symbols = std::make_unique<expressions::Symbols>();
  symbols->variable("t");
  for (const AuxiliaryState& state : mechanism.states) symbols->variable(state.name);
  for (const Input& input : mechanism.inputs) symbols->variable(input.name);
  if (mechanism.generalized) {
    for (const auto& q : mechanism.generalized->coordinates) symbols->variable(q.name);
    for (const auto& q : mechanism.generalized->coordinates) symbols->variable(q.name + ".rate");
  }
  for (const auto& [name, value] : mechanism.parameters) symbols->constant(name, value);
  for (const TableFunction& f : mechanism.functions) {
    symbols->function(f.name, function_of(f));
  }
  for (const Definition& one : mechanism.definitions) symbols->definition(one.name, one.text);
  symbols->resolve = [known = symbols.get(), &mechanism](const std::string& name) -> std::optional<int> {
    if (!resolve_signal(mechanism, name)) return std::nullopt;
    return known->variable(name);
  };
  symbols->expand = [&mechanism](const std::string& name) { return expand_signal(mechanism, name); };
  // A column may use others.
  for (const auto& [name, text] : mechanism.outputs) symbols->definition(name, text);
  symbols->suggestions = [&mechanism] {
    const std::size_t parts = mechanism.bodies.size() + mechanism.points.size() + mechanism.joints.size();
    return parts < kMaxParts ? signal_names(mechanism) : std::vector<std::string>();
  };
  return symbols;
}

}  // namespace trammel::mechanism
