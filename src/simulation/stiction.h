// Stiction: which dry frictions stick, which slip and which way, at a state.
//
// A friction has the relative speed s and acts along it with the effort f. It
//
//   sticks,         s = 0 and |f| ≤ static capacity;   one way: s = 0 and f ≥ 0, without limit
//   slips forward,  s ≥ 0 and f = −capacity;           one way: is open, s ≥ 0 and f = 0
//   slips backward, s ≤ 0 and f = capacity
//
// A run stays in its mode until s or f leaves what the mode allows: that is an event. There every friction
// with s = 0 is decided anew, all together: those that would need more than they can hold slip, those that
// slip must have ṡ in their own direction. With equal capacities these are the conditions for the least of a
// convex function, Gauss' ½(v̇ − v̇_free)ᵀM(v̇ − v̇_free) + Σ capacity |ṡ|: a choice exists and its accelerations
// are unique. It is found by pivoting, all frictions at once and, where a choice comes again, one after the
// other (Murty, 1974).
//
// Friction is finite, so it does not resist an impulse; a one-way clutch does.
#pragma once

#include <span>
#include <vector>

#include "simulation/frictions.h"
#include "simulation/modes.h"

namespace trammel::simulation {

class Stiction {
 public:
  static constexpr std::size_t kWatched = 3;  // values by friction: speed, capacity, static capacity

  explicit Stiction(Running& running);

  std::size_t size() const { return all_.size(); }
  bool none() const { return all_.empty(); }
  std::size_t watched_speed(std::size_t k) const { return first_ + kWatched * k; }
  // Speeds beyond which a friction leaves its mode, in `now`.
  double least_speed(std::size_t k, DryFriction::Now now) const;
  double largest_speed(std::size_t k, DryFriction::Now now) const;
  bool any_stuck() const;

  // Capacities that make no sense, at watched values. Rounding of those that were seen before is none.
  [[nodiscard]] Report check(std::span<const double> watched);
  // By friction that sticks in the running mode: the acceleration with which it would slip, less what
  // rounding makes of none; without bound where it does not stick. The state has the multipliers of the
  // index-1 equations, whose terms the mode's reader has; watched: values at the state.
  std::vector<double> excess(const State& solved, std::span<const double> watched);
  // How long ago (s) the first of the frictions that slip beyond zero speed had zero speed; negative: none.
  double since_zero(const State& solved, std::span<const double> watched);

  // Before an impulse: all are open. What they were.
  Grips loosen();
  // Decides at the running state, from its speeds, and starts there; events tell what differs from `before`.
  [[nodiscard]] Report settle(const Grips& before, std::vector<Event>& events);

 private:
  double scale(std::size_t k) const;
  std::vector<double> read() const;
  // rounding: of those that stick, that of the acceleration.
  std::vector<double> excess_in(Mode& mode, const Grips& grips, const State& solved,
                                std::span<const double> watched, std::vector<double>& rounding) const;
  // Of one that sticks, at accelerations and multipliers that are solved for.
  double static_capacity(Mode& mode, std::size_t k, const State& solved,
                         std::span<const double> watched) const;
  [[nodiscard]] Report lock_one_way(std::vector<double>& watched, std::vector<Event>& events);
  [[nodiscard]] Report choose(const std::vector<bool>& at_rest, std::span<const double> watched,
                              Grips& grips);
  void tell(const Grips& before, const Grips& after, std::vector<Event>& events) const;

  Running& running_;
  std::vector<Friction> all_;
  std::size_t first_;            // of their watched values
  std::vector<double> largest_;  // capacity that was seen, by friction
};

}  // namespace trammel::simulation
