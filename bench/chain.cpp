// A chain of N bodies, hung at one end: time per step against N, and the slope of its logarithm.
//
// In relative coordinates a step must cost a time linear in N; natural coordinates stand beside it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "trammel/mechanism.h"
#include "trammel/simulation.h"

namespace {

using namespace trammel;

// Bars of one metre and one kilogram, horizontal at the start.
Mechanism chain(int bodies, Joint::Kind kind) {
  Mechanism m;
  m.gravity = {0, 0, -9.81};
  for (int k = 0; k < bodies; ++k) {
    Body body;
    body.name = fmt::format("link{}", k);
    body.mass = 1;
    body.com = {0.5, 0, 0};
    body.inertia = Vec3(0.002, 1.0 / 12, 1.0 / 12).asDiagonal();
    body.placement.at = {static_cast<double>(k), 0, 0};
    m.bodies.push_back(body);
    Joint joint;
    joint.name = fmt::format("joint{}", k);
    joint.kind = kind;
    Marker on_link{body.name, {}}, on_carrier;
    if (k > 0)
      on_carrier = {m.bodies[static_cast<std::size_t>(k) - 1].name, {Vec3(1, 0, 0), Mat3::Identity()}};
    // Hinges turn about y and z by turns.
    Mat3 axes = Mat3::Identity();
    if (k % 2 == 0) axes << 1, 0, 0, 0, 0, 1, 0, -1, 0;
    on_link.frame.axes = on_carrier.frame.axes = axes;
    joint.markers = {on_link, on_carrier};
    m.joints.push_back(joint);
  }
  return m;
}

struct Method {
  const char *coordinates, *formulation, *integrator;
};

void step_chain(benchmark::State& state, const Method& method, Joint::Kind kind) {
  Plan plan;
  plan.coordinates = method.coordinates;
  plan.formulation = method.formulation;
  plan.integrator = method.integrator;
  plan.step = 1e-4;
  plan.duration = 1e6 * plan.step;
  Simulation simulation(chain(static_cast<int>(state.range(0)), kind), plan);
  if (!simulation.assemble().report.accepted()) return state.SkipWithError("the chain does not assemble");
  for (auto _ : state)
    if (!simulation.step(plan.step).report.accepted()) return state.SkipWithError("a step failed");
}

// The usual table, then the slope of log time against log N of each method, by least squares.
class SlopeReporter final : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs)
      if (!run.error_occurred)
        times_[run.run_name.function_name].emplace_back(std::stod(run.run_name.args),
                                                        run.GetAdjustedCPUTime());
  }
  void Finalize() override {
    ConsoleReporter::Finalize();
    for (const auto& [name, points] : times_) {
      double x = 0, y = 0, xx = 0, xy = 0;
      const auto n = static_cast<double>(points.size());
      for (const auto& [size, time] : points) {
        x += std::log(size) / n;
        y += std::log(time) / n;
        xx += std::log(size) * std::log(size) / n;
        xy += std::log(size) * std::log(time) / n;
      }
      fmt::print("{:<60} slope {:.3f}\n", name, (xy - x * y) / (xx - x * x));
    }
  }

 private:
  std::map<std::string, std::vector<std::pair<double, double>>> times_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const Method methods[] = {{"relative", "lagrange", "rk4"},
                            {"relative", "augmented-lagrangian-index3", "trapezoidal"},
                            {"natural", "augmented-lagrangian-index3", "trapezoidal"}};
  for (const auto& [name, kind] :
       {std::pair{"hinges", Joint::Kind::revolute}, {"balls", Joint::Kind::spherical}})
    for (const Method& method : methods)
      benchmark::RegisterBenchmark(
          fmt::format("chain of {}, {}, {}, {}", name, method.coordinates, method.formulation,
                      method.integrator)
              .c_str(),
          [method, kind = kind](benchmark::State& state) { step_chain(state, method, kind); })
          ->Arg(10)
          ->Arg(100)
          ->Arg(1000)
          ->Arg(10000)
          ->Unit(benchmark::kMicrosecond);
  SlopeReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
}
