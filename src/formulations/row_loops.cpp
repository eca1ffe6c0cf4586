#include "formulations/row_loops.h"

#include "formulations/rows.h"
#include "math/packed.h"
#include "math/unroll.h"

namespace trammel {

RowLoops::RowLoops(const RowPattern& rows) : pattern_(rows) {
  for (std::size_t r = 0; r + 1 < rows.start.size(); ++r) {
    const int entry = rows.start[r], edge = rows.edge[r], groups = (rows.start[r + 1] - entry) / edge;
    const bool shaped = shaped_.add(edge, groups, [&]<int K, int B>(Row<K, B>& row) {
      row.row = static_cast<int>(r);
      row.entry = entry;
      for (std::size_t b = 0; b < B; ++b)
        row.column[b] = rows.column[static_cast<std::size_t>(entry) + K * b];
      return true;
    });
    if (!shaped) others_.push_back(r);
  }
}

void RowLoops::times(std::span<const double> g, std::span<const double> x, std::span<const double> bias,
                     std::span<double> y) const {
  shaped_.for_each([g = g.data(), x = x.data(), bias = bias.data(),
                    y = y.data()]<int K, int B>(const Row<K, B>& row) {
    const double* p = g + row.entry;
    Packed<K> sum;
    unroll<B>([&](auto b) { sum = sum + Packed<K>::load(p + K * b) * Packed<K>::load(x + row.column[b]); });
    y[row.row] = sum.sum() + bias[row.row];
  });
  for (const std::size_t r : others_) y[r] = row_times(pattern_, g, r, x) + bias[r];
}

void RowLoops::add(std::span<const double> g, std::span<const double> factor, std::span<double> y) const {
  shaped_.for_each([g = g.data(), factor = factor.data(), y = y.data()]<int K, int B>(const Row<K, B>& row) {
    const double* p = g + row.entry;
    const double f = factor[row.row];
    unroll<B>([&](auto b) { add_to(y + row.column[b], Packed<K>::load(p + K * b) * f); });
  });
  for (const std::size_t r : others_) add_row(pattern_, g, r, factor[r], y);
}

// y += Σ share(r, g_r·x) g_r, each row read once.
template <class Share>
void RowLoops::pass(std::span<const double> all_g, std::span<const double> x, std::span<double> y,
                    Share&& share) const {
  shaped_.for_each([&, g = all_g.data(), x = x.data(), y = y.data()]<int K, int B>(const Row<K, B>& row) {
    Packed<K> all[B], sum;
    unroll<B>([&](auto b) {
      all[b] = Packed<K>::load(g + row.entry + K * b);
      sum = sum + all[b] * Packed<K>::load(x + row.column[b]);
    });
    const double f = share(static_cast<std::size_t>(row.row), sum.sum());
    unroll<B>([&](auto b) { add_to(y + row.column[b], all[b] * f); });
  });
  for (const std::size_t r : others_)
    add_row(pattern_, all_g, r, share(r, row_times(pattern_, all_g, r, x)), y);
}

double RowLoops::correct(const Correction& by, std::span<const double> x, std::span<double> rate,
                         std::span<double> y) const {
  double most = 0, finite = 0;
  const auto share = [&, bias = by.bias.data(), scale = by.inverse_scale.data(), weight = by.weight.data(),
                      rates = rate.data()](std::size_t r, double product) {
    const double one = rates[r] = product + bias[r], size = std::abs(one) * scale[r];
    most = most < size ? size : most;
    finite += size - size;
    return -weight[r] * one;
  };
  pass(by.g, x, y, share);
  return finite == 0 ? most : INFINITY;
}

void RowLoops::augment(const Correction& by, std::span<const double> x, bool first, std::span<double> lambda,
                       std::span<double> y) const {
  const double taken = first ? 0 : 1;
  const auto share = [&, bias = by.bias.data(), weight = by.weight.data(), lambda = lambda.data()](
                         std::size_t r, double product) {
    const double e = weight[r] * (product + bias[r]);
    lambda[r] += taken * e;
    return -(lambda[r] + e);
  };
  pass(by.g, x, y, share);
}

void RowLoops::squares(std::span<const double> g, std::span<const double> weight, std::span<double> y) const {
  shaped_.for_each([g = g.data(), weight = weight.data(), y = y.data()]<int K, int B>(const Row<K, B>& row) {
    const double* p = g + row.entry;
    Packed<K> sum;
    unroll<B>([&](auto b) {
      const Packed<K> one = Packed<K>::load(p + K * b);
      sum = sum + one * one * Packed<K>::load(weight + row.column[b]);
    });
    y[row.row] = sum.sum();
  });
  for (const std::size_t r : others_) y[r] = row_compliance(pattern_, g, r, weight);
}

}  // namespace trammel
