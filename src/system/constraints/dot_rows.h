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

#include "math/packed.h"
#include "math/unroll.h"
#include "system/constraints/dot.h"

namespace trammel {

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

  void evaluate(const Elements<D>& x, const Elements<D>& v, unsigned ask, Terms& terms) const {
    std::apply([&](const auto&... shape) { (evaluate(shape, x.free, v.free, ask, terms), ...); }, shapes_);
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

  using Vector = Packed<D>;

  template <int N>
  struct Square {
    static constexpr bool kSquare = true;
    static constexpr int kTerms = N;
    Place place;
    std::array<int, N> column;
    std::array<double, N> alpha;
    Vector u0;
    double factor, constant;

    Vector sum(const double* x, Vector u) const {
      unroll<N>([&](auto e) { u = u + Vector::load(x + column[e]) * alpha[e]; });
      return u;
    }
    // Φ, and its gradient 2f α_e u
    void position(const double* x, double* Phi, double* Phi_v) const {
      const Vector u = sum(x, u0);
      *Phi = factor * ((u * u).sum() - constant);
      gradient(u, Phi_v);
    }
    void gradient(const Vector& u, double* out) const {
      const Vector g = u * (2 * factor);
      unroll<N>([&](auto e) { (g * alpha[e]).store(out + D * e); });
    }
    double rate(const double* v, double* Phi_v_dot) const {
      const Vector u = sum(v, {});
      if (Phi_v_dot) gradient(u, Phi_v_dot);
      return 2 * factor * (u * u).sum();
    }
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

    void sum(const double* x, Vector& u, Vector& w) const {
      unroll<N>([&](auto e) {
        const Vector element = Vector::load(x + column[e]);
        u = u + element * alpha[e];
        w = w + element * beta[e];
      });
    }
    void position(const double* x, double* Phi, double* Phi_v) const {
      Vector u = u0, w = w0;
      sum(x, u, w);
      *Phi = factor * ((u * w).sum() - constant);
      gradient(u, w, Phi_v);
    }
    // f (α_e w + β_e u)
    void gradient(const Vector& u, const Vector& w, double* out) const {
      const Vector fu = u * factor, fw = w * factor;
      unroll<N>([&](auto e) { (fw * alpha[e] + fu * beta[e]).store(out + D * e); });
    }
    double rate(const double* v, double* Phi_v_dot) const {
      Vector u, w;
      sum(v, u, w);
      if (Phi_v_dot) gradient(u, w, Phi_v_dot);
      return 2 * factor * (u * w).sum();
    }
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  template <class Shape>
  void evaluate(const std::vector<Shape>& rows, const double* x, const double* v, unsigned ask,
                Terms& terms) const {
    if (ask & kAskPosition)
      for (const Shape& s : rows)
        s.position(x, &terms.Phi[at(s.place.row)], terms.Phi_v.data() + s.place.entry);
    if (ask & (kAskGamma | kAskRates))
      for (const Shape& s : rows)
        terms.gamma[at(s.place.row)] =
            s.rate(v, ask & kAskRates ? terms.Phi_v_dot.data() + s.place.entry : nullptr);
  }

  // False when no shape fits.
  bool sort_in(const Dot<D>& row, const Place& place, const Elements<D>& ground) {
    const auto [u0, w0] = row.vectors_of_ground(ground);
    bool sorted = false;
    const auto take = [&](auto& list) {
      using Shape = typename std::decay_t<decltype(list)>::value_type;
      if (sorted || !row.is_plain() || row.is_square() != Shape::kSquare || row.free_terms() != Shape::kTerms)
        return;
      Shape shape{};
      shape.place = place;
      shape.u0 = Vector::load(u0.data());
      shape.factor = row.factor();
      shape.constant = row.constant();
      for (std::size_t e = 0; e < at(Shape::kTerms); ++e) {
        shape.column[e] = D * row.term(e).element;
        shape.alpha[e] = row.term(e).u.alpha;
        if constexpr (!Shape::kSquare) shape.beta[e] = row.term(e).w.alpha;
      }
      if constexpr (!Shape::kSquare) shape.w0 = Vector::load(w0.data());
      list.push_back(shape);
      sorted = true;
    };
    std::apply([&](auto&... list) { (take(list), ...); }, shapes_);
    return sorted;
  }

  std::tuple<std::vector<Square<1>>, std::vector<Square<2>>, std::vector<Product<1>>, std::vector<Product<2>>,
             std::vector<Product<3>>, std::vector<Product<4>>>
      shapes_;
  std::vector<Other> others_;
};

}  // namespace trammel
