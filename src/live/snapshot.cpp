#include "live/snapshot.h"

#include <Eigen/Geometry>
#include <filesystem>

namespace trammel::live {
namespace {

constexpr std::size_t kShownEdits = 100;

Snapshot::Timeline timeline_of(const Past& past) {
  const Branch& branch = past.branch();
  Snapshot::Timeline out;
  out.branch = branch.id;
  out.from_t = branch.from_t;
  out.begin = branch.begin();
  out.end = branch.end();
  out.begin_t = branch.begin_t();
  out.end_t = branch.end_t;
  out.bytes = past.bytes();
  out.most = past.most();
  for (const Branch& ghost : past.ghosts()) out.ghosts.push_back({ghost.id, ghost.from_t, ghost.end_t});
  const std::size_t count = branch.parts.size();
  for (std::size_t k = count > kShownEdits ? count - kShownEdits : 0; k < count; ++k)
    if (k > 0) out.edits.push_back({branch.parts[k].begin_t, branch.parts[k].label});
  return out;
}

}  // namespace

void append_poses(const Mechanism& mechanism, const std::vector<Pose>& poses, std::vector<float>& out) {
  out.reserve(out.size() + 7 * poses.size());
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Vec3 at = poses[b].position - poses[b].axes * mechanism.bodies[b].com;
    const Eigen::Quaterniond q(poses[b].axes);
    for (const double x : {at.x(), at.y(), at.z(), q.w(), q.x(), q.y(), q.z()})
      out.push_back(static_cast<float>(x));
  }
}

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
  append_poses(simulation.mechanism(), poses, out.poses);
  out.timeline = timeline_of(run.past());
  out.values = signals.values(simulation, poses, last, realtime, groups);
  for (const Pull& pull : run.pulls())
    for (std::size_t b = 0; b < bodies.size(); ++b)
      if (bodies[b].name == pull.body)
        out.pulls.push_back({pull.name, static_cast<int>(b),
                             poses[b].position + poses[b].axes * (pull.at - bodies[b].com), pull.target});
  return out;
}

}  // namespace trammel::live
