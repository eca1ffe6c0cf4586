#include "analysis/equilibrium_kind.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/crossing_stiffness.h"
#include "analysis/kinks.h"
#include "analysis/spectrum.h"
#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// Stiffnesses below this part of those that make it up are none.
constexpr double kNoPart = 1e-8;
// Estimates of errors of differences are good to this factor.
constexpr double kErrorFactor = 10;
// The stiffness of forces with a potential is symmetric to the errors of differences; this is well above
// them.
constexpr double kSymmetric = 1e-6;
// A freedom with less than this part of the largest mass counts as massless.
constexpr double kMassless = 1e-12;
// On both sides of a kink forces are looked at this far away, in units of what counts as one.
constexpr double kBesideKink = 1e-6;

using Complex = std::complex<double>;

// Columns w with wᵀM w = 1: directions that have mass; and those that have none, of length one.
struct Directions {
  Eigen::MatrixXd with_mass, massless;
};

Directions directions_of(const system::System& system, Balance& balance, const State& at) {
  system::Terms terms = system.make_terms();
  system.evaluate(at, system::kAskPosition, terms);
  const Eigen::MatrixXd R = balance.motion.basis(at);
  const linalg::SymmetricEigen mass =
      linalg::symmetric_eigen(R.transpose() * formulations::mass_times(system, terms, R));
  Eigen::Index none = 0;
  while (none < mass.values.size() && mass.values[none] <= kMassless * mass.values.maxCoeff()) ++none;
  const Eigen::Index some = mass.values.size() - none;
  return {mass.vectors.rightCols(some) *
              mass.values.tail(some).cwiseSqrt().cwiseInverse().asDiagonal().toDenseMatrix(),
          mass.vectors.leftCols(none)};
}

