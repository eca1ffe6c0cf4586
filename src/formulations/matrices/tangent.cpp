#include "formulations/matrices/tangent.h"

#include <algorithm>

namespace trammel::formulations {
namespace {

// Coupled are whole groups of coordinates: the factor fills them anyway, and they can be added as blocks.
linalg::Pattern pattern_of(const system::Dynamics& system, const system::RowPattern& rows) {
  const int block = rows.block;
  std::vector<std::vector<int>> cliques;
  const auto pairs = [&](const system::EntryPattern& pattern) {
    for (std::size_t k = 0; k < pattern.row.size(); ++k) {
      const int i = pattern.row[k] / block, j = pattern.column[k] / block;
      if (i != j) cliques.push_back({i, j});
    }
  };
  pairs(system.mass_pattern());
  pairs(system.stiffness());
  for (std::size_t r = 0; r + 1 < rows.start.size(); ++r) {
    std::vector<int>& clique = cliques.emplace_back();
    for (int k = rows.start[r]; k < rows.start[r + 1]; ++k)
      clique.push_back(rows.column[static_cast<std::size_t>(k)] / block);
  }
  return linalg::Pattern::from_cliques(system.sizes().v / block, cliques).expanded(block);
}

}  // namespace

TangentMatrix::TangentMatrix(const system::Dynamics& system, SolverChoice choice,
                             const system::RowPattern& rows)
    : system_(system), rows_(rows) {
  const auto m = static_cast<std::size_t>(rows.rows());
  if (auto recursive = system.recursive_solver())
    recursive_ =
        std::make_unique<Recursive>(Recursive{RecursiveRows(std::move(recursive), rows, system.sizes().v),
                                              std::vector<double>(m, 0.0), std::vector<double>(m, 0.0)});
  else
    matrix_ = std::make_unique<Matrix>(system, choice, rows);
}

TangentMatrix::Matrix::Matrix(const system::Dynamics& system, SolverChoice choice,
                              const system::RowPattern& rows)
    : pattern(pattern_of(system, rows)),
      solver(pattern, choice),
      symmetric(system.symmetric_tangent()),
      constant_mass(system.constant_mass()) {
  if (!symmetric || !solver.cholesky()) {
    entries = std::make_unique<Entries>(system, pattern, rows);
    return;
  }
  const std::vector<int>& place = solver.cholesky()->place();
  const auto place_of = [&](const system::EntryPattern& places, std::size_t k) {
    return place[static_cast<std::size_t>(pattern.find(places.row[k], places.column[k]))];
  };
  const auto shares = [&](const system::EntryPattern& places) {
    std::vector<Share> list;
    for (std::size_t k = 0; k < places.row.size(); ++k)
      list.push_back({place_of(places, k), places.row[k] == places.column[k] ? 1.0 : 0.5});
    return list;
  };
  tiles.emplace(rows, pattern, place);
  for (std::size_t k = 0; k < system.mass_pattern().row.size(); ++k)
    mass.push_back(place_of(system.mass_pattern(), k));
  stiffness = shares(system.stiffness());
  if (system.has_damping()) damping = shares(system.damping());
}

inline void TangentMatrix::Matrix::fill_storage(const system::Terms& terms, std::span<const double> rows,
                                                std::span<const double> weight, double damping_factor,
                                                double stiffness_factor) {
  const std::span<double> storage = solver.cholesky()->storage();
  if (image.empty()) {
    std::fill(storage.begin(), storage.end(), 0.0);
    for (std::size_t k = 0; k < mass.size(); ++k) storage[static_cast<std::size_t>(mass[k])] = terms.M[k];
    if (constant_mass) image.assign(storage.begin(), storage.end());
  } else {
    std::copy(image.begin(), image.end(), storage.begin());
  }
  tiles->add(rows, weight, storage.data());
  const auto add = [&](const std::vector<Share>& shares, const std::vector<double>& values, double factor) {
    if (factor == 0) return;
    for (std::size_t k = 0; k < shares.size(); ++k)
      storage[static_cast<std::size_t>(shares[k].place)] += factor * shares[k].part * values[k];
  };
  add(stiffness, terms.K, stiffness_factor);
  add(damping, terms.C, damping_factor);
}

TangentMatrix::Entries::Entries(const system::Dynamics& system, const linalg::Pattern& pattern,
                                const system::RowPattern& of_rows)
    : values(linalg::MatrixValues::zeros(pattern, system.symmetric_tangent())) {
  const auto targets = [&](const system::EntryPattern& places) {
    std::vector<int> list;
    for (std::size_t k = 0; k < places.row.size(); ++k)
      list.push_back(pattern.find(places.row[k], places.column[k]));
    return list;
  };
  mass = targets(system.mass_pattern());
  stiffness = targets(system.stiffness());
  damping = targets(system.damping());
  for (std::size_t r = 0; r + 1 < of_rows.start.size(); ++r)
    for (int i = of_rows.start[r]; i < of_rows.start[r + 1]; ++i)
      for (int j = of_rows.start[r]; j <= i; ++j)
        rows.push_back(pattern.find(of_rows.column[static_cast<std::size_t>(i)],
                                    of_rows.column[static_cast<std::size_t>(j)]));
}

// A symmetric tangent takes the mean of both triangles; the diagonal counts in both.
void TangentMatrix::Entries::add(const system::EntryPattern& places, const std::vector<int>& targets,
                                 const std::vector<double>& entries, double factor) {
  if (factor == 0) return;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto entry = static_cast<std::size_t>(targets[k]);
    const bool diagonal = places.row[k] == places.column[k], upper = places.row[k] < places.column[k];
    if (values.symmetric) {
      values.lower[entry] += (diagonal ? 1.0 : 0.5) * factor * entries[k];
    } else {
      if (diagonal || !upper) values.lower[entry] += factor * entries[k];
      if (diagonal || upper) values.upper[entry] += factor * entries[k];
    }
  }
}

