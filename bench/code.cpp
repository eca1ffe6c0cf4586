#include "code.h"

#include <cmath>
#include <stdexcept>

#include "trammel/simulation.h"

namespace trammel::bench {

Subject::Subject(const Problem& p) : problem(p), mechanism(mechanism_of(p)) {
  if (p.judged) reference = reference_of(p);
  Simulation simulation(mechanism, mechanism.plan);
  if (!simulation.assemble().report.accepted()) throw std::runtime_error(p.name + " does not assemble");
  natural = simulation.state();
  start = simulation.system().poses(natural);
}

bool FixedSteps::advance(double t) {
  for (const long target = std::lround(t / step_); done_ < target; ++done_)
    if (!step(step_)) return false;
  return true;
}

std::vector<std::unique_ptr<Code>> all_codes() {
  std::vector<std::unique_ptr<Code>> codes;
  codes.push_back(make_trammel());
  codes.push_back(make_yardsticks());
#ifdef TRAMMEL_SIMBODY
  codes.push_back(make_simbody());
#endif
#ifdef TRAMMEL_MUJOCO
  codes.push_back(make_mujoco());
#endif
#ifdef TRAMMEL_ODE
  codes.push_back(make_ode());
#endif
  return codes;
}

std::vector<std::string> missing_peers() {
  std::vector<std::string> missing;
#ifndef TRAMMEL_SIMBODY
  missing.emplace_back("Simbody");
#endif
#ifndef TRAMMEL_MUJOCO
  missing.emplace_back("MuJoCo");
#endif
#ifndef TRAMMEL_ODE
  missing.emplace_back("ODE");
#endif
  return missing;
}

}  // namespace trammel::bench
