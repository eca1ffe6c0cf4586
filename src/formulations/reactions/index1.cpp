#include "formulations/reactions/index1.h"

namespace trammel::formulations {

Report Index1Solver::accelerations(State& s) {
  system_.evaluate(s, system::kAskPosition | system::kAskGamma | system::kAskForces, terms_);
  equations_.forget();  // so that pivots depend on the state alone
  const Report report = equations_.factor(terms_);
  return report.accepted() ? equations_.solve(terms_, terms_.Q, terms_.gamma, s.a, s.lambda) : report;
}

}  // namespace trammel::formulations
