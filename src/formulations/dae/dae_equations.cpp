#include "formulations/dae/dae_equations.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "formulations/rows/rows.h"
#include "math/index.h"
#include "math/spans.h"

namespace trammel::formulations {
namespace {

using math::at;

}  // namespace

DaeEquations::DaeEquations(std::shared_ptr<const system::Dynamics> system)
    : system_(std::move(system)),
      n_(at(system_->sizes().v)),
      states_(at(system_->sizes().states)),
      rows_(at(system_->sizes().rows)),
      holonomic_(at(system_->sizes().holonomic)),
      v_(n_),
      x_(2 * n_),
      lambda_(x_ + states_),
      mu_(lambda_ + rows_),
      terms_(system_->make_terms()),
      work_(system_->initial_state()) {
  const std::vector<double>& one = system_->coordinate_scale();
  scale_ = one;
  scale_.insert(scale_.end(), one.begin(), one.end());
  scale_.resize(lambda_, 1.0);
  for (double s : one) weight_.push_back(s * s);

  // The places of all entries, by columns, each once; then where each entry goes.
  std::vector<std::pair<int, int>> places, entries;
  visit_entries(
      [&](std::size_t i, std::size_t j) { entries.emplace_back(static_cast<int>(j), static_cast<int>(i)); });
  places = entries;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  start_.assign(size() + 1, 0);
  for (const auto& [column, row] : places) {
    ++start_[at(column) + 1];
    row_.push_back(row);
  }
  for (std::size_t j = 0; j < size(); ++j) start_[j + 1] += start_[j];
  for (const auto& entry : entries)
    target_.push_back(
        static_cast<int>(std::lower_bound(places.begin(), places.end(), entry) - places.begin()));
}

// Every entry of the Jacobian, in the order in which jacobian() gives their values.
template <class Visit>
void DaeEquations::visit_entries(Visit&& visit) const {
  for (std::size_t i = 0; i < n_; ++i) {
    visit(i, i);
    visit(i, v_ + i);
  }
  const auto block = [&](const system::EntryPattern& pattern, std::size_t column, bool both) {
    for (std::size_t k = 0; k < pattern.row.size(); ++k) {
      const std::size_t i = at(pattern.row[k]), j = at(pattern.column[k]);
      visit(v_ + i, column + j);
      if (both && i != j) visit(v_ + j, column + i);
    }
  };
  block(system_->stiffness(), 0, false);
  block(system_->damping(), v_, false);
  block(system_->mass_pattern(), v_, true);
  for (std::size_t i = 0; i < states_; ++i)
    for (std::size_t j = 0; j < states_; ++j) visit(x_ + i, x_ + j);
  const system::RowPattern& rows = system_->jacobian();
  for (std::size_t r = 0; r < rows_; ++r)
    for (std::size_t k = at(rows.start[r]); k < at(rows.start[r + 1]); ++k) {
      const std::size_t j = at(rows.column[k]);
      visit(v_ + j, lambda_ + r);
      visit(lambda_ + r, v_ + j);
      if (r >= holonomic_) continue;
      visit(lambda_ + r, j);
      visit(j, mu_ + r);
      visit(mu_ + r, j);
    }
}

void DaeEquations::pack(const State& s, std::span<double> y, std::span<double> y_dot) {
  system_->evaluate(s, system::kAskForces, terms_);
  std::fill(y.begin(), y.end(), 0.0);
  std::fill(y_dot.begin(), y_dot.end(), 0.0);
  auto to = std::copy(s.q.begin(), s.q.end(), y.begin());
  to = std::copy(s.v.begin(), s.v.end(), to);
  to = std::copy(s.x.begin(), s.x.end(), to);
  std::copy(s.lambda.begin(), s.lambda.end(), to);
  to = std::copy(s.v.begin(), s.v.end(), y_dot.begin());
  to = std::copy(s.a.begin(), s.a.end(), to);
  std::copy(terms_.x_dot.begin(), terms_.x_dot.end(), to);
}

void DaeEquations::unpack(double t, std::span<const double> y, State& s) const {
  s.t = t;
  std::copy_n(y.begin(), n_, s.q.begin());
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(v_), n_, s.v.begin());
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(x_), states_, s.x.begin());
}

