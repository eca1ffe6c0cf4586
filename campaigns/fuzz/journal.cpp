// Fuzz target: journals and edits.
//
// A text whose first line is the header of a journal is replayed, or refused with a message. The lines of any
// other text are edits of a live run, each followed by a step: an edit is applied or refused with a message,
// the state stays finite, and the journal that the run wrote gives the same bits again.
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

void check_edits(const std::vector<std::string>& lines) {
  live::LiveRun run({"edited.yaml", kEditedModel, {}});
  for (const std::string& line : lines) {
    const Json edit = Json::parse(line, nullptr, false);
    const EditReply reply = run.apply(edit);
    require(reply.ok || !reply.error.empty(), "a refusal says why");
    if (reply.ok) require(is_small(*run.model()), "a dozen edits leave a small model");
    require_finite(run.simulation().state(), "after an edit");
    (void)run.step();
    require_finite(run.simulation().state(), "after a step");
  }
  run.finish();
  const live::Replay replay = live::replay(run.journal().text());
  require(replay.identical, fmt::format("a journal gives the same bits again: {}", replay.difference));
}

void check_journal(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return;
  const Json first = Json::parse(lines[0], nullptr, false);
  for (const std::string& line : lines)
    if (!is_short(Json::parse(line, nullptr, false))) return;
  if (!is_header(first)) return check_edits(lines);
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
