// Figures below the rounding of what they are figures of are not told as such.
#include "results/report/error_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "results/report/event_report.h"
#include "results/report/summary.h"
#include "trammel/model.h"

namespace trammel::results::error_report_test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A slider that a driver moves along x: nothing of its y can be known to 1e-37 m.
TEST(ErrorReport, NoiseIsNoFigure) {
  const Mechanism mechanism = read_model_text(R"(trammel: 1
plane: xy
gravity: [0, -9.81]
bodies: {a: {mass: 2, inertia: 1}}
joints: {s: {prismatic: [a, ground], axis: [1, 0]}}
drivers: {d: {joint: s, equals: sin(t)}}
simulate: {duration: 1 s}
)",
                                              "test.yaml")
                                  .value();
  Simulation simulation(mechanism, mechanism.plan);
  RunSummary summary = run(simulation).summary;
  for (const ErrorEstimate::Kind& kind : summary.error.kinds) {
    EXPECT_GT(kind.rounding, 0) << kind.name;
    EXPECT_LT(kind.rounding, 1e-13) << kind.name;
  }
  ErrorEstimate& error = summary.error;
  error.kinds.resize(2);
  for (ErrorEstimate::Kind& kind : error.kinds) kind.rounding = 2.2e-16, kind.column = "a.y";
  error.kinds[0].name = "position", error.kinds[0].unit = "m", error.kinds[0].largest = 4.4e-37;
  error.kinds[1].name = "velocity", error.kinds[1].unit = "m/s", error.kinds[1].largest = 3e-6;
  EXPECT_TRUE(has(error_lines(error, simulation), "position below 2e-16 m, velocity 3.0e-06 m/s"))
      << error_lines(error, simulation);
  summary.energy_drift = 4e-37;
  EXPECT_TRUE(has(summary_text(simulation, {}, summary), "no drift beyond rounding"));
  summary.energy_drift = 4e-3;
  EXPECT_TRUE(has(summary_text(simulation, {}, summary), "largest drift 0.004 J"));
}

ErrorEstimate::Kind kind(const char* name, const char* unit, double until, const char* first) {
  ErrorEstimate::Kind out;
  out.name = name, out.unit = unit, out.column = "a.y", out.known_until = until, out.first = first;
  return out;
}

// What is said of positions holds for angles too.
TEST(ErrorReport, AnglesThatAreLostAreTold) {
  const Mechanism mechanism =
      read_model_text("trammel: 1\nplane: xy\nbodies: {a: {mass: 2, inertia: 1}}\n", "test.yaml").value();
  const Simulation simulation(mechanism, mechanism.plan);
  ErrorEstimate error;
  error.reference = "second run";
  error.kinds = {kind("position", "m", INFINITY, ""), kind("angle", "rad", 2, "a.angle"),
                 kind("reaction", "N", 1, "j.force.x")};
  const std::string angles = error_lines(error, simulation);
  EXPECT_TRUE(has(angles, "t = 1 s, where 'j.force.x'")) << angles;
  EXPECT_TRUE(has(angles, "; angles 2 s;")) << angles;
  EXPECT_FALSE(has(angles, "known to the end")) << angles;
  error.kinds[1] = kind("angle", "rad", INFINITY, "");
  EXPECT_TRUE(has(error_lines(error, simulation), "; positions and angles are known to the end;"));
}

TEST(ErrorReport, AnErrorThatIsNotKnownIsNoFigure) {
  const Mechanism mechanism = read_model_text(R"(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {b: {rod: [O, A], mass: 1}}
initial: {b: {angular-velocity: 200}}
simulate: {duration: 1, step: 10 ms}
)",
                                              "test.yaml")
                                  .value();
  Simulation simulation(mechanism, mechanism.plan);
  const RunSummary summary = run(simulation).summary;
  const std::string text = summary_text(simulation, {}, summary);
  EXPECT_TRUE(has(text, "largest errors        not known")) << text;
  EXPECT_TRUE(has(text, "its error is not known")) << text;
  const nlohmann::ordered_json json = summary_json(simulation, {}, summary, {});
  for (const char* figure : {"position", "angle", "velocity", "reaction", "energy"})
    EXPECT_TRUE(json["error"][figure].is_null()) << figure;
  EXPECT_TRUE(json["peak_reaction"]["error"].is_null());
  EXPECT_EQ(json["events"], nlohmann::ordered_json::array());
}

TEST(EventReport, TheFirstLostContactIsTold) {
  const Event slip{0.5, Event::Kind::slip, "tyre", 19.62, 7.5, 0, 0},
      grip{1, Event::Kind::grip, "tyre", 1, 1, 0, 0}, lift{2, Event::Kind::lift, "ball", -3, 0, 0, 0};
  EXPECT_EQ(lost_contact_text({grip}), "");
  EXPECT_EQ(
      lost_contact_text({slip, grip, lift}),
      "contact 'tyre' would slip at t = 0.5 s, with a normal force of 19.6 N and 7.5 N of friction needed");
  EXPECT_EQ(lost_contact_text({lift}),
            "contact 'ball' would lift off at t = 2 s, with a normal force of -3 N");
}

}  // namespace
}  // namespace trammel::results::error_report_test
