// Welch, Hong, Trapp & Choi: the planar examples, Tables 1 and 2, Figures 1 to 3, and the stability analysis.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/stability.h"
#include "reproduce/curves.h"
#include "reproduce/measures.h"
#include "reproduce/trial.h"
#include "reproduce/violations.h"
#include "results/report/stability_report.h"

namespace trammel::reproduce {
namespace {

const std::array<std::string, 3> kSteps = {"0.005", "0.0025", "0.00125"};

// Table 1: all of a state, named as there.
std::map<std::string, double> state_at_end(const Item& item, const std::string& step) {
  Trial trial(item, "", {"simulate.step=" + step});
  trial.advance_to(10);
  const char* const names[] = {"x1", "y1", "theta1", "x2", "y2", "theta2"};
  std::map<std::string, double> values;
  const std::vector<double> phi = trial.constraints();
  for (std::size_t i = 0; i < 6; ++i) {
    values[names[i]] = trial.state().q[i];
    values[std::string(names[i]) + "-rate"] = trial.state().v[i];
  }
  for (std::size_t r = 0; r < 4; ++r) {
    values["lambda" + std::to_string(r + 1)] = trial.state().lambda[r];
    values["Phi" + std::to_string(r + 1)] = phi[r];
  }
  return values;
}

Finding table_1(const Item& item) {
  Finding found;
  std::array<std::map<std::string, double>, 3> runs;
  for (std::size_t k = 0; k < 3; ++k) runs[k] = state_at_end(item, kSteps[k]);
  const ReferenceTable certified = read_reference(item, "welch_double_pendulum_exact");
  const std::map<std::string, std::string> columns = {
      {"x1", "x1"},        {"y1", "y1"},        {"theta1", "th1"},
      {"x2", "x2"},        {"y2", "y2"},        {"theta2", "th2"},
      {"x1-rate", "x1d"},  {"y1-rate", "y1d"},  {"theta1-rate", "th1d"},
      {"x2-rate", "x2d"},  {"y2-rate", "y2d"},  {"theta2-rate", "th2d"},
      {"lambda1", "lam1"}, {"lambda2", "lam2"}, {"lambda3", "lam3"},
      {"lambda4", "lam4"}};
  for (const auto& [name, coarse] : runs[0]) {
    const double middle = runs[1].at(name), fine = runs[2].at(name);
    for (std::size_t k = 0; k < 3; ++k) found[name + "/" + kSteps[k]].value = runs[k].at(name);
    // (70) from three steps
    const double n = std::log2((coarse - middle) / (middle - fine));
    found[name + "/n"].value = n;
    Measured& exact = found[name + "/exact"];
    exact.value = fine - (middle - fine) / (std::pow(2, n) - 1);
    if (columns.count(name) > 0)
      exact.beside = {{"certified solution", fmt::format("{:.13g}", certified.at(10, columns.at(name)))}};
  }
  return found;
}

Violations violations(const Item& item, const std::string& run, const std::string& step) {
  Trial trial(item, run, {"simulate.step=" + step});
  Violations out(run);
  trial.watch(10, [&] { out.add(trial.t(), trial.constraint_norm(), trial.energy()); });
  return out;
}

const std::vector<std::string> kMethods = {"baumgarte", "second-order", "first-order"};

Finding table_2(const Item& item) {
  Finding found;
  std::map<std::string, double> fine_of;
  for (const std::string& run : kMethods) {
    const double coarse = violations(item, run, "0.02").mean(), fine = violations(item, run, "0.01").mean();
    found[run + "/0.02"].value = coarse;
    found[run + "/0.01"].value = fine;
    found[run + "/n"].value = observed_order(coarse, fine);
    fine_of[run] = fine;
  }
  found["factor/0.01"].value = fine_of["baumgarte"] / fine_of["second-order"];
  found["factor/0.01"].beside = {
      {"1.4877e-5/3.9802e-6 of the printed table", fmt::format("{:.3f}", 1.4877e-5 / 3.9802e-6)}};
  return found;
}

Finding figure_1(const Item& item) {
  Finding found;
  const ReferenceTable exact = read_reference(item, "welch_slider_crank_exact");
  const std::vector<std::string> names = {"theta", "phi", "x", "y"};
  for (const std::string run : {"second-order", "baumgarte"}) {
    Trial trial(item, run, {}, names);
    std::vector<Curve> curves;
    for (const std::string& name : names) curves.push_back({name, {}, {}});
    double largest = 0;
    trial.watch(10, [&] {
      const std::vector<double> v = trial.values();
      for (std::size_t i = 0; i < 4; ++i) curves[i].add(trial.t(), v[i]);
      const double half = 2 * trial.t();
      if (std::abs(half - std::round(half)) > 1e-9) return;
      for (std::size_t i = 0; i < 4; ++i)
        largest = std::max(largest, std::abs(v[i] - exact.at(trial.t(), names[i])));
    });
    found[run].holds = largest < 0.02;  // rad or m, what a plot of 10 rad shows
    found[run].text = fmt::format("largest error {:.2g} rad", largest);
    if (run == "second-order")
      for (std::size_t i = 0; i < 4; ++i) {
        Curve certified{"certified", {}, {}};
        for (const auto& row : exact.rows) certified.add(row[0], row[exact.column(names[i])]);
        curves[i].name = "Δt = 0.01 s";
        results::Plot plot = plot_of(names[i], {"t [s]", i < 2 ? "rad" : "m"}, {curves[i], certified});
        plot.curves[1].has_markers = true;
        plot.curves[1].has_line = false;
        found.pictures.push_back({names[i], plot});
      }
  }
  return found;
}

Finding figures_2_3(const Item& item) {
  Finding found;
  std::vector<Violations> runs;
  for (const std::string run : {"second-order", "baumgarte"}) runs.push_back(violations(item, run, "0.01"));
  found["constraints"].holds = runs[0].mean() < runs[1].mean();
  found["constraints"].text = fmt::format("means {:.2e} and {:.2e}", runs[0].mean(), runs[1].mean());
  found["energy"].holds = runs[0].energy.largest() < runs[1].energy.largest();
  found["energy"].text =
      fmt::format("largest {:.2e} and {:.2e}", runs[0].energy.largest(), runs[1].energy.largest());
  found.pictures = {{"Figure 2: |Φ|",
                     plot_of("Constraint violation", {"t [s]", "|Φ|", true}, {runs[0].norm, runs[1].norm})},
                    {"Figure 3: energy", plot_of("Relative energy error", {"t [s]", "ε_E", true},
                                                 {runs[0].energy, runs[1].energy})}};
  return found;
}

// ρ of one step, and whether something grows.
analysis::Stability map_of(const Item& item, const std::string& run, double step) {
  const Mechanism mechanism = mechanism_of(item, run, {fmt::format("simulate.step={:.17g}", step)});
  analysis::Stability s = analysis::stability(mechanism, mechanism.plan);
  if (!s.report.accepted()) throw TrialFailed(results::stability_failure(s));
  return s;
}

constexpr double kLongest = 10;  // s, of steps without forces

// The step above which something grows, to 1e-4 of it; zero: at every step; infinite: at none.
double step_limit(const Item& item, const std::string& run, double longest) {
  double low = 0.01, high = longest;
  if (map_of(item, run, low).modes.front().grows()) return 0;
  if (!map_of(item, run, high).modes.front().grows()) return INFINITY;
  while (high / low > 1 + 1e-4) {
    const double middle = std::sqrt(low * high);
    (map_of(item, run, middle).modes.front().grows() ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

std::string limit_text(double limit) {
  if (limit == 0) return "grows at every step";
  return std::isinf(limit) ? fmt::format("none up to {} s", kLongest) : fmt::format("Δt ≤ {:.4g} s", limit);
}

Curve radius_curve(const Item& item, const std::string& run, const std::string& name) {
  Curve curve{name, {}, {}};
  // beyond half a second Newton's iteration of the implicit rule does not converge
  for (double h = 0.01; h < (run == "index3-hanging" ? 0.5 : 1.0); h *= 1.12)
    curve.add(h, map_of(item, run, h).spectral_radius);
  return curve;
}

// Of the motion, or of violations of the constraints: each with its multiplicity.
std::string eigenvalues(const analysis::Stability& s, bool violates) {
  std::string out;
  for (const analysis::Mode& mode : s.modes) {
    if (mode.violates != violates) continue;
    out += out.empty() ? "" : ", ";
    // what is smaller than the uncertainty is zero
    const double real = std::abs(mode.value.real()) <= mode.uncertainty ? 0 : mode.value.real();
    out += fmt::format("{:.4g}", real);
    if (std::abs(mode.value.imag()) > mode.uncertainty) out += fmt::format("{:+.4g}i", mode.value.imag());
    if (mode.multiplicity > 1) out += fmt::format(" ({} times)", mode.multiplicity);
  }
  return out;
}

Finding stability_item(const Item& item) {
  Finding found;
  double least = INFINITY, largest = 0, bound = 0;
  for (const double h : {1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0}) {
    const analysis::Stability s = map_of(item, "algebraic-free", h);
    least = std::min(least, s.spectral_radius);
    largest = std::max(largest, s.spectral_radius);
    bound = std::max(bound, s.spectral_radius - s.uncertainty);
  }
  found["algebraic"].holds = bound <= 1;
  found["algebraic"].text = fmt::format("ρ = {:.6f} … {:.6f} at six steps from 1e-4 to 10 s", least, largest);
  const analysis::Stability s = map_of(item, "algebraic-free", 0.1);
  found["algebraic"].beside = {{"eigenvalues of motion", eigenvalues(s, false)},
                               {"of an error of the constraints", eigenvalues(s, true)}};
  const double limit = step_limit(item, "baumgarte-free", kLongest);
  found["baumgarte"].value = limit;
  found["baumgarte"].text = limit_text(limit);
  const analysis::Stability stabilized = map_of(item, "baumgarte-free", 0.1);
  found["baumgarte"].beside = {
      {"eigenvalues of motion", eigenvalues(stabilized, false)},
      {"of an error of the constraints", eigenvalues(stabilized, true)},
      {"with gravity, hanging", limit_text(step_limit(item, "baumgarte-hanging", 1))}};
  return found;
}

Finding defect_stability(const Item& item) {
  Finding found;
  const double limit = step_limit(item, "algebraic-hanging", 1),
               fast = std::sqrt(2 * (3 + 6 / std::sqrt(7.0)));
  found["algebraic"].holds = std::isinf(limit);
  found["algebraic"].text = limit_text(limit);
  const analysis::Stability implicit = map_of(item, "index3-hanging", 0.5);
  found["algebraic"].repaired =
      fmt::format("Δt below √2/ω = {:.4f} s, or an implicit rule: index 3 has ρ = {:.6f} at 0.5 s",
                  std::sqrt(2.0) / fast, implicit.spectral_radius);
  found.pictures = {{"Spectral radius of a step, hanging under gravity",
                     plot_of("Spectral radius against step", {"Δt [s]", "ρ", true, true},
                             {radius_curve(item, "algebraic-hanging", "algebraic"),
                              radius_curve(item, "baumgarte-hanging", "Baumgarte, Heun"),
                              radius_curve(item, "index3-hanging", "index 3")})}};
  return found;
}

}  // namespace

Measures welch_measures() {
  Measures measures{{"table-1", table_1},          {"table-2", table_2},
                    {"figure-1", figure_1},        {"figures-2-3", figures_2_3},
                    {"stability", stability_item}, {"defect-stability-limit", defect_stability}};
  measures.merge(welch_spatial_measures());
  return measures;
}

}  // namespace trammel::reproduce
