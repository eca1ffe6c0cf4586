// Which way a coordinate of a System counts, compared with the joint coordinate of the same name.
//
// Relative coordinates lead from the trunk of their tree to its ends, joints from one of their bodies to the
// other: a joint that the tree passes the other way round has its coordinate with the opposite sign.
#pragma once

#include <algorithm>

#include "system/system.h"

namespace trammel::system {

// 1, or −1 if the reading of that name falls while the coordinate grows.
inline double coordinate_direction(const System& system, const State& s, int column, Terms& terms) {
  const std::string name = system.coordinate_names()[static_cast<std::size_t>(column)];
  const auto value_at = [&](const State& state, double& value) {
    for (const Reading& one : system.readings(state, terms))
      if (one.object + "." + one.quantity == name) {
        value = one.value;
        return true;
      }
    return false;
  };
  double here = 0, there = 0;
  if (name.empty() || !value_at(s, here)) return 1;
  constexpr double kMove = 1e-3;  // of what counts as one
  std::vector<double> move(static_cast<std::size_t>(system.sizes().v), 0.0);
  move[static_cast<std::size_t>(column)] =
      kMove * system.coordinate_scale()[static_cast<std::size_t>(column)];
  State moved = s;
  system.retract(moved.q, move);
  return value_at(moved, there) && there < here ? -1 : 1;
}

}  // namespace trammel::system
