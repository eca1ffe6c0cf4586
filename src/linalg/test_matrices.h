// Matrices for the solver tests: random ones on random patterns, and dense copies to check against.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "linalg/pattern.h"

namespace trammel::linalg {

using Random = std::mt19937;

inline double uniform(Random& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }

// One clique of up to four indices for every two unknowns: about six entries a row.
inline Pattern random_pattern(int n, Random& random) {
  std::vector<std::vector<int>> cliques;
  for (int c = 0; c < n / 2; ++c) {
    auto& clique = cliques.emplace_back(4);
    for (int& index : clique) index = static_cast<int>(random() % static_cast<unsigned>(n));
  }
  return Pattern::from_cliques(n, cliques);
}

// Unknowns in blocks, each coupled with the next: a chain of bodies.
inline Pattern chain_pattern(int blocks, int size) {
  std::vector<std::vector<int>> cliques(1);
  for (int b = 0; b < blocks; ++b) {
    auto& clique = cliques.emplace_back();
    for (int k = 0; k < size; ++k) {
      cliques[cliques.size() - 2].push_back(b * size + k);
      clique.push_back(b * size + k);
    }
  }
  return Pattern::from_cliques(blocks * size, cliques);
}

template <class F>
void for_each_entry(const Pattern& pattern, F&& f) {
  for (int j = 0; j < pattern.n; ++j) {
    const auto column = static_cast<std::size_t>(j);
    for (int k = pattern.start[column]; k < pattern.start[column + 1]; ++k) {
      f(static_cast<std::size_t>(k), pattern.row[static_cast<std::size_t>(k)], j);
    }
  }
}

// Random entries off the diagonal; diagonally dominant, so well conditioned and, if symmetric, positive
// definite. `decades` spreads the units of the unknowns over twice that many decades.
inline MatrixValues dominant_values(const Pattern& pattern, Random& random, bool symmetric,
                                    double decades = 0) {
  MatrixValues values = MatrixValues::zeros(pattern, symmetric);
  Eigen::VectorXd sum = Eigen::VectorXd::Ones(pattern.n), unit(pattern.n);
  for (double& u : unit) u = std::pow(10.0, decades * uniform(random));
  for_each_entry(pattern, [&](std::size_t k, int i, int j) {
    if (i == j) return;
    values.lower[k] = uniform(random);
    const double mirror = symmetric ? values.lower[k] : uniform(random);
    if (!symmetric) values.upper[k] = mirror;
    const double size = std::max(std::abs(values.lower[k]), std::abs(mirror));
    sum[i] += size;
    sum[j] += size;
  });
  for_each_entry(pattern, [&](std::size_t k, int i, int j) {
    if (i == j) values.lower[k] = sum[i];
    if (i == j && !symmetric) values.upper[k] = sum[i];
    values.lower[k] *= unit[i] * unit[j];
    if (!symmetric) values.upper[k] *= unit[i] * unit[j];
  });
  return values;
}

inline Eigen::MatrixXd dense_copy(const Pattern& pattern, const MatrixValues& values) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.n, pattern.n);
  const auto& upper = values.symmetric ? values.lower : values.upper;
  for_each_entry(pattern, [&](std::size_t k, int i, int j) {
    A(j, i) = upper[k];
    A(i, j) = values.lower[k];
  });
  return A;
}

inline MatrixValues from_dense(const Pattern& pattern, const Eigen::MatrixXd& A, bool symmetric) {
  MatrixValues values = MatrixValues::zeros(pattern, symmetric);
  for_each_entry(pattern, [&](std::size_t k, int i, int j) {
    values.lower[k] = A(i, j);
    if (!symmetric) values.upper[k] = A(j, i);
  });
  return values;
}

inline Pattern full_pattern(int n) { return chain_pattern(1, n); }

}  // namespace trammel::linalg
