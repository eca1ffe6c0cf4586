// A journal replays to the bit; a saved model moves like the edited one.
#include "live/journal.h"

#include <filesystem>
#include <fstream>
#include <random>

#include "live/live_test_support.h"

namespace trammel::live::journal_test {
namespace {

// Hundreds of random edits, some refused: the journal gives the same bits, whether anyone looked meanwhile or
// not.
TEST(LiveRun, ReplaysToTheBit) {
  LiveRun run = open(kDoublePendulum);
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution(low, high)(random);
  };
  long refused = 0;
  for (int k = 0; k < 400; ++k) {
    for (int i = static_cast<int>(random() % 8); i > 0; --i) static_cast<void>(run.step());
    Json edit;
    switch (random() % 10) {
      case 0:
        edit = {{"do", "remove-joint"}, {"name", "A"}};
        break;
      case 1:
        edit = kPin;
        break;
      case 2:
        edit = {{"do", "undo"}};
        break;
      case 3:
        edit = {{"do", "redo"}};
        break;
      case 4:
        edit = {{"do", "set-gravity"}, {"value", {uniform(-5, 5), uniform(-10, 10)}}};
        break;
      case 5:
        edit = {{"do", "set-value"}, {"path", "bodies.outer.mass"}, {"value", uniform(0.5, 3)}};
        break;
      case 6:
        edit = {{"do", "pull"},
                {"body", "outer"},
                {"at", {1, 0, 0}},
                {"target", {uniform(-2, 2), uniform(-2, 2), 0}}};
        break;
      case 7:
        edit = {{"do", "release"}};
        break;
      case 8:
        edit = {{"do", "set-plan"},
                {"formulation", random() % 2 ? "lagrange" : "augmented-lagrangian-index3"}};
        break;
      default:
        edit = {{"do", "reset"}};
        break;
    }
    if (!run.apply(edit).ok) ++refused;
    // Looking at the run must not change it.
    Report report;
    static_cast<void>(run.simulation().with_reactions(report));
    static_cast<void>(run.simulation().energy());
  }
  run.finish();
  EXPECT_GT(run.journal().edits(), 200);
  EXPECT_GT(refused, 5);
  const Replay again = replay(run.journal().text());
  EXPECT_TRUE(again.identical) << again.difference;
  EXPECT_EQ(again.end, checksum(run.simulation().state()));
  EXPECT_EQ(again.edits, run.journal().edits());
}

// An edit that cannot be written down is carried out, and said to be missing.
TEST(Journal, TellsWhatItMisses) {
  LiveRun run({"test.yaml", kDoublePendulum, {}}, Journal("/dev/full"));
  const EditReply reply = run.apply({{"do", "set-gravity"}, {"value", {0, -1.62}}});
  expect_ok(reply);
  ASSERT_EQ(reply.notes.size(), 1U);
  EXPECT_NE(reply.notes[0].find("not in it"), std::string::npos) << reply.notes[0];
  EXPECT_EQ(run.model()->gravity.y(), -1.62);
  run.finish();
  EXPECT_THROW(Journal("/dev/null/journal.jsonl").prepare(), std::runtime_error);
}

// A journal never takes the place of something else, nor makes folders that nobody asked for; one of an
// earlier run is put aside.
TEST(Journal, TakesOnlyItsOwnFile) {
  const auto folder = std::filesystem::temp_directory_path() / "trammel-journal-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string model = (folder / "model.yaml").string(), own = (folder / "own.jsonl").string();
  std::ofstream(model) << kDoublePendulum;
  EXPECT_THROW(Journal(model).prepare(), std::runtime_error);
  EXPECT_EQ(std::filesystem::file_size(model), std::string(kDoublePendulum).size());
  EXPECT_THROW(Journal((folder / "deep/er/j.jsonl").string()).prepare(), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(folder / "deep"));
  Journal(own).prepare();
  EXPECT_FALSE(std::filesystem::exists(own));
  LiveRun run({"test.yaml", kDoublePendulum, {}}, Journal(own));
  expect_ok(run.apply({{"do", "set-gravity"}, {"value", {0, -1.62}}}));
  run.finish();
  const std::string text = run.journal().text();
  Journal(own).prepare();
  EXPECT_FALSE(std::filesystem::exists(own));
  EXPECT_EQ(std::filesystem::file_size(folder / "own.old.jsonl"), text.size());
  std::filesystem::remove_all(folder);
}

// Half a line at the end, as a killed program leaves it: what is complete is replayed.
TEST(LiveRun, ReplaysAJournalThatWasCut) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 10);
  expect_ok(run.apply({{"do", "set-gravity"}, {"value", {0, -9}}}));
  advance(run, 5);
  expect_ok(run.apply({{"do", "set-gravity"}, {"value", {0, -8}}}));
  const std::string text = run.journal().text();
  const Replay again = replay(text.substr(0, text.size() - 20));
  EXPECT_TRUE(again.cut);
  EXPECT_TRUE(again.identical) << again.difference;
  EXPECT_EQ(again.edits, 1);
  EXPECT_FALSE(replay(text).cut);
  // In the middle it is damage.
  std::string damaged = text;
  damaged.erase(damaged.find("\"step\""), 3);
  EXPECT_THROW(static_cast<void>(replay(damaged)), std::runtime_error);
}

