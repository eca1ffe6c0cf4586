#include "analysis/equilibrium.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "analysis/balance.h"
#include "analysis/equilibrium_kind.h"
#include "formulations/matrices/augmented_system.h"
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
// Newton's method has come to rest where moves are below this, and a step leaves more than this part of what
// was left before.
constexpr double kAtRest = 1e-9, kStays = 0.5;
// A force above this part of those that act moves a direction that has no stiffness; off a summit, by so
// much.
constexpr double kUnstirred = 1e-6, kOffSummit = 1e-3;
// Stiffnesses below this part of the largest are none.
constexpr double kNoStiffness = 1e-8;

// Newton's step, or as much of it as the curvature of constraints and forces bears: what is left must
// become less, or, downhill, must not turn against the step.
Report follow(Balance& balance, const Eigen::VectorXd& step, Seek seek, State& state) {
  LocalMotion& motion = balance.motion;
  const Eigen::VectorXd& left = balance.left;
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

// What else a person may try.
const char* other_search(Seek seek) {
  return seek == Seek::nearest ? ", or seek a stable one (--stable)" : "";
}

// Where the search came to an end.
Equilibrium lost(Equilibrium out, Seek seek) {
  out.report.message =
      out.report.outcome == Outcome::not_finite
          ? "a force has no finite value on the way to an equilibrium; start nearer to it"
          : fmt::format(
                "on the way to an equilibrium the mechanism came to a singular position; start on another "
                "side of it{}",
                other_search(seek));
  return out;
}

// `least`: the smallest residual on the way.
Report not_balanced(double residual, double least, Seek seek) {
  constexpr double kNothing = 0.99;
  Report report;
  report.outcome = Outcome::not_converged;
  report.message =
      least > kNothing
          ? fmt::format(
                "no equilibrium was found: nothing balances the applied forces at any of {} positions from "
                "the start on, so that the mechanism would accelerate. If it should rest, add what holds it: "
                "a spring, a counterweight, a driver. If it can rest elsewhere, start there{}",
                kMostSteps, other_search(seek))
          : fmt::format(
                "no equilibrium was found from the start in {} iterations: {:.3g} % of the applied forces "
                "stay "
                "unbalanced. Check that something can balance them, or start nearer to the equilibrium{}",
                kMostSteps, 100 * residual, other_search(seek));
  return report;
}

}  // namespace

Equilibrium find_equilibrium(const std::shared_ptr<const system::System>& system, const State& start,
                             Regime regime, Seek seek) {
  Equilibrium out;
  out.state = start;
  double move = INFINITY, least = INFINITY, before = INFINITY;
  for (out.iterations = 0;; ++out.iterations) {
    Balance balance(system, out.state, regime);
    out.report = balance.report;
    if (!out.report.accepted()) return lost(std::move(out), seek);
    out.state = balance.motion.about();
    const Jacobian K = balance.stiffness();
    out.report = K.report;
    if (!out.report.accepted()) return lost(std::move(out), seek);
    out.residual = balance.residual(K.values);
    least = std::min(least, out.residual);
    const Eigen::Index p = balance.motion.positions();
    Eigen::VectorXd step = Eigen::VectorXd::Zero(p + balance.motion.states());
    if (step.size() > 0 && balance.left.size() > 0) {
      const bool square = balance.motion.states() == 0 && p == balance.left.size();
      step = square && seek == Seek::stable ? downhill_step(K, balance.left, balance.size)
                                            : nearest_step(K, balance.left);
    }
    move = step.head(p).size() > 0 ? step.head(p).cwiseAbs().maxCoeff() : 0;
    const bool stays = move <= kAtRest && out.residual > kStays * before;
    const bool at_rest = out.residual <= kBalanced || (stays && out.residual <= kNearlyBalanced);
    before = out.residual;
    if (at_rest && (seek == Seek::nearest || move <= kAtRest)) {
      judge_stability(balance, K, *system, out);
      if (regime == Regime::statics) out.report = judge_singular(*system, out);
      if (!out.report.accepted()) return out;
      break;
    }
    if (out.iterations == kMostSteps) {
      out.report = not_balanced(out.residual, least, seek);
      return out;
    }
    out.report = follow(balance, step, seek, out.state);
    if (!out.report.accepted()) return lost(std::move(out), seek);
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
