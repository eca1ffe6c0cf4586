#include "formulations/null_space.h"

#include <Eigen/Dense>
#include <algorithm>

#include "formulations/dense_terms.h"

namespace trammel {
namespace {

// A choice of columns is changed when its smallest pivot falls below this part of its largest.
constexpr double kDegraded = 0.05;
// Below this the rows themselves have lost rank.
constexpr double kSingular = 1e-10;

constexpr const char* kMemory = "null-space columns";  // the dependent ones, then the number of changes

// Smallest over largest pivot of the dependent block.
double conditioning(const Eigen::MatrixXd& block) {
  if (block.size() == 0) return 1;
  const Eigen::VectorXd pivots = block.fullPivLu().matrixLU().diagonal().cwiseAbs();
  return pivots.minCoeff() / std::max(pivots.maxCoeff(), 1e-300);
}

}  // namespace

NullSpace::NullSpace(std::shared_ptr<const System> system, const Plan& plan)
    : AccelerationForm(std::move(system), plan, true) {
  if (plan.stabilized) stabilization_ = stabilization_of(plan);
  if (system_->sizes().rows == 0)
    free_ = std::make_unique<TangentMatrix>(*system_, solver_named(plan.solver));
}

// Total pivoting: the first m columns it takes are the dependent ones. False when the rows have lost rank.
bool NullSpace::choose_columns() {
  const Eigen::Index n = rows_.cols(), m = rows_.rows();
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(rows_);
  const Eigen::VectorXd pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (m > n || (m > 0 && pivots.minCoeff() <= kSingular * pivots.maxCoeff())) return false;
  const auto& order = lu.permutationQ().indices();
  dependent_.assign(order.data(), order.data() + m);
  independent_.assign(order.data() + m, order.data() + n);
  std::sort(dependent_.begin(), dependent_.end());
  std::sort(independent_.begin(), independent_.end());
  return true;
}

int NullSpace::pivot_changes(const State& s) {
  const std::vector<double>* memory = s.recall(kMemory);
  return memory ? static_cast<int>(memory->back()) : 0;
}

// Takes the choice that the state remembers, if it has one.
bool NullSpace::remembered_columns(const State& s) {
  const std::vector<double>* memory = s.recall(kMemory);
  if (!memory) return false;
  dependent_.assign(memory->begin(), memory->end() - 1);
  independent_.clear();
  for (Eigen::Index k = 0; k < rows_.cols(); ++k)
    if (!std::binary_search(dependent_.begin(), dependent_.end(), k)) independent_.push_back(k);
  return true;
}

// Nothing to hold: R = 1.
Report NullSpace::accelerate_free(State& s) {
  Report report;
  if (free_->factor(terms_, {}, 0, 0) != FactorStatus::ok) {
    report.outcome = Outcome::singular;
    report.message = "a direction has no mass; use augmented-lagrangian-index3";
    return report;
  }
  s.a = terms_.Q;
  free_->solve(s.a);
  return report;
}

Report NullSpace::accelerate(State& s) {
  Report report;
  system_->evaluate(s, kAskPosition | kAskGamma | kAskForces, terms_);
  if (free_) return accelerate_free(s);
  rows_ = dense_rows(*system_, terms_);
  const Eigen::Index n = rows_.cols(), m = rows_.rows(), f = n - m;
  const auto block = [&] { return Eigen::MatrixXd(rows_(Eigen::all, dependent_)); };
  const bool remembered = remembered_columns(s);
  if (!remembered || conditioning(block()) < kDegraded) {
    const std::vector<Eigen::Index> before = dependent_;
    if (!choose_columns()) {
      report.outcome = Outcome::singular;
      report.message =
          "the constraints lose rank here: a singular position, where null-space cannot go on; use "
          "augmented-lagrangian-index3";
      return report;
    }
    std::vector<double>& memory = s.remember(kMemory, dependent_.size() + 1);
    std::copy(dependent_.begin(), dependent_.end(), memory.begin());
    if (remembered && before != dependent_) memory.back() += 1;
  }
  const Eigen::MatrixXd dependent = block();
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(dependent);
  R_ = Eigen::MatrixXd::Zero(n, f);
  if (f > 0) {
    R_(dependent_, Eigen::all) = -lu.solve(Eigen::MatrixXd(rows_(Eigen::all, independent_)));
    for (Eigen::Index k = 0; k < f; ++k) R_(independent_[static_cast<std::size_t>(k)], k) = 1;
  }
  Eigen::MatrixXd A(n, n);
  Eigen::VectorXd b(n);
  for (Eigen::Index r = 0; r < m; ++r)
    b[r] = constraint_side(*system_, terms_, s, static_cast<std::size_t>(r), stabilization_);
  A.topRows(m) = rows_;
  A.bottomRows(f) = mass_times(*system_, terms_, R_).transpose();
  const Eigen::Map<const Eigen::VectorXd> Q(terms_.Q.data(), n);
  b.tail(f) = R_.transpose() * Q;
  const Eigen::VectorXd a = A.partialPivLu().solve(b);
  Eigen::Map<Eigen::VectorXd>(s.a.data(), n) = a;
  // Φ_dᵀλ = (Q − M v̇)_d
  const Eigen::VectorXd rest = Q - mass_times(*system_, terms_, a);
  Eigen::Map<Eigen::VectorXd>(s.lambda.data(), m) = lu.transpose().solve(Eigen::VectorXd(rest(dependent_)));
  return report;
}

}  // namespace trammel
