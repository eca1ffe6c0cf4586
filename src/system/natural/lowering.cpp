#include "system/natural/lowering.h"

#include <fmt/format.h>

#include <stdexcept>

#include "mechanism/acting_expressions.h"
#include "mechanism/joint_kinds.h"
#include "system/decisions.h"
#include "system/natural/lowering_belts.h"
#include "system/natural/lowering_crossed_teeth.h"
#include "system/natural/lowering_drivers.h"
#include "system/natural/lowering_forces.h"
#include "system/natural/lowering_joints.h"
#include "system/natural/lowering_teeth.h"
#include "system/natural/lowering_velocities.h"

namespace trammel::system {

template <int D>
Lowering<D>::Lowering(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched,
                      Sharing sharing)
    : mechanism_(mechanism), parts_(mechanism, sharing), symbols_(mechanism::make_symbols(mechanism)) {
  parse_expressions(watched);
  for (int k = 0; k < D; ++k) parts_.basis.node(kGroundBody, false, Vec3::Unit(k));
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) name_joint_places(static_cast<int>(j));
  name_signal_places();
  name_force_places();
  parts_.basis.choose();

  length_scale_ = parts_.basis.length_scale();
  make_signals();
  // Coordinates of bodies that share nothing keep them rigid themselves.
  if (sharing == Sharing::neighbours) body_rows();
  shared_rows();
  refused_rows();
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) joint_rows(static_cast<int>(j));
  driver_rows();
  add_armatures();
  make_forces();
  check_late_signals();
}

template <int D>
NaturalParts<D> Lowering<D>::result() {
  for (const auto& list : made_)
    for (const MadeRow& row : list) {
      parts_.rows.push_back(row.owner);
      parts_.roles.push_back(row.role);
    }
  return std::move(parts_);
}

template <int D>
void Lowering<D>::parse_expressions(const std::vector<mechanism::Watched>& watched) {
  const auto parse = [&](const std::string& text) {
    if (text.empty() || expressions_.count(text)) return;
    auto parsed = expressions::Expression::parse(text, *symbols_);
    if (const auto* error = std::get_if<expressions::ExpressionError>(&parsed))
      throw std::invalid_argument(fmt::format("in '{}': {}", text, error->message));
    expressions_.emplace(text, std::get<expressions::Expression>(std::move(parsed)));
  };
  for (const mechanism::ActingExpression& one : mechanism::acting_expressions(mechanism_)) parse(one.text);
  for (const auto& [name, text] : mechanism_.outputs) parse(text);
  for (const mechanism::Watched& one : watched) parse(one.text);
  for (const mechanism::Watched& one : watched) {
    const expressions::Expression& e = expressions_.at(one.text);
    parts_.watched.push_back(one.crossing < 0 ? e : e.crossing_argument(one.crossing));
  }
  const int first = symbols_->size();
  parts_.first_decision = static_cast<std::size_t>(first);
  for (auto& [text, e] : expressions_) decide(watched, text, first, e);
  for (const mechanism::Watched& one : watched)
    if (one.crossing >= 0) symbols_->variable(fmt::format("#{}", symbols_->size()));
  for (const auto& [text, e] : expressions_)
    parts_.expression_scratch =
        std::max(parts_.expression_scratch, static_cast<std::size_t>(e.scratch_size()) + e.slots().size());
}

template <int D>
expressions::Expression Lowering<D>::expression(const std::string& text) const {
  return text.empty() ? expressions::Expression::constant(0) : expressions_.at(text);
}

template <int D>
void Lowering<D>::name_coordinate(const Joint& joint, bool angle) {
  if (joint.kind == Joint::Kind::cam) return;  // its places are named already
  const Marker &moving = joint.markers.at(0), &base = joint.markers.at(1);
  if (angle) {
    vector_node(moving, 0);
    vector_node(base, 0);
    vector_node(base, 1);
  } else {
    vector_node(base, D == 2 ? 0 : 2);
  }
}

