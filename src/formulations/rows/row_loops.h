// RowLoops: products with all rows of Φ_v at once, shape by shape (row_shapes.h).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "formulations/rows/row_shapes.h"
#include "system/terms.h"

namespace trammel::formulations {

class RowLoops {
 public:
  explicit RowLoops(const system::RowPattern& rows);

  // y_r = g_r·x + bias_r, g on the pattern
  void times(std::span<const double> g, std::span<const double> x, std::span<const double> bias,
             std::span<double> y) const;
  // y −= Σ (λ_r + α_r Φ_r) g_r
  void press(std::span<const double> g, const double* lambda, const double* alpha, const double* Phi,
             std::span<double> y) const;
  // One pass of a projection: y −= Σ weight_r rate_r g_r with rate_r = g_r·x + bias_r; the largest
  // |rate_r| inverse_scale_r, infinite where one is not a number.
  struct Correction {
    std::span<const double> g, bias, inverse_scale, weight;
  };
  double correct(const Correction& by, std::span<const double> x, std::span<double> y) const;
  // One pass of augmented Lagrange after the first: e_r = weight_r (g_r·x + bias_r), λ ← λ + e,
  // y −= Σ (λ_r + e_r) g_r.
  void augment(const Correction& by, std::span<const double> x, std::span<double> lambda,
               std::span<double> y) const;
  // y_r = Σ g_rk² weight_k
  void squares(std::span<const double> g, std::span<const double> weight, std::span<double> y) const;

 private:
  template <int K, int B>
  struct Row {
    int row, entry;
    std::array<int, B> column;
  };

  template <class Share>
  void pass(std::span<const double> all_g, std::span<const double> x, std::span<double> y,
            Share&& share) const;

  const system::RowPattern& pattern_;
  RowShapes<Row> shaped_;
  std::vector<std::size_t> others_;
};

}  // namespace trammel::formulations
