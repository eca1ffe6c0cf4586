// What a sweep costs beside its runs: the same runs alone, with their models made beforehand and nothing
// written, and in a sweep, which makes each model, observes, writes every run to its chunk and merges. Usage:
//
//   trammel_sweep_overhead MODEL PARAMETER [runs] [duration, s]
//
// Processor time, both in turn five times; the least of each counts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/sweep.h"

namespace {

using namespace trammel;

// Reads what the sweep observes: the time alone.
class NoSink final : public ResultSink {
 public:
  void write(std::span<const double>) override {}
  bool reads(const Channel&) const override { return false; }
};

template <class Work>
double processor_seconds(const Work& work) {
  const std::clock_t begun = std::clock();
  work();
  return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

void run_alone(const std::vector<Mechanism>& models) {
  for (const Mechanism& model : models) {
    Simulation simulation(model, model.plan);
    simulation.assemble();
    NoSink sink;
    run(simulation, sink);
  }
}

int measure(const std::string& path, const std::string& parameter, int runs, const std::string& duration) {
  const Mechanism mechanism = read_model(path, {"simulate.duration=" + duration}).value();
  SweepSpec spec;
  spec.sample = {parameter + "~uniform(0.99, 1.01)"};
  spec.runs = static_cast<std::uint64_t>(runs);
  spec.observe = {"final(t)"};
  const Sweep sweep(mechanism, spec);
  std::vector<Mechanism> models;
  for (std::uint64_t k = 0; k < sweep.runs(); ++k) models.push_back(sweep.model(k));
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "trammel-sweep-overhead";
  double alone = 1e300, swept = 1e300, made = 1e300;
  for (int turn = 0; turn < 5; ++turn) {
    alone = std::min(alone, processor_seconds([&] { run_alone(models); }));
    made = std::min(made, processor_seconds([&] {
                      for (std::uint64_t k = 0; k < sweep.runs(); ++k) models[k] = sweep.model(k);
                    }));
    std::filesystem::remove_all(folder);
    swept = std::min(swept, processor_seconds([&] { run_sweep(sweep, folder); }));
  }
  std::filesystem::remove_all(folder);
  fmt::print(
      "{} runs: alone {:.3f} ms each, in a sweep {:.3f} ms each: {:.1f} % more; models {:.3f} ms each\n",
      runs, 1e3 * alone / runs, 1e3 * swept / runs, 100 * (swept / alone - 1), 1e3 * made / runs);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    fmt::print(stderr, "usage: {} MODEL PARAMETER [runs] [duration, s]\n", words[0]);
    return 2;
  }
  return measure(words[1], words[2], count > 3 ? std::atoi(words[3]) : 200, count > 4 ? words[4] : "0.5");
}
