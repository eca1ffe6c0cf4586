#include "results/report/error_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "results/report/words.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "simulation/verify.h"
#include "system/system.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

std::string in_words(const ErrorEstimate::Kind& kind) {
  if (kind.name == "other") return kind.column;
  return kind.name == "angular_velocity" ? "angular velocity" : kind.name;
}

// "position 1.2e-07 m, velocity 3e-06 m/s, reaction 2e-05 N"
std::string errors_text(const ErrorEstimate& error) {
  std::vector<std::string> parts;
  if (std::ranges::any_of(error.kinds, [](const auto& kind) { return std::isnan(kind.largest); }))
    return "not known";
  for (const ErrorEstimate::Kind& kind : error.kinds)
    if (kind.name != "energy" && !kind.column.empty())
      parts.push_back(fmt::format("{} {}{}{}", in_words(kind),
                                  kind.largest < kind.rounding ? fmt::format("below {:.0e}", kind.rounding)
                                                               : fmt::format("{:.1e}", kind.largest),
                                  kind.unit.empty() ? "" : " ", kind.unit));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

// How long positions and angles are known, where something else is known shorter.
std::string places_known(const ErrorEstimate& error, const ErrorEstimate::Kind& limit) {
  std::string until;
  bool some = false;
  for (const auto& [name, words] : {std::pair("position", "positions"), std::pair("angle", "angles"),
                                    std::pair("orientation", "orientations")}) {
    const ErrorEstimate::Kind* kind = error.find(name);
    if (kind == nullptr || kind == &limit) continue;
    some = true;
    if (!std::isinf(kind->known_until)) until += fmt::format("; {} {:.4g} s", words, kind->known_until);
  }
  const bool lost = limit.name == "position" || limit.name == "angle" || limit.name == "orientation";
  return !until.empty() ? until : some && !lost ? "; positions and angles are known to the end" : "";
}

// What a motion needs that is small beside what the tolerance holds, or fast beside the step; else the usual.
std::string remedy(const ErrorEstimate& error, const Simulation& simulation) {
  // Of the time in which positions change by their range: a step above is coarse, and one that suffices.
  constexpr double kFast = 0.5, kOfTime = 0.02;
  const ErrorEstimate::Kind *place = error.find("position"), *speed = error.find("velocity");
  const ResolvedPlan& plan = simulation.resolved();
  const double range = place == nullptr ? 0 : place->range, size = simulation.system().length_scale();
  if (simulation::controls_error(plan)) {
    const double needed = simulation::tolerance_of_small_motion(simulation, range);
    if (needed == 0) return "; a smaller tolerance goes further";
    return fmt::format(
        "; the motion is small, {:.1g} m, and the tolerance holds {:.1g} m of a mechanism of "
        "{:.2g} m: {}",
        range, simulation::step_tolerance(plan) * size, size,
        needed >= simulation::kLeastTolerance
            ? fmt::format("give a tolerance of {:.0e}", needed)
            : "no tolerance resolves it; hold what hardly moves by a joint instead of a stiff "
              "spring");
  }
  const double time = speed != nullptr && speed->range > 0 ? range / speed->range : 0;
  if (!(time > 0 && plan.step > kFast * time)) return "; a tolerance, or a smaller step, goes further";
  return fmt::format(
      "; the motion of {:.1g} m changes within {:.1g} s, which steps of {:.2g} s do not follow: "
      "take steps of {:.0e} s, or hold what hardly moves by a joint instead of a stiff spring",
      range, time, plan.step, kOfTime * time);
}

// "t = 1.88 s, where 'A.force.y' errs by more than 0.001 of its range; positions 2.78 s; a smaller tolerance
// goes further"
std::string known_text(const ErrorEstimate& error, const Simulation& simulation) {
  const ErrorEstimate::Kind& limit = *error.limit();
  if (limit.first.empty())
    return fmt::format("t = {:.4g} s, from where on the second run tells nothing: {}", limit.known_until,
                       error.failure);
  std::string text =
      fmt::format("t = {:.4g} s, where '{}' errs by more than {:.1g} of its range{}", limit.known_until,
                  limit.first, simulation.plan().accuracy, places_known(error, limit));
  double growth = 0;
  for (const ErrorEstimate::Kind& kind : error.kinds) growth = kind.growth > growth ? kind.growth : growth;
  if (growth > 0)
    text += fmt::format("; the motion amplifies errors tenfold in {:.2g} s", std::numbers::ln10 / growth);
  return text + remedy(error, simulation);
}

}  // namespace

Json error_json(const ErrorEstimate& error, double accuracy) {
  if (error.reference.empty()) return nullptr;
  Json j;
  // These are always there.
  for (const char* name : {"position", "velocity", "reaction"}) j[name] = nullptr;
  Json until = Json::object(), columns = Json::object();
  double growth = std::numeric_limits<double>::quiet_NaN();
  for (const ErrorEstimate::Kind& kind : error.kinds) {
    j[kind.name] = finite_or_null(kind.largest);
    until[kind.name] = finite_or_null(kind.known_until);
    if (!kind.column.empty()) columns[kind.name] = {{"column", kind.column}, {"t", kind.t}};
    if (kind.beyond > 0) columns[kind.name]["rows_beyond"] = kind.beyond;
    if (!std::isnan(kind.growth)) growth = std::isnan(growth) ? kind.growth : std::max(growth, kind.growth);
  }
  j["reference"] = error.reference;
  if (!error.failure.empty()) j["failure"] = error.failure;
  j["accuracy"] = accuracy;
  j["known_until"] = until;
  j["growth_rate"] = finite_or_null(growth);
  j["largest"] = columns;
  j["wall_seconds"] = error.seconds;
  return j;
}

std::string error_lines(const ErrorEstimate& error, const Simulation& simulation) {
  if (error.reference.empty()) return summary_line("largest errors", "not estimated, for verify is off");
  std::string text =
      summary_line("largest errors", fmt::format("{} ({})", errors_text(error), error.reference));
  if (error.limit() != nullptr) text += summary_line("known until", known_text(error, simulation));
  return text;
}

}  // namespace trammel::results
