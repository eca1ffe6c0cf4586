#include "simulation/modular/inner_solver.h"

#include "formulations/rows/row_parameters.h"
#include "formulations/rows/rows.h"
#include "simulation/method_table.h"

namespace trammel::simulation {
namespace {

constexpr int kMaxIterations = 100;
constexpr double kSmallChange = 1e-14;  // of the accelerations: rounding

}  // namespace

InnerSolver::InnerSolver(const system::System& system, const Subsystem& settings, const ResolvedPlan& plan,
                         const formulations::Stabilization& gains)
    : system_(system),
      gains_(gains),
      fixed_iterations_(plan.alf_iterations),
      scale_(plan.constraint_scale),
      terms_(system.make_terms()),
      penalty_(formulations::by_row(system, plan.penalty.value_or(0), plan.penalty_of)),
      mobility_(formulations::effective_mobility(system, terms_)),
      alpha_(terms_.Phi.size(), 0),
      load_(terms_.Q.size(), 0),
      side_(terms_.Phi.size(), 0),
      stabilized_(terms_.Phi.size(), 0),
      work_(terms_.Q.size() + terms_.Phi.size(), 0),
      ignored_(terms_.Phi.size(), 0) {
  if (formulation_named(settings.formulation) == FormulationKind::baumgarte)
    whole_ = std::make_unique<formulations::KktMatrix>(system);
  else
    tangent_ = std::make_unique<formulations::TangentMatrix>(system, plan.solver);
}

Outcome InnerSolver::factor(const State& s, const State& ahead) {
  system_.evaluate(ahead, system::kAskForces, terms_);
  system_.evaluate(s, system::kAskPosition | system::kAskGamma, terms_);
  const auto holonomic = static_cast<std::size_t>(system_.sizes().holonomic);
  for (std::size_t r = 0; r < alpha_.size(); ++r) {
    stabilized_[r] = formulations::constraint_side(system_, terms_, s, r, gains_);
    const double compliance =
        std::max(formulations::row_compliance(system_.jacobian(), terms_.Phi_v, r, mobility_), 1e-300);
    const double scale = r < holonomic ? scale_ : 1;
    alpha_[r] = penalty_[r] > 0 ? penalty_[r] * scale * scale : formulations::kPenaltyRatio / compliance;
  }
  const linalg::FactorStatus status =
      whole_ ? whole_->factor(terms_) : tangent_->factor(terms_, alpha_, 0, 0);
  if (status == linalg::FactorStatus::ok) return Outcome::ok;
  return status == linalg::FactorStatus::not_finite ? Outcome::not_finite : Outcome::singular;
}

void InnerSolver::accelerate(std::span<const double> F, State& s) {
  for (std::size_t k = 0; k < load_.size(); ++k) load_[k] = terms_.Q[k] + F[k];
  side_ = stabilized_;
  solve(s.a, s.lambda);
}

void InnerSolver::respond(std::span<const double> F, std::span<double> a) {
  std::copy(F.begin(), F.end(), load_.begin());
  std::fill(side_.begin(), side_.end(), 0.0);
  solve(a, ignored_);
}

void InnerSolver::solve(std::span<double> a, std::span<double> lambda) {
  if (whole_)
    solve_whole(a, lambda);
  else
    iterate(a, lambda);
}

void InnerSolver::solve_whole(std::span<double> a, std::span<double> lambda) {
  const auto rows = std::copy(load_.begin(), load_.end(), work_.begin());
  std::copy(side_.begin(), side_.end(), rows);
  whole_->solve(work_);
  std::copy_n(work_.begin(), a.size(), a.begin());
  std::copy(rows, work_.end(), lambda.begin());
}

void InnerSolver::iterate(std::span<double> a, std::span<double> lambda) {
  const std::span<double> step = std::span(work_).first(a.size());
  const auto excess = [&](std::size_t r) {
    return formulations::row_times(system_.jacobian(), terms_.Phi_v, r, a) - side_[r];
  };
  std::fill(a.begin(), a.end(), 0.0);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (int i = 0;; ++i) {
    // v̇ += T⁻¹(load − M v̇ − Φ_vᵀ(λ + α excess))
    std::copy(load_.begin(), load_.end(), step.begin());
    system_.add_mass_times(terms_, a, -1, step);
    for (std::size_t r = 0; r < alpha_.size(); ++r)
      formulations::add_row(system_.jacobian(), terms_.Phi_v, r, -(lambda[r] + alpha_[r] * excess(r)), step);
    tangent_->solve(step);
    double change = 0, size = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      a[k] += step[k];
      change = formulations::larger(change, step[k]);
      size = formulations::larger(size, a[k]);
    }
    for (std::size_t r = 0; r < alpha_.size(); ++r) lambda[r] += alpha_[r] * excess(r);
    const bool small = !(change > kSmallChange * size) || !std::isfinite(change);
    if (fixed_iterations_ >= 0 ? i == fixed_iterations_ : small || i == kMaxIterations) return;
  }
}

}  // namespace trammel::simulation
