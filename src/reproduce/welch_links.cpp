#include "reproduce/welch_links.h"

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "linalg/dense.h"

namespace trammel::reproduce {
namespace {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Vec4 = Eigen::Vector4d;
using Velocities = Eigen::Matrix<double, 18, 1>;  // ṙ and ω (in body axes) of each link
using Rows = Eigen::Matrix<double, 11, 18>;
using Vec11 = Eigen::Matrix<double, 11, 1>;

constexpr std::array<double, 3> kLength = {1, 2, 2.5};  // m
const Vec3 kGravity = Vec3(-5, -5 * std::sqrt(2.0), -5);

// Uniform density: m = L³ in units of that of the first link; square sections of L/10.
double mass(std::size_t i) { return std::pow(kLength[i], 3); }
Vec3 inertia(std::size_t i) {
  const double L = kLength[i], a = L / 10, m = mass(i);
  return {m * a * a / 6, m * (L * L + a * a) / 12, m * (L * L + a * a) / 12};
}

struct Links {
  std::array<Vec3, 3> r;
  std::array<Vec4, 3> e;
  Velocities v;
};

Mat3 tilde(const Vec3& u) {
  Mat3 s;
  s << 0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0;
  return s;
}

Mat3 rotation(const Vec4& e) {
  const Vec3 u = e.tail<3>();
  return (2 * e[0] * e[0] - 1) * Mat3::Identity() + 2 * (u * u.transpose() + e[0] * tilde(u));
}

// G(ω) of (11)
Eigen::Matrix4d rate_matrix(const Vec3& omega) {
  Eigen::Matrix4d g;
  g << 0, -omega.transpose(), omega, -tilde(omega);
  return 0.5 * g;
}

Vec3 omega_of(const Velocities& v, std::size_t i) { return v.segment<3>(6 * static_cast<long>(i) + 3); }

// Hanging along −z; x of a link runs down it, z is x of the world.
Links at_start() {
  Links s;
  double top = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    s.r[i] = Vec3(0, 0, top - kLength[i] / 2);
    s.e[i] = Vec4(1, 0, 1, 0) / std::sqrt(2.0);
    top -= kLength[i];
  }
  s.v.setZero();
  return s;
}

struct Equations {
  Vec11 Phi, gamma;
  Rows Phi_v;
  Velocities Q;  // forces, and the gyroscopic torque −ω̃ J ω
};

// A ball joint at the near end of link i: the end of the link before, or the origin.
void ball_joint(const Links& s, const std::array<Mat3, 3>& R, std::size_t i, Equations& out) {
  const auto row = 3 * static_cast<long>(i);
  const auto end = [&](std::size_t link, double along, double sign) {
    const Vec3 arm(along * kLength[link] / 2, 0, 0), w = omega_of(s.v, link);
    const auto column = 6 * static_cast<long>(link);
    out.Phi.segment<3>(row) += sign * (s.r[link] + R[link] * arm);
    out.Phi_v.block<3, 3>(row, column) = sign * Mat3::Identity();
    out.Phi_v.block<3, 3>(row, column + 3) = -sign * R[link] * tilde(arm);
    out.gamma.segment<3>(row) += sign * (R[link] * w.cross(w.cross(arm)));
  };
  end(i, -1, 1);
  if (i > 0) end(i - 1, 1, -1);
}

// The pin between links 2 and 3: x₂·z₃ = y₂·z₃ = 0.
void pin(const Links& s, const std::array<Mat3, 3>& R, Equations& out) {
  const Vec3 z = Vec3::UnitZ(), w2 = omega_of(s.v, 1), w3 = omega_of(s.v, 2), z3 = R[2] * z;
  for (int k = 0; k < 2; ++k) {
    const Vec3 a = Vec3::Unit(k), a2 = R[1] * a;
    const int row = 9 + k;
    out.Phi[row] = a2.dot(z3);
    out.Phi_v.block<1, 3>(row, 9) = a.cross(R[1].transpose() * z3).transpose();
    out.Phi_v.block<1, 3>(row, 15) = z.cross(R[2].transpose() * a2).transpose();
    out.gamma[row] = (R[1] * w2.cross(w2.cross(a))).dot(z3) + a2.dot(R[2] * w3.cross(w3.cross(z))) +
                     2 * (R[1] * w2.cross(a)).dot(R[2] * w3.cross(z));
  }
}

Equations equations(const Links& s) {
  Equations out;
  out.Phi.setZero();
  out.gamma.setZero();
  out.Phi_v.setZero();
  const std::array<Mat3, 3> R = {rotation(s.e[0]), rotation(s.e[1]), rotation(s.e[2])};
  for (std::size_t i = 0; i < 3; ++i) {
    ball_joint(s, R, i, out);
    const Vec3 w = omega_of(s.v, i);
    out.Q.segment<3>(6 * static_cast<long>(i)) = mass(i) * kGravity;
    out.Q.segment<3>(6 * static_cast<long>(i) + 3) = -w.cross(inertia(i).cwiseProduct(w));
  }
  pin(s, R, out);
  return out;
}

Velocities inverse_masses() {
  Velocities w;
  for (std::size_t i = 0; i < 3; ++i) {
    w.segment<3>(6 * static_cast<long>(i)).setConstant(1 / mass(i));
    w.segment<3>(6 * static_cast<long>(i) + 3) = inertia(i).cwiseInverse();
  }
  return w;
}
const Velocities kInverseMasses = inverse_masses();

// v̇ = M⁻¹(Q − Φ_vᵀλ),  Φ_v M⁻¹ Φ_vᵀ λ = side + Φ_v M⁻¹ Q
Velocities acceleration(const Equations& at, const Vec11& side) {
  const Eigen::Matrix<double, 18, 11> W = kInverseMasses.asDiagonal() * at.Phi_v.transpose();
  const Eigen::Matrix<double, 11, 11> A = at.Phi_v * W;
  const Velocities free = kInverseMasses.cwiseProduct(at.Q);
  return free - W * linalg::solve_positive(A, side + at.Phi_v * free);
}

LinksState seen(const Links& s, double t) {
  LinksState out{t, equations(s).Phi.norm(), 0};
  out.energy = 0.5 * s.v.cwiseProduct(s.v).dot(kInverseMasses.cwiseInverse());
  for (std::size_t i = 0; i < 3; ++i) out.energy -= mass(i) * kGravity.dot(s.r[i]);
  return out;
}

void run(double h, double until, const LookAtLinks& look, const std::function<void(Links&)>& step) {
  Links s = at_start();
  const long n = std::lround(until / h);
  look(seen(s, 0));
  for (long i = 1; i <= n; ++i) {
    step(s);
    look(seen(s, static_cast<double>(i) * h));
  }
}

struct Rate {
  std::array<Vec3, 3> r;
  std::array<Vec4, 3> e;
  Velocities v;
};

// Φ̈ + 2α Φ̇ + β² Φ = 0
Rate rate_of(const Links& s, double alpha, double beta) {
  Rate out;
  const Equations at = equations(s);
  out.v = acceleration(at, at.gamma + 2 * alpha * at.Phi_v * s.v + beta * beta * at.Phi);
  for (std::size_t i = 0; i < 3; ++i) {
    out.r[i] = s.v.segment<3>(6 * static_cast<long>(i));
    out.e[i] = rate_matrix(omega_of(s.v, i)) * s.e[i];
  }
  return out;
}

Links moved(Links s, const Rate& rate, double h) {
  for (std::size_t i = 0; i < 3; ++i) {
    s.r[i] += h * rate.r[i];
    s.e[i] += h * rate.e[i];
  }
  s.v += h * rate.v;
  return s;
}

// e₊ = e + ½h G(ω)(e₊ + e), normalized
Vec4 turned(const Vec4& e, const Vec3& omega, double h) {
  const Eigen::Matrix4d half = 0.5 * h * rate_matrix(omega), one = Eigen::Matrix4d::Identity();
  return Vec4(linalg::solve(one - half, (one + half) * e)).normalized();
}

// (43a): e₊ = e + h G(ω) e₊
Links predicted(const Links& s, const Equations& at, double h) {
  Links p = s;
  p.v = s.v + h * acceleration(at, at.Phi / (h * h) + at.Phi_v * s.v / h);
  for (std::size_t i = 0; i < 3; ++i) {
    p.r[i] += h * p.v.segment<3>(6 * static_cast<long>(i));
    const Eigen::Matrix4d A = Eigen::Matrix4d::Identity() - h * rate_matrix(omega_of(p.v, i));
    p.e[i] = Vec4(linalg::solve(A, s.e[i])).normalized();
  }
  return p;
}

}  // namespace

