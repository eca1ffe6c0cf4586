// An open chain of bars on ball joints, hung from the origin. Each bar has the point P_k at its far end and
// two directions u_k, v_k of its own; the last has a direction e in place of the point.
//
//   rows of a bar, d = P_k − P_{k−1} (or e):  ½(d² − 1), d·u, d·v, ½(u² − 1), u·v, ½(v² − 1)
//
// u and v of a bar meet nothing but its d: they are eliminated first, bar by bar (6 × 6), and what is left of
// T is block tridiagonal in the points (3 × 3). All blocks are fixed.
#include <Eigen/Core>

#include "yardsticks/index3.h"
#include "yardsticks/long_models.h"
#include "yardsticks/written_out.h"

namespace trammel::bench {
namespace {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

// ∫x², from the end, and ∫y² = ∫z² of a bar of 1 kg and 1 m with the inertias 0.002, 1/12, 1/12.
constexpr double kAlong = (2.0 / 12 - 0.002) / 2 + 0.25, kBeside = 0.001;
constexpr double kPointMass = 2 * kAlong, kAxisMass = 0.0125;  // effective, for the penalty
constexpr double kGravity = 9.81;
constexpr double kLength = 0.5;  // m that counts as one

// L D Lᵀ of a small symmetric matrix, written out by the compiler.
template <int N>
struct SmallFactor {
  double l[N][N], inverse[N];

  void factor(Eigen::Matrix<double, N, N>& matrix) {  // lower triangle
    double a[N][N];
    written_out<N>([&](auto i) { written_out<i + 1>([&](auto j) { a[i][j] = matrix(int{i}, int{j}); }); });
    written_out<N>([&](auto j) {
      inverse[j] = 1 / a[j][j];
      written_out<N - 1 - j>([&](auto below) {
        constexpr int i = j + 1 + below;
        l[i][j] = a[i][j] * inverse[j];
        written_out<below + 1>([&](auto k) { a[i][j + 1 + k] -= l[i][j] * a[j + 1 + k][j]; });
      });
    });
  }
  void solve(double* x) const {
    double z[N];
    written_out<N>([&](auto i) {
      z[i] = x[i];
      written_out<i>([&](auto j) { z[i] -= l[i][j] * z[j]; });
    });
    written_out<N>([&](auto reverse) {
      constexpr int i = N - 1 - reverse;
      z[i] *= inverse[i];
      written_out<N - 1 - i>([&](auto k) { z[i] -= l[i + 1 + k][i] * z[i + 1 + k]; });
      x[i] = z[i];
    });
  }
};

class Chain {
 public:
  using Vector = std::vector<double>;
  using RowVector = std::vector<double>;
  static void resize(Vector& x, std::size_t n) { x.resize(n); }
  static void resize_rows(RowVector& x, std::size_t n) { x.resize(n); }

  explicit Chain(const State& start) : bars_(start.q.size() / 9), bar_(bars_), node_(bars_) {}

  int n() const { return static_cast<int>(9 * bars_); }
  int rows() const { return static_cast<int>(6 * bars_); }

  struct Bar {
    Vec3 d, u, v;
    SmallFactor<6> own;              // of u and v
    Eigen::Matrix<double, 6, 3> to;  // own⁻¹ times what couples u and v with d
    Vec3 du, dv;                     // w₁ d and w₂ d: the coupling is (du uᵀ, dv vᵀ)
  };

  // Row number R of a bar.
  template <int R>
  struct Row {
    static constexpr bool kPoint = R < 3;  // d is a factor of it
    const Bar& bar;
    std::size_t k;
    bool tied;  // d ends at the point before
    static constexpr double inverse_scale() { return 1; }

