#include "analysis/compare.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <sstream>

#include "analysis/work_precision.h"
#include "results/report/compare_report.h"
#include "simulation/run_alone.h"
#include "trammel/model.h"

namespace trammel::tests::compare_test {
namespace {

Mechanism pendulum(const std::string& plan) {
  return read_model_text(
             "trammel: 1\nplane: xy\ngravity: [0, -9.81]\n"
             "points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [2, 0]}\n"
             "bodies: {upper: {rod: [O, A], mass: 1}, lower: {rod: [A, B], mass: 1}}\nsimulate: " +
                 plan + "\n",
             "compare.yaml")
      .value();
}

// Steps of a tolerance end elsewhere than at the times that are compared.
TEST(Compare, TakesTheMotionWithinStepsAtItsOwnTimes) {
  const Mechanism mechanism = pendulum("{duration: 1, tolerance: 1e-8}");
  const analysis::Comparisons all = analysis::compare(mechanism, mechanism.plan, {{"automatic"}, {}});
  ASSERT_EQ(all.rows.size(), 1U);
  EXPECT_EQ(all.rows[0].status, "ok");
  ASSERT_TRUE(all.rows[0].max_difference);
  EXPECT_LT(*all.rows[0].max_difference, 1e-6);
}

// Without step and tolerance, and without a formulation: what 'trammel run' would do is the first row.
TEST(Compare, ListsTheDefaultPlanAndSaysWhatEachRowRanBy) {
  const Mechanism mechanism = pendulum("{duration: 0.5}");
  const analysis::Comparisons all = analysis::compare(mechanism, mechanism.plan, {});
  EXPECT_EQ(all.rows[0].formulation, "automatic");
  EXPECT_EQ(all.rows[0].integrator, "dop853");
  EXPECT_EQ(all.rows[0].status, "ok");
  EXPECT_LT(*all.rows[0].max_difference, 1e-5);
  EXPECT_EQ(all.rows[1].formulation, "augmented-lagrangian-index3");
  const std::string text = results::comparison_text(all);
  EXPECT_NE(text.find("tolerance 1e-06"), std::string::npos) << text;
  EXPECT_NE(text.find("step 0.0005 s"), std::string::npos) << text;
  const auto json = results::comparison_json(all, nullptr);
  EXPECT_EQ(json[0]["tolerance"], 1e-6);
  EXPECT_TRUE(json[0]["step"].is_null());
  EXPECT_EQ(json[2]["formulation"], "lagrange");
  EXPECT_EQ(json[2]["step"], 0.0005);
  EXPECT_TRUE(json[2]["tolerance"].is_null());
  // Where a step is given, the plan that it means is the row of index 3.
  const Mechanism fixed = pendulum("{duration: 0.5, step: 1 ms}");
  EXPECT_EQ(analysis::compare(fixed, fixed.plan, {}).rows[0].formulation, "augmented-lagrangian-index3");
}

// At 20 ms the trapezoidal rule is off by millimetres: not what `accuracy` asks for, and said so.
TEST(Compare, CallsARowLimitedThatIsNotAsExactAsAsked) {
  const Mechanism mechanism = pendulum("{duration: 1, step: 20 ms}");
  const analysis::Comparisons all =
      analysis::compare(mechanism, mechanism.plan, {{"augmented-lagrangian-index3"}, {}});
  ASSERT_EQ(all.rows.size(), 1U);
  EXPECT_GT(*all.rows[0].max_difference, 1e-3 * all.reference.motion.extent());
  EXPECT_EQ(all.rows[0].status, "limited");
  EXPECT_NE(all.rows[0].reason.find("more than accuracy 0.001"), std::string::npos) << all.rows[0].reason;
  Plan coarse = mechanism.plan;
  coarse.accuracy = 0.09;
  EXPECT_EQ(analysis::compare(mechanism, coarse, {{"augmented-lagrangian-index3"}, {}}).rows[0].status, "ok");
}

// A penalty as soft as this lets the pendulum fall.
TEST(Compare, CallsAnotherMotionLost) {
  const Mechanism mechanism = pendulum("{duration: 1, step: 1 ms}");
  Plan plan = mechanism.plan;
  plan.penalty = 1;
  const analysis::Comparisons all = analysis::compare(mechanism, plan, {{"penalty"}, {}});
  ASSERT_EQ(all.rows.size(), 1U);
  EXPECT_EQ(all.rows[0].status, "lost");
  EXPECT_NE(all.rows[0].reason.find("departs from the reference"), std::string::npos);
}

// All lines of a text in which something is found.
std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.find(part) != std::string::npos) found.push_back(line);
  return found;
}

