// Plan: which method, with which settings. A plain value; validate() in simulation/ says what does not fit.
#pragma once

#include <optional>
#include <string>

namespace trammel {

struct Plan {
  std::string coordinates = "natural";
  std::string formulation = "augmented-lagrangian-index3";
  std::string integrator = "trapezoidal";  // trapezoidal, newmark, hht, generalized-alpha
  std::string solver = "automatic";        // automatic, dense-cholesky, sparse-cholesky, dense-lu, klu

  double duration = 1;         // s
  double step = 1e-3;          // s
  double output_interval = 0;  // s; 0: chosen so that a run keeps about a thousand rows

  // Integrator parameters, each used by the rule it names.
  double newmark_beta = 0.25;
  double newmark_gamma = 0.5;
  double hht_alpha = -0.1;       // in [−1/3, 0]
  double spectral_radius = 0.8;  // generalized-α, in [0, 1]

  // Penalty: automatic when not given. The given one multiplies constraint_scale·Φ, Φ = ½(d² − L²).
  std::optional<double> penalty;
  double constraint_scale = 1;  // 2: the papers' Φ = d² − L²

  // Projections of velocity and acceleration after each step.
  std::string projection_metric = "tangent";  // tangent, mass
  int projection_sweeps = 8;                  // at most
  bool project_velocities = true;
  bool project_accelerations = true;

  double tolerance = 1e-11;  // of a step's increment and constraint error, lengths scaled to one
  int max_iterations = 300;  // Newton iterations of a step; only steps next to a singular position need many
  bool strict = false;       // a marked step ends the run
};

}  // namespace trammel