    double phi() const {
      if constexpr (R == 0) return 0.5 * (bar.d.squaredNorm() - 1);
      if constexpr (R == 1) return bar.d.dot(bar.u);
      if constexpr (R == 2) return bar.d.dot(bar.v);
      if constexpr (R == 3) return 0.5 * (bar.u.squaredNorm() - 1);
      if constexpr (R == 4) return bar.u.dot(bar.v);
      return 0.5 * (bar.v.squaredNorm() - 1);
    }
    double compliance() const {
      const double dd = bar.d.squaredNorm(), uu = bar.u.squaredNorm(), vv = bar.v.squaredNorm();
      const double point = (tied ? 1 / point_mass : 1 / kAlong) + before;
      if constexpr (R == 0) return dd * point;
      if constexpr (R == 1) return uu * point + dd / kAxisMass;
      if constexpr (R == 2) return vv * point + dd / kAxisMass;
      if constexpr (R == 3) return uu / kAxisMass;
      if constexpr (R == 4) return (uu + vv) / kAxisMass;
      return vv / kAxisMass;
    }
    Vec3 part(const double* x, std::size_t which) const {
      return Eigen::Map<const Vec3>(x + 9 * k + 3 * which);
    }
    Vec3 difference(const double* x) const {
      if (k == 0 || !tied) return part(x, 0);
      return part(x, 0) - Eigen::Map<const Vec3>(x + 9 * k - 9);
    }
    double times(const double* x) const {
      if constexpr (R == 0) return bar.d.dot(difference(x));
      if constexpr (R == 1) return bar.u.dot(difference(x)) + bar.d.dot(part(x, 1));
      if constexpr (R == 2) return bar.v.dot(difference(x)) + bar.d.dot(part(x, 2));
      if constexpr (R == 3) return bar.u.dot(part(x, 1));
      if constexpr (R == 4) return bar.v.dot(part(x, 1)) + bar.u.dot(part(x, 2));
      return bar.v.dot(part(x, 2));
    }
    double gamma(const double* v) const {
      if constexpr (R == 0) return difference(v).squaredNorm();
      if constexpr (R == 1) return 2 * difference(v).dot(part(v, 1));
      if constexpr (R == 2) return 2 * difference(v).dot(part(v, 2));
      if constexpr (R == 3) return part(v, 1).squaredNorm();
      if constexpr (R == 4) return 2 * part(v, 1).dot(part(v, 2));
      return part(v, 2).squaredNorm();
    }
    void add(double factor, double* y) const {
      double* own = y + 9 * k;
      const auto on = [&](double* to, const Vec3& g) { Eigen::Map<Vec3>{to} += factor * g; };
      if constexpr (kPoint) {
        const Vec3& g = R == 0 ? bar.d : R == 1 ? bar.u : bar.v;
        on(own, g);
        if (k > 0 && tied) Eigen::Map<Vec3>{own - 9} -= factor * g;
      }
      if constexpr (R == 1) on(own + 3, bar.d);
      if constexpr (R == 2) on(own + 6, bar.d);
      if constexpr (R == 3) on(own + 3, bar.u);
      if constexpr (R == 4) on(own + 3, bar.v), on(own + 6, bar.u);
      if constexpr (R == 5) on(own + 6, bar.v);
    }
    double point_mass, before;  // effective mass of P_k; 1/that of the point before, if it moves and is tied
  };

  template <class F>
  void for_rows(F&& f) const {
    for (std::size_t k = 0; k < bars_; ++k) {
      const bool tied = k + 1 < bars_;
      const double before = k > 0 && tied ? 1 / mass(k - 1) : 0;
      written_out<6>([&](auto r) {
        f(6 * k + r, Row<r>{bar_[k], k, tied, tied ? mass(k) : kAlong, before});
      });
    }
  }

  void evaluate(const double* q) {
    for (std::size_t k = 0; k < bars_; ++k) {
      const Eigen::Map<const Vec3> p(q + 9 * k);
      Bar& bar = bar_[k];
      bar.d = p;
      if (k > 0 && k + 1 < bars_) bar.d -= Eigen::Map<const Vec3>(q + 9 * k - 9);
      bar.u = Eigen::Map<const Vec3>(q + 9 * k + 3);
      bar.v = Eigen::Map<const Vec3>(q + 9 * k + 6);
    }
  }

  void residual(const double*, const double*, const double* a, double* y) const {
    for (std::size_t k = 0; k < bars_; ++k) {
      const double m = mass(k);
      for (std::size_t i = 9 * k; i < 9 * k + 3; ++i) {
        y[i] = -m * a[i];
        if (k > 0) y[i] -= between(k) * a[i - 9];
        if (k + 1 < bars_) y[i] -= between(k + 1) * a[i + 9];
      }
      for (std::size_t i = 9 * k + 3; i < 9 * k + 9; ++i) y[i] = -kBeside * a[i];
      y[9 * k + 2] -= kGravity * (k + 1 == bars_ ? 0.5 : k + 2 == bars_ ? 1.5 : 1);
    }
  }

  void factor(const double*, const double*, const RowVector& weight, double, double) {
    Mat3 ahead = Mat3::Zero();  // what bar k + 1 brings to P_k
    for (std::size_t k = bars_; k-- > 0;) {
      const Mat3 own = condense(bar_[k], weight.data() + 6 * k);
      Node& node = node_[k];
      node.diagonal = own + ahead;
      node.diagonal.diagonal().array() += mass(k);
      const bool tied = k + 1 < bars_;
      node.before = tied ? Mat3(-own) : Mat3::Zero();
      node.before.diagonal().array() += between(k);
      ahead = tied ? own : Mat3::Zero();
    }
    for (std::size_t k = 0; k < bars_; ++k) {
      Node& node = node_[k];
      if (k > 0) {
        node.share = node.before;
        for (int c = 0; c < 3; ++c) node_[k - 1].factor.solve(node.share.col(c).data());
        node.diagonal.noalias() -= node.before.transpose().lazyProduct(node.share);
      }
      node.factor.factor(node.diagonal);
    }
  }

