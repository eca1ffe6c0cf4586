#include "formulations/independent/independent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "formulations/independent/coordinate_changes.h"
#include "formulations/matrices/dense_terms.h"

namespace trammel::formulations {
namespace {

// z is chosen anew when it sees less than this part of the usual: the position where it turns back is then
// still 37 degrees away. Half of it saves hardly any change, and costs two digits of rk4's energy.
constexpr double kBlurred = 0.6;
// Or when its smallest pivot falls below this part of the usual: constraints that were chosen among dependent
// ones become dependent themselves.
constexpr double kWeak = 0.05;
// And another choice is taken if it is so many times better.
constexpr double kBetter = 1.3;
// Or about another position when rotations have come this far from it, rad: differences of rotations end at
// half a turn.
constexpr double kFarFromChart = 1;
// Hybrid stops stabilizing at this part of its tolerance.
constexpr double kSettled = 0.1;

IndependentChoice choice_of(const std::string& name) {
  if (name == "qr") return IndependentChoice::qr;
  return name == "svd" ? IndependentChoice::svd : IndependentChoice::boolean;
}

Eigen::Map<Eigen::VectorXd> map(std::span<double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
Eigen::Map<const Eigen::VectorXd> map(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

}  // namespace

Independent::Independent(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan)
    : AccelerationForm(std::move(system), plan, true),
      choice_(choice_of(plan.independent_choice)),
      hybrid_(plan.independent_integrate == "hybrid"),
      all_accelerations_(hybrid_ || plan.independent_integrate == "extraction" ||
                         plan.independent_integrate == "paul"),
      chart_(system_),
      right_(system_->sizes().rows),
      x_(system_->sizes().v),
      force_(system_->sizes().v) {
  if (hybrid_) stabilization_ = stabilization_of(plan);
  const std::vector<std::string> names = system_->coordinate_names();
  for (const std::string& name : plan.independent_coordinates) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      unknown_ = name;
    else
      columns_.push_back(static_cast<int>(found - names.begin()));
  }
}

bool Independent::choose(const State& s, Chart& chart) {
  const bool served =
      chart.choose(s, terms_, choice_, s.recall(kCoordinateChanges) ? std::vector<int>{} : columns_);
  const std::string& what = plan_.independent_integrate;
  chart.set_regime(hybrid_ ? kAll : what == "minimal" || what == "extraction" ? kMinimal : kEnlarged);
  return served;
}

std::string Independent::refusal(const State& s) {
  const std::vector<std::string>& given = plan_.independent_coordinates;
  if (!unknown_.empty()) {
    std::vector<std::string> names = system_->coordinate_names();
    std::erase(names, "");
    return fmt::format("independent: there is no coordinate '{}'; name some of: {}", unknown_,
                       fmt::join(names, ", "));
  }
  Chart chart(system_);
  if (chart.choose(s, terms_, choice_, columns_)) return {};
  if (static_cast<int>(given.size()) != chart.velocities())
    return fmt::format(
        "independent: {} named, and the mechanism has {} of freedom; name as many, or none",
        given.size() == 1 ? "1 coordinate is" : fmt::format("{} coordinates are", given.size()),
        chart.velocities() == 1 ? "1 degree" : fmt::format("{} degrees", chart.velocities()));
  return fmt::format(
      "independent: {} do not determine the motion at the start; name others, or none, and they are chosen",
      fmt::join(given, ", "));
}

AccelerationForm::Motion Independent::take_up(State& s) {
  if (!chart_.load(s)) {
    choose(s, chart_);
    chart_.save(s);
  }
  chart_.forget();
  zero_.setZero(chart_.velocities());
  switch (chart_.regime()) {
    case kMinimal:
      return {chart_.positions(), chart_.velocities()};
    case kEnlarged:
      return {system_->sizes().q, chart_.velocities()};
    default:
      return AccelerationForm::take_up(s);
  }
}

// z has none but one.
void Independent::motion_scale(std::span<double> scale) const {
  if (chart_.regime() >= kAll) return AccelerationForm::motion_scale(scale);
  std::fill(scale.begin(), scale.end(), 1.0);
  if (chart_.regime() == kEnlarged)
    std::copy(system_->position_scale().begin(), system_->position_scale().end(), scale.begin());
}

void Independent::pack_motion(const State& s, std::span<double> y) {
  if (chart_.regime() >= kAll) return AccelerationForm::pack_motion(s, y);
  const auto velocities = static_cast<std::size_t>(chart_.velocities());
  if (chart_.regime() == kMinimal)
    chart_.coordinates(s.q, y.first(y.size() - velocities));
  else
    std::copy(s.q.begin(), s.q.end(), y.begin());
  x_ = map(s.v);
  chart_.rows().project(x_, map(y.last(velocities)));
}

Report Independent::unpack_motion(std::span<const double> y, State& s) {
  if (chart_.regime() >= kAll) return AccelerationForm::unpack_motion(y, s);
  const auto velocities = static_cast<std::size_t>(chart_.velocities());
  const std::span<const double> positions = y.first(y.size() - velocities);
  Report report;
  if (chart_.regime() == kMinimal) {
    z_ = map(positions);
    report = chart_.find_position(z_, s, terms_);
  } else {
    std::copy(positions.begin(), positions.end(), s.q.begin());
    system_->normalize(s.q);
    report = chart_.factor(s, terms_);
  }
  if (report.accepted()) find_velocity(y.last(velocities), s);
  return report;
}

void Independent::find_velocity(std::span<const double> z_dot, State& s) {
  right_ = -map(std::span<const double>(terms_.Phi_t));
  z_ = map(z_dot);
  chart_.rows().solve(right_, z_, x_);
  map(std::span(s.v)) = x_;
}

Report Independent::motion_rate(State& s, std::span<double> y_dot) {
  if (chart_.regime() >= kAll) return AccelerationForm::motion_rate(s, y_dot);
  Report report = accelerate(s);
  if (!report.accepted()) return report;
  const auto velocities = static_cast<std::size_t>(chart_.velocities());
  if (chart_.regime() == kMinimal)
    chart_.coordinate_rates(s, y_dot.first(y_dot.size() - velocities));
  else
    system_->position_rate(s.q, s.v, y_dot.first(s.q.size()));
  x_ = map(std::span<const double>(s.a));
  chart_.rows().project(x_, map(y_dot.last(velocities)));
  return report;
}

Report Independent::accelerate(State& s) {
  Report report = chart_.factor(s, terms_);
  if (!report.accepted()) return report;
  system_->evaluate(s, system::kAskGamma | system::kAskForces, terms_);
  const Stabilization gains = chart_.regime() == kAllStabilized ? stabilization_ : Stabilization();
  for (std::size_t r = 0; r < terms_.gamma.size(); ++r)
    right_[static_cast<Eigen::Index>(r)] = constraint_side(*system_, terms_, s, r, gains);
  chart_.rows().basis(R_);
  MR_ = mass_times(*system_, terms_, R_);
  const auto n = static_cast<std::size_t>(R_.rows());
  if (all_accelerations_)
    solve_all(s);
  else
    report = solve_independent(s);
  if (!report.accepted()) return report;
  // Φ_vᵀλ = Q − M v̇
  force_ = map(std::span<const double>(terms_.Q));
  system_->add_mass_times(terms_, s.a, -1, {force_.data(), n});
  chart_.rows().multipliers(force_, map(std::span(s.lambda)));
  return report;
}

Report Independent::solve_independent(State& s) {
  Report report;
  const auto n = static_cast<std::size_t>(R_.rows());
  chart_.rows().solve(right_, zero_, x_);  // S c
  force_ = map(std::span<const double>(terms_.Q));
  system_->add_mass_times(terms_, {x_.data(), n}, -1, {force_.data(), n});
  reduced_.noalias() = R_.transpose() * MR_;
  llt_.compute(reduced_);
  if (llt_.info() != Eigen::Success) {
    report.outcome = Outcome::singular;
    report.message =
        "the equations cannot be solved here: a direction in which the mechanism can move has no mass";
    return report;
  }
  z_.noalias() = R_.transpose() * force_;
  llt_.solveInPlace(z_);
  x_.noalias() += R_ * z_;
  map(std::span(s.a)) = x_;
  return report;
}

// [Φ_v; RᵀM] v̇ = [c; RᵀQ]
void Independent::solve_all(State& s) {
  const Eigen::Index n = R_.rows(), rank = chart_.rank();
  whole_.setZero(n, n);
  const system::RowPattern& pattern = system_->jacobian();
  for (Eigen::Index k = 0; k < rank; ++k) {
    const Eigen::Index row = chart_.rows().completion().rows[static_cast<std::size_t>(k)];
    const auto r = static_cast<std::size_t>(row);
    for (auto i = static_cast<std::size_t>(pattern.start[r]);
         i < static_cast<std::size_t>(pattern.start[r + 1]); ++i)
      whole_(k, pattern.column[i]) += terms_.Phi_v[i];
    force_[k] = right_[row];
  }
  whole_.bottomRows(n - rank) = MR_.transpose();
  force_.tail(n - rank).noalias() = R_.transpose() * map(std::span<const double>(terms_.Q));
  lu_.compute(whole_);
  x_.noalias() = lu_.permutationP() * force_;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x_);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x_);
  map(std::span(s.a)) = x_;
}

