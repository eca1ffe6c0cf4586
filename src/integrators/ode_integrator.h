// OdeIntegrator: a time-stepping rule for ẏ = f(t, y), where the equations of motion come as an OdeForm.
//
// A rule keeps nothing from one step to the next but what is in the State's memory, so that a copied State
// resumes to the same bits. (CVODE's history cannot be copied; cvode.h says when it starts anew.)
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "forms/ode_form.h"

namespace trammel::integrators {

struct OdeOptions {
  double tolerance = 1e-6;  // local error per internal step, relative to max(|y|, scale); error control only
  double convergence = 1e-12;  // last change of an implicit step, relative to max(|y|, scale)
  int max_iterations = 100;    // of an implicit step
  // Explicit pairs call a motion stiff where the trapezoidal rule would come further at this tolerance; 0: at
  // theirs.
  double stiffness_judged_at = 0;
};

class OdeIntegrator {
 public:
  virtual ~OdeIntegrator() = default;

  // Advances the state by h > 0, landing exactly on state.t + h. A fixed-step rule takes one step; one with
  // error control as many as its tolerance asks, at most 10⁶. The result's iterations are evaluations of f.
  // On failure the state is untouched and the report says why.
  [[nodiscard]] virtual StepResult step(forms::OdeForm& form, State& state, double h) = 0;
  // One internal step of a size that the rule chooses, at most h; a fixed-step rule takes h.
  [[nodiscard]] virtual StepResult advance(forms::OdeForm& form, State& state, double h) {
    return step(form, state, h);
  }
  // Whether the motion within the last step of advance() is known.
  virtual bool dense() const { return false; }
  // Its error, in units of what the tolerance allows a step; infinite where it cannot be told. A rule with a
  // dense output must tell it.
  virtual double dense_error(forms::OdeForm&) { return std::numeric_limits<double>::infinity(); }
  // `state` as of t within that step, completed by the form; only where dense().
  [[nodiscard]] virtual StepResult between(forms::OdeForm&, double, State&, Wanted) { return {}; }
  // Memory of a state that starts a run; forgets any history.
  virtual void prepare(State&) {}
  // Internal steps that error control has rejected so far.
  virtual long rejected() const { return 0; }
  // Whether a step is the mean of the rates at its ends. Power is of second degree in velocities and forces,
  // so that the mean of its values at the ends is not the work of such a step.
  virtual bool takes_mean_of_ends() const { return false; }
  // Order of accuracy; of a rule that varies it, the highest.
  virtual int order() const = 0;
};

// The rule of that name, or null. "trapezoidal" is another name for "implicit-trapezoidal".
std::unique_ptr<OdeIntegrator> make_ode_integrator(const std::string& name, const OdeOptions& options);
// The names it knows in this build: without SUNDIALS those of CVODE are missing.
const std::vector<std::string>& ode_integrator_names();

}  // namespace trammel::integrators
