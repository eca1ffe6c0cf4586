// Impact: what meeting end-stops does to the velocity.
//
// The impulse turns the speed of each coordinate that meets its stop, mass-orthogonally and within the
// constraints:
//
//   min ½(v⁺ − v⁻)ᵀM(v⁺ − v⁻)   subject to   Φ_v v⁺ + Φ_t = 0,   ṡ⁺ = −e ṡ⁻
//
// A stop on which something rested is left where the impulse would have to pull there. A bounce that would
// rise by less than 1e-8 of the highest fall ends at rest: one more constraint then holds the coordinate.
#pragma once

#include <vector>

#include "simulation/modes.h"

namespace trammel::simulation {

class Impact {
 public:
  // sides: which limit of each stop is met, at the state of the simulation; scale: what counts as one on each
  // stopped coordinate.
  Impact(Running& running, Holds sides, const std::vector<double>& scale);

  // Lets it happen: velocities, what holds afterwards, the work it takes.
  [[nodiscard]] Report strike(std::vector<Event>& events);

 private:
  [[nodiscard]] Report jump();
  [[nodiscard]] Report tear_off(std::vector<Event>& events);
  [[nodiscard]] Report come_to_rest();
  double speed(const State& state, std::size_t k);
  std::size_t row(const system::System& system, std::size_t k) const;

  Running& running_;
  Holds sides_;                       // met now
  Holds holds_;                       // met now or resting: what the impulse acts on
  const std::vector<double>& scale_;  // by stop, as everything below
  std::vector<double> restitution_, impulse_, before_;
  State arriving_;
  double driven_ = 0;  // J, the work of drivers in the last jump()
};

// By stop: what counts as one on its coordinate, m or rad.
std::vector<double> stop_scales(const Running& running);

// By stop: the highest fall onto it so far, m or rad.
inline constexpr MemorySlot kFalls{"falls", Lifetime::run};

// Of which small bounces on a stop are a part: its highest fall, or what counts as one there if that is less,
// but not so little that rounding is a bounce.
double reach(const State& state, std::size_t stop, double scale);

// The row of the constraint that holds a stop, in a System in which it holds.
std::size_t stop_row(const system::System& system, const std::string& stop);

}  // namespace trammel::simulation
