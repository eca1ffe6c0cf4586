#include "formulations/independent/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/matrices/dense_terms.h"

namespace trammel::formulations {
namespace {

// A choice of a person serves if it sees this part of the best.
constexpr double kServes = 0.1;
// Newton's method: what is left after an increment of this size is rounding.
constexpr int kMostIterations = 20;
constexpr double kLastIncrement = 1e-8;
// Pivots below this part of the usual, or below rounding: z no longer tells velocities apart. They are
// renewed long before, between steps.
constexpr double kLost = 0.02, kPivotRounding = 1e-12;
// Constraints that were not chosen must close too: above the error of an assembled position.
constexpr double kChartClosed = 1e-9;

std::span<double> view(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

}  // namespace

Chart::Chart(std::shared_ptr<const system::Dynamics> system)
    : system_(std::move(system)),
      apart_(system_->sizes().rows > system_->sizes().holonomic || system_->sizes().q != system_->sizes().v),
      closing_(system_->sizes().rows),
      move_(system_->sizes().v),
      unit_(system_->sizes().v) {}

bool Chart::choose(const State& s, system::Terms& terms, IndependentChoice choice,
                   const std::vector<int>& columns) {
  system_->evaluate(s, system::kAskPosition, terms);
  const double tolerance = rank_tolerance(*system_, terms);
  const Eigen::MatrixXd rows = unit_rows(*system_, terms, system_->sizes().rows);
  velocities_.set(*system_, complete_rows(rows, tolerance, choice));
  if (apart_)
    positions_.set(*system_, complete_rows(rows.topRows(system_->sizes().holonomic), tolerance, choice));
  origin_ = s.q;
  factor_at(s, terms);
  usual_ = fitness();
  return columns.empty() || take_columns(columns, terms);
}

std::vector<int> Chart::columns_of(const CompletedRows& rows) {
  std::vector<int> columns;
  for (const auto& row : rows.completion().B.rowwise()) {
    Eigen::Index column = 0;
    row.cwiseAbs().maxCoeff(&column);
    columns.push_back(static_cast<int>(column));
  }
  return columns;
}

bool Chart::take_columns(const std::vector<int>& columns, const system::Terms& terms) {
  const Completion before = velocities_.completion();
  if (static_cast<Eigen::Index>(columns.size()) != velocities_.freedom()) return false;
  Completion given{before.rows, Eigen::MatrixXd::Zero(before.B.rows(), before.B.cols())};
  for (std::size_t k = 0; k < columns.size(); ++k) given.B(static_cast<Eigen::Index>(k), columns[k]) = 1;
  velocities_.set(*system_, given);
  velocities_.factor(*system_, terms);
  if (velocities_.smallest_pivot() > kPivotRounding && fitness().sight >= kServes * usual_.sight) {
    usual_ = fitness();
    return true;
  }
  velocities_.set(*system_, before);
  velocities_.factor(*system_, terms);
  return false;
}

// Layout: regime, usual fitness, both ranks, rows, q₀, both B by columns.
void Chart::save(State& s) {
  saved_.clear();
  saved_.push_back(regime_);
  saved_.push_back(usual_.sight);
  saved_.push_back(usual_.pivot);
  const auto each = [&](auto&& put) {
    put(velocities_.completion());
    if (apart_) put(positions_.completion());
  };
  each([&](const Completion& c) { saved_.push_back(static_cast<double>(c.rows.size())); });
  each([&](const Completion& c) {
    for (const Eigen::Index row : c.rows) saved_.push_back(static_cast<double>(row));
  });
  saved_.insert(saved_.end(), origin_.begin(), origin_.end());
  each([&](const Completion& c) { saved_.insert(saved_.end(), c.B.data(), c.B.data() + c.B.size()); });
  s.remember(kCoordinates, 0) = saved_;
}

bool Chart::load(const State& s) {
  const std::vector<double>* memory = s.recall(kCoordinates);
  if (memory == nullptr) return false;
  if (*memory == saved_) return true;
  saved_ = *memory;
  const double* at = saved_.data();
  regime_ = static_cast<int>(*at++);
  usual_.sight = *at++;
  usual_.pivot = *at++;
  Completion both[2];
  const std::size_t count = apart_ ? 2 : 1;
  for (std::size_t k = 0; k < count; ++k) both[k].rows.resize(static_cast<std::size_t>(*at++));
  for (std::size_t k = 0; k < count; ++k)
    for (Eigen::Index& row : both[k].rows) row = static_cast<Eigen::Index>(*at++);
  origin_.assign(at, at + system_->sizes().q);
  at += system_->sizes().q;
  const Eigen::Index n = system_->sizes().v;
  for (std::size_t k = 0; k < count; ++k) {
    const Eigen::Index freedom = n - static_cast<Eigen::Index>(both[k].rows.size());
    both[k].B = Eigen::Map<const Eigen::MatrixXd>(at, freedom, n);
    at += freedom * n;
  }
  velocities_.set(*system_, both[0]);
  if (apart_) positions_.set(*system_, both[1]);
  forget();
  return true;
}

double Chart::smallest_pivot() const {
  const double pivot = velocities_.smallest_pivot();
  return apart_ ? std::min(pivot, positions_.smallest_pivot()) : pivot;
}

Chart::Fitness Chart::fitness() {
  const double sight = velocities_.sight();
  return {apart_ ? std::min(sight, positions_.sight()) : sight, smallest_pivot()};
}

double Chart::turned(std::span<const double> q) {
  if (system_->sizes().q == system_->sizes().v) return 0;
  system_->difference(origin_, q, view(move_));
  double far = 0;
  for (Eigen::Index k = 0; k < move_.size(); ++k)
    far = std::max(far, std::abs(move_[k]) / system_->coordinate_scale()[static_cast<std::size_t>(k)]);
  return far;
}

// The terms hold Φ_v there.
void Chart::factor_at(const State& s, const system::Terms& terms) {
  velocities_.factor(*system_, terms);
  if (apart_ && system_->sizes().q == system_->sizes().v) positions_.factor(*system_, terms);
  if (apart_ && system_->sizes().q != system_->sizes().v) {
    // δ̇ of δ = q ⊖ q₀, for each velocity
    const Eigen::Index n = system_->sizes().v;
    const Eigen::Map<const Eigen::VectorXd> scale(system_->coordinate_scale().data(), n);
    turn_.resize(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      unit_.setZero();
      unit_[i] = scale[i];
      system_->difference_rate(origin_, s.q, view(unit_), view(move_));
      turn_.col(i) = move_.cwiseQuotient(scale);
    }
    turned_.noalias() = positions_.completion().B * turn_;
    positions_.factor(*system_, terms, turned_);
  }
  factored_ = true;
  t_ = s.t;
  q_ = s.q;
}

Report Chart::factor(const State& s, system::Terms& terms) {
  if (!factored_ || t_ != s.t || q_ != s.q) {
    system_->evaluate(s, system::kAskPosition, terms);
    factor_at(s, terms);
  }
  const double pivot = smallest_pivot();
  Report report;
  if (!std::isfinite(pivot)) {
    report.outcome = Outcome::not_finite;
  } else if (pivot <= std::max(kLost * usual_.pivot, kPivotRounding)) {
    report.outcome = Outcome::not_converged;
    report.message =
        "the independent coordinates cease to determine the motion within this step; take a smaller step";
  }
  return report;
}

void Chart::coordinates(std::span<const double> q, std::span<double> z) {
  system_->difference(origin_, q, view(move_));
  position_rows().project(move_, Eigen::Map<Eigen::VectorXd>(z.data(), static_cast<Eigen::Index>(z.size())));
}

void Chart::coordinate_rates(const State& s, std::span<double> z_dot) {
  system_->difference_rate(origin_, s.q, s.v, view(move_));
  position_rows().project(move_,
                          Eigen::Map<Eigen::VectorXd>(z_dot.data(), static_cast<Eigen::Index>(z_dot.size())));
}

Report Chart::find_position(const Eigen::VectorXd& z, State& s, system::Terms& terms) {
  Worst worst;
  bool last = false;
  forget();
  for (int i = 0;; ++i) {
    Report report = factor(s, terms);
    report.iterations = i;
    worst = {};
    for (std::size_t r = 0; r < static_cast<std::size_t>(system_->sizes().holonomic); ++r) {
      closing_[static_cast<Eigen::Index>(r)] = -terms.Phi[r];
      worst.see(terms.Phi[r], 1 / system_->rows()[r].scale, r);
    }
    report.worst_row = worst.row;
    report.violation = worst.size;
    if (!report.accepted()) return report;
    if (last && worst.size <= kChartClosed) return report;
    if (last || i == kMostIterations) {
      report.outcome = Outcome::not_converged;
      report.message = fmt::format(
          "no position belongs to the independent coordinates that the step reached, by Newton's method in "
          "{} "
          "iterations (constraints stay open by {:.1e} of their size); take a smaller step",
          i, worst.size);
      return report;
    }
    missing_.resize(z.size());
    coordinates(s.q, view(missing_));
    missing_ = z - missing_;
    position_rows().solve(closing_, missing_, move_);
    double size = 0;
    for (Eigen::Index k = 0; k < move_.size(); ++k)
      size = larger(size, move_[k] / system_->coordinate_scale()[static_cast<std::size_t>(k)]);
    system_->retract(s.q, view(move_));
    last = size <= kLastIncrement;
  }
}

}  // namespace trammel::formulations
