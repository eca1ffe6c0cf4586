#include "analysis/equilibrium.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "analysis/crossing_stiffness.h"
#include "analysis/differences.h"
#include "formulations/matrices/augmented_system.h"
#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// Far from an equilibrium steps are limited: so many cross a turn of every joint several times.
constexpr int kMostSteps = 300;
// No coordinate moves further in one iteration, as a part of what counts as one.
constexpr double kLongestStep = 0.2;
// How often a step is halved, and how often for the sake of the forces alone: over a hill they grow.
constexpr int kHalvings = 20, kPatience = 5;
// Unbalanced forces below this part of those that act are rounding.
constexpr double kBalanced = 1e-11;
// Where Newton's method moves no further, rounding of large forces may leave more.
constexpr double kNearlyBalanced = 1e-8;
// Newton's method has come to rest where moves are below this.
constexpr double kAtRest = 1e-9;
// A force above this part of those that act moves a direction that has no stiffness; off a summit, by so
// much.
constexpr double kUnstirred = 1e-6, kOffSummit = 1e-3;
// Stiffnesses below this part of the largest are none.
constexpr double kNoStiffness = 1e-8;
// The stiffness of forces with a potential is symmetric to the errors of differences; this is well above
// them.
constexpr double kSymmetric = 1e-6;
// A freedom with less than this part of the largest mass counts as massless.
constexpr double kMassless = 1e-12;

// The forces at one position, and how they change with (z, x).
class Balance {
 public:
  Balance(const std::shared_ptr<const system::System>& system, const State& at, Regime regime)
      : motion(system, at, regime), report(motion.report()) {
    if (!report.accepted()) return;
    State s = motion.about();
    report = motion.unbalanced(motion.origin(), s, left);
    if (!report.accepted()) return;
    // What the forces that act would leave if none balanced another.
    system::Terms terms = system->make_terms();
    system->evaluate(s, system::kAskForces, terms);
    const Eigen::MatrixXd R = motion.basis(s);
    size = Eigen::VectorXd::Zero(left.size());
    for (Eigen::Index k = 0; k < R.cols(); ++k)
      for (Eigen::Index i = 0; i < R.rows(); ++i)
        size[k] += std::abs(R(i, k) * terms.Q[static_cast<std::size_t>(i)]);
    for (Eigen::Index k = R.cols(); k < size.size(); ++k)
      size[k] = motion.unit()[motion.positions() + k];  // of states
  }

  // −∂left/∂(z, x)
  Jacobian stiffness() {
    const Eigen::Index positions = motion.positions(), all = positions + motion.states();
    const AlongArgument along = [&](Eigen::Index j, double distance, Eigen::VectorXd& value, Report& r) {
      Eigen::VectorXd y = motion.origin();
      const Eigen::Index place = j < positions ? j : j + motion.velocities();
      y[place] += distance * motion.unit()[place];
      State s = motion.about();
      r = motion.unbalanced(y, s, value);
      value *= -1;
      return r.accepted();
    };
    Jacobian jacobian = differentiate(along, all);
    for (Eigen::Index j = positions; j < all && jacobian.values.size() > 0; ++j)
      jacobian.values.col(j) /= motion.unit()[j + motion.velocities()];
    return jacobian;
  }

  // As a part of the forces that act, or that a move of what counts as one would bring about: in coordinates
  // of joints, forces that balance do not act at all.
  double residual(const Eigen::MatrixXd& K) const {
    double worst = 0;
    for (Eigen::Index k = 0; k < left.size(); ++k)
      if (const double all = std::max(size[k], K.row(k).norm()); all > 0)
        worst = std::max(worst, std::abs(left[k]) / all);
    return worst;
  }

  // How much the stiffness along a direction of z, dᵀK d, changes where the position changes by its error.
  // Where it vanishes, forces balance to second order, and the position is known to the root of kBalanced.
  double changes(const Eigen::VectorXd& direction) {
    constexpr double kMove = 0.01, kPositionError = 1e-5;
    const double length = direction.lpNorm<Eigen::Infinity>();
    double force = -2 * left.head(direction.size()).dot(direction);
    for (const double sign : {1.0, -1.0}) {
      Eigen::VectorXd y = motion.origin(), there;
      y.head(direction.size()) += sign * kMove / length * direction;
      State s = motion.about();
      if (!motion.unbalanced(y, s, there).accepted()) return 0;
      force += there.head(direction.size()).dot(direction);
    }
    return std::abs(force) * length / (kMove * kMove) * kPositionError;
  }

