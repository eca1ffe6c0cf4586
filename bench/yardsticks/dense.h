// Kernel for a small mechanism whose structure the compiler knows: points and vectors (elements), a constant
// mass matrix of scalars between them, and rows Φ = f (u·w − c) written out one by one.
//
//   u = x_a − x_b;   w = u, f = ½: a length;   w = x_c, f = 1: a product
//
// T is dense, L D Lᵀ by rows of the upper triangle; what lies outside the envelope of the rows is never
// touched.
#pragma once

#include <array>

#include "trammel/state.h"
#include "yardsticks/written_out.h"

namespace trammel::bench {

inline constexpr int kNone = -1;  // no b: u = x_a;  no c: w = u

struct RowShape {
  int a, b, c;      // elements; those from Model::kFree on are fixed
  double constant;  // of u·w
  double scale;     // the size of Φ that counts as one
};

struct MassShape {
  int a, b;  // a ≤ b
  double mass;
};

template <class Model>
class Dense {
 public:
  static constexpr int kDim = Model::kDim, kFree = Model::kFree, kN = kDim * kFree;
  static constexpr int kRows = static_cast<int>(Model::kRows.size());
  using Vector = std::array<double, kN>;
  using RowVector = std::array<double, kRows>;
  using Element = std::array<double, kDim>;
  static void resize(Vector&, std::size_t) {}
  static void resize_rows(RowVector&, std::size_t) {}
  static constexpr int n() { return kN; }
  static constexpr int rows() { return kRows; }

  explicit Dense(const State&) {}

  // Element e of x; fixed ones stand where the model says and do not move.
  template <int E>
  static Element place(const double* x) {
    Element e;
    for (int k = 0; k < kDim; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if constexpr (E < kFree)
        e[i] = x[E * kDim + k];
      else
        e[i] = Model::kFixed[E - kFree][i];
    }
    return e;
  }
  template <int E>
  static Element motion(const double* v) {
    if constexpr (E >= 0 && E < kFree)
      return place<E>(v);
    else
      return Element{};
  }
  static double dot(const Element& x, const Element& y) {
    double sum = 0;
    for (std::size_t k = 0; k < kDim; ++k) sum += x[k] * y[k];
    return sum;
  }

  template <int R>
  struct Row {
    static constexpr RowShape kShape = Model::kRows[R];
    static constexpr bool kLength = kShape.c == kNone;
    static constexpr double kConstant = kShape.constant;

    const Element& u() const { return kernel.u_[R]; }
    const Element& w() const { return kLength ? kernel.u_[R] : kernel.w_[R]; }
    double phi() const { return (kLength ? 0.5 : 1.0) * (dot(u(), w()) - kConstant); }
    static constexpr double inverse_scale() { return 1 / kShape.scale; }
    // Σ g²/m
    double compliance() const {
      constexpr double first = inverse_mass(kShape.a) + inverse_mass(kShape.b);
      double sum = dot(w(), w()) * first;
      if constexpr (!kLength && kShape.c < kFree) sum += dot(u(), u()) * inverse_mass(kShape.c);
      return sum;
    }
    // Φ̇ for the velocities v, or Φ_v x for any x.
    double times(const double* x) const {
      double sum = dot(w(), difference(x));
      if constexpr (!kLength && kShape.c < kFree) sum += dot(u(), motion<kShape.c>(x));
      return sum;
    }
    double gamma(const double* v) const {
      if constexpr (kLength) {
        const Element d = difference(v);
        return dot(d, d);
      } else if constexpr (kShape.c < kFree) {
        return 2 * dot(difference(v), motion<kShape.c>(v));
      } else {
        return 0;
      }
    }
    void add(double factor, double* y) const {
      for (int k = 0; k < kDim; ++k) {
        const auto i = static_cast<std::size_t>(k);
        const double g = factor * w()[i];
        if constexpr (moves(kShape.a)) y[kShape.a * kDim + k] += g;
        if constexpr (moves(kShape.b)) y[kShape.b * kDim + k] -= g;
        if constexpr (!kLength && moves(kShape.c)) y[kShape.c * kDim + k] += factor * u()[i];
      }
    }

    static Element difference(const double* x) {
      Element d = motion<kShape.a>(x);
      if constexpr (moves(kShape.b)) {
        const Element b = motion<kShape.b>(x);
        for (std::size_t k = 0; k < kDim; ++k) d[k] -= b[k];
      }
      return d;
    }
    const Dense& kernel;
  };

  template <class F>
  __attribute__((always_inline)) void for_rows(F&& f) const {
    written_out<kRows>([&](auto r) { f(std::integral_constant<std::size_t, r>{}, Row<r>{*this}); });
  }

  void evaluate(const double* q) {
    written_out<kRows>([&](auto r) {
      constexpr RowShape shape = Model::kRows[r];
      u_[r] = place<shape.a>(q);
      if constexpr (shape.b != kNone) {
        const Element b = place<shape.b>(q);
        for (std::size_t k = 0; k < kDim; ++k) u_[r][k] -= b[k];
      }
      if constexpr (shape.c != kNone) w_[r] = place<shape.c>(q);
    });
  }

  // Q − M v̇
  void residual(const double* q, const double* v, const double* a, double* y) const {
    Model::force(q, v, y);
    written_out<static_cast<int>(Model::kMass.size())>([&](auto i) {
      constexpr MassShape shape = Model::kMass[i];
      for (int k = 0; k < kDim; ++k) {
        y[shape.a * kDim + k] -= shape.mass * a[shape.b * kDim + k];
        if constexpr (shape.a != shape.b) y[shape.b * kDim + k] -= shape.mass * a[shape.a * kDim + k];
      }
    });
  }

