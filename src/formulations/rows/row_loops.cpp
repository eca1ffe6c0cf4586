#include "formulations/rows/row_loops.h"

#include "formulations/rows/rows.h"
#include "math/lanes.h"
#include "math/spans.h"
#include "math/unroll.h"

namespace trammel::formulations {

RowLoops::RowLoops(const system::RowPattern& rows) : pattern_(rows) {
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

// All of these are flattened: a row is a few dozen instructions, and a call within it costs as much again.
[[gnu::flatten]] void RowLoops::times(std::span<const double> g, std::span<const double> x,
                                      std::span<const double> bias, std::span<double> y) const {
  shaped_.for_each([g = g.data(), x = x.data(), bias = bias.data(), y = y.data()]<int K, int B>(
                       const Row<K, B>* rows, auto lanes) {
    math::Packed<K> sum[lanes];
    math::unroll<lanes>([&](auto l) {
      const double* p = g + rows[l].entry;
      math::unroll<B>([&](auto b) {
        sum[l] = sum[l] + math::Packed<K>::load(p + K * b) * math::Packed<K>::load(x + rows[l].column[b]);
      });
    });
    const auto row = [rows](int l) { return rows[l].row; };
    math::scatter<lanes>(y, row, math::sums(sum) + math::gather<lanes>(bias, row));
  });
  for (const std::size_t r : others_) y[r] = row_times(pattern_, g, r, x) + bias[r];
}

// y −= Σ share(r, g_r·x) g_r, each row read once.
template <class Share>
void RowLoops::pass(std::span<const double> all_g, std::span<const double> x, std::span<double> y,
                    Share&& share) const {
  shaped_.for_each([&, g = all_g.data(), x = x.data(), y = y.data()]<int K, int B>(const Row<K, B>* rows,
                                                                                   auto lanes) {
    math::Packed<K> all[lanes][B], sum[lanes];
    math::unroll<lanes>([&](auto l) {
      math::unroll<B>([&](auto b) {
        all[l][b] = math::Packed<K>::load(g + rows[l].entry + K * b);
        const math::Packed<K> part = all[l][b] * math::Packed<K>::load(x + rows[l].column[b]);
        sum[l] = b == 0 ? part : sum[l] + part;
      });
    });
    const auto f = share(
        lanes, [rows](int l) { return rows[l].row; }, math::sums(sum));
    math::unroll<lanes>([&](auto l) {
      math::unroll<B>([&](auto b) { math::take_from(y + rows[l].column[b], all[l][b] * math::lane(f, l)); });
    });
  });
  constexpr std::integral_constant<int, 1> kOne;
  for (const std::size_t r : others_)
    add_row(pattern_, all_g, r,
            -share(
                kOne, [r](int) { return r; }, row_times(pattern_, all_g, r, x)),
            y);
}

[[gnu::flatten]] double RowLoops::correct(const Correction& by, std::span<const double> x,
                                          std::span<double> y) const {
  math::Largest largest;
  const auto share = [&, bias = by.bias.data(), scale = by.inverse_scale.data(), weight = by.weight.data()](
                         auto lanes, auto row, auto product) {
    const auto rate = product + math::gather<lanes>(bias, row);
    largest.see(rate * math::gather<lanes>(scale, row));
    return math::gather<lanes>(weight, row) * rate;
  };
  pass(by.g, x, y, share);
  return largest.value();
}

[[gnu::flatten]] void RowLoops::augment(const Correction& by, std::span<const double> x,
                                        std::span<double> lambda, std::span<double> y) const {
  const auto share = [&, bias = by.bias.data(), weight = by.weight.data(), lambda = lambda.data()](
                         auto lanes, auto row, auto product) {
    const auto e = math::gather<lanes>(weight, row) * (product + math::gather<lanes>(bias, row));
    const auto now = math::gather<lanes>(lambda, row) + e;
    math::scatter<lanes>(lambda, row, now);
    return now + e;
  };
  pass(by.g, x, y, share);
}

[[gnu::flatten]] void RowLoops::press(std::span<const double> g, const double* lambda, const double* alpha,
                                      const double* Phi, std::span<double> y) const {
  shaped_.for_each([=, g = g.data(), y = y.data()]<int K, int B>(const Row<K, B>* rows, auto lanes) {
    const auto row = [rows](int l) { return rows[l].row; };
    const auto f =
        math::gather<lanes>(lambda, row) + math::gather<lanes>(alpha, row) * math::gather<lanes>(Phi, row);
    math::unroll<lanes>([&](auto l) {
      const double* p = g + rows[l].entry;
      math::unroll<B>([&](auto b) {
        math::take_from(y + rows[l].column[b], math::Packed<K>::load(p + K * b) * math::lane(f, l));
      });
    });
  });
  for (const std::size_t r : others_) add_row(pattern_, g, r, -(lambda[r] + alpha[r] * Phi[r]), y);
}

[[gnu::flatten]] void RowLoops::squares(std::span<const double> g, std::span<const double> weight,
                                        std::span<double> y) const {
  shaped_.for_each(
      [g = g.data(), weight = weight.data(), y = y.data()]<int K, int B>(const Row<K, B>* rows, auto lanes) {
        math::Packed<K> sum[lanes];
        math::unroll<lanes>([&](auto l) {
          math::unroll<B>([&](auto b) {
            const math::Packed<K> one = math::Packed<K>::load(g + rows[l].entry + K * b);
            sum[l] = sum[l] + one * one * math::Packed<K>::load(weight + rows[l].column[b]);
          });
        });
        math::scatter<lanes>(
            y, [rows](int l) { return rows[l].row; }, math::sums(sum));
      });
  for (const std::size_t r : others_) y[r] = row_compliance(pattern_, g, r, weight);
}

}  // namespace trammel::formulations
