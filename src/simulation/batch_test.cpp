// A batch is its runs: each has the bits that it has alone, whatever runs beside it and on how many threads.
#include "trammel/batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "trammel/model.h"
#include "trammel/thread_pool.h"

namespace trammel::tests::batch_test {
namespace {

// A crank that a motor turns; with L < 0.1 the coupler cannot reach the slide, which stands 0.2 m aside.
Mechanism crank(const std::string& simulate = "duration: 1 s, tolerance: 1e-7") {
  return read_model_text(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
parameters: {L: 0.3 m, m: 1 kg, speed: 60 rpm, end: 1 s}
points: {O: {at: [0, 0], on: ground}, A: [0.3, 0.01], B: [0.9, 0.2]}
bodies:
  crank: {rod: [O, A], mass: m, length: 0.3}
  coupler: {rod: [A, B], mass: 2 kg, length: 2*L}
  slider: {point: B, mass: 1 kg}
joints: {guide: {point-on-line: B, through: [0, 0.2], along: [1, 0]}}
drivers: {motor: {angle: crank, equals: speed*t}}
outputs: {interval: 0.05 s}
simulate: {)" + simulate + "}\n",
                         "crank.yaml")
      .value();
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

const ParameterTable kTable{{"L", "m"}, {0.3, 1, 0.35, 2, 0.4, 3, 0.45, 4, 0.5, 5}};

TEST(Batch, EachRunHasTheBitsThatItHasAlone) {
  const Mechanism mechanism = crank();
  const BatchResult result = Batch(mechanism, kTable, {"guide.force.y", "B.x"}).run();
  ASSERT_EQ(result.times.size(), 21u);
  ASSERT_EQ(result.channels.size(), 2u);
  EXPECT_EQ(result.channels[0].unit, "N");
  for (std::size_t i = 0; i < 5; ++i) {
    Mechanism one = mechanism;
    one.set_parameter("L", kTable.values[2 * i]);
    one.set_parameter("m", kTable.values[2 * i + 1]);
    one.plan.verify = false;
    Simulation simulation(one, one.plan);
    const RunResult alone = run(simulation);
    EXPECT_EQ(result.runs[i].status, alone.summary.status);
    for (const char* name : {"guide.force.y", "B.x"}) {
      const std::span<const double> column = result.column(name, i);
      EXPECT_TRUE(same_bits({column.begin(), column.end()}, alone.trajectory.column(name))) << name << i;
    }
  }
}

// A pendulum by steps of 50 ms misses the accuracy, which only a second run can tell: without being asked for
// none is made.
TEST(Batch, ErrorsAreEstimatedOnRequestOnly) {
  const Mechanism mechanism = read_model_text(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
parameters: {m: 1 kg}
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: m}}
simulate: {duration: 1 s, step: 50 ms}
)",
                                              "pendulum.yaml")
                                  .value();
  ASSERT_TRUE(mechanism.plan.verify);
  const ParameterTable table{{"m"}, {1, 2, 3}};
  const BatchResult usual = Batch(mechanism, table).run(), asked = Batch(mechanism, table, {}, true).run();
  EXPECT_TRUE(usual.errors.empty());
  ASSERT_EQ(asked.errors.size(), asked.values.size());
  EXPECT_TRUE(same_bits(usual.values, asked.values));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(usual.runs[i].status, RunStatus::ok);
    EXPECT_EQ(asked.runs[i].status, RunStatus::limited);
  }
}

TEST(Batch, ThreadsDoNotChangeABit) {
  const Batch batch(crank(), kTable, {}, true);
  ThreadPool two(2), four(4);
  const BatchResult alone = batch.run(), on_two = batch.run(&two), on_four = batch.run(&four);
  EXPECT_GT(alone.channels.size(), 20u);
  ASSERT_EQ(alone.errors.size(), alone.values.size());
  for (const BatchResult* other : {&on_two, &on_four}) {
    EXPECT_TRUE(same_bits(alone.values, other->values));
    EXPECT_TRUE(same_bits(alone.errors, other->errors));
    EXPECT_TRUE(same_bits(alone.last, other->last));
  }
}

