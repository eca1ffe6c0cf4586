#include "simulation/frictions.h"

#include <fmt/format.h>

#include "mechanism/signals.h"

namespace trammel::simulation {

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
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace trammel::simulation
