// A State is all that a motion goes on from: written to bytes in the middle of a motion and read by another
// Simulation, it gives the same bits. For every method and every kind of coordinates that a model accepts;
// those that keep a history of their own are listed in the table of methods. And a run goes on from any of
// its checkpoints to the same rows, errors and figures.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "analysis/acceptance.h"
#include "model/models_testing.h"
#include "simulation/method_table.h"
#include "trammel/results.h"
#include "trammel/run.h"
#include "trammel/thread_pool.h"

namespace trammel::tests::resume_test {
namespace {

constexpr int kSteps = 8;  // before and after

// A step of the plan; of a size of its own where it has one.
StepResult go_on(Simulation& simulation) {
  const Plan& plan = simulation.plan();
  const double step = plan.step > 0 ? plan.step : plan.duration / 1000;
  return simulation.dense() ? simulation.advance(20 * step) : simulation.step(step);
}

bool go_on_by(Simulation& simulation, int steps) {
  for (int n = 0; n < steps; ++n)
    if (!go_on(simulation).report.accepted()) return false;
  return true;
}

class Resume : public testing::TestWithParam<const char*> {};

TEST_P(Resume, EveryMethodGoesOnFromBytesToTheBit) {
  const Mechanism mechanism = model(GetParam());
  int compared = 0, histories = 0;
  for (const analysis::Acceptance& one : analysis::acceptance(mechanism, mechanism.plan)) {
    if (!one.accepted()) continue;
    SCOPED_TRACE(fmt::format("{} by {} in {} coordinates", one.formulation, one.integrator, one.coordinates));
    const Plan plan = analysis::with_method(mechanism.plan, one.coordinates, one.formulation, one.integrator);
    Simulation first(mechanism, plan);
    if (simulation::history_keeper(first.resolved()) != nullptr) {
      ++histories;
      continue;
    }
    ASSERT_TRUE(first.assemble().report.accepted());
    if (!go_on_by(first, kSteps)) continue;  // a step too long for this rule
    const std::string bytes = to_bytes(first.state());
    EXPECT_TRUE(to_bytes(state_from_bytes(bytes)) == bytes);
    Simulation second(mechanism, plan);
    second.restore(state_from_bytes(bytes));
    const bool goes = go_on_by(first, kSteps);
    EXPECT_EQ(go_on_by(second, kSteps), goes);
    EXPECT_TRUE(to_bytes(second.state()) == to_bytes(first.state()));
    ++compared;
  }
  EXPECT_GE(compared, 20);
  EXPECT_GE(histories, 3);
}

INSTANTIATE_TEST_SUITE_P(Models, Resume,
                         testing::Values("end-stops", "driven-slider-crank", "controlled-pendulum", "bricard",
                                         "rolling-disk", "heavy-top", "gear-train"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(StateBytes, AreRefusedWhereTheyAreNotOneWholeState) {
  State state;
  state.q = {1, -0.0, std::numeric_limits<double>::denorm_min()};
  state.lambda = {std::numeric_limits<double>::quiet_NaN()};
  state.remember({"a slot", Lifetime::run}, 2) = {3, 4};
  const std::string bytes = to_bytes(state);
  EXPECT_EQ(to_bytes(state_from_bytes(bytes)), bytes);
  EXPECT_EQ(state_from_bytes(bytes).memory.front().slot.lifetime, Lifetime::run);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(state_from_bytes(std::string_view(bytes).substr(0, size)), std::invalid_argument) << size;
  EXPECT_THROW(state_from_bytes(bytes + "x"), std::invalid_argument);
  std::string other = bytes;
  other[15] = '2';  // another version
  try {
    static_cast<void>(state_from_bytes(other));
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "these bytes are not a state: they do not begin as those of this version do");
  }
  EXPECT_THROW(SlotName(std::string(40, 'x')), std::invalid_argument);
}

// Keeps a run in memory, with a checkpoint before every step.
class Kept final : public ResultSink {
 public:
  void write(std::span<const double> row) override { add(record.rows, row); }
  void write_errors(std::span<const double> row) override { add(errors, row); }
  double checkpoint_interval() const override { return 0; }
  void checkpoint(std::string_view bytes) override {
    record.checkpoints.emplace_back(bytes);
    rows_before.push_back(record.rows.values.size());
  }
  ResultSink* second() override { return finer.get(); }
  // As it was at one of its checkpoints, and `more` values later.
  RunRecord until(std::size_t checkpoint, std::size_t more) const {
    RunRecord part = record;
    part.checkpoints.resize(checkpoint + 1);
    part.rows.values.resize(std::min(rows_before[checkpoint] + more, record.rows.values.size()));
    return part;
  }

  RunRecord record;
  Trajectory errors;
  std::vector<std::size_t> rows_before;  // by checkpoint: values
  std::unique_ptr<Kept> finer;

 private:
  static void add(Trajectory& to, std::span<const double> row) {
    to.values.insert(to.values.end(), row.begin(), row.end());
  }
};

struct Whole {
  Whole(const Mechanism& m, const Plan& plan) : simulation(m, plan, make_executor(plan)) {
    summary.assembly = simulation.assemble();
    kept.finer = std::make_unique<Kept>();
    kept.record.rows.channels = kept.finer->record.rows.channels = channels_of(simulation);
  }
  // The summary without the clock's times.
  std::string figures() {
    RunSummary timeless = summary;
    timeless.wall_seconds = timeless.error.seconds = 0;
    return summary_json(simulation, timeless);
  }
  Simulation simulation;
  RunSummary summary;
  Kept kept;
};

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> all;
  for (const double x : values) all.push_back(std::bit_cast<std::uint64_t>(x));
  return all;
}

TEST(ResumedRun, GivesWhatItWouldHaveGiven) {
  for (const char* name : {"end-stops", "double-four-bar", "flyball-governor", "driven-slider-crank"})
    for (const double tolerance : {0.0, 1e-5}) {
      SCOPED_TRACE(fmt::format("{} {}", name, tolerance));
      const Mechanism mechanism = model(name);
      Plan plan = mechanism.plan;
      plan.duration = 1;
      plan.tolerance = tolerance;
      Whole whole(mechanism, plan);
      whole.summary = run(whole.simulation, whole.kept);
      const Kept &first = whole.kept, &second = *first.finer;
      ASSERT_GT(first.record.checkpoints.size(), 5U);
      for (const double part : {0.0, 0.3, 0.97}) {
        const auto at = [&](const Kept& one, double how_far) {
          const auto all = static_cast<double>(one.record.checkpoints.size() - 1);
          return one.until(static_cast<std::size_t>(how_far * all), 3 * one.record.rows.channels.size());
        };
        Whole again(mechanism, plan);
        const RunRecord record = at(first, part);
        again.kept.record.rows = record.rows;
        again.summary = resume(again.simulation, again.kept, record, at(second, 1 - part));
        EXPECT_EQ(bits(again.kept.record.rows.values), bits(first.record.rows.values));
        EXPECT_EQ(bits(again.kept.errors.values), bits(first.errors.values));
        EXPECT_EQ(again.figures(), whole.figures());
      }
    }
}

// Rows of another motion are not gone on with.
TEST(ResumedRun, RefusesRowsThatItDoesNotCompute) {
  const Mechanism mechanism = model("end-stops");
  Plan plan = mechanism.plan;
  plan.duration = 0.2;
  plan.verify = false;
  Whole whole(mechanism, plan);
  whole.summary = run(whole.simulation, whole.kept);
  const std::size_t columns = whole.kept.record.rows.channels.size();
  for (const std::size_t row : {0U, 11U}) {
    RunRecord record = whole.kept.until(10, 5 * columns);
    double& value = record.rows.values[row * columns + 1];
    value = std::nextafter(value, 1e9);
    Whole again(mechanism, plan);
    EXPECT_THROW(resume(again.simulation, again.kept, record, {}), std::runtime_error) << row;
  }
  RunRecord other = whole.kept.until(10, 0);
  other.rows.channels.pop_back();
  Whole again(mechanism, plan);
  EXPECT_THROW(resume(again.simulation, again.kept, other, {}), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::tests::resume_test