// Joint coordinates that something reads need their vectors; a joint that nobody asks does not.
template <int D>
void Lowering<D>::name_signal_places() {
  const auto ask_joint = [&](const std::string& name) {
    const Joint* joint = mechanism_.joint(name);
    if (!joint) return;
    if (mechanism::has_angle(mechanism_, *joint)) name_coordinate(*joint, true);
    if (mechanism::has_displacement(mechanism_, *joint)) name_coordinate(*joint, false);
  };
  for (int slot = 0; slot < symbols_->size(); ++slot) {
    const std::optional<mechanism::Signal> signal =
        mechanism::resolve_signal(mechanism_, symbols_->name(slot));
    if (!signal) continue;
    using Kind = mechanism::Signal::Kind;
    if (signal->kind == Kind::coordinate) {
      if (signal->point.body == kGround) point_node(signal->point);
    } else if (signal->kind == Kind::joint_angle || signal->kind == Kind::joint_displacement) {
      ask_joint(signal->object);
    }
  }
  for (const Joint& joint : mechanism_.joints) {
    if (mechanism::about(joint.kind).of != mechanism::JointOf::signals)
      for (const std::string& name : joint.of) ask_joint(name);
    if (joint.speed || joint.armature != 0) ask_joint(joint.name);
  }
  for (const Driver& driver : mechanism_.drivers) {
    if (driver.kind == Driver::Kind::joint) ask_joint(driver.of);
    for (const Marker& marker : driver.markers) point_node(marker);
  }
}

template <int D>
int Lowering<D>::measure(const std::string& key, MeasureKind kind, std::vector<Slot<D>> slots, double offset,
                         math::Vec<D> direction, double radius) {
  const auto at = parts_.measure_by_name.find(key);
  if (at != parts_.measure_by_name.end()) {
    if (!reporting_) parts_.measure_active[static_cast<std::size_t>(at->second)] = true;
    return at->second;
  }
  parts_.measure_active.push_back(!reporting_);
  const int index = static_cast<int>(parts_.measures.size());
  parts_.measures.emplace_back(kind, std::move(slots), parts_.basis.free_elements(), offset, direction,
                               radius);
  if (kind == MeasureKind::angle) parts_.measures.back().expect(placed_angle(parts_.measures.back()));
  parts_.measure_by_name[key] = index;
  return index;
}

// In the plane the difference of the bodies' given angles, which may be more than a turn.
template <int D>
double Lowering<D>::placed_angle(const Measure<D>& m) const {
  if (D == 3) return m.offset();
  const auto given = [&](std::size_t slot) {
    const int body = m.slots()[slot].sides.front().material.body;
    return body > kGroundBody ? mechanism_.bodies[static_cast<std::size_t>(body) - 1].angle : 0.0;
  };
  return given(2) - given(0);
}

// Angle of the first marker in the second's frame, or displacement along the second's axis.
template <int D>
int Lowering<D>::joint_measure(const Joint& joint, bool angle) {
  if (joint.kind == Joint::Kind::cam) return cam_measure(joint);
  const Marker &moving = joint.markers.at(0), &base = joint.markers.at(1);
  if (angle)
    return measure(
        joint.name + ".angle", MeasureKind::angle,
        {Slot<D>::of(vector(base, 0)), Slot<D>::of(vector(base, 1)), Slot<D>::of(vector(moving, 0))},
        joint.offset);
  return measure(joint.name + ".displacement", MeasureKind::dot,
                 {gap(base, moving), Slot<D>::of(vector(base, D == 2 ? 0 : 2))},
                 mechanism::has_angle(mechanism_, joint) ? 0 : joint.offset);
}

template <int D>
int Lowering<D>::only_measure(const std::string& joint_name) {
  const Joint* joint = mechanism_.joint(joint_name);
  const bool angle = joint && mechanism::has_angle(mechanism_, *joint),
             slide = joint && mechanism::has_displacement(mechanism_, *joint);
  if (angle == slide)
    throw std::invalid_argument(fmt::format("joint '{}' does not have exactly one coordinate", joint_name));
  return joint_measure(*joint, angle);
}

