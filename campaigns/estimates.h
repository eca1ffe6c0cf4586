// Error estimates against certified references.
//
// Thirty problems, three settings each. The reference of a problem is a run at a tolerance of 1e-12, or the
// tightest that it bears; it is certified by a second one, in other coordinates where the problem has them,
// else at ten times the tolerance: where the two part by more than a tenth of an error, that is not judged.
// For positions, velocities and reactions the largest true error over the certified rows is compared with the
// largest estimate over the same rows.
#pragma once

#include <string>
#include <vector>

namespace trammel::campaigns {

struct EstimateCase {
  std::string problem, setting, kind, status;
  double truth = 0, estimate = 0;  // largest, SI
  double range = 0;                // of the kind's widest column
  bool judged = true;              // the reference is good enough to tell, and the error above rounding
  double ratio() const { return truth / estimate; }
  bool fits() const { return ratio() >= 1.0 / 30 && ratio() <= 3; }
};

struct EstimateResult {
  std::vector<EstimateCase> cases;
  std::vector<std::string> wrong;    // `ok`, and yet with an error beyond three times the accuracy
  std::vector<std::string> skipped;  // problems or settings that did not run
};

EstimateResult check_estimates(bool quick);
// As a table, with every exception; true if at least 95 % of the cases fit and none is wrong.
bool print_estimates(const EstimateResult& result, bool markdown);

}  // namespace trammel::campaigns