  void solve(double* x) const {
    for (std::size_t k = 0; k < bars_; ++k) {
      const Bar& bar = bar_[k];
      double* own = x + 9 * k;
      bar.own.solve(own + 3);
      const Vec3 pull = bar.du.dot(Eigen::Map<const Vec3>(own + 3)) * bar.u +
                        bar.dv.dot(Eigen::Map<const Vec3>(own + 6)) * bar.v;
      Eigen::Map<Vec3>{own} -= pull;
      if (k > 0 && k + 1 < bars_) Eigen::Map<Vec3>{own - 9} += pull;
    }
    for (std::size_t k = 1; k < bars_; ++k)
      Eigen::Map<Vec3>{x + 9 * k} -=
          node_[k].share.transpose().lazyProduct(Eigen::Map<const Vec3>(x + 9 * k - 9));
    for (std::size_t k = bars_; k-- > 0;) {
      node_[k].factor.solve(x + 9 * k);
      if (k + 1 < bars_)
        Eigen::Map<Vec3>{x + 9 * k} -= node_[k + 1].share.lazyProduct(Eigen::Map<const Vec3>(x + 9 * k + 9));
    }
    for (std::size_t k = 0; k < bars_; ++k) {
      Vec3 d = Eigen::Map<const Vec3>(x + 9 * k);
      if (k > 0 && k + 1 < bars_) d -= Eigen::Map<const Vec3>(x + 9 * k - 9);
      Eigen::Map<Eigen::Matrix<double, 6, 1>>{x + 9 * k + 3} -= bar_[k].to.lazyProduct(d);
    }
  }

  double largest(const double* x) const {
    double size = 0;
    for (std::size_t k = 0; k < bars_; ++k)
      for (std::size_t i = 0; i < 9; ++i)
        size = std::max(size, std::abs(x[9 * k + i]) * (i < 3 && k + 1 < bars_ ? 1 / kLength : 1));
    return size;
  }

 private:
  struct Node {
    Mat3 diagonal, before, share;  // share = (eliminated diagonal of k − 1)⁻¹ before
    SmallFactor<3> factor;
  };

  double mass(std::size_t k) const {
    return k + 1 == bars_ ? kAlong : k + 2 == bars_ ? kAlong + 1 : kPointMass;
  }
  // M between P_{k−1} and P_k.
  double between(std::size_t k) const { return k + 1 == bars_ ? 0.5 : 0.5 - kAlong; }

  // Eliminates u and v; what the bar leaves on d.
  static Mat3 condense(Bar& bar, const double* w) {
    const Vec3 &d = bar.d, &u = bar.u, &v = bar.v;
    bar.du = w[1] * d;
    bar.dv = w[2] * d;
    Eigen::Matrix<double, 6, 6> own;  // lower triangle
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        if (j <= i) {
          own(i, j) = bar.du[i] * d[j] + w[3] * u[i] * u[j] + w[4] * v[i] * v[j] + (i == j ? kBeside : 0);
          own(3 + i, 3 + j) =
              bar.dv[i] * d[j] + w[4] * u[i] * u[j] + w[5] * v[i] * v[j] + (i == j ? kBeside : 0);
        }
        own(3 + i, j) = w[4] * u[i] * v[j];
      }
    bar.own.factor(own);
    bar.to.topRows<3>() = bar.du.lazyProduct(u.transpose());
    bar.to.bottomRows<3>() = bar.dv.lazyProduct(v.transpose());
    for (int c = 0; c < 3; ++c) bar.own.solve(bar.to.col(c).data());
    const Eigen::RowVector3d from_u = bar.du.transpose().lazyProduct(bar.to.topRows<3>()),
                             from_v = bar.dv.transpose().lazyProduct(bar.to.bottomRows<3>());
    Mat3 left = w[0] * d * d.transpose() + w[1] * u * u.transpose() + w[2] * v * v.transpose();
    left -= u * from_u + v * from_v;
    return left;
  }

  std::size_t bars_;
  std::vector<Bar> bar_;
  std::vector<Node> node_;
};

}  // namespace

std::unique_ptr<Yardstick> make_chain(const State& start) { return std::make_unique<Index3<Chain>>(start); }

}  // namespace trammel::bench