const linalg::MatrixValues& TangentMatrix::Matrix::fill_entries(
    const system::Dynamics& system, const system::RowPattern& of_rows, const system::Terms& terms,
    std::span<const double> rows, std::span<const double> weight, double damping_factor,
    double stiffness_factor) {
  if (!entries) entries = std::make_unique<Entries>(system, pattern, of_rows);
  linalg::MatrixValues& values = entries->values;
  values.set_zero();
  for (std::size_t k = 0; k < terms.M.size(); ++k)
    values.lower[static_cast<std::size_t>(entries->mass[k])] = terms.M[k];
  const int* target = entries->rows.data();
  for (std::size_t r = 0; r + 1 < of_rows.start.size(); ++r) {
    const double* g = rows.data() + of_rows.start[r];
    const int n = of_rows.start[r + 1] - of_rows.start[r];
    for (int i = 0; i < n; ++i) {
      const double wg = weight[r] * g[i];
      for (int j = 0; j <= i; ++j) values.lower[static_cast<std::size_t>(*target++)] += wg * g[j];
    }
  }
  if (!values.symmetric) values.upper = values.lower;
  entries->add(system.stiffness(), entries->stiffness, terms.K, stiffness_factor);
  entries->add(system.damping(), entries->damping, terms.C, damping_factor);
  return values;
}

linalg::FactorStatus TangentMatrix::factor(const system::Terms& terms, std::span<const double> rows,
                                           std::span<const double> weight, double damping_factor,
                                           double stiffness_factor) {
  if (recursive_) return recursive_->factor(terms, rows, weight, damping_factor, stiffness_factor);
  linalg::AutoSolver& solver = matrix_->solver;
  if (matrix_->tiles) {
    matrix_->fill_storage(terms, rows, weight, damping_factor, stiffness_factor);
    const linalg::FactorStatus status = solver.factor_storage();
    if (status != linalg::FactorStatus::not_positive_definite || !solver.has_lu()) return status;
  }
  const linalg::MatrixValues& values =
      matrix_->fill_entries(system_, rows_, terms, rows, weight, damping_factor, stiffness_factor);
  return solver.has_lu() ? solver.factor_by_lu(values) : solver.factor(values);
}

linalg::FactorStatus TangentMatrix::Recursive::factor(const system::Terms& terms,
                                                      std::span<const double> of_rows,
                                                      std::span<const double> weight, double damping_factor,
                                                      double stiffness_factor) {
  for (std::size_t r = 0; r < weight.size(); ++r) softness[r] = 1 / weight[r];
  return rows.factor(terms, of_rows, softness, damping_factor, stiffness_factor);
}

void TangentMatrix::Recursive::solve(std::span<double> x) {
  std::fill(side.begin(), side.end(), 0.0);
  rows.solve(x, side);
}

void TangentMatrix::solve(std::span<double> x) {
  if (matrix_)
    matrix_->solver.solve(x);
  else
    recursive_->solve(x);
}

}  // namespace trammel::formulations
