// Bevel gears and worms as rows of coupled measures. As with gears on parallel axes (lowering_teeth.h) −λ Φ_v
// is a force at the pitch point: −λ cos α along the pitch circle of the first gear, |λ| sin α that parts the
// gears, and λ cos α tan β along the teeth's helix. It is exact while the bearings hold the axes where they
// are, as bevel gears and worms need it.
//
// Bevel gears, a₁ and a₂ their axes, G from the first apex to the second, Σ, γ, s of teeth.h, φ₁ the angle of
// a₂ in the frame of gear 1 and φ₂ that of a₁ in the frame of gear 2:
//
//   Φ = −cos α (r₁ φ₁ + r₂ φ₂ + G·(a₁ × a₂)/sin Σ)
//       + σ sin α (cos γ₂ G·a₁ − cos γ₁ G·a₂ + s a₁·a₂)/sin Σ
//       + cos α tan β (sin γ₂ G·a₁ + sin γ₁ G·a₂)/sin Σ − constant
//
// The first line is a force along the pitch circle n = a₁ × a₂/sin Σ: both angles give the bodies the torques
// ∓P × n about the apex, P the pitch point. The second is one along m, across the pitch line in the plane of
// the axes, and the third one along the pitch line.
//
// A worm and its wheel, D from the worm's axis to the wheel's, along which d = r₁ + r₂ is shortest, φ₁ and φ₂
// the angles of D in the frames of both, and f, F, H, τ of teeth.h:
//
//   Φ = −r₁ f·t₁ φ₁ − r₂ f·t₂ φ₂ + τ (F r₂ D·a₂ − H r₁ D·a₁)/d − σ sin α |D| − constant
//
// Members of Lowering, for lowering.cpp, which instantiates them.
#pragma once

#include "mechanism/teeth.h"
#include "system/natural/lowering.h"

namespace trammel::system {

// Adds parts that other constraints keep constant, of the flank that presses.
template <int D>
double Lowering<D>::add_flank(const Joint& joint, std::vector<typename Coupled<D>::Part>& parts,
                              const std::vector<std::pair<int, double>>& measures) {
  if (joint.teeth.flank == 0) {
    const int flank = parts_.flanks++;
    for (const auto& [k, coefficient] : measures) parts.push_back({k, coefficient, flank});
    return 0;
  }
  double constant = 0;
  for (const auto& [k, coefficient] : measures) {
    parts.push_back({k, -joint.teeth.flank * coefficient});
    constant += parts.back().coefficient * initial_value(k);
  }
  return constant;
}

template <int D>
void Lowering<D>::bevel_pair_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const Marker &a = joint.markers.at(0), &b = joint.markers.at(1);
  const auto [r1, r2] = joint.teeth.radii;
  const auto world_axis = [&](const Marker& m) -> Vec3 {
    return mechanism_.placement(m.body).axes * m.frame.axes.col(2);
  };
  const mechanism::PitchCones cones = mechanism::pitch_cones(joint.teeth, world_axis(a), world_axis(b));
  const double alpha = mechanism::transverse_pressure_angle(joint.teeth);
  const double c = std::cos(alpha), lead = c * std::tan(joint.teeth.helix_angle);
  const double sine = std::sin(cones.shaft_angle);
  const auto axis = [&](const Marker& m, int k) { return Slot<D>::of(vector(m, k)); };
  const Slot<D> apart = gap(a, b), a1 = axis(a, 2), a2 = axis(b, 2);
  const auto named = [&](const char* which, MeasureKind kind, std::vector<Slot<D>> slots) {
    return measure(joint.name + which, kind, std::move(slots));
  };
  const int first = named(".first", MeasureKind::angle, {axis(a, 0), axis(a, 1), a2}),
            second = named(".second", MeasureKind::angle, {axis(b, 0), axis(b, 1), a1}),
            across = named(".across", MeasureKind::triple, {apart, a1, a2}),
            along1 = named(".along.first", MeasureKind::dot, {apart, a1}),
            along2 = named(".along.second", MeasureKind::dot, {apart, a2});
  std::vector<typename Coupled<D>::Part> parts{{first, -c * r1}, {second, -c * r2}, {across, -c / sine}};
  double constant = -c * (r1 * initial_value(first) + r2 * initial_value(second));
  if (alpha != 0) {
    const double part = std::sin(alpha) / sine;
    constant += add_flank(joint, parts,
                          {{along1, part * std::cos(cones.second)},
                           {along2, -part * std::cos(cones.first)},
                           {named(".angle", MeasureKind::dot, {a1, a2}), part * cones.distance}});
  }
  if (lead != 0) {
    parts.push_back({along1, lead * std::sin(cones.second) / sine});
    parts.push_back({along2, lead * std::sin(cones.first) / sine});
  }
  const double pitch = cones.distance / sine;
  put_at_pitch_point(j, point(a)
                            .form.plus(vector(a, 2).form, pitch * std::sin(cones.second))
                            .plus(vector(b, 2).form, pitch * std::sin(cones.first)));
  add_coupled(j, std::move(parts), expressions::Expression::constant(constant), length_scale_, false);
}

template <int D>
void Lowering<D>::worm_pair_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const Marker &a = joint.markers.at(0), &b = joint.markers.at(1);
  const auto [r1, r2] = joint.teeth.radii;
  const auto world = [&](const Marker& m) {
    const Frame place = mechanism_.placement(m.body);
    return Frame{place.at + place.axes * m.frame.at, place.axes * m.frame.axes};
  };
  const Frame worm = world(a), wheel = world(b);
  const mechanism::WormForce f =
      mechanism::worm_force(joint.teeth, worm.axes.col(2), wheel.axes.col(2), wheel.at - worm.at);
  const Slot<D> line = gap(a, b);
  const auto axis = [&](const Marker& m, int k) { return Slot<D>::of(vector(m, k)); };
  const auto named = [&](const char* which, MeasureKind kind, std::vector<Slot<D>> slots) {
    return measure(joint.name + which, kind, std::move(slots));
  };
  const int first = named(".first", MeasureKind::angle, {axis(a, 0), axis(a, 1), line}),
            second = named(".second", MeasureKind::angle, {axis(b, 0), axis(b, 1), line}),
            along1 = named(".along.first", MeasureKind::dot, {line, axis(a, 2)}),
            along2 = named(".along.second", MeasureKind::dot, {line, axis(b, 2)});
  const double d = r1 + r2;
  std::vector<typename Coupled<D>::Part> parts{{first, -r1 * f.first},
                                               {second, -r2 * f.second},
                                               {along1, -f.H * r1 * f.tau / d},
                                               {along2, f.F * r2 * f.tau / d}};
  double constant = -r1 * f.first * initial_value(first) - r2 * f.second * initial_value(second);
  if (joint.teeth.pressure_angle != 0)
    constant += add_flank(
        joint, parts,
        {{named(".distance", MeasureKind::distance, {line}), -std::sin(joint.teeth.pressure_angle)}});
  put_at_pitch_point(j, point(a).form.plus(line.form, r1 / d));
  add_coupled(j, std::move(parts), expressions::Expression::constant(constant), length_scale_, false);
}

}  // namespace trammel::system
