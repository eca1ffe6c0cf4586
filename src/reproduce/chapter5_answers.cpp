#include "reproduce/chapter5_answers.h"

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

namespace trammel::reproduce {
namespace {

constexpr double kGravity = 9.81;
// Of the fourth order: with frequencies up to 50 rad/s what is left of it is below 1e-11.
constexpr double kStep = 1e-4;

using Vector = Eigen::VectorXd;
using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Rate = std::function<Vector(double t, const Vector& y)>;
using Rows = std::vector<std::vector<double>>;
using Observe = std::function<std::vector<double>(double t, const Vector& y)>;

Rows integrate(const Rate& rate, Vector y, const Observe& observe, double until, int rows) {
  Rows out{observe(0, y)};
  const double interval = until / rows;
  const int steps = static_cast<int>(std::ceil(interval / kStep));
  const double h = interval / steps;
  for (int i = 0; i < rows * steps; ++i) {
    const double t = h * i;
    const Vector k1 = rate(t, y), k2 = rate(t + h / 2, y + h / 2 * k1), k3 = rate(t + h / 2, y + h / 2 * k2),
                 k4 = rate(t + h, y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    if ((i + 1) % steps == 0) out.push_back(observe(t + h, y));
  }
  return out;
}

Answer answer(const std::string& model, const std::vector<std::string>& observed, double until, int rows,
              const Rate& rate, const Vector& start, const Observe& observe) {
  return {model, observed, until, rows,
          [=](double t, int n) { return integrate(rate, start, observe, t, n); }};
}

Vector values(std::initializer_list<double> list) {
  Vector y(static_cast<Eigen::Index>(list.size()));
  std::copy(list.begin(), list.end(), y.begin());
  return y;
}

// A body of a mechanism with one freedom θ: derivatives of its centre and of its angle by θ.
struct Moved {
  double mass, inertia;
  Vector2d first, second;
  double turn, turn_changes;
};

// Σ (m r'·r' + I φ'²) θ̈ + Σ (m r'·r'' + I φ'φ'') θ̇² + g Σ m y' = 0
double acceleration(const std::vector<Moved>& bodies, double speed) {
  double inertia = 0, change = 0, weight = 0;
  for (const Moved& b : bodies) {
    inertia += b.mass * b.first.squaredNorm() + b.inertia * b.turn * b.turn;
    change += b.mass * b.first.dot(b.second) + b.inertia * b.turn * b.turn_changes;
    weight += b.mass * kGravity * b.first.y();
  }
  return -(change * speed * speed + weight) / inertia;
}

// A point at length l along an angle φ(θ), and the derivatives of l (cos φ, sin φ) by θ.
struct Arm {
  double angle, turn, turn_changes;
  Vector2d at(double l) const { return l * Vector2d(std::cos(angle), std::sin(angle)); }
  Vector2d first(double l) const { return turn * l * Vector2d(-std::sin(angle), std::cos(angle)); }
  Vector2d second(double l) const {
    return turn_changes * l * Vector2d(-std::sin(angle), std::cos(angle)) - turn * turn * at(l);
  }
  // A uniform rod of that length whose near end moves with the given derivatives.
  Moved rod(double mass, double l, const Vector2d& near_first, const Vector2d& near_second) const {
    return {mass, mass * l * l / 12, near_first + first(l / 2), near_second + second(l / 2),
            turn, turn_changes};
  }
};

struct SliderCrank {
  double crank, coupler, m2, m3, m4;

  // L2 sin θ + L3 sin φ = 0
  Arm coupler_at(double theta) const {
    const double phi = std::asin(-crank / coupler * std::sin(theta));
    const double turn = -crank * std::cos(theta) / (coupler * std::cos(phi));
    return {phi, turn,
            (crank * std::sin(theta) + coupler * std::sin(phi) * turn * turn) / (coupler * std::cos(phi))};
  }
  double acceleration_at(double theta, double speed) const {
    const Arm first{theta, 1, 0}, second = coupler_at(theta);
    const Vector2d pin1 = first.first(crank), pin2 = first.second(crank);
    return acceleration({first.rod(m2, crank, Vector2d::Zero(), Vector2d::Zero()),
                         second.rod(m3, coupler, pin1, pin2),
                         {m4, 0, pin1 + second.first(coupler), pin2 + second.second(coupler), 0, 0}},
                        speed);
  }
  Answer answer_from(const std::string& model, double start, double until) const {
    return answer(
        model, {"P1.x", "P1.y", "P2.x"}, until, 20,
        [*this](double, const Vector& y) {
          return values({y[1], acceleration_at(y[0], y[1])});
        },
        values({start, 0}),
        [*this](double, const Vector& y) -> std::vector<double> {
          const Vector2d pin = Arm{y[0], 1, 0}.at(crank);
          return {pin.x(), pin.y(), pin.x() + coupler_at(y[0]).at(coupler).x()};
        });
  }
};

}  // namespace

Answer slider_crank() {
  return SliderCrank{1, 2, 1, 2, 1}.answer_from("1-slider-crank", std::numbers::pi / 4, 2);
}

Answer open_slider_crank() {
  return SliderCrank{1, 2, 1, 2, 0}.answer_from("7-open-slider-crank", std::numbers::pi / 3, 2);
}

// q̇ = R ż,  RᵀM R z̈ = Rᵀ(Q − M Ṙ ż), with q = (x1, y1, x2) and z = x2: as long as y1 ≠ 0.
Answer slider_crank_in_x2() {
  const Matrix3d M{{1, 0, 1.0 / 3}, {0, 1, 0}, {1.0 / 3, 0, 5.0 / 3}};
  const Vector3d Q(0, -1.5 * kGravity, 0);
  const auto R_of = [](const Vector3d& q) {
    const double first = 1 - q[0] / q[2];
    return Vector3d(first, -q[0] * first / q[1], 1);
  };
  const auto rate = [=](double, const Vector& y) -> Vector {
    const Vector3d q = y.head(3), R = R_of(q), v = R * y[3];
    const double first = -(v[0] * q[2] - q[0] * v[2]) / (q[2] * q[2]);
    const Vector3d R_dot(first, -(v[0] * R[0] + q[0] * first) / q[1] + q[0] * R[0] * v[1] / (q[1] * q[1]), 0);
    Vector out(4);
    out << v, R.dot(Q - M * R_dot * y[3]) / R.dot(M * R);
    return out;
  };
  const double x1 = std::sqrt(0.5);
  return answer("1-slider-crank", {"P1.x", "P1.y", "P2.x"}, 0.5, 5, rate,
                values({x1, x1, x1 + std::sqrt(3.5), 0}), [](double, const Vector& y) -> std::vector<double> {
                  return {y[0], y[1], y[2]};
                });
}

// The coupler stays the crank's mirror image, also through cos θ = 0: centre (3/2 cos θ, 1/2 sin θ).
Answer equal_links() {
  return answer(
      "2-equal-links", {"P1.x", "P1.y", "P2.x"}, 3, 20,
      [](double, const Vector& y) {
        const double c = std::cos(y[0]), s = std::sin(y[0]);
        return values({y[1], acceleration({{1, 1.0 / 12, {-s / 2, c / 2}, {-c / 2, -s / 2}, 1, 0},
                                           {2, 2.0 / 12, {-1.5 * s, c / 2}, {-1.5 * c, -s / 2}, -1, 0},
                                           {1, 0, {-2 * s, 0}, {-2 * c, 0}, 0, 0}},
                                          y[1])});
      },
      values({std::numbers::pi / 4, 0}),
      [](double, const Vector& y) -> std::vector<double> {
        return {std::cos(y[0]), std::sin(y[0]), 2 * std::cos(y[0])};
      });
}

// L²/3 z̈ + L/2 (g cos z − ẍ1 sin z) = 0
Answer driven_pivot() {
  return answer(
      "4-driven-pivot", {"P1.x", "P2.x", "P2.y"}, 3, 20,
      [](double t, const Vector& z) {
        return values({z[1], 1.5 * (-1.8 * std::sin(3 * t) * std::sin(z[0]) - kGravity * std::cos(z[0]))});
      },
      values({0, 0}),
      [](double t, const Vector& z) -> std::vector<double> {
        const double x1 = 0.2 * std::sin(3 * t);
        return {x1, x1 + std::cos(z[0]), std::sin(z[0])};
      });
}

namespace {

struct FourBar {
  double crank = 1, coupler = 3, rocker = 2, span = 3;

