// The judge, the search and what keeps a crash of another program out of the rest.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <stdexcept>

#include "report.h"
#include "search.h"
#include "verdicts.h"

namespace trammel::bench::measuring_test {
namespace {

const Problem& problem(const std::string& name) {
  for (const Problem& p : judged_problems())
    if (p.name == name) return p;
  throw std::runtime_error(name);
}

// The exact motion of the row of four-bars at its first samples: all cranks at the same angle.
std::vector<Pose> parallel(const Subject& subject, const Vec3& tip, double rate) {
  std::vector<Pose> poses = subject.start;
  const double angle = std::atan2(tip[1], tip[0]);
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const bool crank = subject.mechanism.bodies[b].name.starts_with("crank");
    const Vec3 velocity = rate * Vec3(-tip[1], tip[0], 0);
    const Vec3 base = subject.start[b].position - (crank ? 0.5 : 1.0) * Vec3::UnitY();
    poses[b].position = base + (crank ? 0.5 : 1.0) * tip;
    poses[b].velocity = (crank ? 0.5 : 1.0) * velocity;
    poses[b].angular_velocity = crank ? Vec3(0, 0, rate) : Vec3::Zero();
    if (crank)
      poses[b].axes << std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle), 0, 0, 0, 1;
  }
  return poses;
}

TEST(Judge, FindsNothingInTheExactMotion) {
  const Subject subject(problem("double-four-bar"));
  Judge judge(subject);
  // tests/references/A02_N2_reference.csv, θ̇ at t = 0 and 0.1 s
  judge.see(0, parallel(subject, subject.reference[0].at, -1));
  judge.see(1, parallel(subject, subject.reference[1].at, -1.0577231606169106));
  // The reference has 1e-13, rounding adds a few digits of the last place.
  EXPECT_LT(judge.so_far().energy, 1e-12);
  EXPECT_LT(judge.so_far().gap, 1e-14);
  EXPECT_LT(judge.so_far().trajectory, 1e-14);
}

TEST(Judge, MeasuresWhatIsWrong) {
  const Subject subject(problem("double-four-bar"));
  Judge judge(subject);
  std::vector<Pose> poses = subject.start;
  judge.see(0, poses);
  poses[4].position += Vec3(0, 0.01, 0);  // the second coupler opens both its pins
  poses[0].velocity *= 2;                 // ½ m v² of a crank's centre: v = ½ m/s becomes 1 m/s
  judge.see(1, poses);
  EXPECT_NEAR(judge.so_far().gap, 0.01, 1e-14);
  EXPECT_NEAR(judge.so_far().energy * subject.problem.kinetic_energy, 0.375 + 9.81 * 0.01, 1e-12);
  EXPECT_NEAR(judge.so_far().trajectory, (subject.reference[1].at - Vec3(0, 1, 0)).norm(), 1e-14);
  EXPECT_GT(kAccuracies[0].excess(judge.so_far()), 1);
  EXPECT_TRUE(std::isinf(kAccuracies[0].excess({0, 0, 0, "gives up"})));
}

TEST(Search, FindsASettingThatMeetsEachAccuracy) {
  const Subject subject(problem("double-four-bar"));
  const std::vector<Row> rows = search(*make_yardsticks(), subject, {1, 5, 0.01});
  ASSERT_EQ(rows.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_TRUE(rows[k].met()) << rows[k].note;
    const Trial again =
        try_run(*make_yardsticks(), subject, {{rows[k].rule, rows[k].by_tolerance}, rows[k].value}, 10);
    EXPECT_LT(kAccuracies[k].excess(again.judgement), 1);
  }
  // A rule of second order: the errors of 5e-2 and 1e-6 lie two hundred steps apart.
  EXPECT_GT(rows[0].value / rows[1].value, 50);
}

