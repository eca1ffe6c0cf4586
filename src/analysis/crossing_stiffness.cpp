#include "analysis/crossing_stiffness.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "analysis/differences.h"
#include "analysis/near_singular.h"
#include "formulations/matrices/dense_terms.h"
#include "formulations/projection/assembly.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// Singular values below this part of the largest are zero: equilibria are found to 1e-8.
constexpr double kVanished = 1e-6;
// Neighbouring positions lie this far away, relative to the coordinate scales: singular values there are far
// above kVanished. Three random directions, because one may stay on a motion that is singular everywhere.
constexpr double kBeside = 0.02;
constexpr int kTimes = 3;
// A form, or an eigenvalue of it, below this is zero: forms come from differences, which err by about 1e-8.
constexpr double kNoForm = 1e-5;
// A freedom with less than this part of the largest mass has no mass: the rest is rounding.
constexpr double kNoMass = 1e-12;

struct Spaces {
  Eigen::MatrixXd R, N;  // columns: velocities in units of the coordinates; combinations of scaled rows
};

Eigen::MatrixXd vanishing(const Eigen::MatrixXd& squares) {
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(squares);
  const double largest = eigen.values.size() > 0 ? eigen.values.maxCoeff() : 0;
  Eigen::Index count = 0;
  while (count < eigen.values.size() && eigen.values[count] <= kVanished * kVanished * largest) ++count;
  return eigen.vectors.leftCols(count);
}

Spaces spaces_at(const system::System& system, const State& s, system::Terms& terms) {
  system.evaluate(s, system::kAskPosition, terms);
  const Eigen::MatrixXd rows = rows_by_scale(system, terms);
  Eigen::MatrixXd squares = rows.transpose() * rows;
  for (const int k : system.idle_columns()) squares(k, k) += 1;
  const Eigen::Map<const Eigen::VectorXd> scale(system.coordinate_scale().data(), rows.cols());
  return {scale.asDiagonal() * vanishing(squares), vanishing(rows * rows.transpose())};
}

// The fewest velocities that are allowed in a position beside.
Eigen::Index freedom_beside(const system::System& system, const State& at, const Eigen::MatrixXd& R,
                            system::Terms& terms) {
  const Eigen::Map<const Eigen::VectorXd> scale(system.coordinate_scale().data(), R.rows());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(-1, 1);
  Eigen::Index fewest = R.cols();
  for (int k = 0; k < kTimes; ++k) {
    Eigen::VectorXd move = Eigen::VectorXd::Zero(R.rows());
    for (Eigen::Index j = 0; j < R.cols(); ++j) move += part(random) * R.col(j);
    move *= kBeside / move.cwiseQuotient(scale).cwiseAbs().maxCoeff();
    State s = at;
    system.retract(s.q, {move.data(), static_cast<std::size_t>(move.size())});
    if (const AssemblyReport closed = formulations::assemble_positions(system, s);
        closed.report.accepted() && closed.open.empty())
      fewest = std::min(fewest, spaces_at(system, s, terms).R.cols());
  }
  return fewest;
}

class Forms {
 public:
  Forms(const system::System& system, const State& at, Spaces spaces)
      : system_(system), at_(at), R_(std::move(spaces.R)), N_(std::move(spaces.N)) {}

  // To where the rows of N vanish along R: R c of Rᵀ∂(Φ_vᵀn)R c = −RᵀΦ_vᵀn, the shortest c.
  Eigen::VectorXd step_to_crossing() const {
    const Eigen::Index f = R_.cols();
    system::Terms terms = system_.make_terms();
    system_.evaluate(at_, system::kAskPosition, terms);
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(f * N_.cols(), f);
    Eigen::VectorXd left_over = Eigen::VectorXd::Zero(S.rows());
    for (Eigen::Index k = 0; k < N_.cols(); ++k) {
      const Jacobian one = form(N_.col(k), false);
      if (one.values.size() == 0) continue;
      S.middleRows(k * f, f) = one.values;
      left_over.segment(k * f, f) = R_.transpose() * left(at_, N_.col(k), false, terms);
    }
    return -R_ * linalg::least_squares(S, left_over, kNoForm);
  }

  // Rᵀ ∂(Φ_vᵀλ − Q·with_forces) R, and its error.
  Jacobian form(const Eigen::VectorXd& lambda, bool with_forces) const {
    system::Terms terms = system_.make_terms();
    const AlongArgument along = [&](Eigen::Index j, double distance, Eigen::VectorXd& value, Report&) {
      State s = at_;
      const Eigen::VectorXd move = distance * R_.col(j);
      system_.retract(s.q, {move.data(), static_cast<std::size_t>(move.size())});
      value = R_.transpose() * left(s, lambda, with_forces, terms);
      return value.allFinite();
    };
    return differentiate(along, R_.cols());
  }

  // Φ_vᵀλ = Q, the shortest λ: without the combinations that vanish here.
  Eigen::VectorXd multipliers() const {
    system::Terms terms = system_.make_terms();
    system_.evaluate(at_, system::kAskPosition | system::kAskForces, terms);
    const Eigen::Map<const Eigen::VectorXd> Q(terms.Q.data(), system_.sizes().v);
    const Eigen::Map<const Eigen::VectorXd> scale(system_.coordinate_scale().data(), Q.size());
    const Eigen::MatrixXd rows = rows_by_scale(system_, terms);
    return linalg::solve(rows * rows.transpose() + N_ * N_.transpose(), rows * (scale.asDiagonal() * Q));
  }

  Eigen::MatrixXd mass() const {
    system::Terms terms = system_.make_terms();
    system_.evaluate(at_, system::kAskPosition, terms);
    return R_.transpose() * formulations::mass_times(system_, terms, R_);
  }

