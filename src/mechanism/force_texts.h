// The expressions that a force is written with, and the joints on whose coordinates it acts.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

// Visits (field, key, text) of each expression that is given: its field in the Mechanism ("law",
// "components.0") and its key in the model file. Force: Force or const Force.
template <class AnyForce, class Visit>
void for_each_text(AnyForce& force, Visit&& visit) {
  const auto law = [&](const char* key, auto& text) {
    if (!text.empty()) visit(std::string("law"), key, text);
  };
  const auto components = [&](const char* key, auto& texts) {
    for (std::size_t k = 0; k < texts.size(); ++k) visit("components." + std::to_string(k), key, texts[k]);
  };
  if (auto* f = std::get_if<SpringDamper>(&force.law)) law("tension", f->law);
  if (auto* f = std::get_if<JointSpring>(&force.law)) law("", f->law);
  if (auto* f = std::get_if<ElasticBelt>(&force.law)) law("tension", f->law);
  if (auto* f = std::get_if<DryFriction>(&force.law)) {
    if (!f->capacity.empty()) visit(std::string("capacity"), "capacity", f->capacity);
    if (!f->static_capacity.empty()) visit(std::string("static"), "static", f->static_capacity);
  }
  if (auto* f = std::get_if<Motor>(&force.law)) law(f->turns ? "torque" : "force", f->law);
  if (auto* f = std::get_if<AppliedForce>(&force.law)) components("force", f->components);
  if (auto* f = std::get_if<AppliedTorque>(&force.law)) components("torque", f->components);
}

// Its capacity is in proportion to the joint's own reaction.
inline bool is_loaded(const DryFriction& friction) {
  return friction.coefficient != 0 || friction.static_coefficient != 0;
}

// The joints on whose coordinates it acts.
inline std::vector<std::string> joints_of(const Force& force) {
  if (const auto* f = std::get_if<JointSpring>(&force.law)) return {f->joint};
  if (const auto* f = std::get_if<Tendon>(&force.law)) {
    std::vector<std::string> joints;
    for (const Tendon::Term& term : f->terms) joints.push_back(term.joint);
    return joints;
  }
  if (const auto* f = std::get_if<JointFriction>(&force.law)) return {f->joint};
  if (const auto* f = std::get_if<DryFriction>(&force.law)) return f->joints;
  if (const auto* f = std::get_if<Motor>(&force.law)) return {f->joint};
  return {};
}
inline bool acts_on(const Force& force, const std::string& joint) {
  return std::ranges::count(joints_of(force), joint) > 0;
}

}  // namespace trammel::mechanism
