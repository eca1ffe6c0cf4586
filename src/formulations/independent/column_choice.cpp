#include "formulations/independent/column_choice.h"

#include <Eigen/Dense>
#include <algorithm>

#include "formulations/independent/coordinate_changes.h"
#include "linalg/dense.h"

namespace trammel::formulations {
namespace {

// A choice is changed when a dependent velocity grows to this many times an independent one that it follows:
// total pivoting starts close to one, and R must not become steep where it is integrated.
constexpr double kSteep = 2;
// Below this the rows themselves have lost rank.
constexpr double kSingularColumns = 1e-10;

constexpr MemorySlot kColumns{"dependent columns", Lifetime::step};

}  // namespace

// The first m columns that total pivoting takes are the dependent ones.
bool ColumnChoice::choose(const Eigen::MatrixXd& rows) {
  const Eigen::Index n = rows.cols(), m = rows.rows();
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(rows);
  const Eigen::VectorXd pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (m > n || (m > 0 && pivots.minCoeff() <= kSingularColumns * pivots.maxCoeff())) return false;
  const auto& order = lu.permutationQ().indices();
  dependent_.assign(order.data(), order.data() + m);
  independent_.assign(order.data() + m, order.data() + n);
  std::sort(dependent_.begin(), dependent_.end());
  std::sort(independent_.begin(), independent_.end());
  return true;
}

bool ColumnChoice::recall(const State& s, Eigen::Index columns) {
  const std::vector<double>* memory = s.recall(kColumns);
  if (!memory) return false;
  dependent_.assign(memory->begin(), memory->end());
  independent_.clear();
  for (Eigen::Index k = 0; k < columns; ++k)
    if (!std::binary_search(dependent_.begin(), dependent_.end(), k)) independent_.push_back(k);
  return true;
}

bool ColumnChoice::is_degraded(const Eigen::MatrixXd& rows) const {
  if (dependent_.empty() || independent_.empty()) return false;
  const Eigen::MatrixXd block = rows(Eigen::all, dependent_);
  const Eigen::MatrixXd ratio = block.partialPivLu().solve(Eigen::MatrixXd(rows(Eigen::all, independent_)));
  return !(ratio.cwiseAbs().maxCoeff() <= kSteep);
}

bool ColumnChoice::take(const State& s, const Eigen::MatrixXd& rows) {
  return recall(s, rows.cols()) || choose(rows);
}

bool ColumnChoice::renew(State& s, const Eigen::MatrixXd& rows) {
  const bool remembered = recall(s, rows.cols());
  if (remembered && !is_degraded(rows)) return true;
  const std::vector<Eigen::Index> before = dependent_;
  if (!choose(rows)) return false;
  std::vector<double>& memory = s.remember(kColumns, dependent_.size());
  std::copy(dependent_.begin(), dependent_.end(), memory.begin());
  if (remembered && before != dependent_) count_coordinate_change(s);
  return true;
}

}  // namespace trammel::formulations
