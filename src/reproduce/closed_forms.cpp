// Problems with closed-form solutions: what the motion must be at every time.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/mobility.h"
#include "analysis/stability.h"
#include "linalg/dense.h"
#include "reproduce/bicycle.h"
#include "reproduce/curves.h"
#include "reproduce/measures.h"
#include "reproduce/trial.h"
#include "results/report/stability_report.h"
#include "system/system.h"

namespace trammel::reproduce {
namespace {

// Angular velocity in body axes at 10 s.
Finding torque_free(const Item& item) {
  Finding found;
  for (const std::string run : {"middle", "general"}) {
    Trial trial(item, run);
    trial.advance_to(10);
    const Pose pose = trial.simulation().system().poses(trial.state()).at(0);
    const Vec3 omega = pose.axes.transpose() * pose.angular_velocity;
    for (int i = 0; i < 3; ++i) found[run + "-" + "xyz"[i]].value = omega[i];
  }
  return found;
}

// Largest differences of expressions from closed forms of time.
using ClosedForm = std::function<std::vector<double>(double t)>;

double largest_difference(const Item& item, const std::vector<std::string>& observed, double until,
                          const ClosedForm& exact) {
  Trial trial(item, "", {}, observed);
  double largest = 0;
  trial.watch(until, [&] {
    const std::vector<double> v = trial.values(), e = exact(trial.t());
    for (std::size_t i = 0; i < v.size(); ++i) largest = std::max(largest, std::abs(v[i] - e[i]));
  });
  return largest;
}

// And the force of the ice across the blade, 2 m g' sin ωt.
Finding knife_edge(const Item& item) {
  const double m = 60, g = 9.81 * std::sin(20 * std::numbers::pi / 180), w = 1.5;
  Finding found;
  found["motion"].value = largest_difference(item, {"skater.x", "skater.y"}, 6, [&](double t) {
    return std::vector<double>{g * std::pow(std::sin(w * t), 2) / (2 * w * w),
                               g * (w * t - std::sin(2 * w * t) / 2) / (2 * w * w)};
  });
  Trial trial(item, "");
  double largest = 0, apart = 0;
  trial.watch(6, [&] {
    const double angle = w * trial.t(), exact = 2 * m * g * std::sin(angle);
    const double across = trial.joint_force("ice").dot(Vec3(-std::sin(angle), std::cos(angle), 0));
    largest = std::max(largest, std::abs(exact));
    apart = std::max(apart, std::abs(across - exact));
  });
  found["force"].value = apart;
  found["force"].beside = {{"largest force", fmt::format("{:.1f} N", largest)}};
  return found;
}

Finding wilberforce(const Item& item) {
  const double m = 0.5, inertia = 1.2e-4, w = 2.31, eps = 9.28e-3, z0 = 0.1;
  const double split = eps / (2 * std::sqrt(m * inertia)), w1 = std::sqrt(w * w + split),
               w2 = std::sqrt(w * w - split);
  Finding found;
  found["motion"].value = largest_difference(item, {"z", "theta*sqrt(1.2e-4/0.5)"}, 40, [&](double t) {
    return std::vector<double>{z0 * (std::cos(w1 * t) + std::cos(w2 * t)) / 2,
                               z0 * (std::cos(w1 * t) - std::cos(w2 * t)) / 2};
  });
  return found;
}

// A disk on its way: spin about its axis, precession of the axis, the centre's path, the table's force.
struct Rolled {
  std::vector<Vec3> centres;
  double spin = 0, turned = 0, force = 0;  // rad/s and N at the end, rad since the start
  double height = 0, pace = 0;             // largest changes
};

Rolled roll(const Item& item, const std::string& run, double until) {
  Trial trial(item, run);
  Rolled out;
  double before = 0, height = 0, speed = 0;
  trial.watch(until, [&] {
    const Pose coin = trial.poses().at(0);
    const Vec3 axis = coin.axes.col(2);
    const double azimuth = std::atan2(axis.y(), axis.x());
    if (out.centres.empty()) {
      before = azimuth;
      height = coin.position.z();
      speed = coin.velocity.norm();
    }
    out.turned += std::remainder(azimuth - before, 2 * std::numbers::pi);
    before = azimuth;
    out.centres.push_back(coin.position);
    out.spin = coin.angular_velocity.dot(axis);
    out.force = trial.joint_force("table").z();
    out.height = std::max(out.height, std::abs(coin.position.z() - height));
    out.pace = std::max(out.pace, std::abs(coin.velocity.norm() - speed));
  });
  return out;
}

// x² + y² = 2ax + 2by + c by least squares; a centre that does not move has radius zero.
double circle_radius(const std::vector<Vec3>& points) {
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd A(n, 3);
  Eigen::VectorXd side(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Vec3 p = points[static_cast<std::size_t>(i)] - points.front();
    A.row(i) << 2 * p.x(), 2 * p.y(), 1;
    side[i] = p.head<2>().squaredNorm();
  }
  if (side.maxCoeff() < 1e-20) return std::sqrt(side.maxCoeff());
  const Eigen::Vector3d x = linalg::least_squares(A, side);
  return std::sqrt(x[2] + x.head<2>().squaredNorm());
}

Finding rolling_disk(const Item& item) {
  constexpr double kUntil = 5;  // s
  Finding found;
  for (const std::string run : {"lean-60", "lean-75", "rest"}) {
    const Rolled rolled = roll(item, run, kUntil);
    found[run + "-spin"].value = rolled.spin;
    found[run + "-turn"].value = rolled.turned / kUntil;
    found[run + "-radius"].value = circle_radius(rolled.centres);
    found[run + "-force"].value = rolled.force;
    found[run + "-height"].value = rolled.height;
    found[run + "-speed"].value = rolled.pace;
  }
  return found;
}

Finding bennett(const Item& item) {
  Finding found;
  Trial trial(item, "", {}, {"J1.angle", "J2.angle", "J3.angle", "J4.angle"});
  const analysis::Mobility m = analysis::mobility(trial.simulation());
  found["freedom"].value = m.degrees_of_freedom;
  const double alpha = std::numbers::pi / 3, beta = std::asin(0.75 * std::sin(alpha)),
               theta1 = 80 * std::numbers::pi / 180;
  const double ratio = std::sin((alpha + beta) / 2) / std::sin((beta - alpha) / 2),
               theta2 = 2 * std::atan(ratio / std::tan(theta1 / 2));
  double relation = 0, opposite = 0, travel = 0;
  trial.watch(3, [&] {
    const std::vector<double> v = trial.values();
    const double one = theta1 + v[0], two = theta2 + v[1];
    // as sines and cosines, which stay finite
    relation = std::max(relation, std::abs(std::sin(one / 2) * std::sin(two / 2) -
                                           ratio * std::cos(one / 2) * std::cos(two / 2)));
    opposite = std::max({opposite, std::abs(v[0] + v[2]), std::abs(v[1] + v[3])});
    travel = std::max(travel, std::abs(v[0]));
  });
  found["relation"].value = relation;
  found["relation"].beside = {{"while θ₁ turns by", fmt::format("{:.0f}°", travel * 180 / std::numbers::pi)}};
  found["opposite"].value = opposite;
  return found;
}

// tan(φ/2) = hω/2 of the trapezoidal rule's eigenvalues.
Finding two_rods(const Item& item) {
  Finding found;
  const Mechanism mechanism = mechanism_of(item, "hanging");
  const analysis::Stability s = analysis::stability(mechanism, mechanism.plan);
  if (!s.report.accepted()) throw TrialFailed(results::stability_failure(s));
  std::vector<double> frequencies;
  for (const analysis::Mode& mode : s.modes)
    if (!mode.violates && mode.value.imag() > 0)
      frequencies.push_back(2 / s.step * std::tan(std::arg(mode.value) / 2));
  std::sort(frequencies.begin(), frequencies.end());
  if (frequencies.size() != 2) throw TrialFailed("two rods have two frequencies");
  found["slow"].value = frequencies[0];
  found["fast"].value = frequencies[1];
  Trial large(item, "large", {}, {"A.x", "A.y", "B.x", "B.y"});
  for (const int t : {1, 5}) {
    large.advance_to(t);
    const std::vector<double> q = large.values();
    for (std::size_t i = 0; i < 4; ++i) found[fmt::format("q{}-{}", i + 1, t)].value = q[i];
  }
  return found;
}

// The speed at which a quantity of the eigenvalues is zero, between two speeds: by secants.
double critical_speed(const Item& item, double low, double high,
                      const std::function<double(const std::vector<std::complex<double>>&)>& of) {
  const auto value = [&](double v) { return of(bicycle_eigenvalues(item, v)); };
  double a = low, b = high, fa = value(a), fb = value(b);
  for (int i = 0; i < 12 && std::abs(b - a) > 1e-11; ++i) {
    const double next = b - fb * (b - a) / (fb - fa);
    a = b;
    fa = fb;
    b = next;
    fb = value(b);
  }
  return b;
}

Finding bicycle(const Item& item) {
  using Values = std::vector<std::complex<double>>;
  Finding found;
  const Values five = bicycle_eigenvalues(item, 5);
  found["castering"].value = five.at(0).real();
  found["weave-real"].value = five.at(1).real();
  found["weave-imaginary"].value = std::abs(five.at(1).imag());
  found["capsize"].value = five.at(3).real();
  found["weave-speed"].value = critical_speed(item, 4.25, 4.35, [](const Values& values) {
    // the pair that oscillates
    return std::max_element(
               values.begin(), values.end(),
               [](const auto& a, const auto& b) { return std::abs(a.imag()) < std::abs(b.imag()); })
        ->real();
  });
  // the slowest of those that do not
  found["capsize-speed"].value =
      critical_speed(item, 5.9, 6.1, [](const Values& values) { return values.back().real(); });
  return found;
}

}  // namespace

Measures closed_form_measures() {
  return {{"torque-free", torque_free}, {"knife-edge", knife_edge},   {"rolling-disk", rolling_disk},
          {"bennett", bennett},         {"wilberforce", wilberforce}, {"two-rods", two_rods},
          {"bicycle", bicycle}};
}

}  // namespace trammel::reproduce
