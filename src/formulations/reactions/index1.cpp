#include "formulations/reactions/index1.h"

#include "system/decisions.h"

namespace trammel::formulations {

Report Index1Solver::accelerations(State& s) {
  system_.evaluate(s, system::kAskPosition | system::kAskGamma | system::kAskForces, terms_);
  equations_.forget();  // so that pivots depend on the state alone
  const Report report = equations_.factor(terms_);
  return report.accepted() ? equations_.solve(terms_, terms_.Q, terms_.gamma, s.a, s.lambda) : report;
}

namespace {

// Whether the State had other flanks before.
bool choose_flanks(std::span<const int> rows, State& s) {
  if (rows.empty()) return false;
  std::vector<double>& flanks = s.remember(system::kFlanks, rows.size());
  flanks.resize(rows.size());
  bool changed = false;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double now = s.lambda[static_cast<std::size_t>(rows[k])] < 0 ? -1 : 1;
    changed = changed || flanks[k] != now;
    flanks[k] = now;
  }
  return changed;
}

}  // namespace

Report Index1Solver::reactions(State& s) {
  // Where bearings do not yield, the flanks do not change what presses: the second time all stay. Multipliers
  // that are not unique may still change.
  constexpr int kMost = 4;
  Report report = accelerations(s);
  for (int k = 0; k < kMost && report.accepted() && choose_flanks(system_.flank_rows(), s); ++k)
    report = accelerations(s);
  return report;
}

}  // namespace trammel::formulations