TEST(Batch, ARunThatCannotBeDoneStopsNoOther) {
  ThreadPool two(2);
  const BatchResult result =
      Batch(crank(), {{"L", "m"}, {0.05, 1, 0.3, 1, 0.3, -1, 0.3, NAN}}, {"B.x"}).run(&two);
  EXPECT_EQ(result.runs[0].status, RunStatus::failed);
  EXPECT_NE(result.runs[0].message.find("cannot be reached"), std::string::npos) << result.runs[0].message;
  EXPECT_EQ(result.runs[1].status, RunStatus::ok);
  EXPECT_NE(result.runs[2].message.find("mass"), std::string::npos) << result.runs[2].message;
  EXPECT_NE(result.runs[3].message.find("'m' cannot be nan"), std::string::npos) << result.runs[3].message;
  for (const double x : result.column("B.x", 0)) EXPECT_TRUE(std::isnan(x));
  for (const double x : result.column("B.x", 1)) EXPECT_TRUE(std::isfinite(x));
}

// A body falls to y = −1 in √(2/g).
TEST(Batch, ARunThatEndsEarlyHasNoValuesAfterwards) {
  const Mechanism mechanism = read_model_text(R"(
trammel: 1
plane: xy
parameters: {g: 9.81}
gravity: [0, -g]
bodies: {ball: {mass: 1, inertia: 1}}
outputs: {interval: 0.1 s}
simulate: {duration: 1 s, tolerance: 1e-10, stop-when: ball.y < -1}
)",
                                              "ball.yaml")
                                  .value();
  const BatchResult result = Batch(mechanism, {{"g"}, {9.81, 4.9, 1}}, {"ball.y"}).run();
  for (std::size_t i = 0; i < 3; ++i) {
    const double g = i == 0 ? 9.81 : i == 1 ? 4.9 : 1, end = std::min(1.0, std::sqrt(2 / g));
    EXPECT_NEAR(result.runs[i].time, end, 1e-9);
    EXPECT_NEAR(result.last[i], -0.5 * g * end * end, 1e-8);
    for (std::size_t k = 0; k < result.times.size(); ++k) {
      const double t = result.times[k], y = result.column("ball.y", i)[k];
      EXPECT_EQ(std::isnan(y), t > end) << i << " " << t;
      if (t <= end) {
        EXPECT_NEAR(y, -0.5 * g * t * t, 1e-8);
      }
    }
  }
}

TEST(Batch, StopsWhenAskedAndKeepsWhatIsFinished) {
  const Batch batch(crank(), kTable, {"B.x"});
  const BatchResult result = batch.run(nullptr, [](std::size_t finished) { return finished < 2; });
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(result.runs[i].status, i < 2 ? RunStatus::ok : RunStatus::stopped) << i;
    EXPECT_EQ(std::isnan(result.column("B.x", i).back()), i >= 2) << i;
  }
}

TEST(Batch, MistakesAreToldBeforeTheFirstRun) {
  const Mechanism mechanism = crank();
  EXPECT_NE(refusal([&] {
              Batch(mechanism, {{"length"}, {1}});
            }).find("no parameter 'length'"),
            std::string::npos);
  EXPECT_NE(
      refusal([&] { Batch(mechanism, kTable, {"guide.force.yy"}); }).find("did you mean 'guide.force.y'"),
      std::string::npos);
  EXPECT_NE(refusal([&] {
              Batch(mechanism, {{"L", "m"}, {0.3, 1, 0.3}});
            }).find("2 parameters cannot have 3 values"),
            std::string::npos);
  EXPECT_NE(refusal([&] { Batch(mechanism, {}); }).find("at least one"), std::string::npos);
  EXPECT_NE(refusal([&] { Batch(mechanism, {{"m", "m"}, {1, 2}}); }).find("twice"), std::string::npos);
}

TEST(Batch, OutputTimesAreTheSameForAllRuns) {
  const BatchResult result = Batch(crank("duration: end"), {{"end"}, {1, 2}}, {"B.x"}).run();
  EXPECT_EQ(result.runs[0].status, RunStatus::ok);
  EXPECT_NE(result.runs[1].message.find("duration"), std::string::npos) << result.runs[1].message;
}

}  // namespace
}  // namespace trammel::tests::batch_test