template <int D>
int Lowering<D>::rubbed_measure(const std::string& joint_name) {
  const Joint* joint = mechanism_.joint(joint_name);
  return joint && mechanism::is_thread(*joint) ? joint_measure(*joint, true) : only_measure(joint_name);
}

template <int D>
int Lowering<D>::signal_measure(const mechanism::Signal& signal) {
  switch (signal.kind) {
    case mechanism::Signal::Kind::joint_angle:
    case mechanism::Signal::Kind::joint_displacement:
      return joint_measure(*mechanism_.joint(signal.object),
                           signal.kind == mechanism::Signal::Kind::joint_angle);
    case mechanism::Signal::Kind::body_angle: {
      const Marker own{signal.object, {}}, ground{kGround, {}};
      return measure(
          signal.object + ".angle", MeasureKind::angle,
          {Slot<D>::of(vector(ground, 0)), Slot<D>::of(vector(ground, 1)), Slot<D>::of(vector(own, 0))});
    }
    case mechanism::Signal::Kind::spring_length:
      for (const Force& force : mechanism_.forces)
        if (force.name == signal.object) {
          const auto& spring = std::get<SpringDamper>(force.law);
          return measure(force.name + ".length", MeasureKind::distance, {gap(spring.a, spring.b)});
        }
      break;
    case mechanism::Signal::Kind::belt_part:
      for (const Force& force : mechanism_.forces)
        if (force.name == signal.object) {
          const auto& belt = std::get<ElasticBelt>(force.law);
          return belt_measure(force.name, belt.a, belt.b, belt.pulleys,
                              static_cast<std::size_t>(signal.axis));
        }
      break;
    case mechanism::Signal::Kind::body_axis: {
      Eigen::Index k = 0;
      signal.point.frame.axes.col(0).maxCoeff(&k);
      return measure(fmt::format("{}.e{}.{}", signal.object, k, signal.axis), MeasureKind::component,
                     {Slot<D>::of(vector(signal.point, 0))}, 0, math::narrow<D>(Vec3::Unit(signal.axis)));
    }
    case mechanism::Signal::Kind::reaction:
    case mechanism::Signal::Kind::effort:
      break;
    case mechanism::Signal::Kind::coordinate: {
      const Vec3& at = signal.point.frame.at;
      return measure(fmt::format("{}({},{},{}).{}", signal.point.body, at.x(), at.y(), at.z(), signal.axis),
                     MeasureKind::component, {Slot<D>::of(point(signal.point))}, 0,
                     math::narrow<D>(Vec3::Unit(signal.axis)));
    }
  }
  throw std::logic_error("a signal without a measure");
}

template <int D>
void Lowering<D>::make_signals() {
  parts_.sources.resize(static_cast<std::size_t>(symbols_->size()));
  for (int slot = 0; slot < symbols_->size(); ++slot)
    if (const auto signal = mechanism::resolve_signal(mechanism_, symbols_->name(slot))) {
      if (signal->follows_forces())
        make_late_signal(static_cast<std::size_t>(slot), *signal);
      else
        parts_.sources[static_cast<std::size_t>(slot)] = {signal_measure(*signal), signal->rate};
    }
  for (const expressions::Expression& e : parts_.watched)
    for (const int slot : e.slots())
      parts_.watches_late = parts_.watches_late || std::ranges::any_of(parts_.late, [&](const LateSignal& l) {
                              return l.slot == static_cast<std::size_t>(slot);
                            });
  for (const AuxiliaryState& state : mechanism_.states)
    parts_.state_rates.push_back(expression(state.derivative));
  for (const auto& [name, text] : mechanism_.outputs) parts_.outputs.emplace_back(name, expression(text));
  reporting_ = true;
  // The angle of every planar body, so that its turns are counted.
  if (D == 2)
    for (const Body& b : mechanism_.bodies)
      if (b.kind != Body::Kind::point_mass)
        signal_measure({mechanism::Signal::Kind::body_angle, false, b.name, {}, 0});
  // Coordinates of joints that are in reach without more variables are worth reporting.
  for (const Joint& joint : mechanism_.joints)
    for (const bool angle : {true, false}) {
      if (!(angle ? mechanism::has_angle(mechanism_, joint) : mechanism::has_displacement(mechanism_, joint)))
        continue;
      const Marker &moving = joint.markers[0], &base = joint.markers[1];
      const auto reaches = [&](const Marker& m, int k) {
        return parts_.basis.find(body(m), false, m.frame.axes.col(k)).has_value();
      };
      const bool in_reach = joint.kind == Joint::Kind::cam ||
                            (angle ? reaches(moving, 0) && reaches(base, 0) && reaches(base, 1)
                                   : reaches(base, D == 2 ? 0 : 2));
      if (in_reach) joint_measure(joint, angle);
    }
  reporting_ = false;
}

