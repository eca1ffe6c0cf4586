// LiveRun: a running simulation that a person edits between steps.
//
// An edit is a JSON value (docs/live-protocol.md). It is applied to a copy of the model; the copy is
// validated and compiled; the motion is carried over by name and projected onto the new constraints. If any
// of this fails the edit is refused with the reason, and the run is untouched. undo and redo change the model
// and go on from the present motion; where no step was made since the edit they bring back its very State.
// Every step is kept (live/past.h): seek goes back to one, to the bit, and an edit there begins a branch.
// What is applied goes into the journal.
#pragma once

#include <memory>
#include <optional>

#include "live/edits.h"
#include "live/journal.h"
#include "live/model_texts.h"
#include "live/past.h"
#include "trammel/live.h"
#include "trammel/run.h"

namespace trammel::live {

class LiveRun {
 public:
  // Throws std::runtime_error when the model cannot be read or assembled.
  // memory: bytes for steps that are kept.
  explicit LiveRun(LiveSource source, Journal journal = Journal(), std::size_t memory = Past::kMemory);
  static LiveSource read_source(const std::string& path, std::vector<std::string> settings = {});

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
  std::string undoable() const { return stacks_->undo.empty() ? "" : stacks_->undo.back().label; }
  std::string redoable() const { return stacks_->redo.empty() ? "" : stacks_->redo.back().label; }
  const Past& past() const { return past_; }
  // Of the last step, or of where an edit left the mechanism.
  const Violation& violation() const { return violation_; }
  int iterations() const { return iterations_; }
  // The model as a file: as it starts, or as it stands and moves now, time beginning now. Throws
  // std::runtime_error when it cannot be assembled.
  std::string yaml(bool now = false) const;
  // The model's text as it starts, with the comments and the order of what was read.
  const ModelTexts::Text& text() const;
  // Nothing has moved since the model began.
  bool at_start() const;
  // A point is held at a place, and waits for `end-drag`.
  bool is_dragged() const { return dragged_.has_value(); }

 private:
  // How a run is to go on.
  struct Next {
    std::unique_ptr<Simulation> simulation;
    std::shared_ptr<const Mechanism> model;
    std::vector<Pull> pulls;
    DriverPhases phases;
    std::optional<simulation::Landings::Count> landing{};
  };

  void edit(Json& edit, EditReply& reply);
  void edit_model(const Json& edit, EditReply& reply);
  void edit_text(const Json& edit, EditReply& reply);
  void change_model(Version before, const std::shared_ptr<const Mechanism>& model, EditReply& reply);
  void drag(const Json& edit);
  void end_drag(const Json& edit, EditReply& reply);
  void forget_drag();
  void travel(bool back, EditReply& reply);
  void pull(const Json& edit, EditReply& reply);
  void move_pull(std::size_t number, const Vec3& target);
  void release(const Json& edit, EditReply& reply);
  void set_input(const Json& edit);
  void reset();
  void seek(Json& edit);
  void change_branch(const Json& edit);
  void stand_at(long step);
  void follow();
  Next going_on_with(const std::shared_ptr<const Mechanism>& model, std::vector<Pull> pulls,
                     EditReply& reply) const;
  Next from_start(const std::shared_ptr<const Mechanism>& model) const;
  Next as_it_was(const Version& version, EditReply& reply) const;
  // anew: time begins at 0.
  void take(Next next, std::shared_ptr<const UndoStacks> stacks, const std::string& label, bool anew = false);
  void take_edit(Version before, Next next, bool anew = false);
  void use(Next next, std::shared_ptr<const UndoStacks> stacks);
  Version here(const std::string& label) const;
  Moment now() const;

  LiveSource source_;
  Journal journal_;
  std::shared_ptr<const Mechanism> model_;
  std::vector<Pull> pulls_;
  DriverPhases phases_;
  std::shared_ptr<const UndoStacks> stacks_ = std::make_shared<const UndoStacks>();
  std::shared_ptr<const Recipe> recipe_;  // of the simulation
  std::unique_ptr<Simulation> simulation_;
  std::optional<simulation::Landings> landings_;  // since the last edit
  Violation violation_;
  int iterations_ = 0;
  mutable ModelTexts texts_;
  std::optional<Version> dragged_;  // as it was before
  Past past_;
  long steps_ = 0, pulls_made_ = 0;
  unsigned revision_ = 1;
};

}  // namespace trammel::live
