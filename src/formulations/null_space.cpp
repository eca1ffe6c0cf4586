#include "formulations/null_space.h"

#include <Eigen/Dense>
#include <algorithm>

#include "formulations/coordinate_changes.h"
#include "formulations/dense_terms.h"

namespace trammel {
namespace {

// A choice of columns is changed when its smallest pivot falls below this part of its largest.
constexpr double kDegraded = 0.05;
// Below this the rows themselves have lost rank.
constexpr double kSingular = 1e-10;

constexpr const char* kMemory = "null-space columns";  // the dependent ones

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

// Takes the choice that the state remembers, if it has one.
bool NullSpace::remembered_columns(const State& s) {
  const std::vector<double>* memory = s.recall(kMemory);
  if (!memory) return false;
  dependent_.assign(memory->begin(), memory->end());
  independent_.clear();
  for (Eigen::Index k = 0; k < rows_.cols(); ++k)
    if (!std::binary_search(dependent_.begin(), dependent_.end(), k)) independent_.push_back(k);
  return true;
}

Report NullSpace::accelerate(State& s) {
  Report report;
  system_->evaluate(s, kAskPosition | kAskGamma | kAskForces, terms_);
  mass_ = dense_mass(*system_, terms_);
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
    std::vector<double>& memory = s.remember(kMemory, dependent_.size());
    std::copy(dependent_.begin(), dependent_.end(), memory.begin());
    if (remembered && before != dependent_) count_coordinate_change(s);
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
  A.bottomRows(f) = R_.transpose() * mass_;
  const Eigen::Map<const Eigen::VectorXd> Q(terms_.Q.data(), n);
  b.tail(f) = R_.transpose() * Q;
  const Eigen::VectorXd a = A.partialPivLu().solve(b);
  Eigen::Map<Eigen::VectorXd>(s.a.data(), n) = a;
  // Φ_dᵀλ = (Q − M v̇)_d
  const Eigen::VectorXd rest = Q - mass_ * a;
  Eigen::Map<Eigen::VectorXd>(s.lambda.data(), m) = lu.transpose().solve(Eigen::VectorXd(rest(dependent_)));
  return report;
}

}  // namespace trammel
