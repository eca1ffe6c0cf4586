#include "support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "simulation/plan_check.h"

namespace trammel::fuzz {
namespace {

constexpr std::size_t kMaxParts = 30;
constexpr int kMaxIterations = 30, kSteps = 3;
constexpr long kMaxRange = 30;

bool is_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

// The number that stands at a place, and behind it the next place; a character that begins none is its own.
double number_at(const char*& place) {
  char* end = nullptr;
  const double value = std::strtod(place, &end);
  if (end == place) return static_cast<unsigned char>(*place++);
  place = end;
  return value;
}

// A joint's coordinate that is zero but for rounding may be written or not.
std::string without_zero_coordinates(std::string text) {
  const std::string key = ", coordinate: ";
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    const char* place = text.c_str() + at + key.size();
    const char* end = place;
    if (std::abs(number_at(end)) < 1e-12) text.erase(at, key.size() + static_cast<std::size_t>(end - place));
  }
  return text;
}

}  // namespace

bool is_drawn(const std::string& input, std::uint64_t one_in) {
  if (!kMakesInputs) return true;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : input) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return (hash >> 32U) % one_in == 0;
}

void require(bool holds, const std::string& claim) {
  if (holds) return;
  fmt::print(stderr, "this does not hold: {}\n", claim);
  std::abort();
}

bool is_small(const Mechanism& m) {
  return std::max({m.bodies.size(), m.joints.size(), m.forces.size(), m.points.size(), m.drivers.size(),
                   m.states.size(), m.inputs.size(), m.outputs.size(), m.stops.size(),
                   m.generalized ? m.generalized->coordinates.size() : 0}) <= kMaxParts;
}

bool repeats_little(const std::string& text) {
  for (std::size_t dots = text.find(".."); dots != std::string::npos; dots = text.find("..", dots + 2)) {
    const char* last = text.c_str() + dots + 2;
    if (std::abs(std::strtod(last, nullptr)) > kMaxRange) return false;
    // A formula, whose value this does not know.
    if (std::ranges::any_of(text.substr(dots + 2, text.find_first_of(",}\n", dots) - dots - 2),
                            [](unsigned char c) { return std::isalpha(c) != 0 || c == '*' || c == '^'; }))
      return false;
  }
  return true;
}

Plan made_short(Plan plan) {
  plan.max_iterations = std::min(plan.max_iterations, kMaxIterations);
  plan.modular.max_sweeps = std::min(plan.modular.max_sweeps, kMaxIterations);
  plan.projection_sweeps = std::min(plan.projection_sweeps, kMaxIterations);
  plan.alf_iterations = std::min(plan.alf_iterations, kMaxIterations);
  plan.modular.threads = 1;
  return plan;
}

bool same_but_rounding(const std::string& first, const std::string& second) {
  const std::string a = without_zero_coordinates(first), b = without_zero_coordinates(second);
  // Places are turned into the axes of bodies and back, which costs some last digits of the largest.
  double largest = 1;
  for (const char* p = a.c_str(); *p != '\0';) {
    const double x = std::abs(number_at(p));
    if (std::isfinite(x)) largest = std::max(largest, x);
  }
  const char *p = a.c_str(), *q = b.c_str();
  while (*p != '\0' && *q != '\0') {
    const double x = number_at(p), y = number_at(q);
    if (x != y && !(std::abs(x - y) <= 1e-12 * largest)) return false;
  }
  return *p == *q;
}

void require_finite(const State& state, const std::string& when) {
  require(std::isfinite(state.t) && is_finite(state.q) && is_finite(state.v) && is_finite(state.x),
          "the state is finite " + when);
}

std::unique_ptr<Simulation> few_steps(const Mechanism& mechanism) {
  std::unique_ptr<Simulation> simulation;
  try {
    simulation = std::make_unique<Simulation>(mechanism, made_short(mechanism.plan));
  } catch (const std::invalid_argument& refused) {
    require(*refused.what() != '\0', "a refusal says why");
    return nullptr;
  }
  if (!simulation->assemble().report.accepted()) return nullptr;
  require_finite(simulation->state(), "after assembly");
  const double h = simulation::landing_interval(simulation->plan());
  for (int k = 0; k < kSteps; ++k) {
    const StepResult step = simulation->advance(h);
    require_finite(simulation->state(), "after a step");
    if (!step.report.accepted() || step.ended) break;
  }
  return simulation;
}

}  // namespace trammel::fuzz
