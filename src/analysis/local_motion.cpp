#include "analysis/local_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/differences.h"
#include "formulations/matrices/dense_terms.h"

namespace trammel::analysis {
namespace {

std::span<double> view(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

Eigen::Map<const Eigen::VectorXd> map(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

// Of sixth order: what moves by so much of what counts as one is known to rounding.
constexpr double kMove = 0.01;

}  // namespace

LocalMotion::LocalMotion(std::shared_ptr<const system::System> system, const State& about, Regime regime)
    : system_(std::move(system)),
      about_(about),
      regime_(regime),
      chart_(system_),
      terms_(system_->make_terms()),
      index1_(*system_) {
  if (regime_ == Regime::statics) std::fill(about_.v.begin(), about_.v.end(), 0.0);
  // Potentials are curved along tangents, not along coordinates: a pendulum's is linear in its height.
  chart_.choose(about_, terms_,
                regime_ == Regime::statics ? formulations::IndependentChoice::qr
                                           : formulations::IndependentChoice::boolean);
  report_ = chart_.factor(about_, terms_);
  right_.setZero(system_->sizes().rows);
  work_.setZero(system_->sizes().v);
  origin_.setZero(size());
  unit_.setOnes(size());
  if (!report_.accepted()) return;
  Eigen::VectorXd u(velocities());
  chart_.rows().project(map(about_.v), u);
  origin_.segment(positions(), velocities()) = u;
  origin_.tail(states()) = map(about_.x);
  if (regime_ == Regime::motion) unit_.segment(positions(), velocities()).setConstant(time_scale());
  for (Eigen::Index k = 0; k < states(); ++k)
    unit_[positions() + velocities() + k] = std::max(1.0, std::abs(origin_[positions() + velocities() + k]));
}

// How fast the motion changes, 1/s: by its velocities, by its accelerations, and by how these differ a little
// aside.
double LocalMotion::time_scale() {
  constexpr double kSlowest = 1e-3;  // slower motions have no use for smaller differences
  double fastest = kSlowest;
  for (std::size_t i = 0; i < about_.v.size(); ++i)
    fastest = std::max(fastest, std::abs(about_.v[i]) / system_->coordinate_scale()[i]);
  Eigen::VectorXd here, aside;
  State s = about_;
  if (!rate(origin_, s, here).accepted()) return fastest;
  const auto see = [&](double of_second_order) {
    if (std::isfinite(of_second_order)) fastest = std::max(fastest, std::sqrt(std::abs(of_second_order)));
  };
  const auto accelerations = [&](const Eigen::VectorXd& y) { return y.segment(positions(), velocities()); };
  for (const double a : accelerations(here)) see(a);
  for (Eigen::Index j = 0; j < positions(); ++j) {
    Eigen::VectorXd y = origin_;
    y[j] += kMove;
    s = about_;
    if (!rate(y, s, aside).accepted()) continue;
    for (const double a : Eigen::VectorXd(accelerations(aside) - accelerations(here))) see(a / kMove);
  }
  return fastest;
}

LocalMotion::LocalMotion(std::shared_ptr<const system::System> system, const LocalMotion& other)
    : system_(std::move(system)),
      about_(other.about_),
      regime_(other.regime_),
      chart_(system_),
      terms_(system_->make_terms()),
      index1_(*system_),
      origin_(other.origin_),
      unit_(other.unit_),
      right_(other.right_),
      work_(other.work_) {
  State charted = other.about_;
  formulations::Chart chart = other.chart_;
  chart.save(charted);
  chart_.load(charted);
}

Eigen::VectorXd LocalMotion::scale() const {
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(size());
  Eigen::Index k = 0;
  for (const int column : chart_.position_columns())
    scale[k++] = system_->coordinate_scale()[static_cast<std::size_t>(column)];
  for (const int column : chart_.velocity_columns())
    scale[k++] = system_->coordinate_scale()[static_cast<std::size_t>(column)];
  return scale;
}

std::vector<std::string> LocalMotion::names(const Mechanism& mechanism) const {
  const std::vector<std::string> known = system_->coordinate_names();
  const auto name = [&](int column) {
    const std::string& own = known[static_cast<std::size_t>(column)];
    return own.empty() ? fmt::format("{}#{}", system_->coordinate_owner(column), column + 1) : own;
  };
  std::vector<std::string> names;
  for (const int column : chart_.position_columns()) names.push_back(name(column));
  for (const int column : chart_.velocity_columns()) names.push_back(name(column) + ".rate");
  for (const AuxiliaryState& state : mechanism.states) names.push_back(state.name);
  return names;
}

Report LocalMotion::place(const Eigen::VectorXd& y, State& s) {
  Report report = chart_.find_position(y.head(positions()), s, terms_);
  if (!report.accepted()) return report;
  if (regime_ == Regime::statics) {
    std::fill(s.v.begin(), s.v.end(), 0.0);
  } else {
    right_ = -map(terms_.Phi_t);
    chart_.rows().solve(right_, y.segment(positions(), velocities()), work_);
    std::copy(work_.begin(), work_.end(), s.v.begin());
  }
  for (std::size_t k = 0; k < s.x.size(); ++k)
    s.x[k] = y[positions() + velocities() + static_cast<Eigen::Index>(k)];
  return report;
}

// B D⁻¹ d/dt (q ⊖ q̄), where q moves with v and q̄ with the velocity of the State that this is about.
Eigen::VectorXd LocalMotion::position_rate(const State& s) {
  Eigen::VectorXd z_dot = Eigen::VectorXd::Zero(positions());
  double fastest = 0;
  for (std::size_t i = 0; i < s.v.size(); ++i)
    fastest = std::max({fastest, std::abs(s.v[i]) / system_->coordinate_scale()[i],
                        std::abs(about_.v[i]) / system_->coordinate_scale()[i]});
  if (fastest == 0) return z_dot;
  const bool at_rest = map(about_.v).isZero(0);
  if (at_rest) {
    chart_.coordinate_rates(s, view(z_dot));
    return z_dot;
  }
  const double h = kMove / fastest;
  Eigen::VectorXd way(work_.size()), rate = Eigen::VectorXd::Zero(work_.size());
  for (std::size_t k = 0; k < kDifference.size(); ++k)
    for (const double sign : {1.0, -1.0}) {
      const double time = sign * static_cast<double>(k + 1) * h;
      std::vector<double> from = about_.q, to = s.q;
      work_ = time * map(about_.v);
      system_->retract(from, view(work_));
      work_ = time * map(s.v);
      system_->retract(to, view(work_));
      system_->difference(from, to, view(way));
      rate += sign * kDifference[k] / h * way;
    }
  chart_.project_positions(rate, z_dot);
  return z_dot;
}

Report LocalMotion::rate(const Eigen::VectorXd& y, State& s, Eigen::VectorXd& y_dot) {
  Report report = place(y, s);
  if (!report.accepted()) return report;
  report = index1_.accelerations(s);
  if (!report.accepted()) return report;
  y_dot.resize(size());
  y_dot.head(positions()) = position_rate(s);
  Eigen::VectorXd u_dot(velocities());
  chart_.rows().project(map(s.a), u_dot);
  y_dot.segment(positions(), velocities()) = u_dot;
  y_dot.tail(states()) = map(index1_.terms().x_dot);
  if (!y_dot.allFinite()) report.outcome = Outcome::not_finite;
  return report;
}

Eigen::MatrixXd LocalMotion::basis(const State& s) {
  Eigen::MatrixXd R;
  if (chart_.factor(s, terms_).accepted()) chart_.rows().basis(R);
  return R;
}

Report LocalMotion::unbalanced(const Eigen::VectorXd& y, State& s, Eigen::VectorXd& left) {
  Report report = place(y, s);
  if (!report.accepted()) return report;
  system_->evaluate(s, system::kAskPosition | system::kAskGamma | system::kAskForces, terms_);
  if (regime_ == Regime::statics) {
    std::fill(s.a.begin(), s.a.end(), 0.0);
  } else {
    right_ = -map(terms_.gamma);
    chart_.rows().solve(right_, Eigen::VectorXd::Zero(velocities()), work_);
    std::copy(work_.begin(), work_.end(), s.a.begin());
  }
  Eigen::VectorXd force(work_.size());
  system_->force_left(terms_, s.a, view(force));
  Eigen::MatrixXd R;
  chart_.rows().basis(R);
  left.resize(velocities() + states());
  left << R.transpose() * force, map(terms_.x_dot);
  if (!left.allFinite()) report.outcome = Outcome::not_finite;
  return report;
}

}  // namespace trammel::analysis
