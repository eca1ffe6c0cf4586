// Past: every step of a live run, kept in bounded memory, so that time can be taken back to the bit.
//
// A Stretch is the motion between two edits: how its Simulation is made (Recipe) and the Moments that are
// kept of it. Where the memory does not suffice Moments are left out, of the oldest steps most; a step that
// is not kept is found again by stepping from the Moment before it, to the same bits. A Branch is a list of
// stretches from the start of a motion to its end. An edit before the end begins a new branch, and the old
// one stays as a ghost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "live/recipe.h"
#include "simulation/landings.h"

namespace trammel::live {

// Where a run stands after a step.
struct Moment {
  long step = 0;
  State state;
  simulation::Landings::Count landing;
  Violation violation;
  int iterations = 0;
};
using MomentPtr = std::shared_ptr<const Moment>;

// Inputs that were set after a step: re-stepping sets them again.
struct InputChange {
  long step = 0;
  std::vector<double> values;
};

struct Stretch {
  std::shared_ptr<const Recipe> recipe;
  std::vector<MomentPtr> moments;  // by step; the first is never left out
  std::vector<InputChange> inputs;
};

// Steps of a stretch that belong to a branch.
struct BranchPart {
  std::shared_ptr<Stretch> stretch;
  long begin = 0, end = 0;
  double begin_t = 0;
  std::string label;  // of the edit that it begins with
};

struct Branch {
  int id = 0;
  double from_t = 0;  // s, where it left the one before
  std::vector<BranchPart> parts;
  double end_t = 0;

  long begin() const { return parts.front().begin; }
  long end() const { return parts.back().end; }
  double begin_t() const { return parts.front().begin_t; }
};

class Past {
 public:
  static constexpr std::size_t kMemory = std::size_t{256} << 20;  // bytes
  explicit Past(std::size_t memory = kMemory) : most_(memory) {}

  // A motion begins anew. What there was before becomes a ghost.
  void start(std::shared_ptr<const Recipe> recipe, Moment first, std::string label);
  // The run goes on from here in another way: what lies ahead becomes a ghost.
  void go_on(std::shared_ptr<const Recipe> recipe, Moment now, std::string label);
  // Another input from here on.
  void change_inputs(std::shared_ptr<const Recipe> recipe, Moment now, std::string label);
  // The step after the last; one that is known already is left alone.
  bool knows(long step) const { return step <= current_.end(); }
  void add(Moment moment);
  // A ghost becomes the branch that is gone on with. False: there is none of that number.
  bool switch_to(int id);

  const Branch& branch() const { return current_; }
  const std::vector<Branch>& ghosts() const { return ghosts_; }
  // Null: there is no branch of that number.
  const Branch* find(int id) const;
  std::size_t bytes() const { return bytes_; }
  std::size_t most() const { return most_; }

 private:
  void cut(double t, long step);
  void append(std::shared_ptr<const Recipe> recipe, Moment now, std::string label);
  void keep_within();
  void thin_older_half();
  std::size_t measured() const;

  std::size_t most_, bytes_ = 0;
  int ids_ = 0;
  Branch current_;
  std::vector<Branch> ghosts_;  // the newest last
};

// The part of a branch that a step belongs to, and the last Moment kept at or before it.
struct Place {
  const BranchPart* part = nullptr;
  MomentPtr moment;
};
// Null where the branch does not reach.
Place place_of(const Branch& branch, long step);
// The step whose time is nearest, among those of the branch.
long step_at(const Branch& branch, double t);
// Inputs of a stretch that were set after `from` and up to `to`.
std::vector<InputChange> changes_between(const Stretch& stretch, long from, long to);

// Steps a simulation that stands at `from` on, as it went: `each` sees every Moment after it, up to `to`.
// Throws std::runtime_error where a step fails.
template <class Each>
void step_again(Simulation& simulation, simulation::Landings& landings, const Stretch& stretch, long from,
                long to, Each&& each) {
  const std::vector<InputChange> changes = changes_between(stretch, from, to);
  std::size_t next = 0;
  for (long step = from + 1; step <= to; ++step) {
    const StepResult result = landings.next();
    if (!result.report.accepted()) throw std::runtime_error("a step that was made before fails now");
    for (; next < changes.size() && changes[next].step == step; ++next)
      for (std::size_t k = 0; k < changes[next].values.size(); ++k)
        simulation.set_input(k, changes[next].values[k]);
    each(step, result);
  }
}

}  // namespace trammel::live
