// One step of each problem by the default method and, where there is one, by its yardstick (Google
// Benchmark): what to look at while working on the speed of a step. trammel_steps --benchmark_filter=bricard
#include <benchmark/benchmark.h>

#include <cmath>

#include "problem.h"
#include "trammel/simulation.h"
#include "yardsticks/yardstick.h"

namespace {

using namespace trammel;
using namespace trammel::bench;

// The state returns to the start after the motion's duration; that of a long mechanism soon.
template <class Step, class Restart>
void repeat(benchmark::State& state, const Problem& problem, Step&& step, Restart&& restart) {
  const long steps = problem.bodies > 40 ? 50 : std::lround(problem.duration / problem.step);
  long done = 0;
  for (auto _ : state) {
    if (!step()) return state.SkipWithError("a step failed");
    if (++done % steps == 0) restart();
  }
}

Simulation start(const Problem& problem, const std::string& coordinates) {
  const Mechanism mechanism = mechanism_of(problem);
  Plan plan = mechanism.plan;
  plan.coordinates = coordinates;
  plan.step = problem.step;
  return Simulation(mechanism, plan);
}

void by_trammel(benchmark::State& state, const Problem& problem, const std::string& coordinates) {
  Simulation simulation = start(problem, coordinates);
  if (!simulation.assemble().report.accepted()) return state.SkipWithError("it does not assemble");
  const State first = simulation.state();
  repeat(
      state, problem, [&] { return simulation.step(problem.step).report.accepted(); },
      [&] { simulation.restore(first); });
}

void by_yardstick(benchmark::State& state, const Problem& problem) {
  Simulation simulation = start(problem, "natural");
  if (!simulation.assemble().report.accepted()) return state.SkipWithError("it does not assemble");
  auto yardstick = make_yardstick(problem.name, simulation.state());
  repeat(
      state, problem, [&] { return yardstick->step(problem.step); },
      [&] { yardstick = make_yardstick(problem.name, simulation.state()); });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<Problem> problems = judged_problems();
  for (const Problem& problem : growing_problems())
    if (problem.bodies > 40) problems.push_back(problem);
  for (const Problem& problem : problems) {
    for (const std::string coordinates : {"natural", "relative"})
      benchmark::RegisterBenchmark((problem.name + "/" + coordinates).c_str(), by_trammel, problem,
                                   coordinates)
          ->Unit(benchmark::kMicrosecond);
    if (has_yardstick(problem.name))
      benchmark::RegisterBenchmark((problem.name + "/yardstick").c_str(), by_yardstick, problem)
          ->Unit(benchmark::kMicrosecond);
  }
  benchmark::RunSpecifiedBenchmarks();
}
