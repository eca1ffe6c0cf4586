// Welch, Hong, Trapp & Choi: the three-link pendulum by the paper's own equations, word for word, where the
// program does one thing otherwise. It turns bodies by the exponential and brings Euler parameters back to
// unit length before it evaluates anything; the paper takes them as they come out of (24), (32) and of the
// stages of its Runge–Kutta rule. No code of the library is used.
//
//   R(e) = (2e₀² − 1) 1 + 2(ε εᵀ + e₀ ε̃),  also where |e| ≠ 1;  ė = G(ω) e of (10), (11)
#pragma once

#include <functional>

namespace trammel::reproduce {

struct LinksState {
  double t = 0;          // s
  double violation = 0;  // |Φ| of the eleven constraints
  double energy = 0;     // J
};

// Calls `look` at t = 0 and after each step.
using LookAtLinks = std::function<void(const LinksState&)>;

// Baumgarte's stabilization (47), (48), α = 0.5/h and β = 1/h, by Heun's rule.
void links_by_heun(double h, double until, const LookAtLinks& look);
// The scheme of second order, (43a) and (43b).
void links_by_algebraic(double h, double until, const LookAtLinks& look);

}  // namespace trammel::reproduce
