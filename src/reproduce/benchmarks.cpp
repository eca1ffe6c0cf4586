// Benchmark problems with certified or closed-form solutions: the IFToMM library's A01 to A05 and others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/mobility.h"
#include "analysis/stability.h"
#include "io/stability_report.h"
#include "reproduce/curves.h"
#include "reproduce/measures.h"
#include "reproduce/trial.h"
#include "simulation/plan_check.h"
#include "system/system.h"

namespace trammel {
namespace {

// A column of a reference and what it is in the model.
struct Observed {
  std::string column, expression;
};

std::vector<std::string> expressions(const std::vector<Observed>& observed) {
  std::vector<std::string> out;
  for (const Observed& o : observed) out.push_back(o.expression);
  return out;
}

// The library's measure: errors relative to max(|reference|, 1e-3), the root of their mean square over
// variables and times.
struct LibraryError {
  double rms = 0, energy = 0;  // –, J
  std::vector<Curve> ours, exact;
};

LibraryError library_error(const Item& item, const std::string& reference,
                           const std::vector<Observed>& observed, double until) {
  constexpr double kThreshold = 1e-3;
  const ReferenceTable table = read_reference(item, reference);
  Trial trial(item, "required", {}, expressions(observed));
  LibraryError out;
  for (const Observed& o : observed) {
    out.ours.push_back({o.column, {}, {}});
    out.exact.push_back({"certified", {}, {}});
  }
  const double start = trial.energy();
  double sum = 0, n = 0;
  for (const auto& row : table.rows) {
    if (row[0] > until * (1 + 1e-12)) break;
    while (trial.t() < row[0] - 0.5 * landing_interval(trial.plan())) {
      trial.step();
      out.energy = std::max(out.energy, std::abs(trial.energy() - start));
    }
    const std::vector<double> v = trial.values();
    for (std::size_t k = 0; k < v.size(); ++k) {
      const double exact = row[table.column(observed[k].column)];
      const double error = (v[k] - exact) / std::max(std::abs(exact), kThreshold);
      sum += error * error;
      n += 1;
      out.ours[k].add(row[0], v[k]);
      out.exact[k].add(row[0], exact);
    }
  }
  out.rms = std::sqrt(sum / n);
  return out;
}

// Values at a time: by error control as they are, by fixed steps of second order extrapolated from h and h/2.
std::vector<double> values_at(const Item& item, const std::string& run,
                              const std::vector<std::string>& observed, double t) {
  const Mechanism mechanism = mechanism_of(item, run);
  const auto solve = [&](double factor) {
    Mechanism copy = mechanism;
    copy.plan.step *= factor;
    Trial trial(std::move(copy), observed);
    trial.advance_to(t);
    return trial.values();
  };
  std::vector<double> values = solve(1);
  if (controls_error(mechanism.plan)) return values;
  const std::vector<double> fine = solve(0.5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (4 * fine[i] - values[i]) / 3;
  return values;
}

// A benchmark of the library: its measure at the required precision, and certified values.
struct Benchmark {
  std::string reference;
  std::vector<Observed> observed;
  double until;
  std::map<std::string, std::pair<std::string, double>> certified;  // row: expression and time
  bool has_energy = false;
};

Finding measure_benchmark(const Item& item, const Benchmark& b) {
  Finding found;
  const LibraryError error = library_error(item, b.reference, b.observed, b.until);
  found["error"].value = error.rms;
  if (b.has_energy) found["energy"].value = error.energy;
  std::map<double, std::vector<std::string>> by_time;
  for (const auto& [row, what] : b.certified) by_time[what.second].push_back(row);
  for (const auto& [t, rows] : by_time) {
    std::vector<std::string> observed;
    for (const std::string& row : rows) observed.push_back(b.certified.at(row).first);
    const std::vector<double> values = values_at(item, "accurate", observed, t);
    for (std::size_t i = 0; i < rows.size(); ++i) found[rows[i]].value = values[i];
  }
  const std::size_t shown = std::min<std::size_t>(2, error.ours.size());
  for (std::size_t k = 0; k < shown; ++k) {
    Curve ours = error.ours[k];
    ours.name = "Trammel";
    found.pictures.push_back({error.ours[k].name, plot_of(error.ours[k].name, {"t [s]", error.ours[k].name},
                                                          {ours, error.exact[k]})});
  }
  return found;
}

Finding a01(const Item& item) {
  return measure_benchmark(item, {"A01_pendulum_reference",
                                  {{"x", "P.x"}, {"y", "P.y"}},
                                  10,
                                  {{"x", {"P.x", 10}}, {"y", {"P.y", 10}}},
                                  true});
}

Finding a02(const Item& item) {
  Finding found =
      measure_benchmark(item, {"A02_N2_reference",
                               {{"xB0", "B0.x"}, {"yB0", "B0.y"}, {"vxB0", "B0.vx"}, {"vyB0", "B0.vy"}},
                               10,
                               {{"x", {"B0.x", 1}}, {"y", {"B0.y", 1}}, {"x5", {"B0.x", 5}}},
                               true});
  Trial published(item, "published");
  const double start = published.energy();
  double drift = 0;
  published.watch(10, [&] { drift = std::max(drift, std::abs(published.energy() - start)); });
  found["cuadrado"].value = drift;
  return found;
}

Finding a02_40(const Item& item) {
  return measure_benchmark(item, {"A02_N40_reference",
                                  {{"xB0", "B0.x"}, {"yB0", "B0.y"}, {"vxB0", "B0.vx"}, {"vyB0", "B0.vy"}},
                                  20,
                                  {{"x", {"B0.x", 1}}, {"y", {"B0.y", 1}}}});
}

Finding a03(const Item& item) {
  return measure_benchmark(item, {"A03_andrews_reference",
                                  {{"xF", "F.x"}, {"yF", "F.y"}},
                                  0.05,
                                  {{"beta", {"O.angle", 0.03}},
                                   {"test-set", {"O.angle", 0.03}},
                                   {"gamma", {"B.angle", 0.03}},
                                   {"x", {"F.x", 0.05}},
                                   {"y", {"F.y", 0.05}}}});
}

Finding a04(const Item& item) {
  return measure_benchmark(item,
                           {"A04_bricard_slender_reference",
                            {{"xP3", "P3.x"}, {"yP3", "P3.y"}, {"zP3", "P3.z"}},
                            10,
                            {{"x", {"P3.x", 1}}, {"y", {"P3.y", 1}}, {"z", {"P3.z", 1}}, {"x2", {"P3.x", 2}}},
                            true});
}

Finding a05(const Item& item) {
  return measure_benchmark(item, {"A05_flyball_reference",
                                  {{"s", "sleeve.displacement"}},
                                  10,
                                  {{"s-0.5", {"sleeve.displacement", 0.5}},
                                   {"s-1", {"sleeve.displacement", 1}},
                                   {"s-10", {"sleeve.displacement", 10}}}});
}

Finding spatial_slider_crank(const Item& item) {
  return measure_benchmark(item, {"spatial_slider_crank_reference",
                                  {{"s", "guide.displacement"}, {"theta", "bearing.angle"}},
                                  5,
                                  {{"s", {"guide.displacement", 1}},
                                   {"theta", {"bearing.angle", 1}},
                                   {"s-5", {"guide.displacement", 5}},
                                   {"theta-5", {"bearing.angle", 5}}}});
}

Finding heavy_top(const Item& item) {
  return measure_benchmark(item, {"heavy_top_reference",
                                  {{"xCOM", "top.x"}, {"yCOM", "top.y"}, {"zCOM", "top.z"}},
                                  2,
                                  {{"x", {"top.x", 1}}, {"y", {"top.y", 1}}, {"z", {"top.z", 1}}}});
}

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

Finding knife_edge(const Item& item) {
  const double g = 9.81 * std::sin(20 * std::numbers::pi / 180), w = 1.5;
  Finding found;
  found["motion"].value = largest_difference(item, {"skater.x", "skater.y"}, 6, [&](double t) {
    return std::vector<double>{g * std::pow(std::sin(w * t), 2) / (2 * w * w),
                               g * (w * t - std::sin(2 * w * t) / 2) / (2 * w * w)};
  });
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

// Steady precession: height and speed of the centre stay.
Finding rolling_disk(const Item& item) {
  Finding found;
  Trial trial(item, "", {}, {"coin.x", "coin.y", "coin.z", "coin.vx", "coin.vy"});
  const double r = 0.1, turn = 3, lean = std::numbers::pi / 3;
  const double w3 = (0.25 * turn * turn * std::sin(lean) * std::cos(lean) - 9.81 / r * std::cos(lean)) /
                    (1.5 * turn * std::sin(lean));
  const double height = r * std::sin(lean), speed = std::abs(r * w3);
  double tilt = 0, pace = 0;
  trial.watch(5, [&] {
    const std::vector<double> v = trial.values();
    tilt = std::max(tilt, std::abs(v[2] - height));
    pace = std::max(pace, std::abs(std::hypot(v[3], v[4]) - speed));
  });
  found["height"].value = tilt;
  found["speed"].value = pace;
  found["spin"].value = w3;
  return found;
}

Finding bennett(const Item& item) {
  Finding found;
  Trial trial(item, "", {}, {"J1.angle", "J2.angle", "J3.angle", "J4.angle"});
  const Mobility m = mobility(trial.simulation().system(), trial.state());
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
  const Stability s = stability(mechanism, mechanism.plan);
  if (!s.report.accepted()) throw TrialFailed(stability_failure(s));
  std::vector<double> frequencies;
  for (const Mode& mode : s.modes)
    if (!mode.violates && mode.value.imag() > 0)
      frequencies.push_back(2 / s.step * std::tan(std::arg(mode.value) / 2));
  std::sort(frequencies.begin(), frequencies.end());
  if (frequencies.size() != 2) throw TrialFailed("two rods have two frequencies");
  found["slow"].value = frequencies[0];
  found["fast"].value = frequencies[1];
  const std::vector<double> large = values_at(item, "large", {"A.x", "A.y", "B.x", "B.y"}, 1);
  for (std::size_t i = 0; i < 4; ++i) found["q" + std::to_string(i + 1)].value = large[i];
  return found;
}

}  // namespace

Measures benchmark_measures() {
  return {{"A01", a01},
          {"A02", a02},
          {"A02-N40", a02_40},
          {"A03", a03},
          {"A04", a04},
          {"A05", a05},
          {"spatial-slider-crank", spatial_slider_crank},
          {"heavy-top", heavy_top},
          {"torque-free", torque_free},
          {"knife-edge", knife_edge},
          {"rolling-disk", rolling_disk},
          {"bennett", bennett},
          {"wilberforce", wilberforce},
          {"two-rods", two_rods}};
}

}  // namespace trammel