void Independent::renew(State& s, const Violation& left, forms::Kept& kept) {
  renew_chart(s, kept);
  if (!hybrid_) return;
  const Regime regime = next_regime(left);
  if (regime == chart_.regime()) return;
  chart_.set_regime(regime);
  chart_.save(s);
  kept = forms::Kept::new_chart;
}

void Independent::renew_chart(State& s, forms::Kept& kept) {
  const Chart::Fitness now = chart_.fitness();
  const bool blurred = now.sight < kBlurred * chart_.usual().sight,
             weak = now.pivot<kWeak * chart_.usual().pivot, far = chart_.turned(s.q)> kFarFromChart;
  if (!blurred && !weak && !far) return;
  Chart next(system_);
  next.choose(s, terms_, choice_);
  next.set_regime(chart_.regime());
  const bool better = far || (blurred && next.usual().sight > kBetter * now.sight) ||
                      (weak && next.usual().pivot > kBetter * now.pivot);
  if (better && next.rank() == chart_.rank()) {
    chart_ = next;
    count_coordinate_change(s);
    kept = forms::Kept::new_chart;
  } else {
    chart_.set_usual(now);
  }
  chart_.save(s);
}

Independent::Regime Independent::next_regime(const Violation& left) {
  if (close_to_singular()) return kMinimal;
  const double error = std::max(left.position, left.velocity);
  const bool stabilizing = chart_.regime() == kAllStabilized;
  return error > (stabilizing ? kSettled : 1) * plan_.hybrid_tolerance ? kAllStabilized : kAll;
}

}  // namespace trammel::formulations
