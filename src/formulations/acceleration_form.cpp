#include "formulations/acceleration_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/augmented_lagrangian.h"
#include "formulations/lagrange.h"
#include "formulations/null_space.h"
#include "formulations/rows.h"
#include "formulations/work.h"

namespace trammel {
namespace {

constexpr const char* kCount = "steps since projection";
constexpr double kBeyondControl = 1e30;  // J

}  // namespace

AccelerationForm::AccelerationForm(std::shared_ptr<const System> system, const Plan& plan, bool needs_rank)
    : system_(std::move(system)),
      plan_(plan),
      terms_(system_->make_terms()),
      work_(system_->initial_state()),
      projector_(*system_, SolverChoice::automatic),
      watch_(*system_, needs_rank),
      moved_(terms_.Q.size(), 0) {
  scale_ = system_->position_scale();
  scale_.insert(scale_.end(), system_->coordinate_scale().begin(), system_->coordinate_scale().end());
  scale_.resize(scale_.size() + static_cast<std::size_t>(system_->sizes().states), 1.0);
  // Work only accompanies the motion: error control does not look at it.
  scale_.resize(static_cast<std::size_t>(size()), kBeyondControl);
}

// Inputs, angles and memory travel with the state, not with y: rates are taken with those of the state last
// packed.
void AccelerationForm::pack(const State& s, std::span<double> y) const {
  work_ = s;
  auto at = std::copy(s.q.begin(), s.q.end(), y.begin());
  at = std::copy(s.v.begin(), s.v.end(), at);
  at = std::copy(s.x.begin(), s.x.end(), at);
  const std::vector<double>* work = s.recall(kWork);
  if (system_->has_work()) *at = work != nullptr ? (*work)[0] : 0;
}

void AccelerationForm::unpack(double t, std::span<const double> y, State& s) const {
  s.t = t;
  const auto v = y.begin() + static_cast<std::ptrdiff_t>(s.q.size());
  const auto x = v + static_cast<std::ptrdiff_t>(s.v.size());
  std::copy(y.begin(), v, s.q.begin());
  std::copy(v, x, s.v.begin());
  std::copy_n(x, s.x.size(), s.x.begin());
  system_->normalize(s.q);
  if (system_->has_work()) s.remember(kWork, 2)[0] = y.back();
}

Report AccelerationForm::rate(double t, std::span<const double> y, std::span<double> y_dot) {
  unpack(t, y, work_);
  Report report = accelerate(work_);
  system_->position_rate(work_.q, work_.v, y_dot.first(work_.q.size()));
  auto at = y_dot.begin() + static_cast<std::ptrdiff_t>(work_.q.size());
  at = std::copy(work_.a.begin(), work_.a.end(), at);
  at = std::copy(terms_.x_dot.begin(), terms_.x_dot.end(), at);
  if (system_->has_work()) *at = power(*system_, terms_, work_);
  for (double d : y_dot)
    if (!std::isfinite(d) && report.accepted()) report.outcome = Outcome::not_finite;
  return report;
}

Report AccelerationForm::accepted(State& s, double h, Kept& kept, Violation& left) {
  kept = Kept::as_is;
  const bool any = plan_.project_positions.value_or(false) || plan_.project_velocities.value_or(false) ||
                   plan_.project_accelerations.value_or(false);
  double& count = s.remember(kCount, 1)[0];
  count += 1;
  const bool due = any && count >= plan_.projection_every;
  Report report;
  double ignored = 0;
  if (due) {
    count = 0;
    kept = Kept::projected;
    if (plan_.project_positions.value_or(false)) report = projector_.positions(s);
    if (report.accepted() && plan_.project_velocities.value_or(false))
      report = projector_.velocities(s, ignored);
  }
  if (report.accepted()) report = accelerate(s);
  if (due && report.accepted() && plan_.project_accelerations.value_or(false))
    report = projector_.accelerations(s, ignored);
  if (!report.accepted()) return report;
  left = projector_.violation(s);
  report = accept_angles(*system_, s, terms_, h);
  if (report.accepted()) report = watch_.see(s, terms_);
  return report;
}

std::string AccelerationForm::refusal(const State& s) {
  system_->evaluate(s, kAskPosition, terms_);
  return watch_.refusal(name(), terms_);
}

void AccelerationForm::blame_singularity(const State& s, double h, Report& report) {
  if (report.accepted() || report.outcome == Outcome::singular) return;
  // Before the step, where it began, and where it went.
  bool close = watch_.was_close_to_singular(s);
  work_ = s;
  for (const double part : {0.0, 0.5, 1.0}) {
    if (close) break;
    for (std::size_t i = 0; i < moved_.size(); ++i) moved_[i] = part * h * s.v[i];
    work_.q = s.q;
    system_->retract(work_.q, moved_);
    system_->evaluate(work_, kAskPosition, terms_);
    close = watch_.close_to_singular(terms_);
  }
  if (!close) return;
  // What gave up first, without its advice, which does not help here.
  const std::string what = report.message.substr(0, report.message.find(';'));
  report.outcome = Outcome::singular;
  report.message = fmt::format(
      "{} gave up next to a singular position, where the constraints lose rank{}; use "
      "augmented-lagrangian-index3",
      name(), what.empty() ? "" : " (" + what + ")");
}

std::unique_ptr<AccelerationForm> make_acceleration_form(std::shared_ptr<const System> system,
                                                         const Plan& plan) {
  if (plan.formulation == "lagrange" || plan.formulation == "baumgarte")
    return std::make_unique<Lagrange>(std::move(system), plan);
  if (plan.formulation == "null-space") return std::make_unique<NullSpace>(std::move(system), plan);
  if (plan.formulation == "penalty" || plan.formulation == "augmented-lagrangian")
    return std::make_unique<AugmentedLagrangian>(std::move(system), plan);
  return nullptr;
}

}  // namespace trammel