  // Of the combinations that vanish; those that vanish everywhere have none.
  std::vector<Eigen::MatrixXd> independent() const {
    const Eigen::Index f = R_.cols();
    Eigen::MatrixXd all(f * f, N_.cols());
    for (Eigen::Index k = 0; k < N_.cols(); ++k) {
      const Jacobian S = form(N_.col(k), false);
      if (S.values.size() == 0) return {};
      all.col(k) = Eigen::MatrixXd(0.5 * (S.values + S.values.transpose())).reshaped();
    }
    const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(all.transpose() * all);
    std::vector<Eigen::MatrixXd> forms;
    for (Eigen::Index k = 0; k < eigen.values.size(); ++k)
      if (eigen.values[k] > kNoForm * kNoForm)
        forms.emplace_back((all * eigen.vectors.col(k)).reshaped(f, f));
    return forms;
  }

 private:
  // Φ_vᵀλ − Q, with multipliers of scaled rows.
  Eigen::VectorXd left(const State& s, const Eigen::VectorXd& lambda, bool with_forces,
                       system::Terms& terms) const {
    system_.evaluate(s, system::kAskPosition | (with_forces ? system::kAskForces : 0u), terms);
    const Eigen::MatrixXd J = formulations::dense_rows(system_, terms).topRows(system_.sizes().holonomic);
    Eigen::VectorXd by_row = lambda;
    for (Eigen::Index r = 0; r < by_row.size(); ++r)
      by_row[r] /= system_.rows()[static_cast<std::size_t>(r)].scale;
    Eigen::VectorXd out = J.transpose() * by_row;
    if (with_forces) out -= Eigen::Map<const Eigen::VectorXd>(terms.Q.data(), out.size());
    return out;
  }

  const system::System& system_;
  const State& at_;
  Eigen::MatrixXd R_, N_;
};

// The largest, over μ, of the smallest eigenvalue of A + μB, which is concave in μ.
double largest_least(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double range) {
  const auto least = [&](double mu) { return linalg::symmetric_eigen(A + mu * B).values[0]; };
  constexpr double kGolden = std::numbers::phi - 1;
  double a = -range, b = range, c = b - kGolden * (b - a), d = a + kGolden * (b - a);
  double at_c = least(c), at_d = least(d);
  while (b - a > 1e-12 * range) {
    if (at_c > at_d) {
      b = d, d = c, at_d = at_c;
      c = b - kGolden * (b - a), at_c = least(c);
    } else {
      a = c, c = d, at_c = at_d;
      d = a + kGolden * (b - a), at_d = least(d);
    }
  }
  return std::max(at_c, at_d);
}

bool is_definite(const Eigen::MatrixXd& form) {
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(form);
  const double low = eigen.values[0], high = eigen.values.maxCoeff();
  return low * high > 0 &&
         std::min(std::abs(low), std::abs(high)) > kNoForm * std::max(std::abs(low), std::abs(high));
}

}  // namespace

void move_to_crossing(const system::System& system, State& s) {
  constexpr int kSteps = 2;  // Newton's, from a distance of 1e-8
  system::Terms terms = system.make_terms();
  for (int k = 0; k < kSteps; ++k) {
    Spaces spaces = spaces_at(system, s, terms);
    if (spaces.R.cols() == 0 || spaces.N.cols() == 0) return;
    const Eigen::VectorXd move = Forms(system, s, std::move(spaces)).step_to_crossing();
    system.retract(s.q, {move.data(), static_cast<std::size_t>(move.size())});
  }
}

std::optional<CrossingStiffness> crossing_stiffness(const system::System& system, const State& at) {
  if (system.sizes().holonomic == 0) return std::nullopt;
  system::Terms terms = system.make_terms();
  const Spaces spaces = spaces_at(system, at, terms);
  if (spaces.R.cols() == 0 || spaces.N.cols() == 0) return std::nullopt;
  CrossingStiffness out;
  const Forms forms(system, at, spaces);
  const std::vector<Eigen::MatrixXd> of_constraints = forms.independent();
  out.locked = std::ranges::any_of(of_constraints, is_definite);
  if (out.locked) return out;
  if (freedom_beside(system, at, spaces.R, terms) == spaces.R.cols()) return std::nullopt;
  const Jacobian K = forms.form(forms.multipliers(), true);
  if (of_constraints.size() != 1 || K.values.size() == 0) return out;
  Eigen::MatrixXd root = Eigen::MatrixXd::Identity(K.values.rows(), K.values.cols());
  const linalg::SymmetricEigen mass = linalg::symmetric_eigen(forms.mass());
  if (mass.values[0] > kNoMass * mass.values.maxCoeff())
    root = mass.vectors * mass.values.cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::MatrixXd A = root.transpose() * (0.5 * (K.values + K.values.transpose())) * root;
  const Eigen::MatrixXd B = root.transpose() * of_constraints[0] * root;
  const linalg::SymmetricEigen ends = linalg::symmetric_eigen(B);
  const double low = -ends.values[0], high = ends.values.maxCoeff();
  if (std::min(low, high) <= kNoForm * std::max(low, high)) return out;
  // Beyond, an eigenvalue is below all those of A.
  const double range = 2 * A.norm() / std::min(low, high) + 1e-300;
  out.least = largest_least(A, B, range);
  // Error estimates of differences hold to a factor of ten; the position is known to 1e-8.
  out.error = 10 * K.error.norm() / std::max(K.values.norm(), 1e-300) * A.norm() + 1e-8 * A.norm();
  return out;
}

}  // namespace trammel::analysis
