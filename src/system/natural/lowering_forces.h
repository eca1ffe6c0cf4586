// Forces as levers and laws on material points and vectors.
//
// Members of Lowering, for lowering.cpp, which instantiates them.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "system/natural/lowering.h"

namespace trammel::system {

inline bool is_zero(const expressions::Expression& f) {
  std::vector<double> scratch(static_cast<std::size_t>(f.scratch_size()));
  return f.is_constant() && f.value({}, scratch) == 0;
}

template <int D>
void Lowering<D>::name_force_places() {
  const auto name_frame = [&](const Marker& m) {
    point_node(m);
    for (int axis = 0; axis < D; ++axis) vector_node(m, axis);
  };
  for (const Force& force : mechanism_.forces) {
    if (const auto* f = std::get_if<SpringDamper>(&force.law)) {
      point_node(f->a);
      point_node(f->b);
    }
    if (const auto* f = std::get_if<JointSpring>(&force.law)) {
      const Joint& joint = *mechanism_.joint(f->joint);
      name_coordinate(joint, mechanism::has_angle(mechanism_, joint));
    }
    if (const auto* f = std::get_if<JointFriction>(&force.law)) {
      const Joint& joint = *mechanism_.joint(f->joint);
      name_coordinate(joint, mechanism::has_angle(mechanism_, joint));
    }
    if (const auto* f = std::get_if<AppliedForce>(&force.law)) point_node(f->at);
    if (const auto* f = std::get_if<Bushing>(&force.law)) {
      name_frame(f->a);
      name_frame(f->b);
    }
    if (const auto* f = std::get_if<UserForcePtr>(&force.law))
      for (const UserPoint& p : (*f)->points())
        parts_.basis.node(parts_.basis.body_index(p.body), true, p.at);
  }
  for (const CustomConstraint& custom : mechanism_.constraints)
    for (const UserPoint& p : custom.law->points())
      parts_.basis.node(parts_.basis.body_index(p.body), true, p.at);
}

template <int D>
void Lowering<D>::make_forces() {
  for (int e = 0; e < parts_.basis.elements(); ++e)
    for (int i = 0; i < D; ++i) start_.push_back(parts_.basis.initial(e)[i]);
  for (const Force& force : mechanism_.forces)
    std::visit([&](const auto& law) { add(force, law); }, force.law);
  if constexpr (D == 3) add_rotors();
}

template <int D>
void Lowering<D>::add_effort(Lever<D> lever, Law law) {
  std::get<std::vector<Effort<D>>>(parts_.forces)
      .emplace_back(std::move(lever), std::move(law), parts_.measures, start());
}

template <int D>
Law Lowering<D>::expression_law(const std::string& text, double sign) const {
  ExpressionLaw law{expression(text), sign, {}};
  for (int slot : law.f.slots()) law.sources.push_back(parts_.sources[static_cast<std::size_t>(slot)]);
  return law;
}

template <int D>
void Lowering<D>::add(const Force& force, const SpringDamper& law) {
  const Slot<D> length = gap(law.a, law.b);
  if (law.law.empty()) {
    const LinearLaw linear{law.stiffness, law.length, law.damping, law.preload};
    std::get<std::vector<Spring<D>>>(parts_.forces).emplace_back(length, linear, start());
    return;
  }
  const int k = measure(force.name + ".length", MeasureKind::distance, {length});
  add_effort(MeasureLever{k}, expression_law(law.law, -1));
}

template <int D>
void Lowering<D>::add(const Force&, const JointSpring& law) {
  const int k = only_measure(law.joint);
  if (law.law.empty())
    add_effort(MeasureLever{k}, LinearLaw{law.stiffness, law.free, law.damping, law.preload});
  else
    add_effort(MeasureLever{k}, expression_law(law.law, -1));
}

template <int D>
void Lowering<D>::add(const Force&, const JointFriction& law) {
  add_effort(MeasureLever{only_measure(law.joint)}, FrictionLaw{law.coulomb, law.viscous, law.transition});
}

template <int D>
Material<D> Lowering<D>::axis(int b, bool body_fixed, int k) const {
  return parts_.basis.material(body_fixed ? b : kGroundBody, false, Vec3::Unit(k));
}

template <int D>
void Lowering<D>::add(const Force&, const AppliedForce& law) {
  const int b = body(law.at);
  for (int k = 0; k < D; ++k) {
    if (is_zero(expression(law.components.at(static_cast<std::size_t>(k))))) continue;
    add_effort(DirectedLever<D>{point(law.at), axis(b, law.body_fixed, k)},
               expression_law(law.components[static_cast<std::size_t>(k)], 1));
  }
}

template <int D>
void Lowering<D>::add(const Force& force, const AppliedTorque& law) {
  const int b = parts_.basis.body_index(law.body);
  const Body* source = mechanism_.body(law.body);
  if (!source || source->kind == Body::Kind::point_mass)
    throw std::invalid_argument(
        fmt::format("torque '{}' acts on '{}', which cannot turn", force.name, law.body));
  const bool rod = source->kind == Body::Kind::rod;
  TorqueLever<D> lever;
  for (int k = 0; k < (D == 2 || rod ? 1 : 3); ++k)
    lever.frame.push_back(parts_.basis.material(b, false, Vec3::Unit(k)));
  for (std::size_t k = 0; k < law.components.size(); ++k) {
    if (is_zero(expression(law.components[k]))) continue;
    if constexpr (D == 3) {
      // Along a slender rod a torque turns nothing.
      if (rod && law.body_fixed && k == 0) continue;
      lever.axis = axis(b, law.body_fixed, static_cast<int>(k));
    }
    add_effort(lever, expression_law(law.components[k], 1));
  }
}

template <int D>
void Lowering<D>::add(const Force& force, const Bushing& law) {
  // Displacement of a along b's axes, then small rotations of a relative to b about them.
  const Marker &a = law.a, &b = law.b;
  std::vector<int> measures;
  std::vector<int> place;  // among the six
  for (int k = 0; k < D; ++k) {
    measures.push_back(measure(fmt::format("{}.displacement.{}", force.name, k), MeasureKind::dot,
                               {gap(b, a), Slot<D>::of(vector(b, k))}));
    place.push_back(k);
  }
  if constexpr (D == 2) {
    measures.push_back(
        measure(force.name + ".rotation", MeasureKind::angle,
                {Slot<D>::of(vector(b, 0)), Slot<D>::of(vector(b, 1)), Slot<D>::of(vector(a, 0))}));
    // Free where the bodies stand at the start, whatever their angles.
    parts_.measures[static_cast<std::size_t>(measures.back())].expect(0);
    place.push_back(5);
  } else {
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, l = (k + 2) % 3;  // θ_k = ½(b_l·a_i − b_i·a_l)
      measures.push_back(measure(fmt::format("{}.rotation.{}", force.name, k), MeasureKind::rotation,
                                 {Slot<D>::of(vector(b, l)), Slot<D>::of(vector(a, i)),
                                  Slot<D>::of(vector(b, i)), Slot<D>::of(vector(a, l))}));
      place.push_back(3 + k);
    }
  }
  const Eigen::MatrixXd stiffness = law.stiffness(place, place), damping = law.damping(place, place);
  std::get<std::vector<BushingForce<D>>>(parts_.forces)
      .emplace_back(measures, stiffness, damping, parts_.measures);
}

template <int D>
void Lowering<D>::add(const Force&, const UserForcePtr& law) {
  std::vector<Material<D>> points;
  for (const UserPoint& p : law->points())
    points.push_back(parts_.basis.material(parts_.basis.body_index(p.body), true, p.at));
  std::get<std::vector<UserEffort<D>>>(parts_.forces)
      .emplace_back(law, std::move(points), parts_.basis.free_elements());
}

template <int D>
void Lowering<D>::add_rotors() {
  if constexpr (D == 3) {
    for (const Body& source : mechanism_.bodies) {
      if (!source.rotor) continue;
      const int b = parts_.basis.body_index(source.name);
      Material<3> momentum = parts_.basis.material(b, false, source.rotor->axis);
      for (auto& term : momentum.form.terms) term.weight.alpha *= source.rotor->inertia * source.rotor->speed;
      const auto e = [&](int k) { return parts_.basis.material(b, false, Vec3::Unit(k)); };
      std::get<std::vector<RotorTorque>>(parts_.forces)
          .emplace_back(std::move(momentum), std::array{e(0), e(1), e(2)}, parts_.basis.free_elements());
    }
  }
}

}  // namespace trammel::system
