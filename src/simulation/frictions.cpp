#include "simulation/frictions.h"

#include <fmt/format.h>

#include "mechanism/force_texts.h"
#include "mechanism/signals.h"

namespace trammel::simulation {

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
    one.speed = law->joints.at(0) + ".rate";
    if (law->joints.size() > 1) one.speed += fmt::format(" - ({:.17g})*{}.rate", law->ratio, law->joints[1]);
    one.one_way = law->one_way;
    one.capacity = law->one_way ? "0" : law->capacity;
    one.most = law->static_capacity.empty() ? one.capacity : law->static_capacity;
    const Joint* joint = mechanism.joint(law->joints[0]);
    one.is_angle = joint != nullptr && mechanism::has_angle(mechanism, *joint);
    one.joint = law->joints[0];
    if (mechanism::is_loaded(*law)) {
      const double arm = one.is_angle ? law->radius : 1;
      one.per_load = law->coefficient * arm;
      one.most_per_load = law->static_coefficient * arm;
      one.axis = mechanism.is_planar && !one.is_angle ? 0 : 2;
      one.capacity = one.most = "0";
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace trammel::simulation