// Only outputs and conditions read it: its measure is evaluated for them alone.
template <int D>
void Lowering<D>::make_late_signal(std::size_t slot, const mechanism::Signal& signal) {
  LateSignal late{slot, signal, -1};
  reporting_ = true;
  if (signal.acceleration) late.measure = signal_measure(signal);
  reporting_ = false;
  parts_.late.push_back(std::move(late));
}

// Reactions that expressions name are there.
template <int D>
void Lowering<D>::check_late_signals() const {
  for (const LateSignal& late : parts_.late) {
    if (late.signal.acceleration) continue;
    const bool effort = late.signal.kind == mechanism::Signal::Kind::effort;
    const bool known = std::ranges::any_of(parts_.reactions, [&](const ReactionPlace& place) {
      return place.name == late.signal.object && (effort ? !place.effort_unit.empty() : !place.sides.empty());
    });
    if (known) continue;
    throw std::invalid_argument(fmt::format("'{}' has no {}: leave {} out", late.signal.object,
                                            effort ? "effort" : "force and torque",
                                            symbols_->name(static_cast<int>(late.slot))));
  }
}

template <int D>
double Lowering<D>::initial_value(int k) const {
  std::vector<double> x;
  for (int e = 0; e < parts_.basis.elements(); ++e)
    for (int i = 0; i < D; ++i) x.push_back(parts_.basis.initial(e)[i]);
  const Measure<D>& m = parts_.measures[static_cast<std::size_t>(k)];
  const int free = parts_.basis.free_elements();
  const double value = m.jet({x.data(), x.data() + D * free, free}).f + m.offset();
  return m.kind() == MeasureKind::angle ? with_turns(value, m.expected()) : value;
}

// What a joint's coordinate reads where it is drawn, with the turns of the driver that starts there.
template <int D>
double Lowering<D>::initial_coordinate(const std::string& joint, int measure) const {
  const double value = initial_value(measure);
  if (parts_.measures[static_cast<std::size_t>(measure)].kind() != MeasureKind::angle) return value;
  if (mechanism_.joint(joint)->held) return value;
  for (const Driver& driver : mechanism_.drivers) {
    if (driver.kind != Driver::Kind::joint || driver.of != joint || driver.of_speed || is_stop(driver))
      continue;
    std::vector<double> signals(static_cast<std::size_t>(symbols_->size()), 0.0);
    read_decisions({}, std::span(signals).subspan(parts_.first_decision));
    std::vector<double> scratch(parts_.expression_scratch);
    const double start = expression(driver.equals.at(0)).value(signals, scratch);
    const double turned = with_turns(value, start);
    return std::abs(turned - start) < mechanism::kDrawnThere ? turned : value;
  }
  return value;
}

template <int D>
NaturalParts<D> lower(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched,
                      Sharing sharing) {
  return Lowering<D>(mechanism, watched, sharing).result();
}

template class Lowering<2>;
template class Lowering<3>;
template NaturalParts<2> lower<2>(const Mechanism&, const std::vector<mechanism::Watched>&, Sharing);
template NaturalParts<3> lower<3>(const Mechanism&, const std::vector<mechanism::Watched>&, Sharing);

}  // namespace trammel::system
