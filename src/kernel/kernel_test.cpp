// Generated source, compiled by the system's compiler: it makes the steps of the table-driven engine, to
// rounding, and an instance gives the same bits alone and beside others.
#include "trammel/kernel.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/simulation.h"
#include "trammel/thread_pool.h"

namespace trammel::kernel_test {
namespace {

Mechanism model_of(const std::string& name, const std::string& step = {},
                   std::vector<std::string> settings = {}) {
  if (!step.empty()) settings.push_back("simulate.step=" + step);
  const ModelInput input = read_model(std::string(kSourceDir) + "/models/" + name + ".yaml", settings);
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return input.mechanism;
}

// A kernel in a library of its own.
class Library {
 public:
  explicit Library(const std::string& text) {
    folder_ = std::filesystem::temp_directory_path() / ("trammel-kernel-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    const std::string source = folder_ / "kernel.cpp", library = folder_ / "kernel.so";
    std::ofstream(source) << text;
    const std::string command =
        "c++ -O1 -std=c++17 -ffp-contract=off -Wno-psabi -shared -fPIC " + source + " -o " + library;
    if (std::system(command.c_str()) != 0) throw std::runtime_error("the source is not compiled");  // NOLINT
    handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    function<void(int*)>("trammel_sizes")(sizes_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
    std::filesystem::remove_all(folder_);
  }

  int coordinates() const { return sizes_[0]; }
  std::size_t doubles() const { return static_cast<std::size_t>(sizes_[2]); }
  std::vector<double> start() const {
    std::vector<double> state(doubles());
    function<void(double*)>("trammel_start")(state.data());
    return state;
  }
  std::vector<double> constants() const {
    std::vector<double> constants(static_cast<std::size_t>(sizes_[4]));
    function<void(double*)>("trammel_constants")(constants.data());
    return constants;
  }
  // Advances instances one after the other in `states` and `constants`.
  std::vector<int> advance(std::vector<double>& states, double h, long steps,
                           const std::vector<double>& constants = {}) const {
    const std::size_t count = states.size() / doubles();
    std::vector<int> status(count, -1);
    function<void(double*, const double*, long, double, long, int*)>("trammel_advance")(
        states.data(), constants.data(), static_cast<long>(count), h, steps, status.data());
    return status;
  }

 private:
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name));  // NOLINT
  }
  std::filesystem::path folder_;
  void* handle_ = nullptr;
  int sizes_[5] = {};
};

struct Case {
  const char* model;
  const char* step;  // of the model's own, if empty
};

class Kernels : public testing::TestWithParam<Case> {};

TEST_P(Kernels, MakesTheStepsOfTheEngine) {
  const Mechanism mechanism = model_of(GetParam().model, GetParam().step);
  const Kernel kernel(mechanism, mechanism.plan);
  ASSERT_EQ(kernel.refusal(), "");
  EXPECT_EQ(kernel.constants(), 0);
  const Library library(kernel.text());
  std::vector<double> state = library.start();
  Simulation simulation(mechanism, mechanism.plan);
  simulation.assemble();
  const double h = mechanism.plan.step;
  const long steps = 100;
  const std::vector<int> status = library.advance(state, h, steps);
  EXPECT_LE(status[0], 1);
  for (long k = 0; k < steps; ++k) ASSERT_TRUE(simulation.step(h).report.accepted());
  // Both solve the same equations to 1e-11 in each step; nothing here amplifies errors by more than a
  // hundred.
  for (int k = 0; k < library.coordinates(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    EXPECT_NEAR(state[1 + at], simulation.state().q[at], 1e-9) << k;
  }
  EXPECT_NEAR(state[0], simulation.state().t, 1e-12);
}

TEST_P(Kernels, GivesTheSameBitsBesideOthers) {
  const Mechanism mechanism = model_of(GetParam().model, GetParam().step);
  const Library library(Kernel(mechanism, mechanism.plan).text());
  // Five instances, which move at different speeds.
  std::vector<double> all;
  const auto n = static_cast<std::size_t>(library.coordinates());
  for (int instance = 0; instance < 5; ++instance) {
    std::vector<double> one = library.start();
    for (std::size_t k = 0; k < n; ++k) one[1 + n + k] *= 1 + 0.1 * instance;
    all.insert(all.end(), one.begin(), one.end());
  }
  const std::vector<double> before = all;
  const std::vector<int> status = library.advance(all, mechanism.plan.step, 20);
  for (std::size_t instance = 0; instance < 5; ++instance) {
    const auto first = static_cast<std::ptrdiff_t>(instance * library.doubles()),
               size = static_cast<std::ptrdiff_t>(library.doubles());
    std::vector<double> alone(before.begin() + first, before.begin() + first + size);
    EXPECT_EQ(library.advance(alone, mechanism.plan.step, 20)[0], status[instance]);
    EXPECT_EQ(alone, std::vector<double>(all.begin() + first, all.begin() + first + size)) << instance;
  }
}

INSTANTIATE_TEST_SUITE_P(OfModels, Kernels,
                         testing::Values(Case{"double-four-bar", ""}, Case{"andrews", "10 us"},
                                         Case{"door", "1 ms"}, Case{"gear-train", "1 ms"},
                                         Case{"lead-screw", "1 ms"}, Case{"spatial-slider-crank", "1 ms"},
                                         Case{"truss", "1 ms"}, Case{"heavy-top", "1 ms"}),
                         [](const auto& one) {
                           std::string name = one.param.model;
                           std::erase(name, '-');
                           return name;
                         });

// Models that differ in numbers: lengths, masses, inertias, stiffnesses, gravity, drivers, exponents.
struct Varied {
  const char *model, *step;
  std::vector<std::vector<std::string>> settings;
};

class KernelInputs : public testing::TestWithParam<Varied> {
 protected:
  std::vector<Mechanism> models() const {
    std::vector<Mechanism> out;
    for (const std::vector<std::string>& settings : GetParam().settings)
      out.push_back(model_of(GetParam().model, GetParam().step, settings));
    return out;
  }
};

// Five instances side by side move as their models do in the engine, and to the same bits alone.
TEST_P(KernelInputs, AreThoseOfEachInstance) {
  const Mechanism mechanism = model_of(GetParam().model, GetParam().step);
  const std::vector<Mechanism> others = models();
  const Kernel kernel(mechanism, mechanism.plan, {.others = others});
  ASSERT_EQ(kernel.refusal(), "");
  EXPECT_GT(kernel.constants(), 0);
  const Library library(kernel.text());
  std::vector<double> states, constants;
  for (std::size_t k = 0; k < 5; ++k) {
    const KernelInstance one = kernel.instance(others[k % others.size()]);
    ASSERT_EQ(one.refusal, "");
    ASSERT_EQ(one.state.size(), library.doubles());
    states.insert(states.end(), one.state.begin(), one.state.end());
    constants.insert(constants.end(), one.constants.begin(), one.constants.end());
  }
  const std::vector<double> starts = states;
  const double h = mechanism.plan.step;
  const long steps = 100;
  const std::vector<int> status = library.advance(states, h, steps, constants);
  const KernelInstance of_model = kernel.instance(mechanism);
  EXPECT_EQ(library.constants(), of_model.constants);
  EXPECT_EQ(library.start(), of_model.state);
  for (std::size_t k = 0; k < others.size(); ++k) {
    EXPECT_LE(status[k], 1) << k;
    Simulation simulation(others[k], others[k].plan);
    simulation.assemble();
    for (long step = 0; step < steps; ++step) ASSERT_TRUE(simulation.step(h).report.accepted());
    const auto first = static_cast<std::ptrdiff_t>(k * library.doubles()),
               size = static_cast<std::ptrdiff_t>(library.doubles());
    for (int i = 0; i < library.coordinates(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_NEAR(states[static_cast<std::size_t>(first) + 1 + at], simulation.state().q[at], 1e-9) << k;
    }
    std::vector<double> alone(starts.begin() + first, starts.begin() + first + size);
    const auto own = static_cast<std::ptrdiff_t>(of_model.constants.size());
    const auto of = constants.begin() + static_cast<std::ptrdiff_t>(k) * own;
    library.advance(alone, h, steps, {of, of + own});
    EXPECT_EQ(alone, std::vector<double>(states.begin() + first, states.begin() + first + size)) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfModels, KernelInputs,
    testing::Values(
        Varied{
            "andrews", "10 us", {{"parameters.rr=7.3 mm", "parameters.sa=18.9 mm"}, {"bodies.K1.mass=0.05"}}},
        Varied{"gear-train", "1 ms", {{"parameters.r=45 mm", "parameters.k=1.3"}, {"parameters.k=0.7"}}},
        Varied{"truss", "1 ms", {{"parameters.P=35", "parameters.h=0.45"}, {"parameters.k=1100"}}},
        Varied{
            "slider-crank", "1 ms", {{"parameters.L=1.2"}, {"parameters.start=40 deg"}, {"gravity=[0, -5]"}}},
        Varied{"heavy-top", "1 ms", {{"gravity=[0, 0.1, -9]"}, {"gravity=[0, 0, -10]"}}}),
    [](const auto& one) {
      std::string name = one.param.model;
      std::erase(name, '-');
      return name;
    });

TEST(KernelInputs, OfOtherModelsAreRefused) {
  const Mechanism mechanism = model_of("slider-crank", "1 ms"),
                  longer = model_of("slider-crank", "1 ms", {"parameters.L=1.1"}),
                  lighter = model_of("slider-crank", "1 ms", {"gravity=[0, -5]"});
  const Kernel kernel(mechanism, mechanism.plan, {.others = {longer}});
  EXPECT_EQ(kernel.instance(longer).refusal, "");
  EXPECT_EQ(kernel.instance(lighter).refusal,
            "its model differs from that of the kernel in more than the inputs");
  EXPECT_TRUE(kernel.instance(lighter).differs);
  EXPECT_EQ(Kernel(mechanism, mechanism.plan, {.others = {model_of("truss", "1 ms")}}).refusal(),
            "the models of its instances differ in more than numbers");
}

TEST(KernelPassages, OfSingularPositionsAreThoseOfTheEngine) {
  const Mechanism mechanism = model_of("double-four-bar");
  const Library library(Kernel(mechanism, mechanism.plan).text());
  std::vector<double> state = library.start();
  const std::vector<int> status = library.advance(state, 0.01, 1000);  // ten passages
  EXPECT_LE(status[0], 1);
  Simulation simulation(mechanism, mechanism.plan);
  simulation.assemble();
  for (int k = 0; k < 1000; ++k) ASSERT_TRUE(simulation.step(0.01).report.accepted());
  // Rounding is amplified in each passage; another branch would be a metre away.
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(state[1 + k], simulation.state().q[k], 1e-5);
}

// Cranks of several lengths and weights turn under gravity. Twice eleven fill no group of lanes.
Batch batch_of_cranks(const std::vector<std::string>& observe, std::size_t runs = 11) {
  const Mechanism mechanism = model_of("slider-crank", "1 ms", {"simulate.duration=2"});
  ParameterTable table{{"L", "start"}, {}};
  for (std::size_t k = 0; k < runs; ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(runs);
    table.values.insert(table.values.end(), {1 + 0.3 * part, 0.7 - 0.2 * part});
  }
  return {mechanism, table, observe};
}

// The cache of kernels, in a folder of this test.
class CompiledBatches : public testing::Test {
 protected:
  CompiledBatches()
      : folder_(std::filesystem::temp_directory_path() / ("trammel-cache-" + std::to_string(getpid()))) {
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);  // NOLINT: no thread runs yet
  }
  ~CompiledBatches() override {
    unsetenv("XDG_CACHE_HOME");  // NOLINT
    unsetenv("CXX");             // NOLINT
    std::filesystem::remove_all(folder_);
  }
  const std::filesystem::path folder_;
};

TEST_F(CompiledBatches, AgreeWithThoseByTables) {
  const Batch batch =
      batch_of_cranks({"A.x", "B.x", "crank.angle", "crank.omega", "O.force.x", "energy.kinetic"});
  const BatchResult tables = batch.run(), compiled = run_compiled(batch);
  EXPECT_EQ(tables.engine, "tables");
  EXPECT_TRUE(compiled.engine.starts_with("compiled: ")) << compiled.engine;
  ASSERT_EQ(compiled.values.size(), tables.values.size());
  for (std::size_t run = 0; run < compiled.runs.size(); ++run) {
    EXPECT_EQ(compiled.runs[run].status, RunStatus::ok) << compiled.runs[run].message;
    EXPECT_EQ(compiled.runs[run].steps, tables.runs[run].steps);
    EXPECT_EQ(compiled.runs[run].time, tables.runs[run].time);
    for (const Channel& channel : compiled.channels) {
      const auto a = compiled.column(channel.name, run), b = tables.column(channel.name, run);
      double largest = 0, apart = 0;
      for (std::size_t k = 0; k < a.size(); ++k) {
        largest = std::max(largest, std::abs(b[k]));
        apart = std::max(apart, std::abs(a[k] - b[k]));
      }
      EXPECT_LT(apart, 1e-8 * largest) << channel.name << ", run " << run;
    }
  }
}

TEST_F(CompiledBatches, HaveTheSameBitsHoweverTheyAreSpread) {
  const Batch all = batch_of_cranks({"A.x", "crank.angle"}, 300),
              few = batch_of_cranks({"A.x", "crank.angle"}, 1);
  ThreadPool threads(3);
  const BatchResult alone = run_compiled(all), spread = run_compiled(all, &threads);
  EXPECT_EQ(alone.values, spread.values);
  EXPECT_EQ(alone.last, spread.last);
  EXPECT_NE(spread.engine.find("compiled earlier"), std::string::npos) << spread.engine;
  EXPECT_EQ(spread.engine.find("tables"), std::string::npos) << spread.engine;
  // Alone, and in another kernel, whose numbers do not vary.
  const BatchResult one = run_compiled(few);
  const auto x = one.column("A.x", 0), beside = alone.column("A.x", 0);
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], beside[k], 1e-9);
}

TEST_F(CompiledBatches, ThatNoKernelCanMakeGoByTablesAndSayWhy) {
  const BatchResult work = run_compiled(batch_of_cranks({"energy.work"}));
  EXPECT_EQ(work.engine, "tables: 'energy.work' is known to the engine of tables alone");
  EXPECT_EQ(work.values, batch_of_cranks({"energy.work"}).run().values);
  setenv("CXX", "no-such-compiler", 1);  // NOLINT
  const Batch batch = batch_of_cranks({"A.x"}, 2);
  const BatchResult result = run_compiled(batch);
  EXPECT_EQ(
      result.engine,
      "tables: there is no C++ compiler 'no-such-compiler'; install one (Debian: g++), or name one in the "
      "variable CXX");
  EXPECT_EQ(result.values, batch.run().values);
}

// Ten passages through singular positions each: the marks are those of the engine.
TEST_F(CompiledBatches, MarkTheRunsThatTheEngineMarks) {
  std::ifstream file(std::string(kSourceDir) + "/models/double-four-bar.yaml");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  text.replace(text.find("velocity: [1, 0]"), 16, "velocity: [speed, 0]");
  const Mechanism mechanism = read_model_text(text + "parameters: {speed: 1}\n", "fast.yaml").value();
  ParameterTable table{{"speed"}, {}};
  for (int k = 0; k < 20; ++k) table.values.push_back(1 + 0.01 * k);
  const Batch batch(mechanism, table, {"B1.x", "crank0.angle"});
  const BatchResult tables = batch.run(), compiled = run_compiled(batch);
  EXPECT_TRUE(compiled.engine.starts_with("compiled: ")) << compiled.engine;
  long marked = 0;
  for (std::size_t run = 0; run < tables.runs.size(); ++run) {
    EXPECT_EQ(compiled.runs[run].status, tables.runs[run].status) << run;
    marked += tables.runs[run].status == RunStatus::marked ? 1 : 0;
    ASSERT_EQ(compiled.runs[run].marked_steps.size(), tables.runs[run].marked_steps.size()) << run;
    for (std::size_t k = 0; k < tables.runs[run].marked_steps.size(); ++k)
      EXPECT_NEAR(compiled.runs[run].marked_steps[k].t, tables.runs[run].marked_steps[k].t, 1e-9) << run;
    EXPECT_NEAR(compiled.column("crank0.angle", run).back(), tables.column("crank0.angle", run).back(), 1e-4);
  }
  EXPECT_GT(marked, 0);
}

TEST_F(CompiledBatches, Stop) {
  const Batch batch = batch_of_cranks({"A.x"}, 40);
  std::size_t asked = 0;
  const BatchResult result = run_compiled(batch, nullptr, [&](std::size_t) { return ++asked < 30; });
  EXPECT_EQ(std::ranges::count(result.runs, RunStatus::ok, &RunSummary::status), 0);
  EXPECT_GE(std::ranges::count(result.runs, RunStatus::stopped, &RunSummary::status), 30);
}

TEST(KernelRefuses, WhatItWouldGetWrong) {
  const auto refusal = [](const char* model, const char* step = "1 ms") {
    const Mechanism mechanism = model_of(model, step);
    return Kernel(mechanism, mechanism.plan).refusal();
  };
  EXPECT_EQ(refusal("end-stops"), "the end-stop 'left' is an event, which it does not look for");
  EXPECT_EQ(refusal("clutch"), "'clutch' sticks and slips, which are events; it does not look for them");
  EXPECT_EQ(refusal("rolling-disk"), "it has no form of rolling or a knife edge yet");
  EXPECT_EQ(refusal("cam-follower"), "it has no form of a point on a curve yet");
  EXPECT_EQ(refusal("double-pendulum", ""),
            "it takes steps of one size; give a step, as --step 1e-3, and no tolerance");
  EXPECT_EQ(refusal("gyrostat"), "it has no form of a rotor yet");
}

}  // namespace
}  // namespace trammel::kernel_test
