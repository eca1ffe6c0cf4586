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

  void evaluate(const Motion<D>& m, unsigned ask, Terms& terms) const {
    std::apply([&](const auto&... shape) { (evaluate(shape, m, ask, terms), ...); }, shapes_);
    for (const Other& other : others_)
      other.part.evaluate(m, ask,
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

  template <int N>
  struct Square {
    static constexpr bool kSquare = true;
    static constexpr int kTerms = N;
    Place place;
    std::array<int, N> column;
    std::array<double, N> alpha;
    Vec<D> u0;
    double factor, constant;

    static Vec<D> sum(const Square& s, const double* x, Vec<D> u) {
      for (std::size_t e = 0; e < N; ++e) u += s.alpha[e] * Eigen::Map<const Vec<D>>(x + s.column[e]);
      return u;
    }
    double value(const Vec<D>& u) const { return factor * (u.squaredNorm() - constant); }
    // Φ and, along the way, its gradient 2f α_e u
    void position(const double* x, double* Phi, double* Phi_v) const {
      const Vec<D> u = sum(*this, x, u0);
      *Phi = value(u);
      gradient(u, Phi_v);
    }
    void gradient(const Vec<D>& u, double* out) const {
      const Vec<D> g = (2 * factor) * u;
      for (std::size_t e = 0; e < N; ++e) Eigen::Map<Vec<D>>(out + D * e) = alpha[e] * g;
    }
    double rate(const double* v, double* Phi_v_dot) const {
      const Vec<D> u = sum(*this, v, Vec<D>::Zero());
      if (Phi_v_dot) gradient(u, Phi_v_dot);
      return 2 * factor * u.squaredNorm();
    }
  };

  template <int N>
  struct Product {
    static constexpr bool kSquare = false;
    static constexpr int kTerms = N;
    Place place;
    std::array<int, N> column;
    std::array<double, N> alpha, beta;
    Vec<D> u0, w0;
    double factor, constant;

    void sum(const double* x, Vec<D>& u, Vec<D>& w) const {
      for (std::size_t e = 0; e < N; ++e) {
        const Vec<D> element = Eigen::Map<const Vec<D>>(x + column[e]);
        u += alpha[e] * element;
        w += beta[e] * element;
      }
    }
    void position(const double* x, double* Phi, double* Phi_v) const {
      Vec<D> u = u0, w = w0;
      sum(x, u, w);
      *Phi = factor * (u.dot(w) - constant);
      gradient(u, w, Phi_v);
    }
    // f (α_e w + β_e u)
    void gradient(const Vec<D>& u, const Vec<D>& w, double* out) const {
      const Vec<D> fu = factor * u, fw = factor * w;
      for (std::size_t e = 0; e < N; ++e) Eigen::Map<Vec<D>>(out + D * e) = alpha[e] * fw + beta[e] * fu;
    }
    double rate(const double* v, double* Phi_v_dot) const {
      Vec<D> u = Vec<D>::Zero(), w = Vec<D>::Zero();
      sum(v, u, w);
      if (Phi_v_dot) gradient(u, w, Phi_v_dot);
      return 2 * factor * u.dot(w);
    }
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  template <class Shape>
  void evaluate(const std::vector<Shape>& rows, const Motion<D>& m, unsigned ask, Terms& terms) const {
    if (ask & kAskPosition)
      for (const Shape& s : rows)
        s.position(m.x.free, &terms.Phi[at(s.place.row)], terms.Phi_v.data() + s.place.entry);
    if (ask & (kAskGamma | kAskRates))
      for (const Shape& s : rows)
        terms.gamma[at(s.place.row)] =
            s.rate(m.v.free, ask & kAskRates ? terms.Phi_v_dot.data() + s.place.entry : nullptr);
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
      shape.u0 = u0;
      shape.factor = row.factor();
      shape.constant = row.constant();
      for (std::size_t e = 0; e < at(Shape::kTerms); ++e) {
        shape.column[e] = D * row.term(e).element;
        shape.alpha[e] = row.term(e).u.alpha;
        if constexpr (!Shape::kSquare) shape.beta[e] = row.term(e).w.alpha;
      }
      if constexpr (!Shape::kSquare) shape.w0 = w0;
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
