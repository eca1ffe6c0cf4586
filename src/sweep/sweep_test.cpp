// Whole sweeps: what they compute, and that their files do not depend on how the work was spread.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>

#include "results/files/test_support.h"
#include "sweep/chunk_file.h"
#include "trammel/model.h"
#include "trammel/sweep.h"
#include "trammel/thread_pool.h"

namespace trammel::sweep::sweep_test {
namespace {

using SweepTest = results::ResultsTest;
using results::read_bytes;
using results::write_bytes;

// A mass on a spring: x = x0 cos(ωt), ω² = k/m.
constexpr const char* kOscillator = R"(
trammel: 1
name: oscillator
plane: xy
parameters: {m: 2 kg, k: 50 N/m, x0: 0.1 m}
bodies: {a: {mass: m, inertia: 1 kg.m^2, at: [x0, 0]}}
joints: {s: {prismatic: [a, ground], axis: [1, 0], at: [0, 0]}}
forces: {spring: {force: [-k*a.x, 0], at: a.com}}
simulate: {duration: 0.5 s, step: 5 ms}
sweep:
  vary: {k: 40:60:3, m: [1, 2]}
  observe: {top: peak(a.x), zero: first_time(a.x < 0)}
)";

Mechanism oscillator() { return read_model_text(kOscillator, "oscillator.yaml").value(); }

SweepSpec sample(std::uint64_t runs) {
  return {.sample = {"m~uniform(1 kg, 3 kg)", "k~normal(50, 5)"},
          .runs = runs,
          .design = "lhs",
          .observe = {"peak(a.x)", "first_time(a.x < 0)", "curve(a.x, 0, 0.5, 6)"}};
}

TEST_F(SweepTest, ComputesWhatTheClosedFormSays) {
  const Sweep sweep(oscillator(), sweep_section(oscillator()));
  ASSERT_EQ(sweep.runs(), 6U);
  EXPECT_EQ(sweep.parameters(), (std::vector<std::string>{"k", "m"}));
  const SweepSummary summary = run_sweep(sweep, folder() / "s");
  EXPECT_EQ(summary.done, 6U);
  EXPECT_TRUE(summary.merged);
  const SweepTable table = read_sweep(folder() / "s" / "sweep.h5");
  ASSERT_EQ(table.runs(), 6U);
  for (std::size_t run = 0; run < 6; ++run) {
    const double k = table.column("k")[run], m = table.column("m")[run];
    EXPECT_EQ(table.column("top")[run], 0.1);
    // Straight lines between rows of 5 ms, and the rule's own error of some (ωh)²/12.
    EXPECT_NEAR(table.column("zero")[run], std::numbers::pi / 2 * std::sqrt(m / k), 2e-4);
    EXPECT_EQ(table.status[run], RunStatus::ok);
  }
}

TEST_F(SweepTest, VariesValuesByTheirPath) {
  const SweepSpec spec{.vary = {"bodies.a.mass=1:3:3"},
                       .observe = {"first_time(a.x < 0)", "2*bodies.a.mass + 0*peak(a.x)"}};
  const Sweep sweep(oscillator(), spec);
  const SweepRow row = sweep.compute(1);
  EXPECT_NEAR(row.values[0], std::numbers::pi / 2 * std::sqrt(2.0 / 50), 2e-4);
  EXPECT_EQ(row.values[1], 4);
  run_sweep(sweep, folder() / "s");
  EXPECT_EQ(open_sweep(folder() / "s").description(), sweep.description());
}

TEST_F(SweepTest, ARunHasTheBitsOfTheModelReadWithItsValues) {
  const Sweep sweep(oscillator(), sample(20));
  const std::vector<double> values = sweep.values(7);
  const Mechanism alone = read_model_text(kOscillator, "",
                                          {fmt::format("parameters.m={}", values[0]),
                                           fmt::format("parameters.k={}", values[1]), "--verify=off"})
                              .value();
  Simulation simulation(alone, alone.plan);
  const RunResult result = run(simulation);
  const std::vector<double> x = result.trajectory.column("a.x");
  EXPECT_EQ(sweep.compute(7).values[0],
            *std::ranges::max_element(x, {}, [](double v) { return std::abs(v); }));
}

// Steps of a tenth of a period miss the accuracy, which only a second run can tell: without being asked for
// none is made, by a sweep and by those who change one.
TEST_F(SweepTest, ErrorsAreEstimatedOnRequestOnly) {
  const Mechanism coarse = read_model_text(kOscillator, "o.yaml", {"simulate.step=0.1"}).value();
  ASSERT_TRUE(coarse.plan.verify);
  SweepSpec spec{.vary = {"k=40:60:3"}, .observe = {"final(a.x)"}};
  EXPECT_FALSE(spec.verify);
  EXPECT_FALSE(sweep_section(coarse).verify);
  const Sweep usual(coarse, spec);
  spec.verify = true;
  const Sweep asked(coarse, spec);
  for (std::uint64_t k = 0; k < 3; ++k) {
    EXPECT_FALSE(usual.model(k).plan.verify);
    EXPECT_TRUE(asked.model(k).plan.verify);
    const SweepRow a = usual.compute(k), b = asked.compute(k);
    EXPECT_EQ(a.status, RunStatus::ok);
    EXPECT_EQ(b.status, RunStatus::limited);
    EXPECT_EQ(a.values, b.values);
  }
}

TEST_F(SweepTest, TheFileIsTheSameHoweverTheWorkWasSpread) {
  const Sweep sweep(oscillator(), sample(300));
  run_sweep(sweep, folder() / "serial");
  const std::string serial = read_bytes(folder() / "serial" / "sweep.h5");

  ThreadPool threads(3);
  run_sweep(sweep, folder() / "threads", {.executor = &threads});
  EXPECT_EQ(read_bytes(folder() / "threads" / "sweep.h5"), serial);

  for (const std::uint64_t part : {3, 0, 2, 1})
    EXPECT_EQ(run_sweep(sweep, folder() / "parts", {.resume = true, .part = part, .parts = 4}).merged,
              part == 1);
  EXPECT_EQ(read_bytes(folder() / "parts" / "sweep.h5"), serial);

  for (std::uint64_t chunk = sweep.chunks(); chunk-- > 0;) run_chunk(sweep, folder() / "backwards", chunk);
  merge_sweep(sweep, folder() / "backwards");
  EXPECT_EQ(read_bytes(folder() / "backwards" / "sweep.h5"), serial);

  // Opened by its folder alone.
  run_chunk(sweep, folder() / "opened", 2);
  const SweepSummary rest = run_sweep(open_sweep(folder() / "opened"), folder() / "opened", {.resume = true});
  EXPECT_EQ(rest.resumed, sweep.chunk_size());
  EXPECT_EQ(read_bytes(folder() / "opened" / "sweep.h5"), serial);
}

// Units and all: settings of the command line leave lines in the model that no file has.
TEST_F(SweepTest, TheFolderAloneHasTheWholeModel) {
  const Mechanism changed = read_model_text(kOscillator, "o.yaml", {"simulate.duration=0.2"}).value();
  const Sweep sweep(changed, {.vary = {"bodies.a.inertia=1:2:4"}, .observe = {"final(a.x)"}});
  run_sweep(sweep, folder() / "whole");
  run_chunk(sweep, folder() / "opened", 0);
  run_sweep(open_sweep(folder() / "opened"), folder() / "opened", {.resume = true});
  EXPECT_EQ(read_bytes(folder() / "opened" / "sweep.h5"), read_bytes(folder() / "whole" / "sweep.h5"));
}

TEST_F(SweepTest, WhatIsDoneIsKeptWhenItIsStopped) {
  const Sweep sweep(oscillator(), sample(300));
  run_sweep(sweep, folder() / "whole");
  std::uint64_t allowed = 0, resumed = 0;
  SweepSummary summary;
  int calls = 0;
  do {
    allowed += 37;
    summary = run_sweep(sweep, folder() / "s", {.resume = true, .progress = [&](const SweepProgress& now) {
                                                  return now.finished < allowed;
                                                }});
    EXPECT_GE(summary.resumed, resumed);
    resumed = summary.done;
    ASSERT_LT(++calls, 20);
  } while (!summary.merged);
  EXPECT_GE(calls, 8);
  EXPECT_EQ(read_bytes(folder() / "s" / "sweep.h5"), read_bytes(folder() / "whole" / "sweep.h5"));
}

// As a power cut leaves them: partial files are cut, torn, or of another sweep.
TEST_F(SweepTest, DamagedChunksAreComputedAgain) {
  const Sweep sweep(oscillator(), sample(300));
  run_sweep(sweep, folder() / "whole");
  const std::filesystem::path place = folder() / "s";
  run_sweep(sweep, place);
  const std::string good = read_bytes(chunk_path(place, 3));
  std::string torn = good;
  torn[torn.size() / 2] = static_cast<char>(torn[torn.size() / 2] ^ 1);
  write_bytes(chunk_path(place, 3), torn);
  EXPECT_THROW(merge_sweep(sweep, place), std::runtime_error);
  std::filesystem::rename(chunk_path(place, 3), chunk_path(place, 3).string() + ".other-1.partial");
  write_bytes(chunk_path(place, 5), good.substr(0, good.size() / 3));
  std::string strange = read_bytes(chunk_path(place, 7));
  strange[9] = static_cast<char>(strange[9] ^ 1);  // of the fingerprint
  write_bytes(chunk_path(place, 7), strange);
  const SweepSummary summary = run_sweep(sweep, place, {.resume = true});
  EXPECT_LT(summary.resumed, 300U);
  EXPECT_EQ(read_bytes(place / "sweep.h5"), read_bytes(folder() / "whole" / "sweep.h5"));
  EXPECT_FALSE(std::filesystem::exists(chunk_path(place, 3).string() + ".other-1.partial"));
}

TEST_F(SweepTest, ARunThatFailsIsARowWithItsReason) {
  const Sweep sweep(oscillator(), {.vary = {"m=1, -1, 2"}, .observe = {"peak(a.x)"}});
  const SweepSummary summary = run_sweep(sweep, folder() / "s");
  EXPECT_EQ(summary.done, 2U);
  EXPECT_EQ(summary.failed, 1U);
  const SweepTable table = read_sweep(folder() / "s" / "sweep.h5");
  EXPECT_EQ(table.status[1], RunStatus::failed);
  EXPECT_NE(table.messages[1].find("mass"), std::string::npos) << table.messages[1];
  EXPECT_TRUE(std::isnan(table.column("peak(a.x)")[1]));
  EXPECT_EQ(table.messages[2], "");
  EXPECT_EQ(table.column("m"), (std::vector<double>{1, -1, 2}));
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST_F(SweepTest, AFolderOfAnotherSweepIsRefusedWithWhatDiffers) {
  const Sweep sweep(oscillator(), sample(20));
  run_sweep(sweep, folder() / "s");
  EXPECT_NE(error_of([&] { run_sweep(sweep, folder() / "s"); }).find("--resume goes on with it"),
            std::string::npos);
  SweepSpec other = sample(20);
  other.seed = 5;
  other.observe.pop_back();
  const std::string told =
      error_of([&] { run_sweep(Sweep(oscillator(), other), folder() / "s", {.resume = true}); });
  EXPECT_NE(told.find("holds another sweep: seed was 1 and is 5; observe was ["), std::string::npos) << told;
  Mechanism heavy = oscillator();
  heavy.set_parameter("x0", 0.2);
  EXPECT_NE(error_of([&] {
              run_sweep(Sweep(heavy, sample(20)), folder() / "s", {.resume = true});
            }).find("the model, or its plan, was changed"),
            std::string::npos);
  EXPECT_NE(error_of([&] { open_sweep(folder() / "none"); }).find("there is no sweep.json"),
            std::string::npos);
  EXPECT_NE(error_of([&] { read_sweep(folder() / "none.h5"); }).find("cannot read"), std::string::npos);
  EXPECT_NE(error_of([&] {
              run_sweep(sweep, folder() / "t", {.part = 3, .parts = 2});
            }).find("there is no part 3 of 2"),
            std::string::npos);
  EXPECT_NE(error_of([&] { run_chunk(sweep, folder() / "t", 99); }).find("there is no chunk 99"),
            std::string::npos);
}

TEST_F(SweepTest, AllMistakesAreToldAtOnce) {
  const std::string told = error_of([] {
    Sweep(oscillator(), {.vary = {"kk=1:2:3", "m=1:2"}, .observe = {"peak(b.x)"}});
  });
  EXPECT_NE(told.find("there is no parameter 'kk'"), std::string::npos) << told;
  EXPECT_NE(told.find("has no number of values"), std::string::npos) << told;
  EXPECT_NE(error_of([] {
              Sweep(oscillator(), {.vary = {"bodies.b.mass=1:2:3"}, .observe = {"peak(a.x)"}});
            }).find("there is no 'bodies.b.mass' in the model"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              Sweep(oscillator(), {.vary = {"m=-1, -2"}, .observe = {"peak(a.x)", "A.y"}});
            }).find("observe 'A.y': "),
            std::string::npos);
  const Mechanism apart = read_model_text(R"(
trammel: 1
plane: xy
parameters: {L: 1}
points: {O: {at: [0, 0], on: ground}, A: [5, 1], B: {at: [10, 0], on: ground}}
bodies: {left: {rod: [O, A], mass: 1, length: L}, right: {rod: [A, B], mass: 1, length: L}}
)",
                                          "")
                              .value();
  const std::string open =
      error_of([&] { Sweep(apart, {.vary = {"L=1, 2"}, .observe = {"peak(left.angle)"}}); });
  EXPECT_NE(open.find("neither the model nor any of the first 2 runs can be assembled: "), std::string::npos)
      << open;
}

