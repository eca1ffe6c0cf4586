// N four-bars in a row: points B_0 … B_N above the pivots (i, 0). T is a band, block tridiagonal with 2 × 2
// blocks.
//
//   rows: the cranks, ½(|B_i − A_i|² − 1), then the couplers, ½(|B_i − B_{i−1}|² − 1)
#include "yardsticks/index3.h"
#include "yardsticks/long_models.h"

namespace trammel::bench {
namespace {

struct Vec2 {
  double x, y;
  double dot(const Vec2& o) const { return x * o.x + y * o.y; }
};

class FourBarRow {
 public:
  using Vector = std::vector<double>;
  using RowVector = std::vector<double>;
  static void resize(Vector& x, std::size_t n) { x.resize(n); }
  static void resize_rows(RowVector& x, std::size_t n) { x.resize(n); }

  explicit FourBarRow(const State& start)
      : points_(start.q.size() / 2), crank_(points_), coupler_(points_), block_(points_) {}

  int n() const { return static_cast<int>(2 * points_); }
  int rows() const { return static_cast<int>(2 * points_ - 1); }

  // A length between two points, the second perhaps fixed.
  template <bool Coupler>
  struct Row {
    const Vec2& d;
    std::size_t i, points;
    static constexpr double inverse_scale() { return 1; }
    double phi() const { return 0.5 * (d.dot(d) - 1); }
    double compliance() const {
      return d.dot(d) * (1 / mass(i, points) + (Coupler ? 1 / mass(i - 1, points) : 0));
    }
    Vec2 difference(const double* x) const {
      if constexpr (Coupler) return {x[2 * i] - x[2 * i - 2], x[2 * i + 1] - x[2 * i - 1]};
      return {x[2 * i], x[2 * i + 1]};
    }
    double times(const double* x) const { return d.dot(difference(x)); }
    double gamma(const double* v) const {
      const Vec2 u = difference(v);
      return u.dot(u);
    }
    void add(double factor, double* y) const {
      const double fx = factor * d.x, fy = factor * d.y;
      y[2 * i] += fx;
      y[2 * i + 1] += fy;
      if constexpr (Coupler) {
        y[2 * i - 2] -= fx;
        y[2 * i - 1] -= fy;
      }
    }
  };

  template <class F>
  void for_rows(F&& f) const {
    f(std::size_t{0}, Row<false>{crank_[0], 0, points_});
    for (std::size_t i = 1; i < points_; ++i) {
      f(i, Row<false>{crank_[i], i, points_});
      f(points_ + i - 1, Row<true>{coupler_[i], i, points_});
    }
  }

  void evaluate(const double* q) {
    for (std::size_t i = 0; i < points_; ++i) {
      crank_[i] = {q[2 * i] - static_cast<double>(i), q[2 * i + 1]};
      if (i > 0) coupler_[i] = {q[2 * i] - q[2 * i - 2], q[2 * i + 1] - q[2 * i - 1]};
    }
  }

  void residual(const double*, const double*, const double* a, double* y) const {
    constexpr double g = 9.81;
    for (std::size_t i = 0; i < points_; ++i) {
      const double m = mass(i, points_);
      const bool first = i == 0, last = i + 1 == points_;
      for (std::size_t k = 0; k < 2; ++k)
        y[2 * i + k] =
            -m * a[2 * i + k] - (first ? 0 : a[2 * i - 2 + k] / 6) - (last ? 0 : a[2 * i + 2 + k] / 6);
      y[2 * i + 1] -= g * (first || last ? 1 : 1.5);
    }
  }

  // Each block as L D Lᵀ of its own: d1, l, d2; the one to the left times the inverse of its neighbour.
  void factor(const double*, const double*, const RowVector& weight, double, double) {
    for (std::size_t i = 0; i < points_; ++i) {
      const Vec2& u = crank_[i];
      double xx = mass(i, points_) + weight[i] * u.x * u.x, xy = weight[i] * u.x * u.y,
             yy = mass(i, points_) + weight[i] * u.y * u.y;
      if (i + 1 < points_) add_square(weight[points_ + i], coupler_[i + 1], xx, xy, yy);
      if (i > 0) {
        double oxx = 0, oxy = 0, oyy = 0;
        add_square(weight[points_ + i - 1], coupler_[i], oxx, oxy, oyy);
        xx += oxx, xy += oxy, yy += oyy;
        eliminate(i, 1.0 / 6 - oxx, -oxy, 1.0 / 6 - oyy, xx, xy, yy);
      }
      Block& b = block_[i];
      b.inverse1 = 1 / xx;
      b.l = xy * b.inverse1;
      b.inverse2 = 1 / (yy - b.l * xy);
    }
  }

  void solve(double* x) const {
    for (std::size_t i = 0; i < points_; ++i) {
      const Block& b = block_[i];
      double *p = x + 2 * i, *before = p - 2;
      if (i > 0) {
        p[0] -= b.xx * before[0] + b.yx * before[1];
        p[1] -= b.xy * before[0] + b.yy * before[1];
      }
    }
    for (std::size_t i = points_; i-- > 0;) {
      const Block& b = block_[i];
      double* p = x + 2 * i;
      p[1] = (p[1] - b.l * p[0]) * b.inverse2;
      p[0] = p[0] * b.inverse1 - b.l * p[1];
      if (i + 1 < points_) {
        const Block& next = block_[i + 1];
        p[0] -= next.xx * p[2] + next.xy * p[3];
        p[1] -= next.yx * p[2] + next.yy * p[3];
      }
    }
  }

  double largest(const double* x) const {
    double size = 0;
    for (std::size_t i = 0; i < 2 * points_; ++i) size = std::max(size, std::abs(x[i]));
    return size;
  }

 private:
  struct Block {
    double inverse1, l, inverse2;  // of the eliminated diagonal block
    double xx, xy, yx, yy;  // its neighbour's inverse times the block between: (row of i−1)(row of i)
  };

  static double mass(std::size_t i, std::size_t points) { return i == 0 || i + 1 == points ? 2.0 / 3 : 1; }
  static void add_square(double w, const Vec2& d, double& xx, double& xy, double& yy) {
    const double wx = w * d.x;
    xx += wx * d.x;
    xy += wx * d.y;
    yy += w * d.y * d.y;
  }

  // Takes the neighbour's share off: D_i − Oᵀ D_{i−1}⁻¹ O, O symmetric.
  void eliminate(std::size_t i, double oxx, double oxy, double oyy, double& xx, double& xy, double& yy) {
    const Block& a = block_[i - 1];
    Block& b = block_[i];
    b.yx = (oxy - a.l * oxx) * a.inverse2;
    b.xx = oxx * a.inverse1 - a.l * b.yx;
    b.yy = (oyy - a.l * oxy) * a.inverse2;
    b.xy = oxy * a.inverse1 - a.l * b.yy;
    xx -= oxx * b.xx + oxy * b.yx;
    xy -= oxx * b.xy + oxy * b.yy;
    yy -= oxy * b.xy + oyy * b.yy;
  }

  std::size_t points_;
  std::vector<Vec2> crank_, coupler_;
  std::vector<Block> block_;
};

}  // namespace

std::unique_ptr<Yardstick> make_four_bar_row(const State& start) {
  return std::make_unique<Index3<FourBarRow>>(start);
}

}  // namespace trammel::bench
