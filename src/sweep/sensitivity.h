// How much of the scatter of an observation each parameter causes.
//
// Sobol' indices from blocks a, b, a with one value of b (run_plan.h), with f centred:
//   first order  S_i = mean(f_b (f_ab,i − f_a))/V         Saltelli et al. (2010), table 2 (b)
//   total order  T_i = mean((f_a − f_ab,i)²)/(2V)         Jansen (1999)
// where V is the variance of f_a and f_b together. Intervals are those of 200 bootstrap samples of the
// blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trammel::sweep {

struct SensitivityIndex {
  double value = 0, low = 0, high = 0;  // with 95 % confidence
};

struct Sensitivity {
  std::vector<SensitivityIndex> first, total;  // by parameter
  std::size_t blocks = 0;                      // without a missing value
};

// `values`: of the runs of a sweep, blocks of `parameters` + 2.
Sensitivity sobol_indices(std::span<const double> values, std::size_t parameters, std::uint64_t seed);

// Spearman's rank correlation, of the runs that have both; NaN where one of them is constant.
double rank_correlation(std::span<const double> a, std::span<const double> b);

// Linear between the sorted values, without missing ones; NaN: there is none.
double quantile(std::vector<double> values, double part);

}  // namespace trammel::sweep
