// Equilibrium: positions in which a mechanism stays.
//
//   R(q)ᵀ Q(q, 0, t) = 0,   Φ(q, t) = 0,   ẋ = 0                 R: velocities that the constraints allow
//
// by Newton's method in independent coordinates chosen anew at each iterate (analysis/local_motion.h). Of a
// steady motion, in which drivers turn at constant speed, Q becomes Q − M v̇. Whether it is stable:
// analysis/equilibrium_kind.h.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "analysis/local_motion.h"
#include "trammel/analyses.h"
#include "trammel/simulation.h"

namespace trammel::analysis {

struct Equilibrium {
  Report report;        // why there is none
  State state;          // at rest, or in the steady motion; with reactions
  double residual = 0;  // the unbalanced force, as a part of the forces that act
  // Eigenvalues of the reduced stiffness by the reduced mass, 1/s², ascending: squares of angular frequencies
  // where nothing damps or turns; real parts where they are complex. In units of the stiffness alone where a
  // freedom has no mass. Where motions cross, the least along them. Empty where a force has a kink.
  std::vector<double> stiffness;
  std::vector<std::complex<double>> eigenvalues;  // as computed; empty where motions cross
  int zeros = 0;                                  // of them, within their errors: in `stiffness` they are 0
  bool symmetric = true;                          // the stiffness is: the forces have a potential
  double potential = 0;                           // J, of gravity and linear springs
  int iterations = 0;
  EquilibriumKind kind = EquilibriumKind::stable;
  bool singular = false;  // motions cross here, or none begins (analysis/crossing_stiffness.h)
  bool kinked = false;    // a force has no derivative here (analysis/kinks.h)
};

enum class Seek {
  nearest,  // whatever it is
  stable    // downhill
};

Equilibrium find_equilibrium(const std::shared_ptr<const system::System>& system, const State& start,
                             Regime regime, Seek seek);

// Accelerations, reactions and potential of a State in which forces balance.
void find_reactions(const system::System& system, Regime regime, Equilibrium& out);

// At rest, from where a simulation stands. It is sought in natural coordinates, then met in the simulation's
// own: so it is the same one whatever these are.
Equilibrium find_rest(const Simulation& simulation, Seek seek);

// The same from so many random positions (analysis/assembly_branches.h), besides where the simulation stands:
// those that differ, lowest potential first. Of those that have a freedom without stiffness, and the same
// potential and stiffness otherwise, the first: they may be turned into each other.
struct Rests {
  std::vector<Equilibrium> found;
  long converged = 0;  // random positions from which forces came to balance
  bool interrupted = false;
};
Rests find_rests(const Simulation& simulation, int starts, std::uint64_t seed, const GoOn& go_on = {});

}  // namespace trammel::analysis