  // Newton's step, or as much of it as the curvature of constraints and forces bears: what is left must
  // become less, or, downhill, must not turn against the step.
  Report follow(const Eigen::VectorXd& step, Seek seek, State& state) {
    const Eigen::Index p = motion.positions();
    const double move = p > 0 ? step.head(p).lpNorm<Eigen::Infinity>() : 0;
    double part = move > kLongestStep ? kLongestStep / move : 1;
    const bool downhill = seek == Seek::stable && step.size() == left.size();
    Report last;
    Eigen::VectorXd then;
    for (int halving = 0; halving < kHalvings; ++halving, part /= 2) {
      Eigen::VectorXd y = motion.origin();
      y.head(p) += part * step.head(p);
      y.tail(motion.states()) += part * step.tail(motion.states());
      State next = state;
      last = motion.unbalanced(y, next, then);
      if (!last.accepted()) continue;
      const bool better = downhill ? then.dot(step) > -0.5 * left.dot(step) : then.norm() < left.norm();
      if (!better && halving < kPatience) continue;
      // Angles count their turns from iterate to iterate.
      system::Terms terms = motion.system().make_terms();
      if (!motion.system().accept_angles(next, terms, 1).empty()) continue;
      state = next;
      return last;
    }
    return last;
  }

  LocalMotion motion;
  Report report;
  Eigen::VectorXd left, size;
};

// Newton's step, the shortest one. K need not be symmetric away from the equilibrium. Stiffnesses within the
// error of the differences are none: their sign would be that of rounding. Forces that no stiffness balances
// tell which way to go.
Eigen::VectorXd nearest_step(const Jacobian& K, const Eigen::VectorXd& left) {
  constexpr double kUnanswered = 0.5;  // part of the forces
  constexpr double kAboveError = 10;   // estimates of errors are good to a small factor
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors(K.values.rows(), K.values.cols());
  // The first pivot is the length of the longest column.
  if (const double longest = K.values.colwise().norm().maxCoeff(); longest > 0)
    factors.setThreshold(kAboveError * K.error.norm() / longest);
  Eigen::VectorXd step = factors.compute(K.values).solve(left);
  const Eigen::VectorXd rest = left - K.values * step;
  if (K.values.rows() == K.values.cols() && rest.norm() > kUnanswered * left.norm())
    step += kLongestStep / rest.norm() * rest;
  return step;
}

// Downhill: Newton's step K dz = left along the eigenvectors of K, in which directions of negative stiffness
// count as if they were positive. Where a direction has no stiffness the force tells which way to go.
Eigen::VectorXd downhill_step(const Jacobian& K, const Eigen::VectorXd& left, const Eigen::VectorXd& size) {
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(0.5 * (K.values + K.values.transpose()));
  const double largest = eigen.values.cwiseAbs().maxCoeff();
  if (eigen.values[0] > -kNoStiffness * largest) return nearest_step(K, left);
  Eigen::VectorXd along = eigen.vectors.transpose() * left;
  for (Eigen::Index k = 0; k < along.size(); ++k) {
    const double force = along[k], stiffness = std::abs(eigen.values[k]);
    const double acting = eigen.vectors.col(k).cwiseAbs().dot(size);
    along[k] = stiffness > kNoStiffness * largest      ? force / stiffness
               : std::abs(force) > kUnstirred * acting ? std::copysign(kLongestStep, force)
                                                       : 0;
    // Where forces balance on a summit, a little aside.
    if (eigen.values[k] < -kNoStiffness * largest && std::abs(along[k]) < kOffSummit)
      along[k] = std::copysign(kOffSummit, along[k]);
  }
  return eigen.vectors * along;
}

void judge_stability(Balance& balance, const Jacobian& K, Equilibrium& out, const system::System& system) {
  const Eigen::Index f = balance.motion.velocities();
  if (K.values.size() == 0 || f == 0) return;
  // Across the velocities that constraints of velocities allow.
  const Eigen::Index p = balance.motion.positions();
  if (p != f) {
    out.kind = EquilibriumKind::neutral;
    return;
  }
  const Eigen::MatrixXd of_positions = K.values.topLeftCorner(f, f);
  const Eigen::MatrixXd symmetric = 0.5 * (of_positions + of_positions.transpose());
  const double size = of_positions.norm();
  out.symmetric = (of_positions - symmetric).norm() <= kSymmetric * size;
  // Scaled by mass where there is some, so that stiffnesses of lengths and angles compare.
  system::Terms terms = system.make_terms();
  system.evaluate(out.state, system::kAskPosition, terms);
  const Eigen::MatrixXd R = balance.motion.basis(out.state);
  const Eigen::MatrixXd M = R.transpose() * formulations::mass_times(system, terms, R);
  const linalg::SymmetricEigen mass = linalg::symmetric_eigen(M);
  Eigen::MatrixXd root = Eigen::MatrixXd::Identity(f, f);
  if (mass.values.size() > 0 && mass.values[0] > kMassless * mass.values.maxCoeff())
    root = mass.vectors * mass.values.cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::MatrixXd A = root.transpose() * symmetric * root;
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(A);
  out.stiffness.assign(eigen.values.begin(), eigen.values.end());
  const double largest = eigen.values.cwiseAbs().maxCoeff();
  const double none = std::max(kNoStiffness * largest, K.error.norm() / std::max(size, 1e-300) * largest);
  out.kind = EquilibriumKind::stable;
  for (Eigen::Index k = 0; k < eigen.values.size(); ++k) {
    const double zero = std::max(none, balance.changes(root * eigen.vectors.col(k)));
    if (eigen.values[k] < -zero) {
      out.kind = EquilibriumKind::unstable;
      return;
    }
    if (eigen.values[k] <= zero) out.kind = EquilibriumKind::neutral;
  }
}

