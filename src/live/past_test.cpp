// Any moment of a live run comes back to the bit; what is read of the past is what was there.
#include "live/past.h"

#include <cstring>
#include <random>

#include "live/history.h"
#include "live/live_test_support.h"

namespace trammel::live::past_test {
namespace {

const Json kMassTwo = {{"do", "set-value"}, {"path", "bodies.outer.mass"}, {"value", 2}};

Json pull_to(double x, double y) {
  return {{"do", "pull"}, {"body", "outer"}, {"at", {1, 0, 0}}, {"target", {x, y, 0}}};
}

std::string bits(const LiveRun& run) { return to_bytes(run.simulation().state()); }

void seek(LiveRun& run, long step) { expect_ok(run.apply({{"do", "seek"}, {"step", step}})); }

// A motion with edits, pulls that move and releases; the State after each step, edits at it included.
std::vector<std::string> lively(LiveRun& run, int steps) {
  std::vector<std::string> all;
  for (int k = 0; k <= steps; ++k) {
    if (k > 0) advance(run, 1);
    if (k == steps / 5) expect_ok(run.apply(kMassTwo));
    if (k > steps / 4 && k < steps / 2 && k % 7 == 0)
      expect_ok(run.apply(pull_to(1 + 0.5 * std::sin(0.01 * k), 0.3)));
    if (k == steps / 2) expect_ok(run.apply({{"do", "release"}}));
    if (k == 3 * steps / 4) expect_ok(run.apply({{"do", "set-gravity"}, {"value", {0, -1.62}}}));
    all.push_back(bits(run));
  }
  return all;
}

struct Setting {
  const char* name;
  std::vector<std::string> settings;
  std::size_t memory;
};

class Scrubbing : public testing::TestWithParam<Setting> {};

TEST_P(Scrubbing, GivesTheSameBits) {
  const Setting& setting = GetParam();
  LiveRun run({"test.yaml", kDoublePendulum, setting.settings}, Journal(), setting.memory);
  const std::vector<std::string> then = lively(run, 1000);
  EXPECT_LE(run.past().bytes(), setting.memory);
  std::mt19937 random(11);
  for (int k = 0; k < 100; ++k) {
    const auto step = static_cast<long>(random() % then.size());
    seek(run, step);
    ASSERT_EQ(run.steps(), step);
    ASSERT_TRUE(bits(run) == then[static_cast<std::size_t>(step)]) << "step " << step;
  }
  // Played from somewhere, with all that was done there, it ends as it did.
  seek(run, 333);
  for (std::size_t step = 334; step < then.size(); ++step) {
    ASSERT_TRUE(run.step().report.accepted());
    ASSERT_TRUE(bits(run) == then[step]) << "step " << step;
  }
  EXPECT_EQ(run.past().ghosts().size(), 0U);
  run.finish();
  const Replay again = replay(run.journal().text());
  EXPECT_TRUE(again.identical) << again.difference;
}

INSTANTIATE_TEST_SUITE_P(
    Settings, Scrubbing,
    testing::Values(Setting{"AllKept", {}, Past::kMemory}, Setting{"Thinned", {}, 200 << 10},
                    Setting{"Lagrange", {"--formulation=lagrange", "--integrator=rk4"}, 200 << 10},
                    Setting{"Tolerance", {"--tolerance=1e-8"}, 200 << 10},
                    Setting{"History", {"--formulation=dae"}, 200 << 10}),
    [](const auto& tested) { return tested.param.name; });

TEST(Past, AnEditBeforeTheEndBeginsABranch) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 400);
  const std::string end = bits(run);
  seek(run, 150);
  const std::string there = bits(run);
  expect_ok(run.apply(kMassTwo));
  ASSERT_EQ(run.past().ghosts().size(), 1U);
  EXPECT_EQ(run.past().branch().end(), 150);
  EXPECT_DOUBLE_EQ(run.past().branch().from_t, 0.15);
  EXPECT_DOUBLE_EQ(run.past().ghosts()[0].end_t, 0.4);
  advance(run, 400);
  EXPECT_TRUE(bits(run) != end);
  // The old one is there: at the same time, and to its end.
  const int old = run.past().ghosts()[0].id;
  seek(run, 150);
  expect_ok(run.apply({{"do", "branch"}, {"branch", old}}));
  EXPECT_TRUE(bits(run) == there);
  EXPECT_EQ(run.model()->body("outer")->mass, 1);
  seek(run, 400);
  EXPECT_TRUE(bits(run) == end);
  const EditReply none = run.apply({{"do", "branch"}, {"branch", 77}});
  EXPECT_EQ(none.error, "there is no other branch 77");
  EXPECT_EQ(run.apply({{"do", "seek"}, {"step", 401}}).error,
            "seek: steps 0 to 400 are kept (t = 0 to 0.4 s), not 401");
  EXPECT_EQ(run.apply({{"do", "branch"}}).error, "branch: nothing lies ahead; seek back first");
  run.finish();
  const Replay again = replay(run.journal().text());
  EXPECT_TRUE(again.identical) << again.difference;
}

