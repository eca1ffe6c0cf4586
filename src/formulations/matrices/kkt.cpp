#include "formulations/matrices/kkt.h"

namespace trammel::formulations {
namespace {

linalg::Pattern pattern_of(const system::Dynamics& system) {
  const int n = system.sizes().v;
  std::vector<std::vector<int>> pairs;
  for (std::size_t k = 0; k < system.mass_pattern().row.size(); ++k)
    pairs.push_back({system.mass_pattern().row[k], system.mass_pattern().column[k]});
  const system::RowPattern& rows = system.jacobian();
  for (int r = 0; r < rows.rows(); ++r)
    for (int k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
         ++k)
      pairs.push_back({n + r, rows.column[static_cast<std::size_t>(k)]});
  return linalg::Pattern::from_cliques(n + rows.rows(), pairs);
}

}  // namespace

KktMatrix::KktMatrix(const system::Dynamics& system)
    : columns_(static_cast<std::size_t>(system.sizes().v)),
      softness_(static_cast<std::size_t>(system.sizes().rows), 0.0) {
  if (auto recursive = system.recursive_solver())
    recursive_ = std::make_unique<RecursiveRows>(std::move(recursive), system.jacobian(), system.sizes().v);
  else
    matrix_ = std::make_unique<Matrix>(system);
}

KktMatrix::Matrix::Matrix(const system::Dynamics& system)
    : pattern(pattern_of(system)), values(linalg::MatrixValues::zeros(pattern, false)), solver(pattern) {
  for (std::size_t k = 0; k < system.mass_pattern().row.size(); ++k)
    mass_target.push_back(pattern.find(system.mass_pattern().row[k], system.mass_pattern().column[k]));
  const system::RowPattern& rows = system.jacobian();
  for (int r = 0; r < rows.rows(); ++r)
    for (int k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
         ++k)
      row_target.push_back(pattern.find(system.sizes().v + r, rows.column[static_cast<std::size_t>(k)]));
}

linalg::FactorStatus KktMatrix::factor(const system::Terms& terms) {
  if (recursive_) return recursive_->factor(terms, terms.Phi_v, softness_, 0, 0);
  linalg::MatrixValues& values = matrix_->values;
  values.set_zero();
  for (std::size_t k = 0; k < matrix_->mass_target.size(); ++k)
    values.lower[static_cast<std::size_t>(matrix_->mass_target[k])] = terms.M[k];
  for (std::size_t k = 0; k < matrix_->row_target.size(); ++k)
    values.lower[static_cast<std::size_t>(matrix_->row_target[k])] = terms.Phi_v[k];
  values.upper = values.lower;
  return matrix_->solver.factor(values);
}

void KktMatrix::solve(std::span<double> x) {
  if (matrix_) return matrix_->solver.solve(x);
  recursive_->solve(x.first(columns_), x.subspan(columns_));
}

}  // namespace trammel::formulations
