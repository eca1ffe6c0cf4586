// Columns without a finite value: the summary names them with their times, and the run is not simply ok.
#include "simulation/run_output.h"

#include <gtest/gtest.h>

#include <cmath>

#include "results/report/summary.h"
#include "trammel/model.h"

namespace trammel::tests::run_output_test {
namespace {

Mechanism pendulum(const std::string& columns, const std::string& plan = "duration: 1 s, step: 10 ms") {
  return read_model_text(R"(trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1}}
simulate: {)" + plan + "}\noutputs: {columns: {" +
                             columns + "}}\n",
                         "test.yaml")
      .value();
}

RunSummary summary_of(const Mechanism& mechanism) {
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation).summary;
}

TEST(MissingValues, AColumnThatNeverHasAValueIsNamed) {
  for (const char* plan : {"duration: 1 s, step: 10 ms", "duration: 1 s", "duration: 1 s, verify: off"})
    for (const char* column : {"sqrt(-1 + 0*t)", "1/(t - t)", "-1/(t - t)"}) {
      const RunSummary summary = summary_of(pendulum("fine: 3, bad: " + std::string(column), plan));
      EXPECT_EQ(summary.status, RunStatus::limited) << column;
      ASSERT_EQ(summary.missing.size(), 1u) << column;
      EXPECT_EQ(summary.missing[0].column, "bad");
      EXPECT_EQ(summary.missing[0].first, 0);
      EXPECT_EQ(summary.missing[0].last, 1);
      EXPECT_EQ(results::missing_text(summary).find("'bad' is not a finite number from t = 0 s on ("), 0u)
          << results::missing_text(summary);
    }
}

// log(0.5 − t) has a value before 0.5 s, 1/(t − 0.3) everywhere but there.
TEST(MissingValues, AreToldWithTheirTimes) {
  const RunSummary summary = summary_of(pendulum("late: log(0.495 - t), at: 1/(t - 0.3 + 0*rod.angle)"));
  ASSERT_EQ(summary.missing.size(), 2u);
  EXPECT_EQ(summary.missing[0].column, "at");
  EXPECT_NEAR(summary.missing[0].first, 0.3, 1e-12);
  EXPECT_EQ(summary.missing[0].rows, 1);
  EXPECT_EQ(summary.missing[1].column, "late");
  EXPECT_NEAR(summary.missing[1].first, 0.5, 1e-12);
  EXPECT_EQ(summary.missing[1].rows, 51);
  const std::string text = results::missing_text(summary);
  EXPECT_NE(text.find("'late' is not a finite number from t = 0.5 s on (51 rows)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("'at' is not a finite number at t = 0.3 s (1 row)"), std::string::npos) << text;
}

TEST(MissingValues, AreInTheSummaryAsJson) {
  const Mechanism mechanism = pendulum("a: sqrt(-1 - t), b: sqrt(-1 - t), c: sqrt(-1 - t), d: sqrt(-1 - t)");
  Simulation simulation(mechanism, mechanism.plan);
  const RunSummary summary = run(simulation).summary;
  const auto json = results::summary_json(simulation, {}, summary);
  EXPECT_EQ(json["status"], "limited");
  EXPECT_EQ(json["missing"].size(), 4u);
  EXPECT_EQ(json["missing"][0]["column"], "a");
  EXPECT_EQ(json["missing"][0]["rows"], 101);
  EXPECT_NE(results::summary_text(simulation, {}, summary)
                .find("'c', 1 more column are not finite numbers from t = 0 s on (101 rows)"),
            std::string::npos);
}

TEST(MissingValues, NoneIsNoWordAtAll) {
  const Mechanism mechanism = pendulum("fine: 3, root: sqrt(2 + t)", "duration: 1 s");
  Simulation simulation(mechanism, mechanism.plan);
  const RunSummary summary = run(simulation).summary;
  EXPECT_EQ(summary.status, RunStatus::ok);
  EXPECT_TRUE(summary.missing.empty());
  EXPECT_FALSE(results::summary_json(simulation, {}, summary).contains("missing"));
}

// A sink that reads one column, whatever its name.
class OneColumn final : public ResultSink {
 public:
  OneColumn(std::string name, std::vector<Channel> channels) : name_(std::move(name)) {
    rows.channels = std::move(channels);
  }
  void write(std::span<const double> row) override {
    rows.values.insert(rows.values.end(), row.begin(), row.end());
  }
  bool reads(const Channel& channel) const override { return channel.name == name_; }
  Trajectory rows;

 private:
  std::string name_;
};

TEST(OneColumnOfMany, HasTheBitsOfARunWithAllColumns) {
  const Mechanism mechanism =
      pendulum("bad: sqrt(-1 - t), fine: sin(rod.angle)", "duration: 1 s, verify: off");
  Simulation whole(mechanism, mechanism.plan);
  const RunResult all = run(whole);
  ASSERT_EQ(all.summary.status, RunStatus::limited);  // because of 'bad'
  for (const char* name : {"rod.angle", "A.y", "O.force.y", "reactions.unique", "fine", "energy.kinetic"}) {
    SCOPED_TRACE(name);
    Simulation simulation(mechanism, mechanism.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    OneColumn sink(name, channels_of(simulation));
    const RunSummary summary = run(simulation, sink);
    EXPECT_EQ(summary.status, RunStatus::ok);  // nobody reads 'bad'
    EXPECT_EQ(summary.steps, all.summary.steps);
    EXPECT_EQ(sink.rows.column(name), all.trajectory.column(name));
    EXPECT_EQ(sink.rows.column("energy.potential"), all.trajectory.column("energy.potential"));
  }
  Simulation simulation(mechanism, mechanism.plan);
  simulation.assemble();
  OneColumn sink("rod.angle", channels_of(simulation));
  run(simulation, sink);
  EXPECT_TRUE(std::isnan(sink.rows.column("O.force.y").front()));  // not computed
}

}  // namespace
}  // namespace trammel::tests::run_output_test
