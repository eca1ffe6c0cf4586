// The step that all yardsticks share; the kernel supplies its rows, its matrix and its forces, all inlined.
//
//   M v̇ + Φ_vᵀ(λ* + αΦ) = Q,   λ*₊ = λ* + αΦ after each solve
//   T δ = −(M v̇ + Φ_vᵀ(λ* + αΦ) − Q)/da,   T = M + C/(dv/da) + (K + Φ_vᵀ α Φ_v)/da,   da = 4/h², dv = 2/h
//   x ← x − T⁻¹ Φ_vᵀ w (Φ_v x + bias) for x = v, v̇, with the last factor
//
//   Bayo & Ledesma (1996), (35)–(40)
//
// A kernel has n() unknowns and rows; each row r in for_rows(f) → f(r, row) knows its gradient at the last
// evaluate(): row.times(x), row.add(factor, y), row.phi(), row.gamma(v), row.compliance(), row.scale().
#pragma once

#include <algorithm>
#include <cmath>

#include "yardsticks/yardstick.h"

namespace trammel::bench {

inline constexpr double kConvergence = 1e-11;  // as Plan has it
inline constexpr double kPenaltyRatio = 1e6;
inline constexpr int kMaxIterations = 300;
inline constexpr double kWeakPosition = 1e-7, kWeakIncrement = 1e-6;  // next to a singular position
inline constexpr int kMaxSweeps = 8;
inline constexpr double kProjected = 1e-13;
inline constexpr double kSlowSweep = 0.01;

template <class Kernel>
class Index3 final : public Yardstick {
 public:
  explicit Index3(const State& start) : kernel_(start) {
    const auto n = static_cast<std::size_t>(kernel_.n()), m = static_cast<std::size_t>(kernel_.rows());
    for (auto* x : {&q_, &v_, &a_, &x_}) Kernel::resize(*x, n);
    for (auto* x : {&lambda_, &weight_}) Kernel::resize_rows(*x, m);
    std::copy(start.q.begin(), start.q.end(), q_.begin());
    std::copy(start.v.begin(), start.v.end(), v_.begin());
    std::copy(start.a.begin(), start.a.end(), a_.begin());
    std::copy(start.lambda.begin(), start.lambda.end(), lambda_.begin());
  }

  bool step(double h) override {
    predict(h);
    if (!iterate(4 / (h * h), 2 / h)) return false;
    sweep(v_, [](const auto&) { return 0.0; });
    sweep(a_, [this](const auto& row) { return row.gamma(v_.data()); });
    return true;
  }

  void copy_to(State& state) const override {
    state.q.assign(q_.begin(), q_.end());
    state.v.assign(v_.begin(), v_.end());
    state.a.assign(a_.begin(), a_.end());
    state.lambda.assign(lambda_.begin(), lambda_.end());
  }

 private:
  // Constant acceleration.
  void predict(double h) {
    for (std::size_t i = 0; i < size(); ++i) {
      q_[i] += h * (v_[i] + 0.5 * h * a_[i]);
      v_[i] += h * a_[i];
    }
  }

  // λ* ← λ* + αΦ, unless it is the first look; the largest |Φ| over its scale.
  template <bool First>
  double look(double da) {
    kernel_.evaluate(q_.data());
    double worst = 0;
    kernel_.for_rows([&](auto r, const auto& row) {
      const double phi = row.phi();
      if constexpr (First)
        weight_[r] = kPenaltyRatio / row.compliance();
      else
        lambda_[r] += da * weight_[r] * phi;
      worst = std::max(worst, std::abs(phi) * row.inverse_scale());
    });
    return worst;
  }

  bool iterate(double da, double dv) {
    look<true>(da);
    double last = newton(da, dv), rate = 1;
    for (int i = 1;; ++i) {
      const double violation = look<false>(da);
      if (last * std::min(rate, 1.0) <= kConvergence && violation <= kConvergence) return true;
      if (i == kMaxIterations) return violation <= kWeakPosition && last <= kWeakIncrement;
      const double size = newton(da, dv);
      if (!(size < 1e3)) return false;
      rate = size / last;
      last = size;
    }
  }

  // One solve and move; the size of the increment.
  double newton(double da, double dv) {
    kernel_.factor(q_.data(), v_.data(), weight_, da, dv);
    kernel_.residual(q_.data(), v_.data(), a_.data(), x_.data());
    kernel_.for_rows(
        [&](auto r, const auto& row) { row.add(-(lambda_[r] + da * weight_[r] * row.phi()), x_.data()); });
    const double h2 = 1 / da;
    for (std::size_t i = 0; i < size(); ++i) x_[i] *= h2;
    kernel_.solve(x_.data());
    for (std::size_t i = 0; i < size(); ++i) {
      q_[i] += x_[i];
      v_[i] += dv * x_[i];
      a_[i] += da * x_[i];
    }
    return kernel_.largest(x_.data());
  }

  template <class Vector, class Bias>
  void sweep(Vector& x, Bias&& bias) {
    double left = INFINITY;
    for (int i = 0;; ++i) {
      double worst = 0;
      std::fill_n(x_.begin(), size(), 0.0);
      kernel_.for_rows([&](auto r, const auto& row) {
        const double rate = row.times(x.data()) + bias(row);
        worst = std::max(worst, std::abs(rate) * row.inverse_scale());
        row.add(-weight_[r] * rate, x_.data());
      });
      const bool slow = i > 0 && worst > kSlowSweep * left;
      left = worst;
      if (left <= kProjected || slow || i == kMaxSweeps) return;
      kernel_.solve(x_.data());
      for (std::size_t k = 0; k < size(); ++k) x[k] += x_[k];
    }
  }

  std::size_t size() const { return static_cast<std::size_t>(kernel_.n()); }

  Kernel kernel_;
  typename Kernel::Vector q_{}, v_{}, a_{}, x_{};
  typename Kernel::RowVector lambda_{}, weight_{};
};

}  // namespace trammel::bench
