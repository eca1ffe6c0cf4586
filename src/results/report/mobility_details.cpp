// Of 'trammel check': loops, joints that would remove redundant equations, how near the position is to
// singular.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numbers>

#include "results/report/mobility_report.h"
#include "results/report/words.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

// More lines than these are for the JSON.
constexpr std::size_t kLoopLines = 8, kRemedyLines = 5;
// A gauge from here on is that of an open chain.
constexpr double kOpenChain = 1 - 1e-9;

Json remedy_json(const analysis::JointRemedy& remedy) {
  Json j = {{"joint", remedy.joint}, {"kind", remedy.kind}, {"instead", remedy.instead}};
  j["axes"] = Json::array();
  for (const Vec3& axis : remedy.axes) j["axes"].push_back({axis.x(), axis.y(), axis.z()});
  j["removes"] = remedy.removes;
  return j;
}

std::string remedy_text(const analysis::JointRemedy& remedy) {
  std::string text = fmt::format("{}: {} instead of {}", remedy.joint, remedy.instead, remedy.kind);
  const auto written = [](const Vec3& axis) {
    const auto number = [](double x) { return fmt::format("{:.3g}", std::abs(x) < 5e-4 ? 0 : x); };
    return fmt::format("[{}, {}, {}]", number(axis.x()), number(axis.y()), number(axis.z()));
  };
  for (std::size_t k = 0; k < remedy.axes.size(); ++k)
    text += (k == 0 ? " along " : " and ") + written(remedy.axes[k]);
  return text;
}

std::string loops_text(const analysis::MobilityCheck& check) {
  std::string text;
  if (check.loops.empty()) return text;
  int redundant = 0;
  for (const analysis::Loop& loop : check.loops) redundant += loop.redundant;
  text += summary_line("independent loops", std::to_string(check.loops.size()));
  for (std::size_t k = 0; k < check.loops.size() && k < kLoopLines; ++k) {
    const analysis::Loop& loop = check.loops[k];
    text += summary_line(fmt::format("  loop {}", k + 1),
                         fmt::format("{}: freedom {}, redundant {}", fmt::join(loop.joints, ", "),
                                     loop.freedom, loop.redundant));
  }
  if (check.loops.size() > kLoopLines)
    text += summary_line("  and more",
                         fmt::format("{} loops; --json lists them", check.loops.size() - kLoopLines));
  const int shared = check.mobility.redundant_constraints - redundant;
  if (check.loops.size() > 1 && shared > 0)
    text += summary_line("  of several loops", fmt::format("{} redundant, in no loop alone", shared));
  return text;
}

std::string remedies_text(const analysis::MobilityCheck& check) {
  std::string text;
  const analysis::JointRemedies& remedies = check.remedies;
  const int all = check.mobility.redundant_constraints - check.mobility.redundant_here;
  for (std::size_t k = 0; k < remedies.single.size() && k < kRemedyLines; ++k)
    text += summary_line(k == 0 ? "would remove" : "", fmt::format("{} of {}  {}", remedies.single[k].removes,
                                                                   all, remedy_text(remedies.single[k])));
  if (remedies.single.size() > kRemedyLines)
    text +=
        summary_line("", fmt::format("{} more; --json lists them", remedies.single.size() - kRemedyLines));
  if (remedies.together.size() > 1) {
    std::vector<std::string> words;
    for (const analysis::JointRemedy& remedy : remedies.together) words.push_back(remedy_text(remedy));
    text += summary_line(remedies.left == 0 ? "all together" : fmt::format("all but {}", remedies.left),
                         fmt::format("{}", fmt::join(words, "; ")));
  }
  return text;
}

std::string in_unit(double value, const std::string& unit) {
  if (unit == "rad") return fmt::format("{:.6g} rad ({:.4g}°)", value, value * 180 / std::numbers::pi);
  return fmt::format("{:.6g} {}", value, unit);
}

std::string gauge_text(const analysis::MobilityCheck& check) {
  if (!check.gauge) return {};
  const analysis::SingularityGauge& gauge = *check.gauge;
  if (gauge.value > kOpenChain)
    return summary_line("singularity gauge",
                        check.loops.empty() ? "1: there is no loop" : "1: as far from singular as can be");
  std::string text = summary_line(
      "singularity gauge",
      gauge.value == 0 ? fmt::format("0: this position is singular; weakest at {}", gauge.weakest)
                       : fmt::format("{:.3g} (0: singular); weakest at {}", gauge.value, gauge.weakest));
  const analysis::SingularWay& way = check.way;
  if (way.nearest) {
    // The way is known to this, in rad or as a part of itself.
    constexpr double kKnown = 1e-6;
    const double known = kKnown * (way.nearest->unit == "rad" ? 1 : std::abs(way.nearest->distance));
    const double value = std::abs(way.nearest->value) < known ? 0 : way.nearest->value;
    text += summary_line("nearest singular", fmt::format("{} = {}, {} from here", way.nearest->coordinate,
                                                         in_unit(value, way.nearest->unit),
                                                         in_unit(way.nearest->distance, way.nearest->unit)));
  } else if (way.followed)
    text += summary_line("nearest singular",
                         fmt::format("none on {}; the gauge does not fall below {:.3g}",
                                     way.whole ? "the whole way" : "the way that was followed", way.least));
  return text;
}

}  // namespace

void add_details(const analysis::MobilityCheck& check, Json& j) {
  j["loops"] = Json::array();
  for (const analysis::Loop& loop : check.loops)
    j["loops"].push_back({{"joints", loop.joints},
                          {"bodies", loop.bodies},
                          {"equations", loop.equations},
                          {"freedom", loop.freedom},
                          {"redundant", loop.redundant}});
  Json remedies = {{"single", Json::array()}, {"together", Json::array()}};
  for (const auto& one : check.remedies.single) remedies["single"].push_back(remedy_json(one));
  for (const auto& one : check.remedies.together) remedies["together"].push_back(remedy_json(one));
  remedies["left"] = check.remedies.left;
  j["remedies"] = std::move(remedies);
  j["singularity_gauge"] = check.gauge ? Json(check.gauge->value) : Json(nullptr);
  j["weakest"] = check.gauge ? Json(check.gauge->weakest) : Json(nullptr);
  j["nearest_singular"] = nullptr;
  if (const auto& nearest = check.way.nearest)
    j["nearest_singular"] = {{"coordinate", nearest->coordinate},
                             {"unit", nearest->unit},
                             {"value", nearest->value},
                             {"distance", nearest->distance}};
  j["way"] = nullptr;
  if (check.way.followed) j["way"] = {{"whole", check.way.whole}, {"least_gauge", check.way.least}};
}

std::string details_text(const analysis::MobilityCheck& check) {
  return loops_text(check) + remedies_text(check) + gauge_text(check);
}

}  // namespace trammel::results
