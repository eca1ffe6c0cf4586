#include "formulations/tangent.h"

#include <algorithm>
#include <stdexcept>

namespace trammel {
namespace {

Pattern pattern_of(const System& system, const RowPattern& rows) {
  std::vector<std::vector<int>> cliques;
  const auto pairs = [&](const EntryPattern& pattern) {
    for (int k = 0; k < pattern.size(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (pattern.row[i] != pattern.column[i]) cliques.push_back({pattern.row[i], pattern.column[i]});
    }
  };
  pairs(system.mass_pattern());
  pairs(system.stiffness());
  for (int r = 0; r < rows.rows(); ++r)
    cliques.emplace_back(rows.column.begin() + rows.start[static_cast<std::size_t>(r)],
                         rows.column.begin() + rows.start[static_cast<std::size_t>(r) + 1]);
  return Pattern::from_cliques(system.sizes().v, cliques);
}

}  // namespace

SolverChoice solver_named(const std::string& name) {
  if (name == "automatic") return SolverChoice::automatic;
  if (name == "dense-cholesky") return SolverChoice::dense_cholesky;
  if (name == "sparse-cholesky") return SolverChoice::sparse_cholesky;
  if (name == "dense-lu") return SolverChoice::dense_lu;
  if (name == "klu") return SolverChoice::klu;
  throw std::invalid_argument("unknown linear solver '" + name + "'");
}

TangentMatrix::TangentMatrix(const System& system, SolverChoice choice, const RowPattern& rows)
    : system_(system), rows_(rows) {
  const auto m = static_cast<std::size_t>(rows.rows());
  if (auto recursive = system.recursive_solver())
    recursive_ =
        std::make_unique<Recursive>(Recursive{RecursiveRows(std::move(recursive), rows, system.sizes().v),
                                              std::vector<double>(m, 0.0), std::vector<double>(m, 0.0)});
  else
    matrix_ = std::make_unique<Matrix>(system, choice, rows);
}

TangentMatrix::Matrix::Matrix(const System& system, SolverChoice choice, const RowPattern& rows)
    : pattern(pattern_of(system, rows)),
      values(MatrixValues::zeros(pattern, system.symmetric_tangent())),
      solver(pattern, choice) {
  const auto targets = [&](const EntryPattern& places) {
    std::vector<Target> list;
    for (std::size_t k = 0; k < places.row.size(); ++k)
      list.push_back({pattern.find(places.row[k], places.column[k]), places.row[k] < places.column[k]});
    return list;
  };
  stiffness_target = targets(system.stiffness());
  damping_target = targets(system.damping());
  for (const Target& target : targets(system.mass_pattern())) mass_target.push_back(target.entry);
  for (std::size_t r = 0; r + 1 < rows.start.size(); ++r)
    for (int i = rows.start[r]; i < rows.start[r + 1]; ++i)
      for (int j = rows.start[r]; j <= i; ++j)
        row_target.push_back(
            pattern.find(rows.column[static_cast<std::size_t>(i)], rows.column[static_cast<std::size_t>(j)]));
}

// A symmetric tangent takes the mean of both triangles; the diagonal counts in both.
void TangentMatrix::Matrix::add_entries(const EntryPattern& places, const std::vector<Target>& targets,
                                        const std::vector<double>& entries, double factor) {
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto entry = static_cast<std::size_t>(targets[k].entry);
    const bool diagonal = places.row[k] == places.column[k];
    if (values.symmetric) {
      values.lower[entry] += (diagonal ? 1.0 : 0.5) * factor * entries[k];
    } else {
      if (diagonal || !targets[k].upper) values.lower[entry] += factor * entries[k];
      if (diagonal || targets[k].upper) values.upper[entry] += factor * entries[k];
    }
  }
}

FactorStatus TangentMatrix::factor(const Terms& terms, std::span<const double> rows,
                                   std::span<const double> weight, double damping_factor,
                                   double stiffness_factor) {
  if (recursive_) {
    for (std::size_t r = 0; r < weight.size(); ++r) recursive_->softness[r] = 1 / weight[r];
    return recursive_->rows.factor(terms, rows, recursive_->softness, damping_factor, stiffness_factor);
  }
  MatrixValues& values = matrix_->values;
  values.set_zero();
  for (std::size_t k = 0; k < terms.M.size(); ++k)
    values.lower[static_cast<std::size_t>(matrix_->mass_target[k])] = terms.M[k];

  const int* target = matrix_->row_target.data();
  for (std::size_t r = 0; r + 1 < rows_.start.size(); ++r) {
    const double* g = rows.data() + rows_.start[r];
    const int n = rows_.start[r + 1] - rows_.start[r];
    for (int i = 0; i < n; ++i) {
      const double wg = weight[r] * g[i];
      for (int j = 0; j <= i; ++j) values.lower[static_cast<std::size_t>(*target++)] += wg * g[j];
    }
  }
  if (!values.symmetric) values.upper = values.lower;
  if (stiffness_factor != 0)
    matrix_->add_entries(system_.stiffness(), matrix_->stiffness_target, terms.K, stiffness_factor);
  if (damping_factor != 0)
    matrix_->add_entries(system_.damping(), matrix_->damping_target, terms.C, damping_factor);
  return matrix_->solver.factor(values);
}

void TangentMatrix::solve(std::span<double> x) {
  if (matrix_) return matrix_->solver.solve(x);
  std::fill(recursive_->side.begin(), recursive_->side.end(), 0.0);
  recursive_->rows.solve(x, recursive_->side);
}

}  // namespace trammel
