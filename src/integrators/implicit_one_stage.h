// The implicit midpoint and trapezoidal rules, of order two, as one:
//
//   y₊ = y + h [(1−w) f(t, y) + w f(t + θh, (1−θ) y + θ y₊)]
//
// with w = 1, θ = ½ for the midpoint rule and w = ½, θ = 1 for the trapezoidal. Fixed-point iteration first,
// to convergence (Bayo & Ledesma 1996); where it does not contract, Newton's method from y on, with the
// Jacobian I − hwθ ∂f/∂y by differences, kept for as long as it converges fast. It does not cross a step.
#pragma once

#include <Eigen/Dense>

#include "integrators/ode_integrator.h"
#include "linalg/dense.h"

namespace trammel::integrators {

struct OneStage {
  const char* name;
  double w, theta;
};

inline constexpr OneStage kImplicitMidpoint{"implicit-midpoint", 1, 0.5};
inline constexpr OneStage kImplicitTrapezoidal{"implicit-trapezoidal", 0.5, 1};

class ImplicitOneStage final : public OdeIntegrator {
 public:
  ImplicitOneStage(const OneStage& rule, const OdeOptions& options);

  [[nodiscard]] StepResult step(forms::OdeForm& form, State& state, double h) override;
  bool takes_mean_of_ends() const override { return rule_.theta == 1; }
  int order() const override { return 2; }

 private:
  enum class Iteration { converged, not_converged, failed };

  void load(forms::OdeForm& form, const State& state);
  [[nodiscard]] bool rate(forms::OdeForm& form, double t, const Eigen::VectorXd& y, Eigen::VectorXd& y_dot,
                          StepResult& result);
  [[nodiscard]] bool known_part(forms::OdeForm& form, double t, double h, StepResult& result);
  [[nodiscard]] bool change(forms::OdeForm& form, double t, double h, StepResult& result);
  [[nodiscard]] bool factor(forms::OdeForm& form, double t, double h, StepResult& result);
  double size_of_step(const forms::OdeForm& form) const;
  Iteration fixed_point(forms::OdeForm& form, double t, double h, StepResult& result);
  Iteration newton(forms::OdeForm& form, double t, double h, StepResult& result);

  OneStage rule_;
  OdeOptions options_;
  State trial_;
  std::vector<double> packed_;
  Eigen::VectorXd y_, known_, y_next_, stage_, rate_, shifted_, change_, step_;
  Eigen::MatrixXd jacobian_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace trammel::integrators