// From an earlier moment on without what was done later.
TEST(Past, GoesOnAnew) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 100);
  expect_ok(run.apply(kMassTwo));
  advance(run, 100);
  seek(run, 50);
  expect_ok(run.apply({{"do", "branch"}}));
  advance(run, 150);
  EXPECT_EQ(run.model()->body("outer")->mass, 1);
  LiveRun plain = open(kDoublePendulum);
  advance(plain, 200);
  EXPECT_TRUE(bits(run) == bits(plain));
}

// An edit of a run that stands still, and undo: the very State; redo likewise.
TEST(Past, UndoRestoresTheStateOfAPausedRun) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 300);
  const std::string before = bits(run);
  expect_ok(run.apply({{"do", "retype-joint"}, {"name", "A"}, {"kind", "fixed"}}));
  const std::string after = bits(run);
  EXPECT_TRUE(after != before);
  expect_ok(run.apply({{"do", "undo"}}));
  EXPECT_TRUE(bits(run) == before);
  expect_ok(run.apply({{"do", "redo"}}));
  EXPECT_TRUE(bits(run) == after);
  expect_ok(run.apply({{"do", "undo"}}));
  LiveRun plain = open(kDoublePendulum);
  advance(plain, 500);
  advance(run, 200);
  EXPECT_TRUE(bits(run) == bits(plain));
}

TEST(Past, KeepsWithinItsMemoryForAsLongAsItRuns) {
  constexpr std::size_t kMemory = 120 << 10;
  LiveRun run({"test.yaml", kDoublePendulum, {}}, Journal(), kMemory);
  for (int k = 0; k < 3000; ++k) {
    ASSERT_TRUE(run.step().report.accepted());
    if (k % 50 == 0) expect_ok(run.apply(pull_to(1 + 1e-3 * k, 0)));
    if (k % 50 == 25) expect_ok(run.apply({{"do", "release"}}));
    ASSERT_LE(run.past().bytes(), kMemory);
  }
  // The oldest of sixty pulls are gone, the last steps are there.
  EXPECT_GT(run.past().branch().begin(), 0);
  const std::string end = bits(run);
  seek(run, run.past().branch().begin());
  seek(run, 3000);
  EXPECT_TRUE(bits(run) == end);
}

// Rows of the past against the same signals, read while it ran; and places against poses.
TEST(History, IsWhatWasThere) {
  LiveRun run({"test.yaml", kDoublePendulum, {}}, Journal(), 100 << 10);
  std::vector<double> then;
  const std::vector<std::string> names = {"A.angle", "energy.kinetic", "A.force.y", "violation.position",
                                          "no.such"};
  const auto look = [&] {
    LiveSignals signals(run.simulation());
    StepResult last;
    last.violation = run.violation();
    last.iterations = run.iterations();
    const std::vector<Pose> poses = run.simulation().system().poses(run.simulation().state());
    const std::vector<double> all = signals.values(run.simulation(), poses, last, 1, ~0U);
    for (const std::string& name : names)
      then.push_back(signals.find(name) < 0 ? std::nan("")
                                            : all[static_cast<std::size_t>(signals.find(name))]);
    const Vec3 tip = along(pose_of(run, "outer"), 0.5);
    then.insert(then.end(), tip.data(), tip.data() + 3);
  };
  look();
  for (int k = 1; k <= 600; ++k) {
    advance(run, 1);
    if (k == 200) expect_ok(run.apply(kMassTwo));
    look();
  }
  HistoryRequest request = history_request(
      {{"do", "history"}, {"signals", names}, {"places", {{{"body", "outer"}, {"at", {1, 0, 0}}}}}});
  HistoryCache cache;
  const HistoryBlock block = read_history(history_job(run.past(), request), cache);
  ASSERT_EQ(block.t.size(), 601U);
  ASSERT_EQ(block.columns, 8U);
  ASSERT_EQ(block.values.size(), then.size());
  EXPECT_EQ(std::memcmp(block.values.data(), then.data(), then.size() * sizeof(double)), 0);
  EXPECT_EQ(block.last, 600);
  // Every seventh, from the middle, with poses.
  request.from = 100;
  request.to = 300;
  request.every = 7;
  request.poses = true;
  const HistoryBlock some = read_history(history_job(run.past(), request), cache);
  ASSERT_EQ(some.t.size(), 29U);
  EXPECT_EQ(some.bodies, 2U);
  EXPECT_EQ(some.poses.size(), 29U * 14U);
  for (std::size_t row = 0; row < some.t.size(); ++row)
    EXPECT_EQ(std::memcmp(&some.values[row * 8], &then[(100 + 7 * row) * 8], 3 * sizeof(double)), 0) << row;
  // The same by time.
  request.from_t = 0.1;
  request.to_t = 0.3;
  EXPECT_EQ(read_history(history_job(run.past(), request), cache).t, some.t);
  request.branch = 5;
  EXPECT_THROW(static_cast<void>(history_job(run.past(), request)), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::live::past_test
