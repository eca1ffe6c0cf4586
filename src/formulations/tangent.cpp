#include "formulations/tangent.h"

#include <stdexcept>

namespace trammel {
namespace {

Pattern pattern_of(const System& system) {
  std::vector<std::vector<int>> cliques;
  const auto pairs = [&](const EntryPattern& pattern) {
    for (int k = 0; k < pattern.size(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (pattern.row[i] != pattern.column[i]) cliques.push_back({pattern.row[i], pattern.column[i]});
    }
  };
  pairs(system.mass_pattern());
  pairs(system.stiffness());
  const RowPattern& rows = system.jacobian();
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

TangentMatrix::TangentMatrix(const System& system, SolverChoice choice)
    : system_(system),
      pattern_(pattern_of(system)),
      values_(MatrixValues::zeros(pattern_, system.symmetric_tangent())),
      solver_(pattern_, choice) {
  const auto targets = [&](const EntryPattern& pattern) {
    std::vector<Target> list;
    for (std::size_t k = 0; k < pattern.row.size(); ++k)
      list.push_back({pattern_.find(pattern.row[k], pattern.column[k]), pattern.row[k] < pattern.column[k]});
    return list;
  };
  stiffness_target_ = targets(system.stiffness());
  damping_target_ = targets(system.damping());
  for (const Target& target : targets(system.mass_pattern())) mass_target_.push_back(target.entry);
  const RowPattern& rows = system.jacobian();
  for (std::size_t r = 0; r + 1 < rows.start.size(); ++r)
    for (int i = rows.start[r]; i < rows.start[r + 1]; ++i)
      for (int j = rows.start[r]; j <= i; ++j)
        row_target_.push_back(pattern_.find(rows.column[static_cast<std::size_t>(i)],
                                            rows.column[static_cast<std::size_t>(j)]));
}

// A symmetric tangent takes the mean of both triangles; the diagonal counts in both.
void TangentMatrix::add_entries(const EntryPattern& pattern, const std::vector<Target>& targets,
                                const std::vector<double>& values, double factor) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto entry = static_cast<std::size_t>(targets[k].entry);
    const bool diagonal = pattern.row[k] == pattern.column[k];
    if (values_.symmetric) {
      values_.lower[entry] += (diagonal ? 1.0 : 0.5) * factor * values[k];
    } else {
      if (diagonal || !targets[k].upper) values_.lower[entry] += factor * values[k];
      if (diagonal || targets[k].upper) values_.upper[entry] += factor * values[k];
    }
  }
}

FactorStatus TangentMatrix::factor(const Terms& terms, std::span<const double> weight, double damping_factor,
                                   double stiffness_factor) {
  values_.set_zero();
  const std::vector<double>& mass = terms.M;
  for (std::size_t k = 0; k < mass.size(); ++k)
    values_.lower[static_cast<std::size_t>(mass_target_[k])] = mass[k];

  const RowPattern& rows = system_.jacobian();
  const int* target = row_target_.data();
  for (std::size_t r = 0; r + 1 < rows.start.size(); ++r) {
    const double* g = terms.Phi_v.data() + rows.start[r];
    const int n = rows.start[r + 1] - rows.start[r];
    for (int i = 0; i < n; ++i) {
      const double wg = weight[r] * g[i];
      for (int j = 0; j <= i; ++j) values_.lower[static_cast<std::size_t>(*target++)] += wg * g[j];
    }
  }
  if (!values_.symmetric) values_.upper = values_.lower;
  if (stiffness_factor != 0) add_entries(system_.stiffness(), stiffness_target_, terms.K, stiffness_factor);
  if (damping_factor != 0) add_entries(system_.damping(), damping_target_, terms.C, damping_factor);
  return solver_.factor(values_);
}

}  // namespace trammel
