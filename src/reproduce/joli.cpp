// Joli, Seguy & Feng: Tables 1 and 2 as ratios of sweeps, Figures 6 to 8 and 10.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/curves.h"
#include "reproduce/measures.h"
#include "reproduce/trial.h"

namespace trammel {
namespace {

struct Path {
  Curve path, x, y;   // y of x, and both of time
  double error = 0;   // m, largest over 10 s
  double at_end = 0;  // m
  double sweeps = 0;  // per step
};

// References have a row each tenth of a second.
bool at_reference(double t) { return std::abs(10 * t - std::round(10 * t)) < 1e-6; }

void follow(Path& out, const ReferenceTable& exact, double t, double x, double y) {
  out.path.add(x, y);
  out.x.add(t, x);
  out.y.add(t, y);
  if (!at_reference(t)) return;
  out.at_end = std::hypot(x - exact.at(t, "x22"), y - exact.at(t, "y22"));
  out.error = std::max(out.error, out.at_end);
}

// (37), (38): one evaluation of accelerations per step, in joint angles.
Path centralized(const Item& item, double h) {
  const ReferenceTable exact = read_reference(item, "joli_double_pendulum_reference");
  Trial trial(item, "angles");
  Path out;
  State s = trial.state();
  const auto see = [&] {
    follow(out, exact, s.t, std::cos(s.q[0]) + std::cos(s.q[0] + s.q[1]),
           std::sin(s.q[0]) + std::sin(s.q[0] + s.q[1]));
  };
  const auto add_acceleration = [&] {  // q += h² a/4, v += h a/2
    for (std::size_t i = 0; i < 2; ++i) {
      s.q[i] += h * h / 4 * s.a[i];
      s.v[i] += h / 2 * s.a[i];
    }
  };
  see();
  for (long n = 1; n <= std::lround(10 / h); ++n) {
    for (std::size_t i = 0; i < 2; ++i) s.q[i] += h * s.v[i];
    add_acceleration();
    trial.simulation().restore(s);
    Report report;
    s.a = trial.simulation().with_reactions(report).a;
    if (!report.accepted()) throw TrialFailed(report.message);
    add_acceleration();
    s.t = static_cast<double>(n) * h;
    see();
  }
  return out;
}

Path modular(const Item& item, const std::string& run, const std::string& step) {
  const ReferenceTable exact = read_reference(item, "joli_double_pendulum_reference");
  Trial trial(item, run, {"simulate.step=" + step}, {"link2.end.x", "link2.end.y"});
  Path out;
  trial.watch(10, [&] {
    const std::vector<double> v = trial.values();
    follow(out, exact, trial.t(), v[0], v[1]);
  });
  out.sweeps = static_cast<double>(trial.iterations()) / static_cast<double>(trial.steps());
  return out;
}

Curve named(Curve curve, const std::string& name) {
  curve.name = name;
  return curve;
}

Finding figure_6(const Item& item) {
  Finding found;
  const Path coarse = centralized(item, 1e-2), fine = centralized(item, 1e-4);
  double apart = 0;
  for (std::size_t i = 0; i < coarse.x.y.size(); ++i)
    apart = std::max(apart, std::hypot(coarse.x.y[i] - fine.x.y[100 * i], coarse.y.y[i] - fine.y.y[100 * i]));
  found["different"].holds = apart > 0.5;  // m, of a motion of 4 m
  found["different"].text = fmt::format("up to {:.2f} m apart", apart);
  found["reference"].holds = fine.error < 0.01;
  found["reference"].text = fmt::format("{:.3f} m from the certified motion", fine.error);
  found["reference"].beside = {
      {"order of the rule with one evaluation a step",
       fmt::format("{:.2f}", std::log10(centralized(item, 1e-3).error / fine.error))}};
  found.pictures = {
      {"Figure 6", plot_of("Path of m2", {"x [m]", "y [m]"},
                           {named(coarse.path, "Δt = 1e-2 s"), named(fine.path, "Δt = 1e-4 s")})}};
  return found;
}

Finding figures_7_8(const Item& item) {
  Finding found;
  const Path reference = centralized(item, 1e-4), joint = centralized(item, 1e-2),
             coarse = modular(item, "one-percent", "1e-2"), fine = modular(item, "one-percent", "1e-3");
  found["figure-7"].holds = coarse.error < joint.error;
  found["figure-7"].text =
      fmt::format("largest error {:.2f} m, {:.2f} m at 10 s", coarse.error, coarse.at_end);
  found["figure-7"].beside = {{"joint coordinates, same step", fmt::format("{:.2f} m", joint.error)}};
  found["figure-8"].holds = fine.error < coarse.error / 10;
  found["figure-8"].text = fmt::format("largest error {:.1e} m", fine.error);
  found.pictures = {{"Figure 7: Δt = 1e-2 s",
                     plot_of("Path of m2", {"x [m]", "y [m]"},
                             {named(reference.path, "centralized, 1e-4 s"), named(coarse.path, "modular")})},
                    {"Figure 8: Δt = 1e-3 s",
                     plot_of("Path of m2", {"x [m]", "y [m]"},
                             {named(reference.path, "centralized, 1e-4 s"), named(fine.path, "modular")})}};
  return found;
}

// Sweeps per step stand for times: everything else of a step costs the same.
Finding times(const std::function<double(const std::string&, const std::string&)>& sweeps) {
  Finding found;
  for (const std::string step : {"1e-2", "1e-3"}) {
    const double fine = sweeps("one-percent", step), coarse = sweeps("ten-percent", step);
    found["tolerance/" + step].value = fine / coarse;
    found["tolerance/" + step].beside = {{"sweeps a step", fmt::format("{:.1f} and {:.1f}", fine, coarse)}};
  }
  for (const std::string run : {"one-percent", "ten-percent"}) {
    const std::string key = run == "one-percent" ? "steps-1" : "steps-10";
    found[key + "/1e-3"].value = 10 * sweeps(run, "1e-3") / sweeps(run, "1e-2");
  }
  return found;
}

Finding table_1(const Item& item) {
  std::map<std::string, double> known;
  return times([&](const std::string& run, const std::string& step) {
    double& value = known[run + step];
    if (value == 0) value = modular(item, run, step).sweeps;
    return value;
  });
}

struct Slider {
  Curve x;
  double guide = 0;  // m, largest |y22|
  double error = 0;  // m
  double sweeps = 0;
};

Slider slider(const Item& item, const std::string& run, const std::string& step) {
  const ReferenceTable exact = read_reference(item, "joli_slider_crank_reference");
  Trial trial(item, run, {"simulate.step=" + step}, {"P.x", "P.y"});
  Slider out;
  trial.watch(10, [&] {
    const std::vector<double> v = trial.values();
    out.x.add(trial.t(), v[0]);
    out.guide = std::max(out.guide, std::abs(v[1]));
    if (at_reference(trial.t())) out.error = std::max(out.error, std::abs(v[0] - exact.at(trial.t(), "x22")));
  });
  out.sweeps = static_cast<double>(trial.iterations()) / static_cast<double>(trial.steps());
  return out;
}

Finding table_2(const Item& item) {
  std::map<std::string, double> known;
  return times([&](const std::string& run, const std::string& step) {
    double& value = known[run + step];
    if (value == 0) value = slider(item, run, step).sweeps;
    return value;
  });
}

Finding figure_10(const Item& item) {
  Finding found;
  const Slider coarse = slider(item, "one-percent", "1e-2"), fine = slider(item, "one-percent", "1e-3");
  double apart = 0;
  for (std::size_t i = 0; i < coarse.x.y.size(); ++i)
    apart = std::max(apart, std::abs(coarse.x.y[i] - fine.x.y[10 * i]));
  found["close"].holds = apart < 0.2;  // m, of a motion of 4 m
  found["close"].text =
      fmt::format("up to {:.2g} m apart; {:.1e} m from the certified motion at 1e-3 s", apart, fine.error);
  found["y22-1e-3"].value = fine.guide;
  found["y22-1e-2"].value = coarse.guide;
  // tol·Δt², a hundred per decade of the step
  const double law = std::log10(coarse.guide / fine.guide);
  found["y22-1e-3"].holds = found["y22-1e-2"].holds = std::abs(law - 2) < 0.6;
  found["y22-1e-2"].beside = {{"exponent of Δt", fmt::format("{:.1f}, 3.3 published", law)}};
  found.pictures = {{"x₂₂", plot_of("x22 against time", {"t [s]", "x₂₂ [m]"},
                                    {named(coarse.x, "Δt = 1e-2 s"), named(fine.x, "Δt = 1e-3 s")})}};
  return found;
}

}  // namespace

Measures joli_measures() {
  return {{"figure-6", figure_6},
          {"figures-7-8", figures_7_8},
          {"table-1", table_1},
          {"table-2", table_2},
          {"figure-10", figure_10}};
}

}  // namespace trammel
