#include "analysis/spectrum.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

using Complex = std::complex<double>;

constexpr int kBalanceSweeps = 100;
constexpr int kAround = 8;  // places on a circle where the resolvent is looked at
// Vectors within this angle of each other's span are one: those of a Jordan block are found about √error
// apart.
constexpr double kSameVector = 1e-4;

// Powers of two d with rows and columns of |d⁻¹ X d| about equal; the error keeps entries off zero.
Eigen::VectorXd balance(const Eigen::MatrixXd& X, const Eigen::MatrixXd& error) {
  Eigen::MatrixXd size = X.cwiseAbs() + error;
  size.diagonal().setZero();
  Eigen::VectorXd d = Eigen::VectorXd::Ones(X.rows());
  for (int sweep = 0; sweep < kBalanceSweeps; ++sweep) {
    bool changed = false;
    for (Eigen::Index i = 0; i < X.rows(); ++i) {
      const double row = size.row(i).norm(), column = size.col(i).norm();
      if (!(row > 0 && column > 0)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (factor == 1) continue;
      changed = true;
      d[i] *= factor;
      size.col(i) *= factor;
      size.row(i) /= factor;
    }
    if (!changed) break;
  }
  return d;
}

// Radius of the circle around a value on which ‖(zI − T)⁻¹‖ ε < 1, to a factor of two; T is triangular.
double circle(const Eigen::MatrixXcd& T, Complex value, double epsilon) {
  const Eigen::Index n = T.rows();
  const auto safe = [&](double radius) {
    for (int k = 0; k < kAround; ++k) {
      const Complex z = value + std::polar(radius, 2 * std::numbers::pi * (k + 0.5) / kAround);
      Eigen::MatrixXcd shifted = -T;
      shifted.diagonal().array() += z;
      const double resolvent =
          shifted.triangularView<Eigen::Upper>().solve(Eigen::MatrixXcd::Identity(n, n)).norm();
      if (!(resolvent * epsilon < 1)) return false;
    }
    return true;
  };
  double radius = epsilon;
  // Beyond this circle there is nothing left to confuse it with.
  const double everything = 2 * (T.norm() + epsilon);
  while (radius < everything && !safe(radius)) radius *= 2;
  return radius;
}

struct Single {
  Complex value;
  double radius = 0;
  Eigen::VectorXcd vector;
  bool taken = false;  // by a cluster
};

Eigenvalue as_one(const std::vector<Single>& all, const std::vector<std::size_t>& cluster) {
  Eigenvalue one;
  one.multiplicity = static_cast<int>(cluster.size());
  one.vectors.resize(all.front().vector.size(), one.multiplicity);
  for (std::size_t k = 0; k < cluster.size(); ++k) {
    one.value += all[cluster[k]].value / static_cast<double>(cluster.size());
    one.vectors.col(static_cast<Eigen::Index>(k)) = all[cluster[k]].vector;
  }
  for (std::size_t k : cluster)
    one.uncertainty = std::max(one.uncertainty, all[k].radius + std::abs(all[k].value - one.value));
  // Written in real numbers, each vector counts twice.
  const Eigen::MatrixXd re = one.vectors.real(), im = one.vectors.imag();
  Eigen::MatrixXd real(2 * re.rows(), 2 * re.cols());
  real << re, -im, im, re;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(real);
  qr.setThreshold(kSameVector);
  one.eigenvectors = static_cast<int>(qr.rank() / 2);
  return one;
}

std::vector<Eigenvalue> clustered(std::vector<Single> all) {
  std::vector<Eigenvalue> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].taken) continue;
    std::vector<std::size_t> cluster{i};
    all[i].taken = true;
    for (std::size_t k = 0; k < cluster.size(); ++k)
      for (std::size_t j = 0; j < all.size(); ++j) {
        const Single &a = all[cluster[k]], &b = all[j];
        if (b.taken || std::abs(a.value - b.value) > a.radius + b.radius) continue;
        all[j].taken = true;
        cluster.push_back(j);
      }
    out.push_back(as_one(all, cluster));
  }
  std::stable_sort(out.begin(), out.end(), [](const Eigenvalue& a, const Eigenvalue& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  return out;
}

}  // namespace

std::vector<Eigenvalue> spectrum(const Eigen::MatrixXd& X, const Eigen::MatrixXd& error) {
  if (X.size() == 0) return {};
  const Eigen::VectorXd d = balance(X, error);
  const auto balanced = [&](const Eigen::MatrixXd& A) {
    return Eigen::MatrixXd(d.cwiseInverse().asDiagonal() * A * d.asDiagonal());
  };
  const auto triangular = [](const Eigen::MatrixXd& A) {
    return Eigen::MatrixXcd(Eigen::ComplexSchur<Eigen::MatrixXd>(A, false).matrixT());
  };
  const linalg::Eigenpairs pairs = linalg::eigenpairs(balanced(X));
  const Eigen::MatrixXcd T = triangular(X), T_balanced = triangular(balanced(X));
  std::vector<Single> all;
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    const Complex value = pairs.values[i];
    // Either scale gives a bound; balancing serves stiff entries, and harms triangular matrices.
    const double radius =
        std::min(circle(T, value, error.norm()), circle(T_balanced, value, balanced(error).norm()));
    all.push_back({value, radius, (d.asDiagonal() * pairs.vectors.col(i)).normalized()});
  }
  return clustered(std::move(all));
}

}  // namespace trammel::analysis
