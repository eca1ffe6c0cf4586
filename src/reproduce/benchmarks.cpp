// Benchmark problems with certified solutions: the IFToMM library's A01 to A05 and others.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "reproduce/curves.h"
#include "reproduce/jacobi.h"
#include "reproduce/measures.h"
#include "reproduce/trial.h"
#include "simulation/plan_check.h"

namespace trammel::reproduce {
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

constexpr double kThreshold = 1e-3;

double relative_error(double value, double exact) {
  return (value - exact) / std::max(std::abs(exact), kThreshold);
}

LibraryError library_error(const Item& item, const std::string& reference,
                           const std::vector<Observed>& observed, double until) {
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
    while (trial.t() < row[0] - 0.5 * simulation::landing_interval(trial.plan())) {
      trial.step();
      out.energy = std::max(out.energy, std::abs(trial.energy() - start));
    }
    const std::vector<double> v = trial.values();
    for (std::size_t k = 0; k < v.size(); ++k) {
      const double exact = row[table.column(observed[k].column)];
      const double error = relative_error(v[k], exact);
      sum += error * error;
      n += 1;
      out.ours[k].add(row[0], v[k]);
      out.exact[k].add(row[0], exact);
    }
  }
  out.rms = std::sqrt(sum / n);
  return out;
}

// A certified value: an expression at a time.
struct Certified {
  std::string row, expression;
  double t;
};

// By the run "accurate", which controls its error.
void measure_certified(const Item& item, const std::vector<Certified>& values, Finding& found) {
  std::map<double, std::vector<std::size_t>> by_time;
  std::vector<std::string> observed;
  for (std::size_t i = 0; i < values.size(); ++i) {
    by_time[values[i].t].push_back(i);
    observed.push_back(values[i].expression);
  }
  Trial trial(item, "accurate", {}, observed);
  for (const auto& [t, rows] : by_time) {
    trial.advance_to(t);
    const std::vector<double> now = trial.values();
    for (const std::size_t i : rows) found[values[i].row].value = now[i];
  }
}

// A benchmark of the library: its measure at the required precision, and certified values.
struct Benchmark {
  std::string reference;
  std::vector<Observed> observed;
  double until;
  std::vector<Certified> certified;
  bool has_energy = false;
};

Finding measure_benchmark(const Item& item, const Benchmark& b) {
  Finding found;
  const LibraryError error = library_error(item, b.reference, b.observed, b.until);
  found["error"].value = error.rms;
  if (b.has_energy) found["energy"].value = error.energy;
  measure_certified(item, b.certified, found);
  const std::size_t shown = std::min<std::size_t>(2, error.ours.size());
  for (std::size_t k = 0; k < shown; ++k) {
    Curve ours = error.ours[k];
    ours.name = "Trammel";
    found.pictures.push_back({error.ours[k].name, plot_of(error.ours[k].name, {"t [s]", error.ours[k].name},
                                                          {ours, error.exact[k]})});
  }
  return found;
}

// x, y of a closed-form pendulum: with k² = ½ and s = k cd(√g t), x = −2s √(1 − s²), y = 2s² − 1.
std::pair<double, double> pendulum_at(double t) {
  const double m = 0.5, whole = 4 * std::comp_ellint_1(std::sqrt(m));
  const Jacobi j = jacobi(std::fmod(std::sqrt(9.81) * t, whole), m);
  const double s = std::sqrt(m) * j.cn / j.dn;
  return {-2 * s * std::sqrt(1 - s * s), 2 * s * s - 1};
}

Finding a01(const Item& item) {
  return measure_benchmark(item, {"A01_pendulum_reference",
                                  {{"x", "P.x"}, {"y", "P.y"}},
                                  10,
                                  {{"x-1", "P.x", 1},
                                   {"y-1", "P.y", 1},
                                   {"x-5", "P.x", 5},
                                   {"y-5", "P.y", 5},
                                   {"x-10", "P.x", 10},
                                   {"y-10", "P.y", 10}},
                                  true});
}

// 4000 equally spaced outputs, the library's measure.
Finding a01_long(const Item& item) {
  constexpr int kOutputs = 4000;
  Finding found;
  Trial trial(item, "accurate", {}, {"P.x", "P.y"});
  double sum = 0;
  for (int i = 1; i <= kOutputs; ++i) {
    const double t = 2000.0 * i / kOutputs;
    trial.advance_to(t);
    const std::vector<double> v = trial.values();
    const auto [x, y] = pendulum_at(t);
    sum += std::pow(relative_error(v[0], x), 2) + std::pow(relative_error(v[1], y), 2);
  }
  found["error"].value = std::sqrt(sum / (2 * kOutputs));
  found["x"].value = trial.values()[0];
  found["y"].value = trial.values()[1];
  return found;
}

Finding a02(const Item& item) {
  Finding found =
      measure_benchmark(item, {"A02_N2_reference",
                               {{"xB0", "B0.x"}, {"yB0", "B0.y"}, {"vxB0", "B0.vx"}, {"vyB0", "B0.vy"}},
                               10,
                               {{"x-1", "B0.x", 1},
                                {"y-1", "B0.y", 1},
                                {"x-5", "B0.x", 5},
                                {"y-5", "B0.y", 5},
                                {"x-10", "B0.x", 10},
                                {"y-10", "B0.y", 10},
                                {"vx-10", "B0.vx", 10},
                                {"vy-10", "B0.vy", 10}},
                               true});
  Trial published(item, "published");
  const double start = published.energy();
  double drift = 0;
  published.watch(10, [&] { drift = std::max(drift, std::abs(published.energy() - start)); });
  found["cuadrado"].value = drift;
  return found;
}