  // a e^{iθ} + b e^{iφ} = s + c e^{iψ}, the branch with joint 2 above the line from 1 to B.
  std::pair<Arm, Arm> arms_at(double theta) const {
    const Vector2d pin = Arm{theta, 1, 0}.at(crank), to_B = Vector2d(span, 0) - pin;
    const double d = to_B.norm(),
                 bend = std::acos((coupler * coupler + d * d - rocker * rocker) / (2 * coupler * d));
    const double phi = std::atan2(to_B.y(), to_B.x()) + bend;
    const Vector2d end = pin + coupler * Vector2d(std::cos(phi), std::sin(phi)) - Vector2d(span, 0);
    const double psi = std::atan2(end.y(), end.x());
    const Matrix2d A{{-coupler * std::sin(phi), rocker * std::sin(psi)},
                     {coupler * std::cos(phi), -rocker * std::cos(psi)}};
    const Vector2d turn = A.inverse() * crank * Vector2d(std::sin(theta), -std::cos(theta));
    const Arm b{phi, turn[0], 0}, c{psi, turn[1], 0};
    // A (φ'', ψ'') = a e^{iθ} + b φ'² e^{iφ} − c ψ'² e^{iψ}
    const Vector2d changes = A.inverse() * (pin - b.second(coupler) + c.second(rocker));
    return {{phi, turn[0], changes[0]}, {psi, turn[1], changes[1]}};
  }
  double acceleration_at(double theta, double speed) const {
    const Arm a{theta, 1, 0};
    const auto [b, c] = arms_at(theta);
    return acceleration({a.rod(crank, crank, Vector2d::Zero(), Vector2d::Zero()),
                         b.rod(coupler, coupler, a.first(crank), a.second(crank)),
                         c.rod(rocker, rocker, Vector2d::Zero(), Vector2d::Zero())},
                        speed);
  }
};

}  // namespace

Answer four_bar() {
  return answer(
      "6-four-bar", {"P1.x", "P1.y", "P2.x", "P2.y"}, 2, 20,
      [](double, const Vector& y) {
        return values({y[1], FourBar().acceleration_at(y[0], y[1])});
      },
      values({std::numbers::pi / 2, 2}),
      [](double, const Vector& y) -> std::vector<double> {
        const FourBar bars;
        const Vector2d one = Arm{y[0], 1, 0}.at(bars.crank),
                       two = one + bars.arms_at(y[0]).first.at(bars.coupler);
        return {one.x(), one.y(), two.x(), two.y()};
      });
}

// y = lean, its rate, turn, w3, the precession's angle, the centre's x and y. The equations of lean, turn and
// w3 stand in the model file; the centre moves with ω × r u, u from the lowest point to the centre: r (−w3
// e_y + lean' (sin(lean) e_x + cos(lean) e_z)), e_x and e_y turning with the precession.
Answer coin() {
  const double m = 0.01, r = 0.1, I1 = m * r * r / 4, I3 = m * r * r / 2, rolling = m * r * r;
  const auto rate = [=](double, const Vector& y) {
    const double s = std::sin(y[0]), c = std::cos(y[0]), fall = y[1], turn = y[2], w3 = y[3];
    return values(
        {fall,
         (I1 * turn * turn * s * c - (I3 + rolling) * w3 * turn * s - m * kGravity * r * c) / (I1 + rolling),
         (I3 * w3 * fall / I1 - 2 * turn * fall * c) / s, rolling * turn * fall * s / (I3 + rolling), turn,
         r * (w3 * std::sin(y[4]) + fall * s * std::cos(y[4])),
         r * (-w3 * std::cos(y[4]) + fall * s * std::sin(y[4]))});
  };
  return answer("8-coin", {"coin.x", "coin.y", "coin.z"}, 2, 20, rate,
                values({75 * std::numbers::pi / 180, 0, 1, -12, 0, 0, 0}),
                [r](double, const Vector& y) -> std::vector<double> {
                  return {y[5], y[6], r * std::sin(y[0])};
                });
}

// I ω̇ + ω × (I ω + h a) = 0 in body axes, Ṙ = R ω̃. Both satellites show their point 2.
Answer satellite() {
  const Vector3d inertia(60, 45, 30), h(0, 0, 0.4 * 500);
  const auto rate = [=](double, const Vector& y) -> Vector {
    const Vector3d w = y.head(3);
    const Eigen::Map<const Matrix3d> axes(y.data() + 3);
    Matrix3d tilde;
    tilde << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
    const Matrix3d axes_dot = axes * tilde;
    Vector out(12);
    out << (-w.cross(inertia.cwiseProduct(w) + h)).cwiseQuotient(inertia), axes_dot.reshaped();
    return out;
  };
  Vector start(12);
  start << 0.6, -0.4, 0.5, Matrix3d::Identity().reshaped();
  return answer("9-satellite",
                {"satellite.P2.x", "satellite.P2.y", "satellite.P2.z", "twin.P2.x", "twin.P2.y", "twin.P2.z"},
                2, 20, rate, start, [](double, const Vector& y) -> std::vector<double> {
                  return {y[9] / 2, y[10] / 2, y[11] / 2, 3 + y[9] / 2, y[10] / 2, y[11] / 2};
                });
}

// The equations stand in the model file; y = ψ1, ψ2 and their rates.
Answer held_upright() {
  const auto rate = [](double, const Vector& y) {
    const double c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]);
    const double torque = 170.4376 * y[0] + 56.8125 * y[1] + 58.7261 * y[2] + 24.6003 * y[3];
    const Matrix2d M{{4.0 / 3, c / 2}, {c / 2, 1.0 / 3}};
    const Vector2d Q(-torque - s / 2 * y[3] * y[3] + 1.5 * kGravity * std::sin(y[0]),
                     torque + s / 2 * y[2] * y[2] + 0.5 * kGravity * std::sin(y[1]));
    const Vector2d a = M.inverse() * Q;
    return values({y[2], y[3], a[0], a[1]});
  };
  const double start = 3 * std::numbers::pi / 180;
  return answer("10-held-upright", {"lower.angle - pi/2", "upper.angle - pi/2"}, 6, 24, rate,
                values({start, -start, 0, 0}), [](double, const Vector& y) -> std::vector<double> {
                  return {y[0], y[1]};
                });
}

}  // namespace trammel::reproduce