void DaeEquations::unpack(double t, std::span<const double> y, std::span<const double> y_dot,
                          State& s) const {
  unpack(t, y, s);
  std::copy_n(y_dot.begin() + static_cast<std::ptrdiff_t>(v_), n_, s.a.begin());
}

// q, v, x of y, and v̇ of ẏ, which M(q) v̇ needs in the tangent.
void DaeEquations::take(double t, std::span<const double> y, std::span<const double> y_dot) {
  unpack(t, y, y_dot, work_);
}

bool DaeEquations::residual(double t, std::span<const double> y, std::span<const double> y_dot,
                            std::span<double> F) {
  take(t, y, y_dot);
  system_->evaluate(work_, system::kAskPosition | system::kAskForces, terms_);
  const system::RowPattern& rows = system_->jacobian();
  const std::span<double> position = F.subspan(0, n_), motion = F.subspan(v_, n_);
  for (std::size_t i = 0; i < n_; ++i) {
    position[i] = 0;
    motion[i] = -terms_.Q[i];
  }
  for (std::size_t r = 0; r < holonomic_; ++r) {
    add_row(rows, terms_.Phi_v, r, y[mu_ + r], position);
    F[mu_ + r] = terms_.Phi[r];
  }
  for (std::size_t i = 0; i < n_; ++i) position[i] = y_dot[i] - y[v_ + i] + weight_[i] * position[i];
  system_->add_mass_times(terms_, work_.a, 1, motion);
  for (std::size_t r = 0; r < rows_; ++r) {
    add_row(rows, terms_.Phi_v, r, y[lambda_ + r], motion);
    F[lambda_ + r] = row_times(rows, terms_.Phi_v, r, work_.v) + terms_.Phi_t[r];
  }
  for (std::size_t k = 0; k < states_; ++k) F[x_ + k] = y_dot[x_ + k] - terms_.x_dot[k];
  return math::all_finite(F);
}

bool DaeEquations::jacobian(double t, double c, std::span<const double> y, std::span<const double> y_dot,
                            std::span<double> values) {
  take(t, y, y_dot);
  system_->evaluate(
      work_, system::kAskPosition | system::kAskForces | system::kAskTangent | system::kAskRates, terms_);
  std::fill(values.begin(), values.end(), 0.0);
  std::size_t next = 0;
  const auto add = [&](double value) { values[at(target_[next++])] += value; };
  for (std::size_t i = 0; i < n_; ++i) {
    add(c);
    add(-1);
  }
  for (double k : terms_.K) add(k);
  for (double d : terms_.C) add(d);
  const system::EntryPattern& mass = system_->mass_pattern();
  for (std::size_t k = 0; k < terms_.M.size(); ++k) {
    add(c * terms_.M[k]);
    if (mass.row[k] != mass.column[k]) add(c * terms_.M[k]);
  }
  for (std::size_t i = 0; i < states_; ++i)
    for (std::size_t j = 0; j < states_; ++j) add((i == j ? c : 0) - terms_.x_dot_x[i * states_ + j]);
  const system::RowPattern& rows = system_->jacobian();
  for (std::size_t r = 0; r < rows_; ++r)
    for (std::size_t k = at(rows.start[r]); k < at(rows.start[r + 1]); ++k) {
      const double g = terms_.Phi_v[k];
      add(g);
      add(g);
      if (r >= holonomic_) continue;
      add(terms_.Phi_v_dot[k]);  // ∂Φ̇/∂q
      add(weight_[at(rows.column[k])] * g);
      add(g);
    }
  return math::all_finite(values);
}

const system::Terms& DaeEquations::terms_at(const State& s) {
  system_->evaluate(s, system::kAskPosition | system::kAskGamma | system::kAskForces, terms_);
  return terms_;
}

}  // namespace trammel::formulations
