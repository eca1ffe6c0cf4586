// Drivers and a person's own constraints as rows.
//
// Members of Lowering, for lowering.cpp, which instantiates them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "system/natural/lowering.h"

namespace trammel::system {

template <int D>
void Lowering<D>::driver_rows() {
  for (const Driver& driver : mechanism_.drivers)
    if (!is_stop(driver)) add_driver(driver);
  for (const EndStop& stop : mechanism_.stops) add_stop(stop);
  for (const CustomConstraint& custom : mechanism_.constraints) add_custom(custom);
  for (const Force& force : mechanism_.forces)
    if (const auto* law = std::get_if<DryFriction>(&force.law)) add_friction_row(force, *law);
}

// Dry friction has an effort along the first joint's coordinate in every mode, and an equation while it
// sticks: the sum of its speeds is zero.
template <int D>
void Lowering<D>::add_friction_row(const Force& force, const DryFriction& law) {
  const int reaction = static_cast<int>(parts_.reactions.size());
  parts_.reactions.push_back({force.name, {}});
  std::vector<typename RateSum<D>::Part> parts;
  for (std::size_t k = 0; k < law.joints.size(); ++k)
    parts.push_back(
        {rubbed_measure(law.joints[k]), {expressions::Expression::constant(k == 0 ? 1 : -law.ratio), {}}});
  const int first = parts.front().measure;
  set_effort(reaction, first);
  if (law.now != DryFriction::Now::stuck) return;
  const bool angle = parts_.measures[static_cast<std::size_t>(first)].kind() == MeasureKind::angle;
  add_rate_sum(reaction, std::move(parts), "", angle ? 1 : length_scale_);
}

// A stop is a driver while something rests on it; else it has a reaction of zero, so that lists stay as they
// are.
template <int D>
void Lowering<D>::add_stop(const EndStop& stop) {
  const auto held = std::ranges::find(mechanism_.drivers, stop.name, &Driver::name);
  if (held != mechanism_.drivers.end()) return add_driver(*held);
  const Joint& joint = *mechanism_.joint(stop.joint);
  parts_.reactions.push_back(coordinate_place(stop.name, joint));
  parts_.reactions.back().effort_unit = mechanism::has_angle(mechanism_, joint) ? "N.m" : "N";
}

// Where what acts on a joint's coordinate has its reaction.
template <int D>
ReactionPlace Lowering<D>::coordinate_place(const std::string& name, const Joint& joint) const {
  ReactionPlace place{name, {}};
  for (const Marker& m : joint.markers) place.sides.push_back({body(m), m.frame.at});
  place.axes_body = body(joint.markers.at(1));
  place.axes = joint.markers[1].frame.axes;
  const auto own = std::ranges::find(parts_.reactions, joint.name, &ReactionPlace::name);
  if (own != parts_.reactions.end()) place.moving = own->moving;
  return place;
}

template <int D>
void Lowering<D>::add_driver(const Driver& driver) {
  const int reaction = static_cast<int>(parts_.reactions.size());
  ReactionPlace place{driver.name, {}};
  const auto is_angle = [&](int measure) {
    return parts_.measures[static_cast<std::size_t>(measure)].kind() == MeasureKind::angle;
  };
  const auto follow = [&](int measure, const std::string& text, double scale) {
    if (driver.kind != Driver::Kind::position) set_effort(reaction, measure);
    const expressions::Expression f = expression(text);
    for (int slot : f.slots())
      if (slot != 0)
        throw std::invalid_argument(
            fmt::format("driver '{}' follows '{}', but a driver may depend on time t and parameters only",
                        driver.name, text));
    if (driver.of_speed)
      add_rate_sum(reaction, {{measure, {expressions::Expression::constant(1), {}}}}, text, scale);
    else
      add_coupled(reaction, {{measure, 1}}, f, scale, is_angle(measure));
  };
  switch (driver.kind) {
    case Driver::Kind::joint: {
      parts_.reactions.push_back(coordinate_place(driver.name, *mechanism_.joint(driver.of)));
      const int k = only_measure(driver.of);
      follow(k, driver.equals.at(0), is_angle(k) ? 1 : length_scale_);
      break;
    }
    case Driver::Kind::body_angle: {
      const Body& source = *mechanism_.body(driver.of);
      place.sides.push_back({parts_.basis.body_index(driver.of), source.com});
      parts_.reactions.push_back(place);
      follow(signal_measure({mechanism::Signal::Kind::body_angle, false, driver.of, {}, 0}),
             driver.equals.at(0), 1);
      break;
    }
    case Driver::Kind::distance: {
      for (const Marker& m : driver.markers) place.sides.push_back({body(m), m.frame.at});
      place.line = {place.sides.at(1), place.sides[0]};
      parts_.reactions.push_back(place);
      const int k = measure(driver.name + ".length", MeasureKind::distance,
                            {gap(driver.markers.at(1), driver.markers.at(0))});
      follow(k, driver.equals.at(0), length_scale_);
      break;
    }
    case Driver::Kind::position: {
      place.sides.push_back({body(driver.markers.at(0)), driver.markers[0].frame.at});
      parts_.reactions.push_back(place);
      for (int axis = 0; axis < D; ++axis)
        if (!driver.equals.at(static_cast<std::size_t>(axis)).empty())
          follow(signal_measure({mechanism::Signal::Kind::coordinate, false, "", driver.markers[0], axis}),
                 driver.equals[static_cast<std::size_t>(axis)], length_scale_);
      break;
    }
  }
}

template <int D>
void Lowering<D>::add_custom(const CustomConstraint& custom) {
  ReactionPlace place{custom.name, {}};
  std::vector<Material<D>> points;
  for (const UserPoint& p : custom.law->points()) {
    const int b = parts_.basis.body_index(p.body);
    points.push_back(parts_.basis.material(b, true, p.at));
    place.sides.push_back({b, p.at});
  }
  const int reaction = static_cast<int>(parts_.reactions.size());
  parts_.reactions.push_back(place);
  pool<UserRow<D>>().emplace_back(custom.law, std::move(points), parts_.basis.free_elements());
  RowOwner row{RowOwner::Kind::user, custom.name, custom.law->scale(), {custom.name}};
  made<UserRow<D>>(row, {reaction});
}

}  // namespace trammel::system
