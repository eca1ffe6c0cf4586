#include "formulations/kkt.h"

namespace trammel {
namespace {

Pattern pattern_of(const System& system) {
  const int n = system.sizes().v;
  std::vector<std::vector<int>> pairs;
  for (std::size_t k = 0; k < system.mass_pattern().row.size(); ++k)
    pairs.push_back({system.mass_pattern().row[k], system.mass_pattern().column[k]});
  const RowPattern& rows = system.jacobian();
  for (int r = 0; r < rows.rows(); ++r)
    for (int k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
         ++k)
      pairs.push_back({n + r, rows.column[static_cast<std::size_t>(k)]});
  return Pattern::from_cliques(n + rows.rows(), pairs);
}

}  // namespace

KktMatrix::KktMatrix(const System& system)
    : pattern_(pattern_of(system)), values_(MatrixValues::zeros(pattern_, false)), solver_(pattern_) {
  for (std::size_t k = 0; k < system.mass_pattern().row.size(); ++k)
    mass_target_.push_back(pattern_.find(system.mass_pattern().row[k], system.mass_pattern().column[k]));
  const RowPattern& rows = system.jacobian();
  for (int r = 0; r < rows.rows(); ++r)
    for (int k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
         ++k)
      row_target_.push_back(pattern_.find(system.sizes().v + r, rows.column[static_cast<std::size_t>(k)]));
}

FactorStatus KktMatrix::factor(const Terms& terms) {
  values_.set_zero();
  for (std::size_t k = 0; k < mass_target_.size(); ++k)
    values_.lower[static_cast<std::size_t>(mass_target_[k])] = terms.M[k];
  for (std::size_t k = 0; k < row_target_.size(); ++k)
    values_.lower[static_cast<std::size_t>(row_target_[k])] = terms.Phi_v[k];
  values_.upper = values_.lower;
  return solver_.factor(values_);
}

}  // namespace trammel
