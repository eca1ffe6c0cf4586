// González, Dopico, Cuadrado & Kövecses: the three examples, Figures 3 and 5, and the order of the scheme.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/curves.h"
#include "reproduce/measures.h"
#include "reproduce/trial.h"

namespace trammel::reproduce {
namespace {

Finding example_1(const Item& item) {
  Finding found;
  for (const std::string route : {"accelerations", "velocities"}) {
    Trial trial(item, route);
    double least = INFINITY, largest = -INFINITY;
    trial.watch(5, [&] {
      if (trial.t() == 0) return;
      const double force = trial.multipliers().front();
      least = std::min(least, force);
      largest = std::max(largest, force);
    });
    found[route].value = std::abs(largest - 5.0 / 6) > std::abs(least - 5.0 / 6) ? largest : least;
    found[route].beside = {{"least and largest over 5 s", fmt::format("{:.9f} … {:.9f} N", least, largest)}};
  }
  return found;
}

// Example 2: forces on A by one way, and errors against the exact pursuit.
struct Pursuit {
  Curve x, y;
  double position = 0, force = 0;
};

Pursuit pursue(const Item& item, const std::string& run, const std::string& step) {
  const ReferenceTable exact = read_reference(
      item, "gonzalez_ex2_pursuit_d1", {"t", "Fx", "Fy", "xA", "yA", "xB", "yB", "vxA", "vyA", "vxB", "vyB"});
  Trial trial(item, run, {"simulate.step=" + step});
  Pursuit out;
  out.x.name = out.y.name = run;
  for (const auto& row : exact.rows) {
    trial.advance_to(row[0]);
    const std::vector<double>& q = trial.state().q;
    // −Aᵀλ̂ with A = [yB − yA, xA − xB]
    const double lambda = trial.multipliers().front(), fx = -lambda * (q[3] - q[1]),
                 fy = lambda * (q[2] - q[0]);
    out.x.add(row[0], fx);
    out.y.add(row[0], fy);
    // at t = 0 no projection has been yet; only every tenth of a second is a whole number of each step
    if (row[0] == 0 || std::abs(10 * row[0] - std::round(10 * row[0])) > 1e-9) continue;
    for (std::size_t i = 0; i < 4; ++i) out.position = std::max(out.position, std::abs(q[i] - row[3 + i]));
    out.force = std::max({out.force, std::abs(fx - row[1]), std::abs(fy - row[2])});
  }
  return out;
}

double apart(const Pursuit& a, const Pursuit& b) {
  double largest = 0;
  for (std::size_t i = 1; i < a.x.y.size(); ++i)
    largest = std::max({largest, std::abs(a.x.y[i] - b.x.y[i]), std::abs(a.y.y[i] - b.y.y[i])});
  return largest;
}

Finding gonzalez_figure_3(const Item& item) {
  Finding found;
  const Pursuit direct = pursue(item, "direct", "1e-3"), by_a = pursue(item, "accelerations", "1e-3"),
                by_v = pursue(item, "velocities", "1e-3");
  constexpr double kPlotting = 5e-3;  // N, of forces up to 0.87 N: half a line's width
  found["same"].holds = apart(direct, by_a) < kPlotting && apart(direct, by_v) < kPlotting;
  found["same"].text = fmt::format("differ by {:.1e} and {:.1e} N", apart(direct, by_a), apart(direct, by_v));
  found["routes"].holds = apart(by_a, by_v) < kPlotting;
  found["routes"].text = fmt::format("differ by {:.1e} N", apart(by_a, by_v));
  found.pictures = {{"Fx on A", plot_of("Force in x", {"t [s]", "N"}, {direct.x, by_a.x, by_v.x})},
                    {"Fy on A", plot_of("Force in y", {"t [s]", "N"}, {direct.y, by_a.y, by_v.y})}};
  return found;
}

// Example 3: the tangent force.
Curve tangent_force(const Item& item, const std::string& run) {
  Trial trial(item, run);
  Curve curve{run, {}, {}};
  trial.watch(5, [&] {
    const auto n = std::lround(trial.t() / trial.plan().step);
    if (n % 10 != 0) return;
    curve.add(trial.t(), trial.t() == 0 ? 0 : trial.multipliers().at(8));
  });
  return curve;
}

Finding gonzalez_figure_5(const Item& item) {
  Finding found;
  const Curve by_a = tangent_force(item, "accelerations"), by_v = tangent_force(item, "velocities");
  double difference = 0, everywhere = 0;
  for (std::size_t i = 0; i < by_a.x.size(); ++i) {
    everywhere = std::max(everywhere, std::abs(by_a.y[i] - by_v.y[i]));
    // the force sets in and ends within a step there
    if (std::abs(by_a.x[i] - 1.5) < 0.005 || std::abs(by_a.x[i] - 2.5) < 0.005) continue;
    difference = std::max(difference, std::abs(by_a.y[i] - by_v.y[i]));
  }
  const auto at = [](const Curve& c, double t) {
    return c.y[static_cast<std::size_t>(std::lround(t / 0.01))];
  };
  found["force"].value = at(by_a, 2);
  found["force"].beside = {
      {"f I/(I + m r²)", fmt::format("{:.7f} N", 2 * 0.045224 / (0.045224 + 2.5467 * 0.175 * 0.175))},
      {"before and after", fmt::format("{:.0e}, {:.0e} N", std::abs(at(by_a, 1)), std::abs(at(by_a, 4)))}};
  found["difference"].value = difference;
  found["difference"].beside = {{"with the samples at 1.5 and 2.5 s", fmt::format("{:.1e} N", everywhere)}};
  found.pictures = {{"f_t", plot_of("Tangent force", {"t [s]", "f_t [N]"}, {by_a, by_v})}};
  return found;
}

Finding defect_order(const Item& item) {
  Finding found;
  const std::vector<std::string> steps = {"4e-3", "2e-3", "1e-3"};
  std::map<std::string, std::vector<Pursuit>> runs;
  for (const std::string run : {"published", "carried"})
    for (const std::string& step : steps) runs[run].push_back(pursue(item, run, step));
  const auto row = [&](const std::string& key, double Pursuit::*what) {
    const auto order = [&](const std::string& run) {
      return observed_order(runs[run][1].*what, runs[run][2].*what);
    };
    found[key].holds = std::abs(order("published") - 2) < 0.2;
    found[key].text = fmt::format("order {:.2f}", order("published"));
    found[key].repaired = fmt::format("order {:.2f}", order("carried"));
    found[key].beside = {
        {"largest errors as printed", fmt::format("{:.1e}, {:.1e}, {:.1e}", runs["published"][0].*what,
                                                  runs["published"][1].*what, runs["published"][2].*what)},
        {"largest errors repaired", fmt::format("{:.1e}, {:.1e}, {:.1e}", runs["carried"][0].*what,
                                                runs["carried"][1].*what, runs["carried"][2].*what)}};
  };
  row("position", &Pursuit::position);
  row("force", &Pursuit::force);
  // example 1: h T/4 of the acceleration that the Newton stage does not know
  Trial printed(item, "pair-published"), carried(item, "pair-carried");
  printed.advance_to(5);
  carried.advance_to(5);
  const double exact = 25.0 / 12;
  found["pair"].holds = std::abs(printed.state().q[0] - exact) < 1e-8;
  found["pair"].text =
      fmt::format("{:.6f} m, off by {:.2e} m", printed.state().q[0], printed.state().q[0] - exact);
  found["pair"].beside = {
      {"predicted drift, h T/4 · f_c/m₁", fmt::format("{:.2e} m", 1e-3 * 5 / 4 * (5.0 / 6) / 7)}};
  found["pair"].repaired =
      fmt::format("{:.6f} m, off by {:.0e} m", carried.state().q[0], std::abs(carried.state().q[0] - exact));
  std::vector<Curve> curves;
  for (const std::string run : {"published", "carried"}) {
    curves.push_back({run == "published" ? "as printed" : "repaired", {}, {}});
    for (std::size_t k = 0; k < 3; ++k) curves.back().add(std::stod(steps[k]), runs[run][k].position);
  }
  found.pictures = {{"Largest position error of the pursuit",
                     plot_of("Error against step", {"h [s]", "error [m]", true, true, true}, curves)}};
  return found;
}

}  // namespace

Measures gonzalez_measures() {
  return {{"example-1", example_1},
          {"figure-3", gonzalez_figure_3},
          {"figure-5", gonzalez_figure_5},
          {"defect-first-order", defect_order}};
}

}  // namespace trammel::reproduce
