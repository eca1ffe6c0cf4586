// Snapshot: a live run at one moment, as others see it.
#pragma once

#include "live/live_run.h"
#include "live/live_signals.h"

namespace trammel::live {

struct Snapshot {
  struct Model {
    unsigned revision = 0;
    std::shared_ptr<const Mechanism> mechanism;  // without pulls
    std::vector<SignalName> signals;
    std::vector<unsigned> groups;  // of each signal
    std::string path, undo, redo;
  };
  std::shared_ptr<const Model> model;
  double t = 0;
  long step = 0;
  double realtime = 1;  // simulated seconds per second over the speed asked for
  double speed = 1;
  bool paused = false, marked = false, failed = false;
  std::vector<float> poses;    // x y z of the origin, quaternion w x y z, per body
  std::vector<double> values;  // of all signals
  struct PullView {
    std::string name;
    int body = 0;
    Vec3 point, target;
  };
  std::vector<PullView> pulls;
  // What can be gone back to.
  struct Timeline {
    int branch = 0;
    double from_t = 0;                // s, where it left the branch before
    long begin = 0, end = 0;          // steps
    double begin_t = 0, end_t = 0;    // s
    std::size_t bytes = 0, most = 0;  // of memory
    struct Ghost {
      int branch = 0;
      double from_t = 0, end_t = 0;
      friend bool operator==(const Ghost&, const Ghost&) = default;
    };
    std::vector<Ghost> ghosts;
    struct Edit {
      double t = 0;
      std::string label;
      friend bool operator==(const Edit&, const Edit&) = default;
    };
    std::vector<Edit> edits;  // the last ones of the branch
  } timeline;
};

// x y z of the origin, quaternion w x y z, per body.
void append_poses(const Mechanism& mechanism, const std::vector<Pose>& poses, std::vector<float>& out);

// What changes with the model only.
std::shared_ptr<const Snapshot::Model> describe_model(const LiveRun& run, const LiveSignals& signals,
                                                      unsigned revision);
// Where everything is now, with the signals of some groups; the rest is for the caller to fill in.
Snapshot take_snapshot(const LiveRun& run, LiveSignals& signals, const StepResult& last, double realtime,
                       unsigned groups);

}  // namespace trammel::live
