#include "live/study.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <chrono>
#include <map>
#include <stdexcept>

#include "live/text_edits.h"
#include "trammel/analyses.h"
#include "trammel/results.h"
#include "trammel/run.h"

namespace trammel::live {
namespace {

constexpr double kReportTime = 20;              // s of computing
constexpr std::size_t kPageValues = 1'000'000;  // of a report that goes through the connection: about 5 MB
constexpr long kPlacesTried = 400;              // random places from which assembly branches are looked for
constexpr std::size_t kPlacesDrawn = 4000;      // of a workspace

void add_poses_of(const Mechanism& mechanism, const std::vector<Pose>& poses, Json& list) {
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Vec3 at = poses[b].position - poses[b].axes * mechanism.bodies[b].com;
    const Eigen::Quaterniond q(poses[b].axes);
    for (const double x : {at.x(), at.y(), at.z(), q.w(), q.x(), q.y(), q.z()})
      list.push_back(static_cast<float>(x));
  }
}

template <class Found>
Json analysis_reply(const Mechanism& mechanism, const Found& found) {
  if (!found.report.accepted()) throw std::invalid_argument(found.report.message);
  const AnalysisReport report(mechanism, found);
  return {{"ok", true}, {"text", report.text()}, {"html", report.html()}, {"poses", Json::array()}};
}

Json find_positions(const Mechanism& mechanism, const JsonFields&) {
  PositionsOptions options;
  options.starts = kPlacesTried;
  const Positions found = solve_positions(mechanism, options);
  Json reply = analysis_reply(mechanism, found);
  for (const Positions::Branch& branch : found.branches)
    add_poses_of(mechanism, branch.poses, reply["poses"]);
  return reply;
}

Json find_equilibria(const Mechanism& mechanism, const JsonFields&) {
  const Equilibria found = solve_equilibrium(mechanism);
  Json reply = analysis_reply(mechanism, found);
  for (const EquilibriumPosition& one : found.found) add_poses_of(mechanism, one.poses, reply["poses"]);
  return reply;
}

Json find_modes(const Mechanism& mechanism, const JsonFields&) {
  return analysis_reply(mechanism, solve_modes(mechanism));
}

Json find_workspace(const Mechanism& mechanism, const JsonFields& fields) {
  WorkspaceOptions options;
  options.point = fields.text("point", "");
  const Workspace found = solve_workspace(mechanism, options);
  Json reply = analysis_reply(mechanism, found);
  Json& places = reply["places"] = Json::array();
  const std::size_t every = 1 + found.points.size() / kPlacesDrawn;
  for (std::size_t k = 0; k < found.points.size(); k += every)
    for (const double x : found.points[k].at) places.push_back(static_cast<float>(x));
  return reply;
}

using Find = Json (*)(const Mechanism&, const JsonFields&);
const std::map<std::string, Find> kAnalyses = {{"positions", find_positions},
                                               {"equilibria", find_equilibria},
                                               {"modes", find_modes},
                                               {"workspace", find_workspace}};

Json analyse(const Mechanism& mechanism, const Json& command) {
  const JsonFields fields(command, "analyse", {"do", "id", "what", "point"});
  const auto analysis = kAnalyses.find(fields.text("what"));
  if (analysis == kAnalyses.end()) fields.refuse("what", "positions, equilibria, modes or workspace");
  return analysis->second(mechanism, fields);
}

Json make_report(const Mechanism& mechanism, const Json& command, const std::atomic<bool>& stop) {
  const JsonFields fields(command, "report", {"do", "id"});
  Simulation simulation(mechanism, mechanism.plan);
  const AssemblyReport assembly = simulation.assemble();
  if (!assembly.report.accepted()) throw std::invalid_argument(explain(assembly, simulation));
  const auto begin = std::chrono::steady_clock::now();
  const RunResult result = run(simulation, [&](double) {
    return !stop &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < kReportTime;
  });
  const std::string html = report_html(simulation, result, kPageValues);
  if (html.empty()) throw std::runtime_error("this program was built without its pages (docs/viewer.md)");
  return {{"ok", true}, {"html", html}, {"t", simulation.state().t}};
}

}  // namespace

bool is_study(const std::string& what) { return what == "try" || what == "report" || what == "analyse"; }

Json run_study(const std::string& text, const std::string& file, const Json& command,
               const std::atomic<bool>& stop) {
  const std::string what = command.at("do");
  if (what == "try") return run_trial(text, file, command, stop);
  const Mechanism mechanism = read_live_text(text, file);
  return what == "report" ? make_report(mechanism, command, stop) : analyse(mechanism, command);
}

}  // namespace trammel::live
