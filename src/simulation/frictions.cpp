#include "simulation/frictions.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mechanism/force_texts.h"
#include "mechanism/signals.h"

namespace trammel::simulation {
namespace {

// The contact, and the torque or force along the coordinate for a friction of one at the surfaces.
double lever_of(const Mechanism& mechanism, const DryFriction& law, const Joint& joint,
                FrictionContact& contact) {
  const bool is_angle = mechanism::has_angle(mechanism, joint);
  contact.joint = joint.name;
  contact.first = joint.markers.front().body;
  contact.axis = mechanism.is_planar && !is_angle ? 0 : 2;
  contact.length = law.length;
  if (!mechanism::is_thread(joint)) return is_angle ? law.radius : 1;
  contact.thread_radius = law.radius;
  contact.lead_angle = std::atan2(joint.value, 2 * std::numbers::pi * law.radius);
  contact.flank_cosine = std::cos(std::atan(std::tan(law.flank_angle) * std::cos(contact.lead_angle)));
  return law.radius / std::cos(contact.lead_angle);
}

// As expressions name it.
std::string speed_of(const Mechanism& mechanism, const std::string& name) {
  const Joint* joint = mechanism.joint(name);
  return name + (joint != nullptr && mechanism::is_thread(*joint) ? ".angle_rate" : ".rate");
}

}  // namespace

// With a dot, which no input of a model has in its name.
std::string load_input(const std::string& friction) { return friction + ".load"; }

void write_loads(Mechanism& mechanism) {
  const std::vector<Friction> all = frictions_of(mechanism);
  auto friction = all.begin();
  for (Force& force : mechanism.forces) {
    auto* law = std::get_if<DryFriction>(&force.law);
    if (law == nullptr) continue;
    if (friction->is_loaded()) {
      mechanism.inputs.push_back({load_input(force.name), 0});
      law->capacity = fmt::format("{:.17g}*{}", friction->per_load, load_input(force.name));
    }
    ++friction;
  }
}

std::vector<Friction> frictions_of(const Mechanism& mechanism) {
  std::vector<Friction> all;
  for (const Force& force : mechanism.forces) {
    const auto* law = std::get_if<DryFriction>(&force.law);
    if (law == nullptr) continue;
    Friction one;
    one.name = force.name;
    one.speed = speed_of(mechanism, law->joints.at(0));
    if (law->joints.size() > 1)
      one.speed += fmt::format(" - ({:.17g})*{}", law->ratio, speed_of(mechanism, law->joints[1]));
    one.one_way = law->one_way;
    one.capacity = law->one_way ? "0" : law->capacity;
    one.most = law->static_capacity.empty() ? one.capacity : law->static_capacity;
    const Joint* joint = mechanism.joint(law->joints[0]);
    one.is_angle = joint != nullptr && mechanism::has_angle(mechanism, *joint);
    if (joint != nullptr && mechanism::is_loaded(*law)) {
      const double lever = lever_of(mechanism, *law, *joint, one.contact);
      one.per_load = law->coefficient * lever;
      one.most_per_load = law->static_coefficient * lever;
      one.capacity = one.most = "0";
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace trammel::simulation
