#include "live/snapshot.h"

#include <Eigen/Geometry>
#include <filesystem>

namespace trammel::live {

std::shared_ptr<const Snapshot::Model> describe_model(const LiveRun& run, const LiveSignals& signals,
                                                      unsigned revision) {
  auto model = std::make_shared<Snapshot::Model>();
  model->revision = revision;
  model->mechanism = run.model();
  model->signals = signals.names();
  for (std::size_t k = 0; k < model->signals.size(); ++k) model->groups.push_back(signals.group(k));
  model->path = std::filesystem::path(run.source().path).filename().string();
  model->undo = run.undoable();
  model->redo = run.redoable();
  return model;
}

Snapshot take_snapshot(const LiveRun& run, LiveSignals& signals, const StepResult& last, double realtime,
                       unsigned groups) {
  const Simulation& simulation = run.simulation();
  const std::vector<Body>& bodies = simulation.mechanism().bodies;
  const std::vector<Pose> poses = simulation.system().poses(simulation.state());
  Snapshot out;
  out.t = simulation.state().t;
  out.step = run.steps();
  out.realtime = realtime;
  out.marked = last.report.outcome == Outcome::marked;
  out.poses.reserve(7 * poses.size());
  const auto origin = [&](std::size_t b) -> Vec3 {
    return poses[b].position - poses[b].axes * bodies[b].com;
  };
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Vec3 at = origin(b);
    const Eigen::Quaterniond q(poses[b].axes);
    for (const double x : {at.x(), at.y(), at.z(), q.w(), q.x(), q.y(), q.z()})
      out.poses.push_back(static_cast<float>(x));
  }
  out.values = signals.values(simulation, poses, last, realtime, groups);
  for (const Pull& pull : run.pulls())
    for (std::size_t b = 0; b < bodies.size(); ++b)
      if (bodies[b].name == pull.body)
        out.pulls.push_back(
            {pull.name, static_cast<int>(b), origin(b) + poses[b].axes * pull.at, pull.target});
  return out;
}

}  // namespace trammel::live
