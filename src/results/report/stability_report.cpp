#include "results/report/stability_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulation/method_table.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

const char* level_name(analysis::Level level) {
  switch (level) {
    case analysis::Level::position:
      return "position";
    case analysis::Level::velocity:
      return "velocity";
    case analysis::Level::acceleration:
      return "acceleration";
    case analysis::Level::auxiliary:
      return "auxiliary";
  }
  return "position";
}

std::string kind(const analysis::Mode& mode) { return mode.violates ? "violation" : "motion"; }

std::string verdict(const analysis::Mode& mode) {
  if (mode.grows()) return "grows";
  if (mode.decays()) return "decays";
  if (mode.free()) return "free";
  return mode.creeps() ? "grows slowly" : "neutral";
}

// That of the worst mode; a free motion is none.
std::string verdict(const analysis::Stability& s) {
  const auto any = [&](const char* word) {
    return std::any_of(s.modes.begin(), s.modes.end(),
                       [&](const analysis::Mode& m) { return verdict(m) == word; });
  };
  for (const char* word : {"grows", "grows slowly", "neutral"})
    if (any(word)) return word;
  return any("free") ? "neutral" : "decays";
}

// In words, for a person.
std::string meaning(const analysis::Mode& mode) {
  std::string text = mode.violates ? fmt::format("violation, {} level", level_name(mode.level)) : "motion";
  if (mode.multiplicity > 1) text += fmt::format(", {} times", mode.multiplicity);
  if (mode.grows()) return text + ", grows";
  if (mode.decays()) return text;
  if (mode.free()) return text + ", free";
  if (mode.creeps()) return text + ", grows with the number of steps";
  if (!mode.violates) return text;
  return text + (mode.value.real() < 0 ? ", alternates and is never damped" : ", is never damped");
}

// A pair of conjugates is one line, the one above the real axis.
bool is_shown(const analysis::Mode& mode) { return mode.value.imag() > -mode.uncertainty; }

std::string value_text(const analysis::Mode& mode) {
  const double re = mode.value.real(), im = mode.value.imag();
  if (mode.modulus() <= mode.uncertainty) return "0";
  if (im <= mode.uncertainty) return fmt::format("{:.9g}", re);
  return fmt::format("{:.9g} ± {:.9g} i", re, im);
}

Json mode_json(const analysis::Mode& mode) {
  Json j = {{"real", mode.value.real()},
            {"imaginary", mode.value.imag()},
            {"modulus", mode.modulus()},
            {"uncertainty", mode.uncertainty},
            {"multiplicity", mode.multiplicity},
            {"eigenvectors", mode.eigenvectors},
            {"kind", kind(mode)}};
  if (mode.violates) j["level"] = level_name(mode.level);
  j["verdict"] = verdict(mode);
  return j;
}

std::string method_text(const ResolvedPlan& plan) {
  const char* formulation = name_of(plan.formulation);
  return simulation::is_own_rule(plan.formulation)
             ? fmt::format("{} of order {}", formulation, plan.algebraic_order)
             : fmt::format("{}, {}", formulation, name_of(plan.integrator));
}

}  // namespace

std::string stability_failure(const analysis::Stability& s) {
  const std::string why = s.report.message.empty() ? "a step does not converge near the position of rest; "
                                                     "try another step or formulation"
                                                   : s.report.message;
  return s.step > 0 ? fmt::format("step {:.6g} s: {}", s.step, why) : why;
}

Json stability_json(const ResolvedPlan& plan, const std::vector<analysis::Stability>& results) {
  Json all = Json::array();
  for (const analysis::Stability& s : results) {
    Json j = {{"formulation", name_of(plan.formulation)},
              {"integrator", simulation::is_own_rule(plan.formulation) ? "own" : name_of(plan.integrator)},
              {"step", s.step}};
    const bool ok = s.report.accepted();
    j["status"] = ok ? "ok" : s.report.outcome == Outcome::refused ? "refused" : "failed";
    j["reason"] = ok ? "" : stability_failure(s);
    j["steps"] = s.steps;
    j["spectral_radius"] = s.spectral_radius;
    j["uncertainty"] = s.uncertainty;
    j["map_error"] = s.map_error;
    j["verdict"] = ok ? verdict(s) : "";
    j["modes"] = Json::array();
    for (const analysis::Mode& mode : s.modes) j["modes"].push_back(mode_json(mode));
    all.push_back(std::move(j));
  }
  return all;
}

std::string stability_text(const ResolvedPlan& plan, const std::vector<analysis::Stability>& results) {
  std::string text;
  for (const analysis::Stability& s : results) {
    if (!s.report.accepted()) continue;
    text += fmt::format("{}, step {:.6g} s: spectral radius {:.9g}, known to {:.1g}: {}\n", method_text(plan),
                        s.step, s.spectral_radius, s.uncertainty, verdict(s));
    if (s.steps > 1)
      text += fmt::format("Eigenvalues of {} steps, from one projection to the next.\n", s.steps);
    text += fmt::format("  {:<30}{:>12}{:>11}\n", "eigenvalue", "modulus", "known to");
    for (const analysis::Mode& mode : s.modes) {
      if (!is_shown(mode)) continue;
      text += fmt::format("  {:<30}{:>12.9f}{:>11.0e}  {}\n", value_text(mode), mode.modulus(),
                          mode.uncertainty, meaning(mode));
    }
  }
  return text;
}

}  // namespace trammel::results