void set_eigenvalues(std::vector<Complex> all, Equilibrium& out) {
  std::ranges::sort(all, [](const Complex& a, const Complex& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  out.eigenvalues = std::move(all);
  out.stiffness.clear();
  for (const Complex& one : out.eigenvalues) out.stiffness.push_back(one.real());
}

// Forces with a potential. Scaled by mass where all freedoms have some, so that stiffnesses of lengths and
// angles compare.
void judge_symmetric(Balance& balance, const Eigen::MatrixXd& K, const Eigen::MatrixXd& error,
                     const Directions& directions, Equilibrium& out) {
  const Eigen::MatrixXd root =
      directions.massless.cols() == 0 ? directions.with_mass : Eigen::MatrixXd::Identity(K.rows(), K.cols());
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(root.transpose() * K * root);
  set_eigenvalues({eigen.values.begin(), eigen.values.end()}, out);
  out.kind = EquilibriumKind::stable;
  for (Eigen::Index k = 0; k < eigen.values.size(); ++k) {
    const Eigen::VectorXd w = root * eigen.vectors.col(k), parts = w.cwiseAbs();
    const double zero = std::max({kNoPart * parts.dot(K.cwiseAbs() * parts),
                                  kErrorFactor * parts.dot(error * parts), balance.changes(w)});
    if (std::abs(eigen.values[k]) <= zero) {
      ++out.zeros;
      out.stiffness[static_cast<std::size_t>(k)] = 0;
    }
    if (eigen.values[k] < -zero) out.kind = EquilibriumKind::unstable;
  }
  if (out.zeros > 0 && out.kind == EquilibriumKind::stable) out.kind = EquilibriumKind::neutral;
}

// Other forces. Massless freedoms follow the others: K₁₁ − K₁₀ K₀₀⁻¹ K₀₁.
void judge_by_motion(const Eigen::MatrixXd& K, const Eigen::MatrixXd& error, const Directions& directions,
                     Equilibrium& out) {
  const Eigen::MatrixXd &W = directions.with_mass, &N = directions.massless;
  Eigen::MatrixXd A = W.transpose() * K * W;
  Eigen::MatrixXd A_error = W.cwiseAbs().transpose() * error * W.cwiseAbs();
  std::vector<Eigenvalue> found;
  std::vector<Complex> all;
  if (N.cols() > 0) {
    const Eigen::MatrixXd held = N.transpose() * K * N;
    A -= W.transpose() * K * N * linalg::solve(held, N.transpose() * K * W);
    found = spectrum(held, N.cwiseAbs().transpose() * error * N.cwiseAbs());
    all = linalg::eigenvalues(held);
  }
  if (A.size() > 0 && A.allFinite()) {
    for (Eigenvalue& one : spectrum(A, A_error)) found.push_back(std::move(one));
    for (const Complex& one : linalg::eigenvalues(A)) all.push_back(one);
  }
  out.kind = A.allFinite() ? EquilibriumKind::stable : EquilibriumKind::neutral;
  for (const Eigenvalue& one : found) {
    const double zero = std::max(one.uncertainty, kNoPart * std::abs(one.value));
    if (one.value.real() < -zero || std::abs(one.value.imag()) > zero) out.kind = EquilibriumKind::unstable;
    const bool vanishes = std::abs(one.value) <= zero;
    if (vanishes) out.zeros += one.multiplicity;
    // Of a double eigenvalue with one eigenvector the motion grows with t: the limit of flutter.
    if (out.kind == EquilibriumKind::stable && (vanishes || one.eigenvectors < one.multiplicity))
      out.kind = EquilibriumKind::neutral;
  }
  set_eigenvalues(std::move(all), out);
}

// Where a force has a kink: with one freedom, whether the forces on both sides push back.
EquilibriumKind kind_at_kink(Balance& balance) {
  if (balance.motion.positions() != 1 || balance.motion.states() > 0) return EquilibriumKind::undecided;
  bool pushes_back = true;
  for (const double side : {1.0, -1.0}) {
    Eigen::VectorXd y = balance.motion.origin(), left;
    y[0] += side * kBesideKink;
    State s = balance.motion.about();
    if (!balance.motion.unbalanced(y, s, left).accepted()) return EquilibriumKind::undecided;
    // What rounding leaves of the forces that act is none.
    const double none = 1e-14 * std::max(balance.size[0], std::abs(left[0]));
    if (side * left[0] > none) return EquilibriumKind::unstable;
    pushes_back = pushes_back && side * left[0] < -none;
  }
  return pushes_back ? EquilibriumKind::stable : EquilibriumKind::neutral;
}

}  // namespace

void judge_stability(Balance& balance, const Jacobian& K, const system::System& system, Equilibrium& out) {
  const Eigen::Index f = balance.motion.velocities();
  if (K.values.size() == 0 || f == 0) return;
  // Across the velocities that constraints of velocities allow.
  if (balance.motion.positions() != f) {
    out.kind = EquilibriumKind::neutral;
    return;
  }
  out.kinked = has_kink(balance.motion);
  if (out.kinked) {
    out.kind = kind_at_kink(balance);
    return;
  }
  const Eigen::MatrixXd of_positions = K.values.topLeftCorner(f, f), error = K.error.topLeftCorner(f, f);
  const Eigen::MatrixXd symmetric = 0.5 * (of_positions + of_positions.transpose());
  out.symmetric = (of_positions - symmetric).norm() <= kSymmetric * of_positions.norm();
  const Directions directions = directions_of(system, balance, out.state);
  if (out.symmetric)
    judge_symmetric(balance, symmetric, error, directions, out);
  else
    judge_by_motion(of_positions, error, directions, out);
}

Report judge_singular(const system::System& system, Equilibrium& out) {
  Report report;
  const std::optional<CrossingStiffness> crossing = crossing_stiffness(system, out.state);
  out.singular = crossing.has_value();
  if (!crossing) return report;
  move_to_crossing(system, out.state);
  out.eigenvalues.clear();
  out.stiffness.clear();
  out.zeros = 0;
  if (crossing->locked) {
    out.kind = EquilibriumKind::locked;
    return report;
  }
  if (!crossing->least) {
    report.outcome = Outcome::refused;
    report.message =
        "the nearest equilibrium is a singular position in which several motions meet; whether it is stable "
        "cannot be told. Start on another side of it, or seek a stable one (--stable)";
    return report;
  }
  out.stiffness = {*crossing->least};
  out.kind = *crossing->least < -crossing->error  ? EquilibriumKind::unstable
             : *crossing->least > crossing->error ? EquilibriumKind::stable
                                                  : EquilibriumKind::neutral;
  return report;
}

double stability_margin(const Equilibrium& one, int zeros, bool with_flutter) {
  double size = 1e-300, closest = std::numeric_limits<double>::infinity();
  std::vector<double> real;
  for (const Complex& e : one.eigenvalues) {
    size = std::max(size, std::abs(e));
    if (e.imag() == 0) real.push_back(e.real());
  }
  const bool is_complex = real.size() < one.eigenvalues.size();
  // (μ₁ − μ₂)², over the size: −(2 Im μ)² of a complex pair
  if (is_complex)
    for (const Complex& e : one.eigenvalues)
      if (e.imag() != 0) closest = std::min(closest, -4 * e.imag() * e.imag() / size);
  // Of real ones that of neighbours, without those that are zero all along.
  if (with_flutter && !is_complex) {
    std::vector<double> moving = real;
    std::ranges::sort(moving, {}, [](double e) { return std::abs(e); });
    moving.erase(moving.begin(), moving.begin() + std::min<std::ptrdiff_t>(zeros, std::ssize(moving)));
    std::ranges::sort(moving);
    for (std::size_t k = 1; k < moving.size(); ++k)
      closest = std::min(closest, (moving[k] - moving[k - 1]) * (moving[k] - moving[k - 1]) / size);
  }
  // The zeros stay among the lowest ones, whether another has passed below them or not.
  const std::size_t lowest = static_cast<std::size_t>(zeros) + 1;
  if (real.size() < lowest) return closest;
  return std::min(closest, std::accumulate(real.begin(), real.begin() + zeros + 1, 0.0));
}

}  // namespace trammel::analysis
