// The motion that others are compared with, and how exactly it is known.
//
// It is made three ways: Lagrange multipliers and the index-1 augmented Lagrangian, both projected, by dopri5
// at about 1e-12, and the index-3 augmented Lagrangian by the trapezoidal rule, extrapolated (Richardson)
// from its finest steps. The two that agree best are taken; their difference is the floor below which no
// error is known. A pair that has left the motion of index 3, which alone is sure to keep its branch through
// singular positions, is not taken.
#pragma once

#include <functional>
#include <string>

#include "analysis/sampled_motion.h"
#include "analysis/timed_run.h"
#include "trammel/mechanism.h"

namespace trammel::analysis {

// Told what begins.
using Announce = std::function<void(const std::string&)>;

struct Reference {
  SampledMotion motion;
  std::string first, second;  // the two runs, in words
  double agreement = 0;       // m, their largest difference
  std::string problem;        // why there is none
};

// The longest step that a plan is run with, in steps of its own.
inline constexpr double kCoarsestFactor = 4;

// Times between samples: a whole number of the coarsest steps, so that every run lands on them.
double sample_interval(const Plan& plan);

// What a difference from the reference, in m, says of a run with this status: beyond a tenth of the motion's
// extent it is another motion, and lost; beyond the accuracy an ok run is limited.
void judge(const Reference& reference, double difference, double accuracy, std::string& status,
           std::string& reason);

Reference make_reference(const Mechanism& mechanism, const Plan& plan, double interval, const Announce& next,
                         const Ask& ask = {});

}  // namespace trammel::analysis
