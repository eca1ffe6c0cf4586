// ResidualForm: what an implicit one-step rule needs from equations of motion of second order.
//
// The unknown is the increment δ with q₊ = qₙ ⊕ δ; v₊ and v̇₊ are affine in δ, and the rule tells the
// equations only its coefficients. One step is: evaluate; solve and move until converged; project; accept.
#pragma once

#include <span>

#include "trammel/report.h"
#include "trammel/state.h"

namespace trammel::forms {

// ẋ of the auxiliary states at the end of the last step.
inline constexpr MemorySlot kStateRates{"state rates", Lifetime::step};

struct Coeffs {
  double h = 0;   // s, the step
  double dv = 0;  // ∂v₊/∂δ
  double da = 0;  // ∂v̇₊/∂δ
  double dx = 0;  // auxiliary states: x₊ = x_known + dx ẋ₊
  std::span<const double> x_known;
};

// Sizes of what is left to do, lengths scaled to one.
struct Residual {
  bool finite = true;
  double violation = 0;  // largest |Φ|
};

// What counts as closed where velocities and accelerations are of order one, lengths scaled to one.
inline constexpr Violation kClosed{1e-11, 1e-10, 1e-8};

inline bool within(const Violation& left, const Violation& allowed) {
  return left.position <= allowed.position && left.velocity <= allowed.velocity &&
         left.acceleration <= allowed.acceleration;
}

class ResidualForm {
 public:
  virtual ~ResidualForm() = default;

  virtual int size() const = 0;  // of δ
  // Evaluates the equations at a trial state; `first` starts a step, later calls update λ.
  [[nodiscard]] virtual Residual evaluate(State& trial, const Coeffs&, bool first) = 0;
  // The constraint row with that |Φ| at the state last evaluated; −1: there is none.
  virtual int worst_row() const = 0;
  // Rounding of the positions keeps |Φ| and increments from falling below this at the state last evaluated,
  // lengths scaled to one.
  virtual double rounding(const State& trial) const = 0;
  // False where the rows of Φ_v at the state last evaluated are known to be far from dependent.
  virtual bool near_singular() = 0;
  // True where no force depends on the motion or on time, so that none can jump.
  virtual bool constant_forces() const = 0;
  // Solves for the increment at the state last evaluated; its scaled size in `norm`.
  [[nodiscard]] virtual Outcome solve(State& trial, const Coeffs&, std::span<double> increment,
                                      double& norm) = 0;
  // q ⊕ increment
  virtual void move(State& trial, std::span<const double> increment) = 0;
  // Projects v and v̇ onto the constraints at the state last evaluated; what remains.
  [[nodiscard]] virtual Violation project(State& trial, const Coeffs&) = 0;
  // What counts as closed after that where the motion is fast.
  virtual Violation closed_to(const State& trial) const = 0;
  // True when v̇₊ lacks forces until it is projected: q₊ is then off by the projection's change of v̇₊/da.
  virtual bool projection_adds_forces() const { return false; }
  // Last word on a step from one state to another that is about to be accepted; a message when it must not
  // be.
  [[nodiscard]] virtual Report accept(const State& from, State& trial, const Coeffs&) = 0;
};

}  // namespace trammel::forms