// A journal whose motion is not the one it tells of is found out.
TEST(LiveRun, ReplayTellsADifference) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 10);
  expect_ok(run.apply({{"do", "set-gravity"}, {"value", {0, -9}}}));
  advance(run, 10);
  run.finish();
  std::string text = run.journal().text();
  const std::size_t at = text.find("-9.81");
  text.replace(at, 5, "-9.82");
  const Replay again = replay(text);
  EXPECT_FALSE(again.identical);
  EXPECT_NE(again.difference.find("step 10"), std::string::npos) << again.difference;
  EXPECT_THROW(static_cast<void>(replay("{}")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(replay("")), std::runtime_error);
}

// What a model file cannot say does not keep a journal from being replayed.
TEST(LiveRun, ReplaysWhatAFileCannotSay) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 20);
  expect_ok(run.apply({{"do", "add-force"},
                       {"force",
                        {{"kind", "bushing"},
                         {"a", {{"body", "inner"}}},
                         {"b", {{"body", "outer"}}},
                         {"stiffness", {1, 1, 1}},
                         {"damping", {1, 1, 1}}}}}));
  advance(run, 5);
  run.finish();
  const Replay again = replay(run.journal().text());
  EXPECT_TRUE(again.identical) << again.difference;
  EXPECT_EQ(again.yaml, "");
  EXPECT_NE(again.unsaid.find("is not at rest where its bodies are placed at the start"), std::string::npos)
      << again.unsaid;
}

// Lines that are JSON but not what a journal has are refused in words.
TEST(LiveRun, ReplayRefusesADamagedJournal) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(replay(text));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  LiveRun run = open(kDoublePendulum);
  const std::string header = run.journal().text();
  EXPECT_EQ(message(R"({"trammel-journal": "2"})"), "this is a journal of another version of Trammel");
  EXPECT_EQ(message(R"({"trammel-journal": 2, "model": 1})"), "the first line of the journal is damaged");
  for (const char* line : {R"({"step": "1", "state": ""})", R"({"step": 1.5, "state": ""})", R"({"step": 1})",
                           R"({"state": ""})", R"({"step": 0, "state": "", "edit": [1]})"})
    EXPECT_EQ(message(header + line + "\n{}\n"), "line 2 of the journal is damaged") << line;
  const std::string deep = header + R"({"step": )" + std::string(100'000, '[') + "\n{}\n";
  EXPECT_EQ(message(deep), "line 2 of the journal is not complete");
  // An edit without a name is refused by the run.
  const Replay again = replay(header + R"({"step": 0, "state": ")" + checksum(run.simulation().state()) +
                              R"(", "edit": {"do": 1}})" + "\n");
  EXPECT_FALSE(again.identical);
}

// What is saved runs like what was edited.
TEST(LiveRun, SavesTheEditedModel) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 100);
  expect_ok(run.apply({{"do", "remove-joint"}, {"name", "A"}}));
  expect_ok(run.apply({{"do", "set-value"}, {"path", "bodies.outer.mass"}, {"value", 2}}));
  expect_ok(
      run.apply({{"do", "add-joint"},
                 {"joint",
                  {{"name", "knee"},
                   {"kind", "revolute"},
                   {"markers",
                    {{{"body", "outer"}, {"at", {0, 0, 0}}}, {{"body", "inner"}, {"at", {0.75, 0, 0}}}}}}}}));
  expect_ok(run.apply({{"do", "reset"}}));
  LiveRun saved({"saved.yaml", run.yaml(), {}});
  advance(run, 500);
  advance(saved, 500);
  for (const char* body : {"inner", "outer"})
    // the same equations from the same start, but for rounding
    EXPECT_LT((pose_of(run, body).position - pose_of(saved, body).position).norm(), 1e-9)
        << saved.source().text;
  // And as it stands now: the same motion from here.
  LiveRun now({"now.yaml", run.yaml(true), {}});
  advance(run, 300);
  advance(now, 300);
  EXPECT_LT((pose_of(run, "outer").position - pose_of(now, "outer").position).norm(), 1e-8);
}

}  // namespace
}  // namespace trammel::live::journal_test
