// Pairs of gears on parallel axes, and racks, as rows of coupled measures.
//
// The teeth are involutes: they move as if a string were wound off one base circle, of radius ρ₁, and onto
// the other, ρ₂ = r cos α (a ring's are negative), along the line of action, a tangent of both circles:
//
//   Φ = −ρ₁ φ₁ − ρ₂ φ₂ − σ sgn(ρ₁ + ρ₂) F(d) + cos α tan β ζ − constant
//
//   φᵢ   the angle of the line of centres in the frame of gear i, turns counted
//   F    MeasureKind::tangent of ρ = |ρ₁ + ρ₂|: F' = sin α(d), cos α(d) = ρ/d
//   ζ    how far the pitch point lies above the middle plane of gear 1, less that of gear 2:
//        ζ = (c₂ − c₁)·(r₁ a₁ + r₂ a₂)/(r₁ + r₂), a the axes: helical teeth, of helix angle β at the pitch
//        circle
//   σ    1 or −1: on which flank the teeth press. They never pull, so that σ λ ≥ 0: the radial force parts
//        the gears, or moves a pinion away from the teeth of its ring, whichever flank presses.
//
// −λ Φ_v is then a force at the pitch point, along the line of action in planes across the axes: on the first
// gear λ cos α along the pitch circle, against a positive rotation, |λ| sin α towards its centre and
// λ cos α tan β along the axis. α is the pressure angle in these planes: tan α = tan αₙ/cos β.
//
// A rack of direction e and normal ν, a place of whose pitch line is c₂, with h = 1 if the pinion lies on the
// side of ν, else −1:
//
//   Φ = cos α (D·e + h r φ − h tan β ζ) + σ h sin α D·ν − constant,   D = c₂ − c₁,  ζ = D·a₂ − h r a₁·ν
//
// φ is the angle of e in the frame of the pinion. The pitch point is c₁ − h r ν.
//
// Members of Lowering, for lowering.cpp, which instantiates them.
#pragma once

#include "mechanism/teeth.h"
#include "system/natural/lowering.h"

namespace trammel::system {

template <int D>
void Lowering<D>::name_gear_places(const Joint& joint) {
  for (const Marker& m : joint.markers)
    for (int axis = 0; axis < D; ++axis) vector_node(m, axis);
}

template <int D>
void Lowering<D>::gear_pair_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const Marker &a = joint.markers.at(0), &b = joint.markers.at(1);
  const auto [r1, r2] = joint.teeth.radii;
  const double transverse = mechanism::transverse_pressure_angle(joint.teeth);
  const double base = std::cos(transverse), lead = base * std::tan(joint.teeth.helix_angle);
  const Slot<D> line = gap(a, b);
  std::vector<typename Coupled<D>::Part> parts;
  double constant = 0;
  const auto add_angle = [&](const char* which, const Marker& gear, double radius) {
    const int k = measure(joint.name + which, MeasureKind::angle,
                          {Slot<D>::of(vector(gear, 0)), Slot<D>::of(vector(gear, 1)), line});
    parts.push_back({k, -base * radius});
    constant -= base * radius * initial_value(k);
  };
  add_angle(".first", a, r1);
  add_angle(".second", b, r2);
  if (transverse != 0) {
    const double sum = base * (r1 + r2);
    const int k = measure(joint.name + ".tangent", MeasureKind::tangent, {line}, 0, math::Vec<D>::Zero(),
                          std::abs(sum));
    const double away = std::copysign(1.0, -sum);
    if (joint.teeth.flank == 0) {
      parts.push_back({k, away, parts_.flanks++});
    } else {
      const double sigma = joint.teeth.flank * std::copysign(1.0, -r1);
      parts.push_back({k, sigma * away});
      // Where the pitch circles touch: ρ (tan α − α)
      constant += sigma * away * std::abs(sum) * (std::tan(transverse) - transverse);
    }
  }
  if (lead != 0)
    for (const auto& [which, gear, radius] :
         {std::tuple(".rise.first", &a, r1), std::tuple(".rise.second", &b, r2)})
      parts.push_back({measure(joint.name + which, MeasureKind::dot, {line, Slot<D>::of(vector(*gear, 2))}),
                       lead * radius / (r1 + r2)});
  put_at_pitch_point(j, point(a).form.plus(line.form, r1 / (r1 + r2)));
  add_coupled(j, std::move(parts), expressions::Expression::constant(constant), length_scale_, false);
}

template <int D>
void Lowering<D>::rack_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const Marker &pinion = joint.markers.at(0), &rack = joint.markers.at(1);
  const double r = joint.teeth.radii[0], h = mechanism::rack_side(mechanism_, joint);
  const double transverse = mechanism::transverse_pressure_angle(joint.teeth);
  const double cosine = std::cos(transverse), lead = cosine * std::tan(joint.teeth.helix_angle);
  const Slot<D> line = gap(pinion, rack);
  const auto of = [&](const Marker& m, int axis) { return Slot<D>::of(vector(m, axis)); };
  const int turn = measure(joint.name + ".first", MeasureKind::angle,
                           {of(pinion, 0), of(pinion, 1), of(rack, 0)}),
            slide = measure(joint.name + ".second", MeasureKind::dot, {line, of(rack, 0)});
  std::vector<typename Coupled<D>::Part> parts{{turn, cosine * h * r}, {slide, cosine}};
  double constant = cosine * (h * r * initial_value(turn) + initial_value(slide));
  if (transverse != 0) {
    const int k = measure(joint.name + ".tangent", MeasureKind::dot, {line, of(rack, 1)});
    const double sine = h * std::sin(transverse);
    if (joint.teeth.flank == 0) {
      parts.push_back({k, sine, parts_.flanks++});
    } else {
      const double sigma = joint.teeth.flank * h;
      parts.push_back({k, sigma * sine});
      constant -= sigma * sine * h * r;  // where the pitch circle touches the pitch line
    }
  }
  if (lead != 0) {
    parts.push_back(
        {measure(joint.name + ".rise.first", MeasureKind::dot, {of(pinion, 2), of(rack, 1)}), lead * r});
    parts.push_back({measure(joint.name + ".rise.second", MeasureKind::dot, {line, of(rack, 2)}), -h * lead});
  }
  put_at_pitch_point(j, point(pinion).form.plus(vector(rack, 1).form, -h * r));
  add_coupled(j, std::move(parts), expressions::Expression::constant(constant), length_scale_, false);
}

// The reaction of a pair stands at its pitch point.
template <int D>
void Lowering<D>::put_at_pitch_point(int j, LinearForm<D> at) {
  const Marker& a = mechanism_.joints[static_cast<std::size_t>(j)].markers.at(0);
  put_at(j, {MovingPlace<D>::Kind::teeth, std::move(at), point(a).form,
             D == 3 ? vector(a, 2).form : LinearForm<D>()});
}

template <int D>
void Lowering<D>::put_at(int j, MovingPlace<D> place) {
  parts_.reactions[static_cast<std::size_t>(j)].moving = static_cast<int>(parts_.moving.size());
  parts_.moving.push_back(std::move(place));
}

}  // namespace trammel::system
