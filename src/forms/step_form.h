// StepForm: schemes that are formulation and integrator in one.
#pragma once

#include <string>

#include "trammel/report.h"
#include "trammel/state.h"

namespace trammel::forms {

class StepForm {
 public:
  virtual ~StepForm() = default;
  // Advances the state by h; on failure it is untouched.
  [[nodiscard]] virtual StepResult step(State& state, double h) = 0;
  // Why an assembled mechanism cannot be stepped so; empty when it can.
  virtual std::string refusal(const State& state) = 0;
  virtual std::string name() const = 0;
  // A state that starts a run; forgets any history.
  virtual void prepare(State&) {}
  // Whether step() adds up the work done; else it is taken from both ends of the step.
  virtual bool follows_work() const { return false; }
  // Internal steps that had to be tried again so far.
  virtual long rejected() const { return 0; }
};

}  // namespace trammel::forms
