// Plan: which method the caller asks for, with which settings. A plain value: check_plan() in
// trammel/validate.h says what does not fit; Simulation::resolved() is what became of it.
//
// Each field is an option of `simulate:` or `outputs:`. `trammel describe options` prints key, unit, range,
// default and meaning of each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trammel {

// Axes in which forces and torques of joints are written.
enum class ReactionAxes { world, joint, both };

// What a plan leaves to Trammel is called so.
inline constexpr const char* kAutomatic = "automatic";
inline constexpr const char* kIndex3 = "augmented-lagrangian-index3";
// Ω where the constraints are not projected, rad/s.
inline constexpr double kDefaultOmega = 10;

// What a run takes where the plan gives neither step nor tolerance, nor a formulation; what one of a named
// formulation takes then; and what error control takes where a plan gives a step alone: a tight tolerance.
inline constexpr double kUsualTolerance = 1e-6, kUsualStep = 1e-3, kDefaultTolerance = 1e-8;

// Formulation modular: the iteration for the forces between subsystems.
struct ModularPlan {
  std::string uzawa = "accelerated";     // plain, accelerated
  std::string rho = "automatic";         // automatic, published, given
  double rho_given = 0;                  // of all joints, kg or kg.m²
  std::map<std::string, double> rho_of;  // by joint, instead
  // joint: ‖Δλ‖ ≤ tolerance · max(‖λ‖, weight of what the joint joins); published: |Δλ| ≤ tolerance · |λ| of
  // each component, which may be zero
  std::string criterion = "joint";
  double tolerance = 1e-8;
  int max_sweeps = 1000;
  std::optional<bool> warm_start;  // from the forces of the last step, else from zero; not given: as fits
  int threads = 1;  // that the program makes; the library uses the Executor that a caller passes

  bool operator==(const ModularPlan&) const = default;
};

// The numbers and switches that a Plan and a ResolvedPlan share.
struct PlanSettings {
  // Compiled once, instead of in every source that copies one.
  PlanSettings();
  PlanSettings(const PlanSettings&);
  PlanSettings(PlanSettings&&) noexcept;
  PlanSettings& operator=(const PlanSettings&);
  PlanSettings& operator=(PlanSettings&&) noexcept;
  ~PlanSettings();

  std::vector<std::string> open;  // relative coordinates: joints, or bodies, at which loops are opened
  double duration = 1;            // s
  double tolerance = 0;           // local error allowed per step, lengths scaled to one; 0: the step is fixed
  double step = 0;  // s; with a tolerance the largest; 0: what the tolerance allows. Both 0: as is usual
  double output_interval = 0;  // s; 0: chosen so that a run keeps about a thousand rows
  ReactionAxes reaction_axes = ReactionAxes::world;

  // Integrator parameters, each used by the rule it names.
  double newmark_beta = 0.25;
  double newmark_gamma = 0.5;
  double hht_alpha = -0.1;       // in [−1/3, 0]
  double spectral_radius = 0.8;  // generalized-α, in [0, 1]

  // Penalty: automatic when not given. The given one multiplies constraint_scale·Φ, Φ = ½(d² − L²).
  std::optional<double> penalty;
  std::map<std::string, double>
      penalty_of;               // by joint, driver or body, instead of the common one; 0: automatic
  double constraint_scale = 1;  // 2: the papers' Φ = d² − L²

  // Projections after each step.
  std::string projection_metric = "tangent";  // tangent, mass
  int projection_sweeps = 8;                  // at most
  // Not given: index 3 projects velocities and accelerations, the other formulations nothing.
  std::optional<bool> project_positions, project_velocities, project_accelerations;
  int projection_every = 1;  // steps
  // Index 3 with constraints of velocities: their forces as found by the last step enter the next (carried),
  // or none do (published: of first order). They are found by the projection of accelerations or velocities.
  std::string projection_reactions = "carried";
  std::string projection_route = "accelerations";

  // Formulations of index 1. Stabilization Φ̈ + 2a Φ̇ + b² Φ = 0 by a rule: "given", or from the step, as in
  // Welch et al. (a = b = 1/h) or Joli et al. (b = 0.2π/h, a = 0.1 b).
  std::string stabilization = "welch";
  double stabilization_a = 10, stabilization_b = 10;  // 1/s
  // penalty, augmented-lagrangian, canonical: 2Ωμ Φ̇ + Ω² Φ. Not given: 10, or 0 for augmented-lagrangian with
  // positions and velocities projected after every step.
  std::optional<double> omega;
  double mu = 1;
  std::map<std::string, double> omega_of, mu_of;  // by joint, driver or body, instead of the common ones
  int alf_iterations = -1;  // augmented-lagrangian, canonical-augmented: fixed number; −1: to convergence
  int algebraic_order = 2;  // algebraic: 1 or 2
  // algebraic, order 2: forces that depend on velocities, ω × Jω too, with the velocity of the corrector
  // (corrected), or with that of the predictor as published (predicted: of first order).
  std::string gyroscopic = "corrected";
  bool schur = false;       // lagrange, canonical-lagrange: by (5.11)–(5.12) instead of the whole system
  bool stabilized = false;  // null-space: (5.27) instead of (5.17); modular: by the rule, not by Joli's
  ModularPlan modular;

  // independent: how z is chosen (boolean, qr, svd), and what is integrated with which accelerations:
  // minimal, enlarged, extraction, paul, hybrid.
  std::string independent_choice = "boolean";
  std::string independent_integrate = "minimal";
  std::vector<std::string> independent_coordinates;  // at the start, instead of a choice
  double hybrid_tolerance = 1e-6;  // constraint error above which hybrid stabilizes, lengths scaled to one

  // Reported reactions: solved for each state that is kept, or as the projections of index 3 leave them.
  std::string reactions = "solved";  // solved, projections

  double convergence = 1e-11;  // of a step's increment and constraint error, lengths scaled to one
  int max_iterations = 300;  // Newton iterations of a step; only steps next to a singular position need many
  bool strict = false;       // a marked step ends the run

  // run() estimates the error of every column by a second, finer run.
  bool verify = true;
  double accuracy = 1e-3;  // of a column's range: a run is ok while every estimate stays below

  bool operator==(const PlanSettings&) const = default;
};

// The methods by name, as in include/trammel/methods.h, or `automatic`.
struct Plan : PlanSettings {
  std::string coordinates = kAutomatic;
  std::string formulation = kAutomatic;
  std::string integrator = kAutomatic;
  std::string solver = kAutomatic;

  bool operator==(const Plan&) const = default;
};

}  // namespace trammel
