// How a live run goes to another moment of its past, or to another branch.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "live/live_run.h"
#include "simulation/method_table.h"
#include "simulation/plan_check.h"

namespace trammel::live {

void LiveRun::seek(Json& edit) {
  const JsonFields fields(edit, "seek", {"do", "step", "t"});
  const Branch& branch = past_.branch();
  if (fields.has("step") == fields.has("t")) throw std::invalid_argument("seek: give either 'step' or 't'");
  const double wanted =
      fields.has("step") ? fields.number("step") : static_cast<double>(step_at(branch, fields.number("t")));
  const bool within =
      wanted >= static_cast<double>(branch.begin()) && wanted <= static_cast<double>(branch.end());
  if (wanted != std::floor(wanted) || !within)
    throw std::invalid_argument(fmt::format("seek: steps {} to {} are kept (t = {:.6g} to {:.6g} s), not {}",
                                            branch.begin(), branch.end(), branch.begin_t(), branch.end_t,
                                            wanted));
  stand_at(static_cast<long>(wanted));
  // A journal says it by the step: times are found by what is kept.
  edit.erase("t");
  edit["step"] = steps_;
}

void LiveRun::change_branch(const Json& edit) {
  const JsonFields fields(edit, "branch", {"do", "branch"});
  // Without a number: from here on anew, without what was done later.
  if (!fields.has("branch")) {
    if (steps_ == past_.branch().end())
      throw std::invalid_argument("branch: nothing lies ahead; seek back first");
    return past_.go_on(recipe_, now(), "branch");
  }
  const int before = past_.branch().id;
  const double id = fields.number("branch"), t = simulation_->state().t;
  if (id != std::floor(id) || std::abs(id) > 1e9 || id == before || !past_.switch_to(static_cast<int>(id)))
    throw std::invalid_argument(fmt::format("there is no other branch {}", id));
  try {
    stand_at(step_at(past_.branch(), t));
  } catch (...) {
    past_.switch_to(before);
    throw;
  }
}

// From the nearest step before it that is kept, by the same steps and inputs as then.
void LiveRun::stand_at(long step) {
  Place place = place_of(past_.branch(), step);
  const Stretch& stretch = *place.part->stretch;
  const bool same = stretch.recipe == recipe_;
  const auto keeps_history = [](const Simulation& s) {
    return simulation::history_keeper(s.resolved()) != nullptr;
  };
  std::unique_ptr<Simulation> other;
  if (!same || keeps_history(*simulation_)) other = stretch.recipe->simulation();
  Simulation& moving = other ? *other : *simulation_;
  // A method with a history of its own must make it again.
  if (keeps_history(moving)) place.moment = stretch.moments.front();
  const Moment before = now();
  const auto put = [](Simulation& s, const Moment& moment) {
    s.restore(moment.state);
    simulation::Landings landings(s, simulation::landing_interval(s.plan()));
    landings.resume(moment.landing);
    return landings;
  };
  Violation violation = place.moment->violation;
  int iterations = place.moment->iterations;
  simulation::Landings landings = put(moving, *place.moment);
  try {
    step_again(moving, landings, stretch, place.moment->step, step, [&](long, const StepResult& result) {
      violation = result.violation;
      iterations = result.iterations;
    });
  } catch (...) {
    if (!other) landings_.emplace(put(*simulation_, before));
    throw;
  }
  const simulation::Landings::Count count = landings.count();
  if (other) {
    simulation_ = std::move(other);
    ++revision_;
  }
  recipe_ = stretch.recipe;
  model_ = recipe_->model;
  pulls_ = pulls_in(*recipe_, simulation_->state());
  phases_ = recipe_->phases;
  stacks_ = recipe_->stacks;
  landings_.emplace(*simulation_, step_size());
  landings_->resume(count);
  violation_ = violation;
  iterations_ = iterations;
  steps_ = step;
}

// What was done at this step of the past is done again.
void LiveRun::follow() {
  const BranchPart& part = *place_of(past_.branch(), steps_).part;
  if (part.begin == steps_) return stand_at(steps_);
  for (const InputChange& change : changes_between(*part.stretch, steps_ - 1, steps_))
    for (std::size_t k = 0; k < change.values.size(); ++k) simulation_->set_input(k, change.values[k]);
  pulls_ = pulls_in(*recipe_, simulation_->state());
}

}  // namespace trammel::live
