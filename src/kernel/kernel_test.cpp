// Generated source, compiled by the system's compiler: it makes the steps of the table-driven engine, to
// rounding, and an instance gives the same bits alone and beside others.
#include "trammel/kernel.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::kernel_test {
namespace {

Mechanism model_of(const std::string& name, const std::string& step = {}) {
  std::vector<std::string> settings;
  if (!step.empty()) settings = {"simulate.step=" + step};
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
  // Advances instances one after the other in `states`.
  std::vector<int> advance(std::vector<double>& states, double h, long steps) const {
    const std::size_t count = states.size() / doubles();
    std::vector<int> status(count, -1);
    function<void(double*, long, double, long, int*)>("trammel_advance")(
        states.data(), static_cast<long>(count), h, steps, status.data());
    return status;
  }

 private:
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name));  // NOLINT
  }
  std::filesystem::path folder_;
  void* handle_ = nullptr;
  int sizes_[4] = {};
};

struct Case {
  const char* model;
  const char* step;  // of the model's own, if empty
};

class Kernel : public testing::TestWithParam<Case> {};

TEST_P(Kernel, MakesTheStepsOfTheEngine) {
  const Mechanism mechanism = model_of(GetParam().model, GetParam().step);
  const KernelSource source = export_kernel(mechanism, mechanism.plan, KernelTarget::cpp);
  ASSERT_EQ(source.refusal, "");
  const Library library(source.text);
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

TEST_P(Kernel, GivesTheSameBitsBesideOthers) {
  const Mechanism mechanism = model_of(GetParam().model, GetParam().step);
  const Library library(export_kernel(mechanism, mechanism.plan, KernelTarget::cpp).text);
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

INSTANTIATE_TEST_SUITE_P(OfModels, Kernel,
                         testing::Values(Case{"double-four-bar", ""}, Case{"andrews", "10 us"},
                                         Case{"door", "1 ms"}, Case{"gear-train", "1 ms"},
                                         Case{"lead-screw", "1 ms"}, Case{"spatial-slider-crank", "1 ms"},
                                         Case{"truss", "1 ms"}, Case{"heavy-top", "1 ms"}),
                         [](const auto& one) {
                           std::string name = one.param.model;
                           std::erase(name, '-');
                           return name;
                         });

TEST(KernelPassages, OfSingularPositionsAreThoseOfTheEngine) {
  const Mechanism mechanism = model_of("double-four-bar");
  const Library library(export_kernel(mechanism, mechanism.plan, KernelTarget::cpp).text);
  std::vector<double> state = library.start();
  const std::vector<int> status = library.advance(state, 0.01, 1000);  // ten passages
  EXPECT_LE(status[0], 1);
  Simulation simulation(mechanism, mechanism.plan);
  simulation.assemble();
  for (int k = 0; k < 1000; ++k) ASSERT_TRUE(simulation.step(0.01).report.accepted());
  // Rounding is amplified in each passage; another branch would be a metre away.
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(state[1 + k], simulation.state().q[k], 1e-5);
}

TEST(KernelRefuses, WhatItWouldGetWrong) {
  const auto refusal = [](const char* model, const char* step = "1 ms") {
    const Mechanism mechanism = model_of(model, step);
    return export_kernel(mechanism, mechanism.plan, KernelTarget::cpp).refusal;
  };
  EXPECT_EQ(refusal("end-stops"), "the end-stop 'left' is an event, which it does not look for");
  EXPECT_EQ(refusal("clutch"), "'clutch' sticks and slips, which are events; it does not look for them");
  EXPECT_EQ(refusal("rolling-disk"), "it has no form of rolling or a knife edge yet");
  EXPECT_EQ(refusal("cam-follower"), "it has no form of a point on a curve yet");
  EXPECT_EQ(refusal("double-pendulum", ""), "it takes steps of one size; give one, as --step 1e-3");
  EXPECT_EQ(refusal("gyrostat"), "it has no form of a rotor yet");
}

}  // namespace
}  // namespace trammel::kernel_test