// Where motions cross, the stiffness along them decides.
Report judge_crossing(const system::System& system, Equilibrium& out) {
  Report report;
  const std::optional<CrossingStiffness> crossing = crossing_stiffness(system, out.state);
  out.singular = crossing.has_value();
  if (!crossing) return report;
  if (!crossing->least) {
    report.outcome = Outcome::refused;
    report.message =
        "the nearest equilibrium is a singular position in which several motions meet; whether it is stable "
        "cannot be told. Start on another side of it, or seek a stable one";
    return report;
  }
  out.stiffness = {*crossing->least};
  out.kind = *crossing->least < -crossing->error  ? EquilibriumKind::unstable
             : *crossing->least > crossing->error ? EquilibriumKind::stable
                                                  : EquilibriumKind::neutral;
  return report;
}

// Where the search came to an end.
Equilibrium lost(Equilibrium out) {
  out.report.message = out.report.outcome == Outcome::not_finite
                           ? "a force has no finite value on the way to an equilibrium; start nearer to it"
                           : "on the way to an equilibrium the mechanism came to a singular position; start "
                             "on another side of it, or "
                             "seek a stable one";
  return out;
}

}  // namespace

Equilibrium find_equilibrium(const std::shared_ptr<const system::System>& system, const State& start,
                             Regime regime, Seek seek) {
  Equilibrium out;
  out.state = start;
  double move = INFINITY;
  for (out.iterations = 0;; ++out.iterations) {
    Balance balance(system, out.state, regime);
    out.report = balance.report;
    if (!out.report.accepted()) return lost(std::move(out));
    out.state = balance.motion.about();
    const Jacobian K = balance.stiffness();
    out.report = K.report;
    if (!out.report.accepted()) return lost(std::move(out));
    out.residual = balance.residual(K.values);
    const Eigen::Index p = balance.motion.positions();
    Eigen::VectorXd step = Eigen::VectorXd::Zero(p + balance.motion.states());
    if (step.size() > 0 && balance.left.size() > 0) {
      const bool square = balance.motion.states() == 0 && p == balance.left.size();
      step = square && seek == Seek::stable ? downhill_step(K, balance.left, balance.size)
                                            : nearest_step(K, balance.left);
    }
    move = step.head(p).size() > 0 ? step.head(p).cwiseAbs().maxCoeff() : 0;
    const bool at_rest = out.residual <= kBalanced || (move <= kAtRest && out.residual <= kNearlyBalanced);
    if (at_rest && (seek == Seek::nearest || move <= kAtRest)) {
      judge_stability(balance, K, out, *system);
      if (regime == Regime::statics) out.report = judge_crossing(*system, out);
      if (!out.report.accepted()) return out;
      break;
    }
    if (out.iterations == kMostSteps) {
      out.report.outcome = Outcome::not_converged;
      out.report.message = fmt::format(
          "no equilibrium was found from the start in {} iterations; forces stay unbalanced by {:.2g} of "
          "those "
          "that act. Start nearer to one, seek a stable one, or check that the forces can balance",
          kMostSteps, out.residual);
      return out;
    }
    out.report = balance.follow(step, seek, out.state);
    if (!out.report.accepted()) return lost(std::move(out));
  }
  find_reactions(*system, regime, out);
  return out;
}

void find_reactions(const system::System& system, Regime regime, Equilibrium& out) {
  system::Terms terms = system.make_terms();
  system.evaluate(out.state,
                  system::kAskPosition | system::kAskGamma | system::kAskForces | system::kAskEnergy, terms);
  out.potential = terms.potential;
  // M v̇ + Φ_vᵀλ = Q; at rest with Φ_v v̇ = 0: nothing accelerates, whatever drivers would do later.
  if (regime == Regime::statics) std::fill(terms.gamma.begin(), terms.gamma.end(), 0.0);
  formulations::AugmentedSystem equations(system, ResolvedPlan{});
  equations.use_conjugates(true);
  out.report = equations.factor(terms);
  if (out.report.accepted())
    out.report = equations.solve(terms, terms.Q, terms.gamma, out.state.a, out.state.lambda);
}

}  // namespace trammel::analysis
