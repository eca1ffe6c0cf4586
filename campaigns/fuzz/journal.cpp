// Fuzz target: journals and edits.
//
// A text whose first line is the header of a journal is replayed, or refused with a message. The lines of any
// other text are edits of a live run. An edit is applied, and a step follows; or it is refused with a
// message, and the run is as before. The state stays finite, and the journal that the run wrote gives the
// same bits again.
#include "live/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "live/live_run.h"
#include "messages.h"
#include "support.h"
#include "trammel/model.h"

namespace trammel::fuzz {
namespace {

using live::Json;

bool is_header(const Json& line) { return line.is_object() && line.contains("trammel-journal"); }

// The model of a journal's header is small, or is none.
bool opens_small(const Json& header) {
  if (!header.contains("text") || !header["text"].is_string()) return true;
  const std::string text = header["text"];
  if (!repeats_little(text)) return false;
  std::vector<std::string> settings;
  if (header.contains("settings") && header["settings"].is_array())
    for (const Json& one : header["settings"])
      if (one.is_string()) settings.push_back(one);
  if (!std::ranges::all_of(settings, repeats_little)) return false;
  const ModelInput input = read_model_text(text, "fuzz.yaml", settings, UnreadOptions::allowed);
  const Plan& plan = input.mechanism.plan;
  return is_small(input.mechanism) && made_short(plan) == plan &&
         (plan.tolerance == 0 || plan.tolerance > 1e-6);
}

void check_replay(const std::string& text) {
  try {
    const live::Replay replay = live::replay(text);
    require(replay.identical == replay.difference.empty(), "a difference is said");
  } catch (const std::runtime_error& refused) {
    require(*refused.what() != '\0', "a refusal says why");
  }
}

std::unique_ptr<live::LiveRun> new_run() { return std::make_unique<live::LiveRun>(edited_model()); }

// Whether the edit was applied.
bool check_edit(live::LiveRun& run, const Json& edit) {
  const std::string before = live::checksum(run.simulation().state());
  const unsigned revision = run.revision();
  const long edits = run.journal().edits();
  const EditReply reply = run.apply(edit);
  require_finite(run.simulation().state(), "after an edit");
  if (reply.ok) {
    require(is_small(*run.model()), "a dozen edits leave a small model");
    return true;
  }
  require(!reply.error.empty(), "a refusal says why");
  require(run.revision() == revision && run.journal().edits() == edits &&
              live::checksum(run.simulation().state()) == before,
          "an edit that is refused leaves the run as it was");
  return false;
}

void check_edits(const std::vector<std::string>& lines, bool replayed) {
  // The next input goes on with it if all edits of this one are refused: a new run takes a hundred times as
  // long as a refusal.
  static std::unique_ptr<live::LiveRun> run = new_run();
  bool is_changed = false;
  for (const std::string& line : lines) {
    if (!check_edit(*run, Json::parse(line, nullptr, false))) continue;
    is_changed = true;
    (void)run->step();
    require_finite(run->simulation().state(), "after a step");
  }
  if (!is_changed) return;
  run->finish();
  if (replayed) {
    const live::Replay replay = live::replay(run->journal().text());
    require(replay.identical, fmt::format("a journal gives the same bits again: {}", replay.difference));
  }
  run = new_run();
}

void check_journal(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return;
  const Json first = Json::parse(lines[0], nullptr, false);
  for (const std::string& line : lines)
    if (!is_short(Json::parse(line, nullptr, false))) return;
  // A replay takes as long as the edits themselves, and reads the model anew.
  constexpr std::uint64_t kReplayed = 8;
  if (!is_header(first)) return check_edits(lines, is_drawn(text, kReplayed));
  std::string bounded;
  for (const std::string& line : lines) bounded += line + "\n";
  if (opens_small(first)) check_replay(bounded);
}

}  // namespace
}  // namespace trammel::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trammel::fuzz::check_journal({reinterpret_cast<const char*>(data), size});
  return 0;
}