  void factor(const double* q, const double* v, const RowVector& weight, double da, double dv) {
    fill(weight);
    Model::add_stiffness(q, v, 1 / da, dv / da, t_);
    // Row by row, each in registers while the rows above take their share off it. Pairs from an even column
    // on are read as they were written; what lies left of the diagonal is never used.
    written_out<kN>([&](auto i) {
      constexpr std::size_t first = i & ~1, width = kLast[i] + 1 - first;
      std::array<double, width> row;
      for (std::size_t k = 0; k < width; ++k) row[k] = t_[i][first + k];
      written_out<i>([&](auto j) {
        if constexpr (kLast[j] >= i) {
          const double l = l_[j][i];
          for (std::size_t k = 0; k <= kLast[j] - first; ++k) row[k] -= l * t_[j][first + k];
        }
      });
      const double inverse = inverse_[i] = 1 / row[i - first];
      for (std::size_t k = 0; k < width; ++k) {
        t_[i][first + k] = row[k];
        l_[i][first + k] = row[k] * inverse;
      }
    });
  }

  void solve(double* x) const {
    written_out<kN>([&](auto i) {
      double sum = x[i];
      written_out<i>([&](auto j) {
        if constexpr (kLast[j] >= i) sum -= l_[j][i] * x[j];
      });
      x[i] = sum;
    });
    written_out<kN>([&](auto reverse) {
      constexpr std::size_t j = kN - 1 - reverse;
      double sum = x[j] * inverse_[j];
      written_out<static_cast<int>(kLast[j] - j)>([&](auto k) { sum -= l_[j][j + 1 + k] * x[j + 1 + k]; });
      x[j] = sum;
    });
  }

  // Lengths scaled to one.
  static double largest(const double* x) {
    double size = 0;
    written_out<kFree>([&](auto e) {
      constexpr double inverse = 1 / Model::kScale[e];
      for (int k = 0; k < kDim; ++k) size = std::max(size, std::abs(x[e * kDim + k]) * inverse);
    });
    return size;
  }

 private:
  using Matrix = std::array<std::array<double, kN>, kN>;

  static constexpr bool moves(int element) { return element >= 0 && element < kFree; }
  static constexpr double inverse_mass(int element) {
    return moves(element) ? 1 / Model::kEffective[static_cast<std::size_t>(element)] : 0;
  }

  // Last column of each row of the factor: elements that share a row or a mass fill what lies between.
  static constexpr std::array<std::size_t, kN> envelope() {
    std::array<int, kFree> last{};
    for (int e = 0; e < kFree; ++e) last[static_cast<std::size_t>(e)] = e;
    const auto join = [&](int a, int b) {
      if (!moves(a) || !moves(b)) return;
      int& reach = last[static_cast<std::size_t>(a < b ? a : b)];
      reach = reach > a ? reach : a;
      reach = reach > b ? reach : b;
    };
    for (const RowShape& row : Model::kRows) {
      join(row.a, row.b);
      join(row.a, row.c);
      join(row.b, row.c);
    }
    for (const MassShape& mass : Model::kMass) join(mass.a, mass.b);
    std::array<std::size_t, kN> columns{};
    int reach = 0;
    for (int e = 0; e < kFree; ++e) {
      if (last[static_cast<std::size_t>(e)] > reach) reach = last[static_cast<std::size_t>(e)];
      for (int k = 0; k < kDim; ++k)
        columns[static_cast<std::size_t>(e * kDim + k)] = static_cast<std::size_t>(reach * kDim + kDim - 1);
    }
    return columns;
  }
  static constexpr std::array<std::size_t, kN> kLast = envelope();

  // x yᵀ into the block of elements A and B, of which only the upper triangle is kept.
  template <int A, int B>
  void outer(double factor, const Element& x, const Element& y) {
    if constexpr (moves(A) && moves(B)) {
      if constexpr (A > B) return outer<B, A>(factor, y, x);
      for (int i = 0; i < kDim; ++i) {
        const double fx = factor * x[static_cast<std::size_t>(i)];
        for (int k = A == B ? i : 0; k < kDim; ++k)
          t_[static_cast<std::size_t>(A * kDim + i)][static_cast<std::size_t>(B * kDim + k)] +=
              fx * y[static_cast<std::size_t>(k)];
      }
    }
  }

  void fill(const RowVector& weight) {
    written_out<kN>([&](auto i) {
      for (std::size_t k = i; k <= kLast[i]; ++k) t_[i][k] = 0;
    });
    written_out<static_cast<int>(Model::kMass.size())>([&](auto i) {
      constexpr MassShape shape = Model::kMass[i];
      for (int k = 0; k < kDim; ++k)
        t_[static_cast<std::size_t>(shape.a * kDim + k)][static_cast<std::size_t>(shape.b * kDim + k)] =
            shape.mass;
    });
    written_out<kRows>([&](auto r) {
      constexpr RowShape s = Model::kRows[r];
      const Row<r> row{*this};
      outer<s.a, s.a>(weight[r], row.w(), row.w());
      outer<s.b, s.b>(weight[r], row.w(), row.w());
      outer<s.a, s.b>(-weight[r], row.w(), row.w());
      if constexpr (s.c != kNone) {
        outer<s.c, s.c>(weight[r], row.u(), row.u());
        outer<s.a, s.c>(weight[r], row.w(), row.u());
        outer<s.b, s.c>(-weight[r], row.w(), row.u());
      }
    });
  }

  std::array<Element, kRows> u_, w_;
  alignas(64) Matrix t_{}, l_{};
  std::array<double, kN> inverse_;
};

}  // namespace trammel::bench