// The terminal, JSON, the table of the page and its point with the row's own step judge a run alike.
TEST(Compare, HasOneVerdict) {
  const Mechanism mechanism = pendulum("{duration: 1, step: 20 ms}");
  for (const auto& [formulation, verdict] :
       {std::pair{"penalty", "lost"}, {"augmented-lagrangian-index3", "limited"}}) {
    Plan plan = mechanism.plan;
    if (verdict == std::string("lost")) plan.penalty = 1;
    const analysis::Comparisons all = analysis::compare(mechanism, plan, {{formulation}, {}});
    const analysis::WorkPrecision measured = analysis::work_precision(mechanism, all);
    ASSERT_EQ(all.rows.size(), 1U);
    ASSERT_EQ(all.rows[0].status, verdict) << all.rows[0].reason;
    const auto text = lines_with(results::comparison_text(all), "step 0.02 s ");
    ASSERT_EQ(text.size(), 1U);
    EXPECT_NE(text[0].find(fmt::format(" {} ", verdict)), std::string::npos) << text[0];
    EXPECT_EQ(text[0].find(" ok "), std::string::npos) << text[0];
    const auto json = results::comparison_json(all, &measured);
    EXPECT_EQ(json[0]["status"], verdict);
    int own_points = 0;
    for (const auto& point : json[0]["work_precision"])
      if (point["step"] == 0.02) {
        EXPECT_EQ(point["status"], verdict);
        ++own_points;
      }
    EXPECT_EQ(own_points, 1);
    // In the table of rows and in that of points, where columns stand between.
    const std::string page = results::comparison_page(mechanism, plan, all.rows, measured);
    const auto rows = lines_with(page, "step 0.02 s</td>");
    EXPECT_EQ(rows.size(), 2U);
    for (const std::string& row : rows) {
      EXPECT_NE(row.find(fmt::format(">{}<", verdict)), std::string::npos) << row;
      EXPECT_EQ(row.find(">ok<"), std::string::npos) << row;
    }
  }
}

// A force that does nothing but count how often it is asked for.
class Counter final : public UserForce {
 public:
  std::vector<UserPoint> points() const override { return {{"lower", Vec3::Zero()}}; }
  void force(double, Points, Points, Forces f) const override {
    f[0].setZero();
    ++calls;
  }
  mutable long calls = 0;
};

// A row is timed as its motion alone: for reactions, which nobody reads, forces would be asked for once more
// at every time that is compared.
TEST(Compare, SolvesForNoReactions) {
  Mechanism mechanism = pendulum("{duration: 0.2, step: 1 ms, formulation: lagrange, integrator: rk4}");
  const auto counter = std::make_shared<Counter>();
  mechanism.forces.emplace_back();
  mechanism.forces.back().name = "counter";
  mechanism.forces.back().law = UserForcePtr(counter);
  const auto calls_of = [&](const auto& act) {
    const long before = counter->calls;
    act();
    return counter->calls - before;
  };
  // What one row more takes, whatever the reference takes.
  const auto compared = [&](const std::vector<std::string>& formulations) {
    return calls_of([&] { analysis::compare(mechanism, mechanism.plan, {formulations, {}}); });
  };
  const long row = compared({"lagrange", "lagrange"}) - compared({"lagrange"});
  long seen = 0;
  mechanism.plan.output_interval = analysis::sample_interval(mechanism.plan);
  mechanism.plan.verify = false;
  const auto ran = [&](const auto& way) {
    return calls_of([&] {
      Simulation simulation(mechanism, mechanism.plan);
      ASSERT_TRUE(simulation.assemble().report.accepted());
      way(simulation);
    });
  };
  const long motion = ran([&](Simulation& simulation) {
    const RunSummary summary = simulation::run_motion(simulation, [&](const State&) { ++seen; });
    EXPECT_EQ(summary.peak_reaction.force, 0);
  });
  const long rows = ran([](Simulation& simulation) { run(simulation); });
  EXPECT_GT(seen, 40);
  EXPECT_EQ(row, motion);
  EXPECT_GE(rows, motion + seen);
}

// Three parallel cranks on one bar: of the bar's equations one follows from the others. Penalties that hold
// it badly, or are too stiff for the step, are not called ok.
TEST(Compare, CallsNoPenaltyOkThatDiffers) {
  const double c = std::cos(0.5), s = -std::sin(0.5);
  const std::string text = fmt::format(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points:
  O1: {{at: [0, 0], on: ground}}
  O2: {{at: [1, 0], on: ground}}
  O3: {{at: [2, 0], on: ground}}
  A: [{0}, {1}]
  B: [{0} + 1, {1}]
  C: [{0} + 2, {1}]
bodies:
  left: {{rod: [O1, A], mass: 1}}
  middle: {{rod: [O2, B], mass: 1}}
  right: {{rod: [O3, C], mass: 1}}
  bar: {{mass: 1, inertia: 0.1, at: [{0} + 1, {1}], carries: [A, B, C]}}
simulate: {{duration: 2 s, step: 1 ms}}
)",
                                       c, s);
  const Mechanism mechanism = read_model_text(text, "cranks.yaml").value();
  int ok = 0, others = 0;
  for (const double penalty : {1e2, 1e3, 1e5, 1e7, 1e9}) {
    Plan plan = mechanism.plan;
    plan.penalty = penalty;
    const analysis::Comparisons all =
        analysis::compare(mechanism, plan, {{"penalty"}, {"trapezoidal", "rk4"}});
    ASSERT_EQ(all.rows.size(), 2U);
    ASSERT_EQ(all.reference.problem, "");
    for (const analysis::Comparison& row : all.rows) {
      (row.status == "ok" ? ok : others) += 1;
      if (row.status != "ok") continue;
      ASSERT_TRUE(row.max_difference);
      EXPECT_LE(*row.max_difference, plan.accuracy * all.reference.motion.extent())
          << penalty << row.integrator;
    }
  }
  EXPECT_GE(ok, 2);
  EXPECT_GE(others, 2);
}

}  // namespace
}  // namespace trammel::tests::compare_test
