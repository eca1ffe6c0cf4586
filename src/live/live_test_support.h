// A double pendulum in a live run, and what tests ask of it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "live/live_run.h"
#include "system/system.h"

namespace trammel::live {

// Two rods of 1 m and 1 kg, from rest and level.
inline const char* const kDoublePendulum = R"(
trammel: 1
name: double pendulum
plane: xy
gravity: [0, -9.81]
parameters: {L: 1, m: 1}
points:
  O: {at: [0, 0], on: ground}
  A: [L, 0]
  B: [2*L, 0]
bodies:
  inner: {rod: [O, A], mass: m, length: L}
  outer: {rod: [A, B], mass: m, length: L}
simulate: {duration: 10, step: 1 ms}
)";

inline LiveRun open(const std::string& text, const std::vector<std::string>& settings = {}) {
  return LiveRun({"test.yaml", text, settings});
}

inline void advance(LiveRun& run, int steps) {
  for (int k = 0; k < steps; ++k) ASSERT_TRUE(run.step().report.accepted());
}

inline Pose pose_of(const LiveRun& run, const std::string& body) {
  const Simulation& s = run.simulation();
  const std::vector<Pose> poses = s.system().poses(s.state());
  for (std::size_t b = 0; b < poses.size(); ++b)
    if (s.mechanism().bodies[b].name == body) return poses[b];
  ADD_FAILURE() << "no body " << body;
  return {};
}

inline double mechanical_energy(const LiveRun& run) {
  const Energy e = run.simulation().energy();
  return e.kinetic + e.potential;
}

inline void expect_ok(const EditReply& reply) { EXPECT_TRUE(reply.ok) << reply.error; }

// Where a point at a part of the rod is.
inline Vec3 along(const Pose& pose, double from_centre) {
  return pose.position + pose.axes * Vec3(from_centre, 0, 0);
}

inline const Json kPin = {
    {"do", "add-joint"},
    {"joint",
     {{"name", "A"},
      {"kind", "pin"},
      {"markers", {{{"body", "inner"}, {"at", {1, 0, 0}}}, {{"body", "outer"}, {"at", {0, 0, 0}}}}}}}};

}  // namespace trammel::live
