#include "formulations/acceleration_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/augmented_lagrangian.h"
#include "formulations/independent.h"
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
      moved_(terms_.Q.size(), 0) {}

void AccelerationForm::set_scale() {
  const auto n = static_cast<std::size_t>(motion_.positions + motion_.velocities);
  scale_.assign(n + static_cast<std::size_t>(system_->sizes().states), 1.0);
  motion_scale(std::span(scale_).first(n));
  // Work only accompanies the motion: error control does not look at it.
  if (system_->has_work()) scale_.push_back(kBeyondControl);
}

void AccelerationForm::motion_scale(std::span<double> scale) const {
  const auto v = std::copy(system_->position_scale().begin(), system_->position_scale().end(), scale.begin());
  std::copy(system_->coordinate_scale().begin(), system_->coordinate_scale().end(), v);
}

void AccelerationForm::pack_motion(const State& s, std::span<double> y) {
  std::copy(s.v.begin(), s.v.end(), std::copy(s.q.begin(), s.q.end(), y.begin()));
}

Report AccelerationForm::unpack_motion(std::span<const double> y, State& s) {
  const auto v = y.begin() + static_cast<std::ptrdiff_t>(s.q.size());
  std::copy(y.begin(), v, s.q.begin());
  std::copy(v, y.end(), s.v.begin());
  system_->normalize(s.q);
  return {};
}

void AccelerationForm::motion_rate(const State& s, std::span<double> y_dot) {
  system_->position_rate(s.q, s.v, y_dot.first(s.q.size()));
  std::copy(s.a.begin(), s.a.end(), y_dot.begin() + static_cast<std::ptrdiff_t>(s.q.size()));
}

// Inputs, angles and memory travel with the state, not with y: rates are taken with those of the state last
// packed.
void AccelerationForm::pack(const State& s, std::vector<double>& y) {
  work_ = s;
  start_ = s.q;
  motion_ = take_up(work_);
  set_scale();
  y.resize(scale_.size());
  const auto n = static_cast<std::size_t>(motion_.positions + motion_.velocities);
  pack_motion(s, std::span(y).first(n));
  const auto at = std::copy(s.x.begin(), s.x.end(), y.begin() + static_cast<std::ptrdiff_t>(n));
  const std::vector<double>* work = s.recall(kWork);
  if (system_->has_work()) *at = work != nullptr ? (*work)[0] : 0;
}

Report AccelerationForm::unpack(double t, std::span<const double> y, State& s) {
  const Motion motion = take_up(s);
  const auto n = static_cast<std::size_t>(motion.positions + motion.velocities);
  s.t = t;
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n), s.x.size(), s.x.begin());
  if (system_->has_work()) s.remember(kWork, 2)[0] = y.back();
  return unpack_motion(y.first(n), s);
}

Report AccelerationForm::rate(double t, std::span<const double> y, std::span<double> y_dot) {
  work_.q = start_;
  Report report = unpack(t, y, work_);
  if (report.accepted()) report = accelerate(work_);
  if (!report.accepted()) return report;
  const auto n = static_cast<std::size_t>(motion_.positions + motion_.velocities);
  motion_rate(work_, y_dot.first(n));
  const auto x = y_dot.begin() + static_cast<std::ptrdiff_t>(n);
  const auto at = std::copy(terms_.x_dot.begin(), terms_.x_dot.end(), x);
  if (system_->has_work()) *at = power(*system_, terms_, work_);
  for (double d : y_dot)
    if (!std::isfinite(d)) report.outcome = Outcome::not_finite;
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
  report = accept_angles(*system_, s, h);
  if (report.accepted()) report = watch_.see(s, terms_, rank());
  if (!report.accepted()) return report;
  start_ = s.q;
  renew(s, left, kept);
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
    close = close_to_singular();
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
  if (plan.formulation == "independent") return std::make_unique<Independent>(std::move(system), plan);
  if (plan.formulation == "penalty" || plan.formulation == "augmented-lagrangian")
    return std::make_unique<AugmentedLagrangian>(std::move(system), plan);
  return nullptr;
}

}  // namespace trammel
