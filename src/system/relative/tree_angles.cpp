#include "system/relative/tree_angles.h"

#include <cmath>
#include <numbers>

#include "system/natural/angle_turns.h"
#include "system/system.h"

namespace trammel::system {

std::string accept_angles(const std::vector<TreeAngle>& angles, double h, State& s) {
  std::vector<double>& memory = s.remember(kAngles, angles.size() + 1);
  for (std::size_t k = 0; k < angles.size(); ++k) {
    double angle = angles[k].offset, rate = 0;
    for (const TreeAngle::Term& term : angles[k].terms) {
      angle += term.sign * s.q[term.q];
      rate += term.sign * s.v[term.v];
    }
    // Half a turn per step at most, or the count of turns would be a guess.
    if (std::abs(h * rate) > std::numbers::pi) return angles[k].name;
    memory[k] = with_turns(angle, memory[k]);
  }
  return {};
}

}  // namespace trammel::system
