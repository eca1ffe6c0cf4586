// OdeForm: the motion as first-order equations ẏ = f(t, y), for rules that know no mechanics.
//
// y holds positions first, then everything else (velocities, momenta, auxiliary states). After each accepted
// step the form may project the state or change its chart; a rule then discards what it remembered of f and
// packs anew, perhaps in another size.
#pragma once

#include <span>
#include <vector>

#include "trammel/report.h"
#include "trammel/state.h"

namespace trammel::forms {

enum class Kept { as_is, projected, new_chart };

class OdeForm {
 public:
  virtual ~OdeForm() = default;

  // y of a state, in the size that its chart has. What follows is of the state last packed or accepted.
  virtual void pack(const State& state, std::vector<double>& y) = 0;
  virtual int positions() const = 0;  // y[0 … positions) are positions, the rest follows
  // What counts as one for each entry of y, for error norms; negative where errors do not count relative to
  // the value, as of angles that have made many turns.
  virtual std::span<const double> scale() const = 0;

  // ẏ depends on the first so many entries of y; the others only accompany the motion.
  virtual std::size_t felt() const { return scale().size(); }

  // Sets t, q, v and auxiliary states of a state a step earlier; leaves the rest. Fails where y holds no
  // state: q or v may have to be solved for.
  [[nodiscard]] virtual Report unpack(double t, std::span<const double> y, State& state) = 0;
  // ẏ = f(t, y); what it holds after a failure is not to be used.
  [[nodiscard]] virtual Report rate(double t, std::span<const double> y, std::span<double> y_dot) = 0;
  // The same of positions alone; the rest of ẏ is not to be used.
  [[nodiscard]] virtual Report position_rate(double t, std::span<const double> y, std::span<double> y_dot) {
    return rate(t, y, y_dot);
  }
  // Until the next pack() rates may err by so much of themselves.
  virtual void relax(double) {}
  // Completes a state after a step of size h: accelerations, multipliers, projections; what is left of the
  // constraints.
  [[nodiscard]] virtual Report accepted(State& state, double h, Kept& kept, Violation& left) = 0;
  // From now on accepted() is asked for output: v̇ and multipliers are to be told as exactly as they can be.
  virtual void tell_exactly(bool) {}
  // Puts the positions of a state within a step on their constraints, where accepted() would.
  [[nodiscard]] virtual Report hold_positions(State&) { return {}; }
  // accepted() puts positions and velocities of every state back on their constraints, y is these, and how
  // far they were from there is to judge a step as its error does.
  virtual bool judged_by_projection() const { return false; }
  // From now on rates are those of the state projected on its constraints; false: this form cannot.
  virtual bool guard(bool) { return false; }
  // y and ẏ of the state just accepted, where completing it has told the rate; false: ask rate().
  virtual bool rate_of_accepted(const State&, std::span<double>, std::span<double>) const { return false; }
};

}  // namespace trammel::forms
