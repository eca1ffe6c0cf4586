#include "live/trial.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "live/text_edits.h"
#include "system/system.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::live {
namespace {

constexpr double kLongestTrial = 5;  // s of computing: a person waits for it
constexpr double kMostSpan = 1000;   // s that are simulated
constexpr double kMostPoints = 2000;
constexpr std::size_t kMostTrialSignals = 16;

double within(const JsonFields& fields, const char* key, double usual, double least, double most) {
  const double value = fields.number(key, usual);
  if (!(value >= least && value <= most)) fields.refuse(key, fmt::format("{} to {}", least, most));
  return value;
}

void add_poses(const Simulation& simulation, Json& list) {
  const std::vector<Pose> poses = simulation.system().poses(simulation.state());
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Vec3 at = poses[b].position - poses[b].axes * simulation.mechanism().bodies[b].com;
    const Eigen::Quaterniond q(poses[b].axes);
    for (const double x : {at.x(), at.y(), at.z(), q.w(), q.x(), q.y(), q.z()})
      list.push_back(static_cast<float>(x));
  }
}

}  // namespace

Json run_trial(const std::string& text, const std::string& file, const Json& command,
               const std::atomic<bool>& stop) {
  const JsonFields fields(command, "try", {"do", "id", "settings", "signals", "duration", "points", "poses"});
  const std::vector<std::string> settings =
      fields.has("settings") ? fields.texts("settings") : std::vector<std::string>();
  const std::vector<std::string> signals = fields.texts("signals");
  if (signals.size() > kMostTrialSignals)
    fields.refuse("signals", fmt::format("at most {}", kMostTrialSignals));
  Mechanism mechanism = read_live_text(text, file, settings);
  mechanism.stop_when.clear();
  const double duration =
      within(fields, "duration", std::min(mechanism.plan.duration, 10.0), 1e-9, kMostSpan);
  const auto points = static_cast<int>(within(fields, "points", 200, 2, kMostPoints));
  const bool with_poses = fields.flag("poses", false);
  Simulation simulation(mechanism, mechanism.plan);
  const AssemblyReport assembly = simulation.assemble();
  if (!assembly.report.accepted()) throw std::invalid_argument(explain(assembly, simulation));
  Json out = {{"ok", true}, {"t", Json::array()}, {"columns", Json::array()}, {"poses", Json::array()}};
  for (std::size_t k = 0; k < signals.size(); ++k) out["columns"].push_back(Json::array());
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < points && !stop; ++k) {
    const StepResult result = k == 0 ? StepResult() : simulation.advance_to(duration * k / (points - 1));
    if (k > 0 && !result.report.accepted()) {
      out["ended"] = explain(result.report, simulation);
      break;
    }
    out["t"].push_back(simulation.state().t);
    for (std::size_t s = 0; s < signals.size(); ++s)
      out["columns"][s].push_back(simulation.value(signals[s]));
    if (with_poses) add_poses(simulation, out["poses"]);
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > kLongestTrial) {
      out["ended"] = fmt::format("after {:g} s of computing", kLongestTrial);
      break;
    }
  }
  return out;
}

}  // namespace trammel::live
