// DotRows: the rows Φ = f (u·w − c) of a System (dot.h) sorted by shape, so that each shape is one loop of
// fixed size.
//
//   u = u₀ + Σ α_e x_e,   w = w₀ + Σ β_e x_e        over free elements; what ground gives is in u₀ and w₀
//
// Squares (w = u) are lengths, products angles and planes. Rows of another shape, with quarter turns or more
// elements, evaluate themselves.
#pragma once

#include <tuple>
#include <vector>

#include "math/lanes.h"
#include "math/unroll.h"
#include "system/constraints/dot.h"

namespace trammel::system {

template <int D>
class DotRows {
 public:
  DotRows() = default;
  // The first rows of the pattern; ground: places of its elements.
  DotRows(const std::vector<Dot<D>>& rows, const RowPattern& pattern, const Elements<D>& ground) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Place place{static_cast<int>(r), pattern.start[r]};
      if (!sort_in(rows[r], place, ground)) others_.push_back({place, rows[r]});
    }
  }

  [[gnu::flatten]] void evaluate(const Elements<D>& x, const Elements<D>& v, unsigned ask,
                                 Terms& terms) const {
    std::apply(
        [&](const auto&... rows) {
          int shape = 0;
          (void)((shape++ < last_ && (evaluate(rows, x.free, v.free, ask, terms), true)) && ...);
        },
        shapes_);
    for (const Other& other : others_)
      other.part.evaluate(x, v, ask,
                          {&terms.Phi[at(other.place.row)], &terms.Phi_t[at(other.place.row)],
                           &terms.gamma[at(other.place.row)], terms.Phi_v.data() + other.place.entry,
                           terms.Phi_v_dot.data() + other.place.entry});
  }

 private:
  struct Place {
    int row, entry;  // of Φ, and the first of its entries in Φ_v
  };
  struct Other {
    Place place;
    Dot<D> part;
  };

  using Vector = math::Packed<D>;

  template <int N>
  struct Square {
    static constexpr bool kSquare = true;
    static constexpr int kTerms = N;
    Place place;
    std::array<int, N> column;
    std::array<Vector, N> alpha, slope;  // 2f α
    Vector u0;
    double factor, constant;

    // u², one by one, and the gradient 2f α_e u
    Vector products(const double* x, Vector u, double* gradient) const {
      math::unroll<N>([&](auto e) { u = u + Vector::load(x + column[e]) * alpha[e]; });
      if (gradient) math::unroll<N>([&](auto e) { (u * slope[e]).store(gradient + D * e); });
      return u * u;
    }
    Vector at(const double* x, double* gradient) const { return products(x, u0, gradient); }
    Vector rate(const double* v, double* gradient) const { return products(v, {}, gradient); }
  };

  template <int N>
  struct Product {
    static constexpr bool kSquare = false;
    static constexpr int kTerms = N;
    Place place;
    std::array<int, N> column;
    std::array<double, N> alpha, beta;
    Vector u0, w0;
    double factor, constant;

    // u w, one by one, and the gradient f (α_e w + β_e u)
    Vector products(const double* x, Vector u, Vector w, double* gradient) const {
      math::unroll<N>([&](auto e) {
        const Vector element = Vector::load(x + column[e]);
        u = u + element * alpha[e];
        w = w + element * beta[e];
      });
      const Vector fu = u * factor, fw = w * factor;
      if (gradient) math::unroll<N>([&](auto e) { (fw * alpha[e] + fu * beta[e]).store(gradient + D * e); });
      return u * w;
    }
    Vector at(const double* x, double* gradient) const { return products(x, u0, w0, gradient); }
    Vector rate(const double* v, double* gradient) const { return products(v, {}, {}, gradient); }
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // Φ = f (u·w − c), γ = 2f u̇·ẇ
  template <class Shape>
  static void evaluate(const math::Twos<Shape>& rows, const double* x, const double* v, unsigned ask,
                       Terms& terms) {
    if (ask & kAskPosition)
      rows.for_each([x, Phi = terms.Phi.data(), Phi_v = terms.Phi_v.data()](const Shape* s, auto lanes) {
        Vector uw[lanes];
        math::unroll<lanes>([&](auto l) { uw[l] = s[l].at(x, Phi_v + s[l].place.entry); });
        const auto constant = math::each<lanes>([s](int l) { return s[l].constant; }),
                   factor = math::each<lanes>([s](int l) { return s[l].factor; });
        math::scatter<lanes>(
            Phi, [s](int l) { return s[l].place.row; }, factor * (math::sums(uw) - constant));
      });
    if (ask & (kAskGamma | kAskRates))
      rows.for_each([v, gamma = terms.gamma.data(),
                     rates = ask & kAskRates ? terms.Phi_v_dot.data() : nullptr](const Shape* s, auto lanes) {
        Vector uw[lanes];
        math::unroll<lanes>(
            [&](auto l) { uw[l] = s[l].rate(v, rates ? rates + s[l].place.entry : nullptr); });
        const auto factor = math::each<lanes>([s](int l) { return 2 * s[l].factor; });
        math::scatter<lanes>(
            gamma, [s](int l) { return s[l].place.row; }, factor * math::sums(uw));
      });
  }

  // False when no shape fits.
  bool sort_in(const Dot<D>& row, const Place& place, const Elements<D>& ground) {
    const auto vectors = row.vectors_of_ground(ground);
    bool sorted = false;
    int number = 0;
    const auto take = [&](auto& list) {
      ++number;
      using Shape = typename std::decay_t<decltype(list)>::Item;
      if (sorted || !row.is_plain() || row.is_square() != Shape::kSquare || row.free_terms() != Shape::kTerms)
        return;
      Shape shape{};
      shape.place = place;
      shape.u0 = Vector::load(vectors.first.data());
      shape.factor = row.factor();
      shape.constant = row.constant();
      for (std::size_t e = 0; e < at(Shape::kTerms); ++e) {
        shape.column[e] = D * row.term(e).element;
        const double alpha = row.term(e).u.alpha;
        if constexpr (Shape::kSquare) {
          shape.alpha[e] = Vector::all(alpha);
          shape.slope[e] = Vector::all(2 * row.factor() * alpha);
        } else {
          shape.alpha[e] = alpha;
          shape.beta[e] = row.term(e).w.alpha;
        }
      }
      if constexpr (!Shape::kSquare) shape.w0 = Vector::load(vectors.second.data());
      list.push_back(shape);
      sorted = true;
      last_ = std::max(last_, number);
    };
    std::apply([&](auto&... list) { (take(list), ...); }, shapes_);
    return sorted;
  }

  std::tuple<math::Twos<Square<1>>, math::Twos<Square<2>>, math::Twos<Product<1>>, math::Twos<Product<2>>,
             math::Twos<Product<3>>, math::Twos<Product<4>>>
      shapes_;
  int last_ = 0;  // shapes from here on have no rows
  std::vector<Other> others_;
};

}  // namespace trammel::system
