// Spans of belts and cams: rows and forces on measures of their own.
//
// A span's stretch (mechanism/belts.h) is the sum of three measures, R₁ φ₁ − R₂ φ₂ + F, which are zero where
// the model places the bodies:
//
//   Φ = R₁ φ₁ − R₂ φ₂ + F(d),   F of MeasureKind::tangent, ρ = |R₁ − R₂|;   λ is the tension
//
// A cam's gap is one measure (curve_gap.h): Φ is the gap, −λ what the cam pushes with.
//
// Members of Lowering, for lowering.cpp, which instantiates them.
#pragma once

#include "system/natural/lowering.h"

namespace trammel::system {

template <int D>
void Lowering<D>::name_pulley_places(const Marker& a, const Marker& b) {
  for (const Marker* m : {&a, &b}) {
    point_node(*m);
    for (int axis = 0; axis < D; ++axis) vector_node(*m, axis);
  }
}

// Part k of a span's stretch: the angle on the first pulley, on the second, what depends on the distance.
template <int D>
int Lowering<D>::belt_measure(const std::string& name, const Marker& a, const Marker& b,
                              const Joint::Pulleys& pulleys, std::size_t k) {
  const std::string key = name + std::array{".first", ".second", ".tangent"}.at(k);
  if (parts_.measure_by_name.contains(key)) return measure(key, MeasureKind::angle, {});
  const Slot<D> line = gap(a, b);
  const Marker& pulley = k == 0 ? a : b;
  const auto axis = [&](int i) { return Slot<D>::of(vector(pulley, i)); };
  const int made = k == 2 ? measure(key, MeasureKind::tangent, {line}, 0, math::Vec<D>::Zero(),
                                    std::abs(pulleys[0] - pulleys[1]))
                          : measure(key, MeasureKind::angle, {axis(0), axis(1), line});
  Measure<D>& one = parts_.measures[static_cast<std::size_t>(made)];
  one.expect(0);
  one.shift(-initial_value(made));
  return made;
}

template <int D>
void Lowering<D>::belt_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const Marker &a = joint.markers.at(0), &b = joint.markers.at(1);
  const auto part = [&](std::size_t k) { return belt_measure(joint.name, a, b, joint.pulleys, k); };
  put_at(j, {MovingPlace<D>::Kind::belt, point(b).form, point(a).form,
             D == 3 ? vector(a, 2).form : LinearForm<D>(), joint.pulleys});
  const int tangent = part(2);
  set_effort(j, tangent, 2);
  parts_.reactions[static_cast<std::size_t>(j)].is_tension = true;
  add_coupled(j, {{part(0), joint.pulleys[0]}, {part(1), -joint.pulleys[1]}, {tangent, 1}},
              expressions::Expression::constant(0), length_scale_, false);
}

// One effort of the same size for each part of the stretch.
template <int D>
void Lowering<D>::add(const Force& force, const ElasticBelt& law) {
  const std::array<double, 3> coefficient{law.pulleys[0], -law.pulleys[1], 1};
  for (std::size_t k = 0; k < 3; ++k)
    add_effort(MeasureLever{belt_measure(force.name, law.a, law.b, law.pulleys, k)},
               expression_law(law.law, -coefficient[k]));
  report<Effort<D>>(force, "tension", "", -1);
}

template <int D>
int Lowering<D>::cam_measure(const Joint& joint) {
  const std::string key = joint.name + ".displacement";
  if (const auto at = parts_.measure_by_name.find(key); at != parts_.measure_by_name.end())
    return measure(key, MeasureKind::gap, {});
  const Marker &follower = joint.markers.at(0), &cam = joint.markers.at(1);
  const auto axis = [&](const Marker& m, int k) { return Slot<D>::of(vector(m, k)); };
  std::vector<Slot<D>> slots{gap(cam, follower), axis(cam, 0), axis(cam, 1)};
  if (joint.cam.face) slots.insert(slots.begin() + 1, axis(follower, 0));
  auto curve = std::make_shared<mechanism::SplineCurve>(joint.curve.through, joint.curve.closed);
  parts_.measure_active.push_back(!reporting_);
  parts_.measure_by_name[key] = static_cast<int>(parts_.measures.size());
  parts_.measures.emplace_back(joint.cam.face
                                   ? CurveGap::of_face(std::move(curve))
                                   : CurveGap::of_roller(std::move(curve), joint.value, joint.cam.side),
                               std::move(slots), parts_.basis.free_elements());
  return static_cast<int>(parts_.measures.size()) - 1;
}

template <int D>
void Lowering<D>::name_cam_places(const Joint& joint) {
  vector_node(joint.markers.at(1), 0);
  vector_node(joint.markers[1], 1);
  if (D == 3) vector_node(joint.markers[1], 2);
  if (joint.cam.face) vector_node(joint.markers[0], 0);
}

template <int D>
void Lowering<D>::cam_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const Marker& cam = joint.markers.at(1);
  const int k = cam_measure(joint);
  put_at(j, {MovingPlace<D>::Kind::contact,
             {},
             point(cam).form,
             D == 3 ? vector(cam, 2).form : LinearForm<D>(),
             {},
             k});
  if (!joint.keeps_contact) return;
  cam_measure(joint);  // acts
  set_effort(j, k);
  add_coupled(j, {{k, 1}}, expressions::Expression::constant(0), length_scale_, false);
}

}  // namespace trammel::system
