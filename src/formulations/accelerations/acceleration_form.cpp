#include "formulations/accelerations/acceleration_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "forms/take_state.h"
#include "formulations/reactions/work.h"
#include "formulations/rows/row_independence.h"
#include "formulations/rows/rows.h"
#include "math/spans.h"

namespace trammel::formulations {
namespace {

constexpr MemorySlot kCount{"steps since projection", Lifetime::step};
constexpr double kBeyondControl = 1e30;  // J
constexpr double kTrace = 1e-8;          // of an energy: keeps the scale of work from zero
constexpr double kLoosely = 100;         // errors of work, beside those of the motion
constexpr double kAside = 0.01;          // of a coordinate's scale: off a singular position, not far

}  // namespace

AccelerationForm::AccelerationForm(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan,
                                   bool needs_rank)
    : system_(std::move(system)),
      plan_(plan),
      terms_(system_->make_terms()),
      work_(system_->initial_state()),
      projector_(*system_, SolverChoice::automatic),
      watch_(*system_, needs_rank),
      needs_rank_(needs_rank),
      moved_(terms_.Q.size(), 0) {
  if (system_->has_work()) trace_ = trace_of_energy();
}

// A trace of the energy of one coordinate's scale a second, in the position that the mechanism is drawn in.
double AccelerationForm::trace_of_energy() {
  system_->evaluate(work_, system::kAskPosition, terms_);
  const std::vector<double> mass = known_mass(*system_, terms_);
  double largest = 0;
  for (std::size_t k = 0; k < mass.size(); ++k)
    largest = std::max(largest, kTrace * mass[k] * std::pow(system_->coordinate_scale()[k], 2));
  return largest;
}

void AccelerationForm::set_scale(const State& s) {
  const auto n = static_cast<std::size_t>(motion_.positions + motion_.velocities);
  scale_.assign(n + static_cast<std::size_t>(system_->sizes().states), 1.0);
  motion_scale(std::span(scale_).first(n));
  if (!system_->has_work()) return;
  // Where all of the motion is integrated, steps that hold its error hold that of the work too. What drivers
  // prescribe may have no error, as a polynomial of t, or is left out of independent coordinates: there work
  // has a tolerance of its own.
  if (holds_motion()) {
    const double beside =
        system_->sizes().rows < system_->sizes().v ? kLoosely : 1;  // nothing, if all is driven
    scale_.push_back(system_->rheonomic() ? beside * work_scale(s) : kBeyondControl);
  } else {
    scale_.push_back(-(scale_.empty() ? 1 : kLoosely) * work_scale(s));
  }
}

// The kinetic energy or the work so far, at rest a trace.
double AccelerationForm::work_scale(const State& s) {
  system_->evaluate(s, system::kAskPosition, terms_);
  double largest = std::max(trace_, system_->kinetic_energy(s, terms_));
  if (const std::vector<double>* work = s.recall(kWork)) largest = std::max(largest, std::abs((*work)[0]));
  return largest > 0 ? largest : kBeyondControl;  // nothing has mass
}

void AccelerationForm::motion_scale(std::span<double> scale) const {
  const std::vector<double>& q = system_->position_scale();
  std::copy(q.begin(), q.end(), scale.begin());
  for (const int k : system_->angle_positions()) scale[static_cast<std::size_t>(k)] *= -1;
  velocity_scale(scale.subspan(q.size()));
}

void AccelerationForm::pack_motion(const State& s, std::span<double> y) {
  math::copy(y.first(s.q.size()), s.q.data());
  pack_velocity(s, y.subspan(s.q.size()));
}

Report AccelerationForm::unpack_motion(std::span<const double> y, State& s) {
  math::copy(s.q, y.data());
  system_->normalize(s.q);
  return unpack_velocity(y.subspan(s.q.size()), s);
}

Report AccelerationForm::motion_rate(State& s, std::span<double> y_dot) {
  system_->position_rate(s.q, s.v, y_dot.first(s.q.size()));
  return velocity_rate(s, y_dot.subspan(s.q.size()));
}

void AccelerationForm::velocity_scale(std::span<double> scale) const {
  std::copy(system_->coordinate_scale().begin(), system_->coordinate_scale().end(), scale.begin());
}

void AccelerationForm::pack_velocity(const State& s, std::span<double> u) { math::copy(u, s.v.data()); }

Report AccelerationForm::unpack_velocity(std::span<const double> u, State& s) {
  math::copy(s.v, u.data());
  return {};
}

Report AccelerationForm::velocity_rate(State& s, std::span<double> u_dot) {
  Report report = accelerate(s);
  math::copy(u_dot, s.a.data());
  return report;
}

// Inputs, angles and memory travel with the state, not with y: rates are taken with those of the state last
// packed.
void AccelerationForm::pack(const State& s, std::vector<double>& y) {
  forms::take(s, work_);
  if (!holds_motion()) start_ = s.q;
  projector_.forget();
  forget_factors();
  motion_ = take_up(work_);
  const auto n = static_cast<std::size_t>(motion_.positions + motion_.velocities);
  y.resize(n + s.x.size() + (system_->has_work() ? 1 : 0));
  pack_motion(s, std::span(y).first(n));
  const bool work_counts = system_->has_work() && system_->rheonomic();
  if (!holds_motion() || work_counts || scale_.size() != y.size()) set_scale(s);
  math::copy(std::span(y).subspan(n, s.x.size()), s.x.data());
  if (!system_->has_work()) return;
  const std::vector<double>* work = s.recall(kWork);
  y.back() = work != nullptr ? (*work)[0] : 0;
}

Report AccelerationForm::unpack(double t, std::span<const double> y, State& s) {
  const Motion motion = take_up(s);
  const auto n = static_cast<std::size_t>(motion.positions + motion.velocities);
  s.t = t;
  math::copy(s.x, y.data() + n);
  if (system_->has_work()) s.remember(kWork, 2)[0] = y.back();
  return unpack_motion(y.first(n), s);
}

Report AccelerationForm::position_rate(double t, std::span<const double> y, std::span<double> y_dot) {
  if (!holds_motion()) return rate(t, y, y_dot);
  const Report report = unpack(t, y, work_);
  if (report.accepted()) system_->position_rate(work_.q, work_.v, y_dot.first(work_.q.size()));
  return report;
}

Report AccelerationForm::rate(double t, std::span<const double> y, std::span<double> y_dot) {
  if (!holds_motion()) work_.q = start_;
  Report report = unpack(t, y, work_);
  const auto n = static_cast<std::size_t>(motion_.positions + motion_.velocities);
  double ignored = 0;
  if (report.accepted() && guarded_) report = projector_.positions(work_);
  if (report.accepted() && guarded_) report = projector_.velocities(work_, ignored);
  if (report.accepted()) report = motion_rate(work_, y_dot.first(n));
  if (!report.accepted()) return report;
  math::copy(y_dot.subspan(n, work_.x.size()), terms_.x_dot.data());
  if (system_->has_work()) y_dot.back() = power(*system_, terms_, work_);
  if (!math::all_finite(y_dot)) report.outcome = Outcome::not_finite;
  return report;
}

// After each step: counts it.
bool AccelerationForm::projection_due(State& s) const {
  const bool any = plan_.project_positions.value_or(false) || plan_.project_velocities.value_or(false) ||
                   plan_.project_accelerations.value_or(false);
  if (!any || system_->sizes().rows == 0) return false;
  double& count = s.remember(kCount, 1)[0];
  count += 1;
  if (count < plan_.projection_every) return false;
  count = 0;
  return true;
}

Report AccelerationForm::accepted(State& s, double h, forms::Kept& kept, Violation& left) {
  kept = forms::Kept::as_is;
  const bool rows = system_->sizes().rows > 0, due = projection_due(s);
  Report report;
  double ignored = 0;
  if (due) {
    kept = forms::Kept::projected;
    if (plan_.project_positions.value_or(false)) report = projector_.positions(s);
    if (report.accepted() && plan_.project_velocities.value_or(false))
      report = projector_.velocities(s, ignored);
  }
  if (report.accepted()) report = accelerate(s);
  if (due && report.accepted() && plan_.project_accelerations.value_or(false))
    report = projector_.accelerations(s, ignored);
  if (!report.accepted()) return report;
  if (rows) left = projector_.violation(s, terms_);
  report = accept_angles(*system_, s, terms_, h);
  if (report.accepted() && rows && (needs_rank_ || !judged_)) report = watch_.see(s, terms_, rank());
  if (!report.accepted()) return report;
  if (!holds_motion()) start_ = s.q;
  renew(s, left, kept);
  return report;
}

Report AccelerationForm::hold_positions(State& s) {
  return plan_.project_positions.value_or(false) ? projector_.positions(s) : Report{};
}

void AccelerationForm::judge_by_projection() {
  judged_ = holds_motion() && system_->sizes().rows > 0 && plan_.project_positions.value_or(false) &&
            plan_.project_velocities.value_or(false) && plan_.projection_every == 1;
}

bool AccelerationForm::guard(bool on) {
  guarded_ = on && judged_;
  return guarded_;
}

// The terms are still those of the state.
bool AccelerationForm::rate_of_accepted(const State& s, std::span<double> y, std::span<double> y_dot) const {
  const bool changed = plan_.project_accelerations.value_or(false) && system_->sizes().rows > 0;
  if (!holds_motion() || changed) return false;
  const std::size_t n = s.q.size() + s.v.size();
  math::copy(y.first(s.q.size()), s.q.data());
  math::copy(y.subspan(s.q.size(), s.v.size()), s.v.data());
  math::copy(y.subspan(n, s.x.size()), s.x.data());
  system_->position_rate(s.q, s.v, y_dot.first(s.q.size()));
  math::copy(y_dot.subspan(s.q.size(), s.a.size()), s.a.data());
  math::copy(y_dot.subspan(n, s.x.size()), terms_.x_dot.data());
  if (system_->has_work()) {
    y.back() = (*s.recall(kWork))[0];
    y_dot.back() = power(*system_, terms_, s);
  }
  return true;
}

bool AccelerationForm::is_redundant(const State& s) {
  if (system_->sizes().holonomic == 0 || system_->sizes().holonomic < system_->sizes().rows) return false;
  RowIndependence rows(*system_);
  work_ = s;
  for (const double way : {0.0, kAside}) {
    for (std::size_t i = 0; i < moved_.size(); ++i)
      moved_[i] = way * system_->coordinate_scale()[i] * std::sin(1 + static_cast<double>(i));
    system_->retract(work_.q, moved_);
    if (way > 0 && !projector_.positions(work_).accepted()) return false;
    system_->evaluate(work_, system::kAskPosition, terms_);
    if (rows.smallest(terms_) > 0) return false;
  }
  return true;
}

std::string AccelerationForm::refusal(const State& s) {
  system_->evaluate(s, system::kAskPosition, terms_);
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
    system_->evaluate(work_, system::kAskPosition, terms_);
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

}  // namespace trammel::formulations