void links_by_heun(double h, double until, const LookAtLinks& look) {
  const double alpha = 0.5 / h, beta = 1 / h;
  run(h, until, look, [&](Links& s) {
    const Rate first = rate_of(s, alpha, beta), second = rate_of(moved(s, first, h), alpha, beta);
    s = moved(moved(s, first, h / 2), second, h / 2);
    for (Vec4& e : s.e) e.normalize();
  });
}

void links_by_algebraic(double h, double until, const LookAtLinks& look) {
  run(h, until, look, [&](Links& s) {
    const Links p = predicted(s, equations(s), h);
    // (23) to (27)
    Links half = s;
    half.v = 0.5 * (s.v + p.v);
    for (std::size_t i = 0; i < 3; ++i) {
      half.r[i] = 0.5 * (s.r[i] + p.r[i]);
      half.e[i] = 0.5 * (s.e[i] + p.e[i]);
    }
    const Equations at = equations(half);
    const Velocities v =
        s.v + h * acceleration(at, 2 * equations(p).Phi / (h * h) + 2 * at.Phi_v * (s.v - p.v) / h);
    const Velocities middle = 0.5 * (s.v + v);
    for (std::size_t i = 0; i < 3; ++i) {
      s.r[i] += h * middle.segment<3>(6 * static_cast<long>(i));
      s.e[i] = turned(s.e[i], omega_of(middle, i), h);
    }
    s.v = v;
  });
}

}  // namespace trammel::reproduce