Finding a02_40(const Item& item) {
  return measure_benchmark(
      item, {"A02_N40_reference",
             {{"xB0", "B0.x"}, {"yB0", "B0.y"}, {"vxB0", "B0.vx"}, {"vyB0", "B0.vy"}},
             20,
             {{"x-10", "B0.x", 10}, {"y-10", "B0.y", 10}, {"x-20", "B0.x", 20}, {"y-20", "B0.y", 20}}});
}

Finding a03(const Item& item) {
  return measure_benchmark(item, {"A03_andrews_reference",
                                  {{"xF", "F.x"}, {"yF", "F.y"}},
                                  0.05,
                                  {{"beta", "O.angle", 0.03},
                                   {"test-set", "O.angle", 0.03},
                                   {"theta", "-F.angle", 0.03},
                                   {"gamma", "B.angle", 0.03},
                                   {"phi", "G.angle", 0.03},
                                   {"x-0.03", "F.x", 0.03},
                                   {"y-0.03", "F.y", 0.03},
                                   {"x-0.05", "F.x", 0.05},
                                   {"y-0.05", "F.y", 0.05}},
                                  true});
}

// With square sections nobody has printed a figure: two kinds of coordinates must agree.
void square_bricard(const Item& item, Finding& found) {
  const std::vector<std::string> place = {"P3.x", "P3.y", "P3.z"};
  Trial natural(item, "square", {}, place), relative(item, "square-relative", {}, place);
  const double start = natural.energy();
  double apart = 0, drift = 0;
  while (natural.t() < 5 - 1e-9) {
    natural.step();
    relative.step();
    const std::vector<double> a = natural.values(), b = relative.values();
    for (std::size_t i = 0; i < 3; ++i) apart = std::max(apart, std::abs(a[i] - b[i]));
    drift = std::max(drift, std::abs(natural.energy() - start));
  }
  found["square"].value = apart;
  const std::vector<double> end = natural.values();
  found["square"].beside = {
      {"P₃ at 5 s", fmt::format("({:.10f}, {:.10f}, {:.10f}) m", end[0], end[1], end[2])}};
  found["square-energy"].value = drift;
}

Finding a04(const Item& item) {
  Finding found = measure_benchmark(item, {"A04_bricard_slender_reference",
                                           {{"xP3", "P3.x"}, {"yP3", "P3.y"}, {"zP3", "P3.z"}},
                                           10,
                                           {{"x-1", "P3.x", 1},
                                            {"y-1", "P3.y", 1},
                                            {"z-1", "P3.z", 1},
                                            {"x-2", "P3.x", 2},
                                            {"y-2", "P3.y", 2},
                                            {"z-2", "P3.z", 2},
                                            {"x-10", "P3.x", 10},
                                            {"y-10", "P3.y", 10},
                                            {"z-10", "P3.z", 10}},
                                           true});
  square_bricard(item, found);
  return found;
}

// About the world's z through the origin.
double axial_momentum(const Trial& trial) {
  const std::vector<Pose> poses = trial.poses();
  const std::vector<Body>& bodies = trial.mechanism().bodies;
  Vec3 sum = Vec3::Zero();
  for (std::size_t b = 0; b < bodies.size(); ++b)
    sum += bodies[b].mass * poses[b].position.cross(poses[b].velocity) +
           poses[b].axes * (bodies[b].inertia * (poses[b].axes.transpose() * poses[b].angular_velocity));
  return sum.z();
}

Finding a05(const Item& item) {
  Finding found = measure_benchmark(item, {"A05_flyball_reference",
                                           {{"s", "sleeve.displacement"}},
                                           10,
                                           {{"s-0.1", "sleeve.displacement", 0.1},
                                            {"s-0.5", "sleeve.displacement", 0.5},
                                            {"s-1", "sleeve.displacement", 1},
                                            {"s-2", "sleeve.displacement", 2},
                                            {"s-5", "sleeve.displacement", 5}}});
  Trial trial(item, "accurate", {}, {"sleeve.displacement"});
  const Energy start = trial.simulation().energy();
  trial.advance_to(10);
  const Energy end = trial.simulation().energy();
  found["s-10"].value = trial.value();
  found["momentum"].value = axial_momentum(trial);
  found["lost"].value = start.kinetic + start.potential - end.kinetic - end.potential;
  return found;
}

Finding spatial_slider_crank(const Item& item) {
  return measure_benchmark(item, {"spatial_slider_crank_reference",
                                  {{"s", "guide.displacement"}, {"theta", "bearing.angle"}},
                                  5,
                                  {{"s-1", "guide.displacement", 1},
                                   {"theta-1", "bearing.angle", 1},
                                   {"s-2", "guide.displacement", 2},
                                   {"theta-2", "bearing.angle", 2},
                                   {"s-5", "guide.displacement", 5},
                                   {"theta-5", "bearing.angle", 5}}});
}

Finding heavy_top(const Item& item) {
  std::vector<Certified> certified;
  for (const auto& [name, t] : {std::pair("0.5", 0.5), std::pair("1", 1.0), std::pair("2", 2.0)})
    for (const std::string axis : {"x", "y", "z"}) certified.push_back({axis + "-" + name, "top." + axis, t});
  return measure_benchmark(
      item, {"heavy_top_reference", {{"xCOM", "top.x"}, {"yCOM", "top.y"}, {"zCOM", "top.z"}}, 2, certified});
}

}  // namespace

Measures benchmark_measures() {
  Measures measures{{"A01", a01},
                    {"A01-2000", a01_long},
                    {"A02", a02},
                    {"A02-N40", a02_40},
                    {"A03", a03},
                    {"A04", a04},
                    {"A05", a05},
                    {"spatial-slider-crank", spatial_slider_crank},
                    {"heavy-top", heavy_top}};
  measures.merge(closed_form_measures());
  return measures;
}

}  // namespace trammel::reproduce
