// Forces as levers and laws on material points and vectors.
//
// Members of Lowering, for lowering.cpp, which instantiates them.
#pragma once

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "system/natural/lowering.h"

namespace trammel::system {

inline bool is_zero(const expressions::Expression& f) {
  std::vector<double> scratch(static_cast<std::size_t>(f.scratch_size()));
  return f.is_constant() && f.value({}, scratch) == 0;
}

inline constexpr std::array<const char*, 3> kComponents = {"x", "y", "z"};

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
    if (const auto* f = std::get_if<Tendon>(&force.law))
      for (const Tendon::Term& term : f->terms) {
        const Joint& joint = *mechanism_.joint(term.joint);
        name_coordinate(joint, mechanism::has_angle(mechanism_, joint));
      }
    if (const auto* f = std::get_if<JointFriction>(&force.law)) {
      const Joint& joint = *mechanism_.joint(f->joint);
      name_coordinate(joint, mechanism::has_angle(mechanism_, joint));
    }
    if (const auto* f = std::get_if<Motor>(&force.law))
      name_coordinate(*mechanism_.joint(f->joint), f->turns);
    if (const auto* f = std::get_if<DryFriction>(&force.law))
      for (const std::string& name : f->joints) {
        const Joint& joint = *mechanism_.joint(name);
        name_coordinate(joint, mechanism::has_angle(mechanism_, joint));
      }
    if (const auto* f = std::get_if<AppliedForce>(&force.law)) point_node(f->at);
    if (const auto* f = std::get_if<Bushing>(&force.law)) {
      name_frame(f->a);
      name_frame(f->b);
    }
    if (const auto* f = std::get_if<ElasticBelt>(&force.law)) name_pulley_places(f->a, f->b);
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

// The part of a pool that was made last.
template <int D>
template <class Part>
void Lowering<D>::report(const Force& force, const char* quantity, const char* component, double sign,
                         int measure) {
  using Kind = ForceReport::Part;
  const Kind kind = std::is_same_v<Part, Spring<D>>        ? Kind::spring
                    : std::is_same_v<Part, Effort<D>>      ? Kind::effort
                    : std::is_same_v<Part, TendonForce<D>> ? Kind::tendon
                                                           : Kind::bushing;
  const std::string unit = quantity == std::string_view("torque") ? "N.m" : "N";
  parts_.force_reports.push_back({{force.name, quantity, component, unit},
                                  kind,
                                  std::get<std::vector<Part>>(parts_.forces).size() - 1,
                                  measure,
                                  sign});
}

template <int D>
void Lowering<D>::report_zero(const Force& force, const char* quantity, const char* component) {
  const std::string unit = quantity == std::string_view("torque") ? "N.m" : "N";
  parts_.force_reports.push_back({{force.name, quantity, component, unit}});
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
    return report<Spring<D>>(force, "force", "", -1);
  }
  const int k = measure(force.name + ".length", MeasureKind::distance, {length});
  add_effort(MeasureLever{k}, expression_law(law.law, -1));
  report<Effort<D>>(force, "force", "", -1);
}

template <int D>
void Lowering<D>::add(const Force& force, const JointSpring& law) {
  const int k = only_measure(law.joint);
  if (law.law.empty())
    add_effort(MeasureLever{k}, LinearLaw{law.stiffness, law.free, law.damping, law.preload});
  else
    add_effort(MeasureLever{k}, expression_law(law.law, -1));
  report<Effort<D>>(force, coordinate_force(law.joint), "", -1);
}

template <int D>
const char* Lowering<D>::coordinate_force(const std::string& joint) const {
  return mechanism::has_angle(mechanism_, *mechanism_.joint(joint)) ? "torque" : "force";
}

template <int D>
void Lowering<D>::add(const Force& force, const Tendon& law) {
  std::vector<typename TendonForce<D>::Term> terms;
  for (const Tendon::Term& term : law.terms) terms.push_back({only_measure(term.joint), term.coefficient});
  std::get<std::vector<TendonForce<D>>>(parts_.forces)
      .emplace_back(std::move(terms), LinearLaw{law.stiffness, law.free, law.damping, law.preload},
                    parts_.measures);
  report<TendonForce<D>>(force, "force", "", -1);
}

template <int D>
void Lowering<D>::add(const Force& force, const JointFriction& law) {
  add_effort(MeasureLever{only_measure(law.joint)}, FrictionLaw{law.coulomb, law.viscous, law.transition});
  report<Effort<D>>(force, coordinate_force(law.joint), "", 1);
}

template <int D>
void Lowering<D>::add(const Force& force, const Motor& law) {
  add_effort(MeasureLever{joint_measure(*mechanism_.joint(law.joint), law.turns)},
             expression_law(law.law, 1));
  report<Effort<D>>(force, law.turns ? "torque" : "force", "", 1);
}

// While it slips, the capacity acts against the relative speed.
template <int D>
void Lowering<D>::add(const Force& force, const DryFriction& law) {
  if (law.now != DryFriction::Now::forward && law.now != DryFriction::Now::backward) return;
  if (law.one_way) return;
  const double against = law.now == DryFriction::Now::forward ? -1 : 1;
  for (std::size_t k = 0; k < law.joints.size(); ++k)
    add_effort(MeasureLever{rubbed_measure(law.joints[k])},
               expression_law(law.capacity, against * (k == 0 ? 1 : -law.ratio)));
  const auto reaction = std::ranges::find(parts_.reactions, force.name, &ReactionPlace::name);
  parts_.slipping.push_back(
      {static_cast<std::size_t>(reaction - parts_.reactions.begin()), expression(law.capacity), against});
}

template <int D>
Material<D> Lowering<D>::axis(int b, bool body_fixed, int k) const {
  return parts_.basis.material(body_fixed ? b : kGroundBody, false, Vec3::Unit(k));
}

template <int D>
void Lowering<D>::add(const Force& force, const AppliedForce& law) {
  const int b = body(law.at);
  for (int k = 0; k < D; ++k) {
    const char* component = kComponents[static_cast<std::size_t>(k)];
    if (is_zero(expression(law.components.at(static_cast<std::size_t>(k))))) {
      report_zero(force, "force", component);
      continue;
    }
    add_effort(DirectedLever<D>{point(law.at), axis(b, law.body_fixed, k)},
               expression_law(law.components[static_cast<std::size_t>(k)], 1));
    report<Effort<D>>(force, "force", component, 1);
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
    const char* component = kComponents[D == 2 ? 2 : k];
    // Along a slender rod a torque turns nothing.
    const bool idle = D == 3 && rod && law.body_fixed && k == 0;
    if (idle || is_zero(expression(law.components[k]))) {
      report_zero(force, "torque", component);
      continue;
    }
    if constexpr (D == 3) {
      lever.axis = axis(b, law.body_fixed, static_cast<int>(k));
    }
    add_effort(lever, expression_law(law.components[k], 1));
    report<Effort<D>>(force, "torque", component, 1);
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
  for (std::size_t k = 0; k < place.size(); ++k)
    report<BushingForce<D>>(force, place[k] < 3 ? "force" : "torque",
                            kComponents[static_cast<std::size_t>(place[k]) % 3], 1, static_cast<int>(k));
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
