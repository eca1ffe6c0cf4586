// LiveRun: a running simulation that a person edits between steps.
//
// An edit is a JSON value (docs/live-protocol.md). It is applied to a copy of the model; the copy is
// validated and compiled; the motion is carried over by name and projected onto the new constraints. If any
// of this fails the edit is refused with the reason, and the run is untouched. undo and redo change the model
// and go on from the present motion. What is applied goes into the journal.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "live/driver_phases.h"
#include "live/edits.h"
#include "live/journal.h"
#include "live/model_texts.h"
#include "live/pulls.h"
#include "simulation/landings.h"
#include "trammel/live.h"
#include "trammel/run.h"

namespace trammel::live {

class LiveRun {
 public:
  // Throws std::runtime_error when the model cannot be read or assembled.
  explicit LiveRun(LiveSource source, Journal journal = Journal());
  static LiveSource read_source(const std::string& path);

  EditReply apply(const Json& edit);
  // One step of the plan. A failed one leaves the run where it was.
  StepResult step();
  // Writes the last line of the journal.
  void finish();

  const Simulation& simulation() const { return *simulation_; }
  std::shared_ptr<const Mechanism> model() const { return model_; }  // without pulls
  const std::vector<Pull>& pulls() const { return pulls_; }
  const LiveSource& source() const { return source_; }
  Journal& journal() { return journal_; }
  long steps() const { return steps_; }
  // Changes with every edit after which a page must be told of the model again.
  unsigned revision() const { return revision_; }
  double step_size() const;
  std::string undoable() const { return undo_.empty() ? "" : undo_.back().label; }
  std::string redoable() const { return redo_.empty() ? "" : redo_.back().label; }
  // The model as a file: as it starts, or as it stands and moves now, time beginning now. Throws
  // std::runtime_error when it cannot be assembled.
  std::string yaml(bool now = false) const;
  // The model's text as it starts, with the comments and the order of what was read.
  const ModelTexts::Text& text() const;
  // Nothing has moved since the model began.
  bool at_start() const;
  // A point is held at a place, and waits for `end-drag`.
  bool is_dragged() const { return is_dragged_; }

 private:
  struct Version {
    std::shared_ptr<const Mechanism> model;
    std::string label;  // of the edit between it and the next
  };

  void edit(const Json& edit, EditReply& reply);
  void edit_model(const Json& edit, EditReply& reply);
  void edit_text(const Json& edit, EditReply& reply);
  void change_model(std::shared_ptr<const Mechanism> model, const std::string& label, EditReply& reply);
  void drag(const Json& edit);
  void end_drag(const Json& edit, EditReply& reply);
  void travel(std::deque<Version>& from, std::deque<Version>& to, EditReply& reply);
  void pull(const Json& edit, EditReply& reply);
  void release(const Json& edit, EditReply& reply);
  void set_input(const Json& edit);
  void reset() { restart_with(model_); }
  void restart_with(std::shared_ptr<const Mechanism> model);
  void remember(Version before);
  void go_on_with(std::shared_ptr<const Mechanism> model, std::vector<Pull> pulls, EditReply& reply);
  void take(std::unique_ptr<Simulation> simulation);

  LiveSource source_;
  Journal journal_;
  std::shared_ptr<const Mechanism> model_;
  std::vector<Pull> pulls_;
  DriverPhases phases_;
  std::unique_ptr<Simulation> simulation_;
  std::deque<Version> undo_, redo_;
  mutable ModelTexts texts_;
  long steps_ = 0, start_steps_ = 0, pulls_made_ = 0;
  bool is_dragged_ = false;
  unsigned revision_ = 1;
  std::optional<simulation::Landings> landings_;  // since the last edit
};

}  // namespace trammel::live