TEST(Isolated, KeepsCrashesAway) {
  Row row;
  row.problem = "first";
  const IsolatedResult crash = isolated(5, [&](const Emit& emit) {
    emit(row);
    std::raise(SIGSEGV);
  });
  ASSERT_EQ(crash.rows.size(), 1u);
  EXPECT_EQ(crash.rows[0].problem, "first");
  EXPECT_NE(crash.failure.find("crashes"), std::string::npos);
  EXPECT_EQ(isolated(5, [](const Emit&) { throw std::runtime_error("why"); }).failure, "why");
  EXPECT_EQ(isolated(5, [](const Emit&) { _exit(7); }).failure, "ends the program");
  EXPECT_EQ(isolated(5, [](const Emit&) {}).failure, "");
  const auto for_ever = [](const Emit&) {
    for (;;) processor_seconds();
  };
  EXPECT_EQ(isolated(0.5, for_ever).failure, "no answer within 0.5 s");
}

TEST(Compare, TakesTheBestPeerAndTheYardstickOfTheSameRow) {
  const auto row = [](const char* solver, bool peer, double ms) {
    Row r;
    r.problem = "p";
    r.accuracy = "engineering";
    r.solver = solver;
    r.is_peer = peer;
    if (ms > 0) r.us_per_step = r.ms_per_simulated_second = ms;
    return r;
  };
  std::vector<Row> rows{row("Trammel", false, 2), row("yardstick", false, 1), row("A", true, 8),
                        row("B", true, 4), row("C", true, 0)};
  rows.push_back(row("D", true, 1e-3));
  rows.back().problem = "another";
  compare(rows);
  EXPECT_EQ(rows[0].ratio_to_yardstick, 2);
  EXPECT_EQ(rows[0].ratio_to_best_peer, 0.5);
  EXPECT_EQ(rows[2].ratio_to_best_peer, 2);
  EXPECT_EQ(rows[4].ratio_to_best_peer, std::nullopt);
}

Row step_row(const char* solver, double instructions) {
  Row r;
  r.problem = "p";
  r.accuracy = "step";
  r.solver = solver;
  r.us_per_step = 1;
  r.instructions_per_step = instructions;
  return r;
}

TEST(Verdicts, CompareStepsByTheirInstructions) {
  for (const double cost : {1900.0, 2100.0}) {
    std::vector<Row> rows{step_row("Trammel", cost), step_row("yardstick", 1000)};
    compare(rows);
    const std::vector<Verdict> all = verdicts(rows);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].reached, cost < 2000) << all[0].measured;
  }
}

TEST(Verdicts, APeerThatMissesTheAccuracyIsBehindAndTrammelThatMissesItToo) {
  Row trammel, peer;
  trammel.problem = peer.problem = "p";
  trammel.accuracy = peer.accuracy = "precise";
  trammel.solver = "Trammel";
  peer.solver = "A";
  peer.is_peer = true;
  const auto verdict = [&](double ours, double theirs, double allowed = 30) {
    peer.given_up_ms = allowed;
    trammel.us_per_step = trammel.ms_per_simulated_second = std::nullopt;
    peer.us_per_step = peer.ms_per_simulated_second = std::nullopt;
    if (ours > 0) trammel.us_per_step = trammel.ms_per_simulated_second = ours;
    if (theirs > 0) peer.us_per_step = peer.ms_per_simulated_second = theirs;
    const std::vector<Verdict> all = verdicts({trammel, peer});
    return all.size() == 1 && all[0].reached;
  };
  EXPECT_TRUE(verdict(1, 21));
  EXPECT_FALSE(verdict(1, 19));
  EXPECT_TRUE(verdict(1, 0));
  EXPECT_FALSE(verdict(1, 0, 15));  // it was not waited for
  EXPECT_FALSE(verdict(0, 1));
  EXPECT_FALSE(verdict(0, 0));
}

TEST(Rows, SurviveTheWayThroughJson) {
  Row row;
  row.problem = "p";
  row.rule = "r";
  row.value = 1.0 / 3;
  row.exponent = 1.05;
  const Row back = row_from(nlohmann::ordered_json::parse(to_json(row).dump()));
  EXPECT_EQ(back.value, row.value);
  EXPECT_EQ(back.exponent, row.exponent);
  EXPECT_EQ(back.us_per_step, std::nullopt);
}

}  // namespace
}  // namespace trammel::bench::measuring_test