TEST_F(SweepTest, TheSectionOfAModelIsRead) {
  const SweepSpec spec = sweep_section(oscillator());
  EXPECT_EQ(spec.vary, (std::vector<std::string>{"k=40:60:3", "m=1, 2"}));
  EXPECT_EQ(spec.observe, (std::vector<std::string>{"top=peak(a.x)", "zero=first_time(a.x < 0)"}));
  std::string text = kOscillator;
  text.replace(text.find("  vary:"), 7, "  vray:");
  const ModelInput wrong = read_model_text(text, "o.yaml");
  ASSERT_EQ(wrong.errors.size(), 1U);
  EXPECT_NE(to_string(wrong.errors[0]).find("'vray'"), std::string::npos) << to_string(wrong.errors[0]);
  EXPECT_NE(to_string(wrong.errors[0]).find("'vary'"), std::string::npos);
}

// The memory that a chunk holds does not depend on how many there are: chunks have a largest size.
TEST_F(SweepTest, AModelThatIsWrittenAnewKeepsItsSection) {
  Mechanism edited = oscillator();
  edited.bodies[0].mass = 3;
  const Mechanism read = read_model_text(write_model(edited), "").value();
  EXPECT_EQ(read.bodies[0].mass, 3);
  EXPECT_EQ(sweep_section(read), sweep_section(oscillator()));
}

TEST_F(SweepTest, ChunksDoNotGrowWithTheNumberOfRuns) {
  EXPECT_EQ(Sweep(oscillator(), sample(1000)).chunk_size(), 15U);
  EXPECT_EQ(Sweep(oscillator(), sample(1'000'000)).chunk_size(), 256U);
  EXPECT_EQ(Sweep(oscillator(), sample(100'000'000)).chunk_size(), 256U);
}

}  // namespace
}  // namespace trammel::sweep::sweep_test
