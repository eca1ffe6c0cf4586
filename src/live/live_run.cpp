#include "live/live_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "formulations/projection/projection.h"
#include "live/start_fit.h"
#include "live/text_edits.h"
#include "mechanism/numbers.h"
#include "mechanism/validate.h"
#include "model/writer/model_writer.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "trammel/model.h"

namespace trammel::live {
namespace {

// More steps back than a person remembers; each keeps a copy of the model.
constexpr std::size_t kMaxUndo = 100;
constexpr std::size_t kMaxPulls = 16;
constexpr std::size_t kMaxName = 64;

void require_valid(const Mechanism& model) {
  std::string all;
  for (const Issue& issue : validate(model))
    all += (all.empty() ? "" : "; ") + issue.message + (issue.remedy.empty() ? "" : ": " + issue.remedy);
  if (!all.empty()) throw std::invalid_argument(all);
}

std::shared_ptr<const Mechanism> named(Mechanism mechanism, const std::string& path) {
  if (mechanism.name.empty()) mechanism.name = std::filesystem::path(path).stem().string();
  return std::make_shared<const Mechanism>(std::move(mechanism));
}

bool same_bodies(const Mechanism& a, const Mechanism& b) {
  return std::ranges::equal(a.bodies, b.bodies, {}, &Body::name, &Body::name);
}

bool is_of_parameter(const std::string& label) {
  return label.starts_with("set-parameter ") || label.starts_with("set-value parameters.");
}

// A parameter that decides how many bodies there are leaves no motion to go on with.
bool changes_parts(const Json& edit, const Mechanism& next, const Mechanism& before) {
  return is_of_parameter(describe_edit(edit)) && !same_bodies(next, before);
}

void require_accepted(const AssemblyReport& assembly, const Simulation& simulation) {
  if (!assembly.report.accepted()) throw std::invalid_argument(explain(assembly, simulation));
}

}  // namespace

LiveSource LiveRun::read_source(const std::string& path, std::vector<std::string> settings) {
  ModelInput input = read_model(path, {}, UnreadOptions::allowed);
  // Files that cannot be read have no text; other mistakes are told when it is opened.
  if (input.mechanism.text.empty()) throw std::runtime_error(TextRefused(input.errors).what());
  LiveSource source{path, input.mechanism.text, std::move(settings)};
  if (input.errors.empty() && source.settings.empty()) source.read = named(std::move(input.mechanism), path);
  return source;
}

LiveRun::LiveRun(LiveSource source, Journal journal, std::size_t memory)
    : source_(std::move(source)), journal_(std::move(journal)), texts_(source_.path), past_(memory) {
  try {
    model_ =
        source_.read != nullptr
            ? source_.read
            : std::make_shared<const Mechanism>(read_live_text(source_.text, source_.path, source_.settings));
    texts_.read(model_, source_.settings.empty() ? source_.text : model_->text);
    reset();
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(error.what());
  }
  steps_ = 0;
  journal_.begin(source_);
}

double LiveRun::step_size() const { return simulation::landing_interval(simulation_->plan()); }

StepResult LiveRun::step() {
  StepResult result = landings_->next();
  if (!result.report.accepted()) return result;
  ++steps_;
  violation_ = result.violation;
  iterations_ = result.iterations;
  if (past_.knows(steps_))
    follow();
  else
    past_.add(now());
  return result;
}

Moment LiveRun::now() const {
  return {steps_, simulation_->state(), landings_->count(), violation_, iterations_};
}

void LiveRun::finish() {
  try {
    journal_.end(steps_, simulation_->state());
  } catch (const std::exception&) {
    // said with the edit before; without its last line a journal replays as far as it goes
  }
}

EditReply LiveRun::apply(const Json& command) {
  EditReply reply;
  Json clean = command;
  if (clean.is_object()) clean.erase("id");
  const State before = simulation_->state();
  const long at = steps_;
  try {
    if (!clean.is_object() || !clean.contains("do") || !clean["do"].is_string())
      throw std::invalid_argument("expected {\"do\": \"…\", …}");
    edit(clean, reply);
  } catch (const std::exception& error) {
    reply = EditReply();
    reply.ok = false;
    reply.error = error.what();
    if (const auto* refused = dynamic_cast<const TextRefused*>(&error)) reply.errors = refused->errors;
    return reply;
  }
  // The edit is done; that it is not written down must be told.
  try {
    journal_.add(at, clean, before);
  } catch (const std::exception& error) {
    reply.notes.push_back(fmt::format("{}: this edit is not in it, and it cannot be replayed", error.what()));
  }
  return reply;
}

void LiveRun::edit(Json& edit, EditReply& reply) {
  const std::string what = edit["do"];
  if (what != "drag" && what != "end-drag") forget_drag();
  if (is_model_edit(what)) return edit_model(edit, reply);
  if (is_text_edit(what)) return edit_text(edit, reply);
  if (what == "drag") return drag(edit);
  if (what == "end-drag") return end_drag(edit, reply);
  if (what == "pull") return pull(edit, reply);
  if (what == "release") return release(edit, reply);
  if (what == "set-input") return set_input(edit);
  if (what == "undo" || what == "redo") return travel(what == "undo", reply);
  if (what == "reset") return reset();
  if (what == "seek") return seek(edit);
  if (what == "branch") return change_branch(edit);
  throw std::invalid_argument(
      fmt::format("there is no command '{}'; docs/live-protocol.md lists them", what));
}

void LiveRun::edit_model(const Json& edit, EditReply& reply) {
  const std::vector<Pose> poses = simulation_->system().poses(simulation_->state());
  system::Terms terms = simulation_->system().make_terms();
  Draft draft{*model_,
              simulation_->mechanism(),
              poses,
              simulation_->state().t,
              simulation_->system().readings(simulation_->state(), terms),
              "",
              {}};
  apply_edit(edit, draft);
  require_valid(draft.model);
  if (edit["do"] == "add-driver") fit_to_start(draft.model, draft.model.drivers.back().name, draft.notes);
  // What is pulled may be gone.
  std::vector<Pull> pulls = pulls_;
  std::erase_if(pulls, [&](const Pull& p) { return draft.model.body(p.body) == nullptr; });
  Version before = here(describe_edit(edit));
  const bool anew = changes_parts(edit, draft.model, *model_);
  auto model = std::make_shared<const Mechanism>(std::move(draft.model));
  texts_.made(model, model_);
  Next next = anew ? from_start(model) : going_on_with(model, std::move(pulls), reply);
  if (anew) reply.notes.emplace_back("the model has other parts now: the motion begins at its start");
  reply.name = draft.name;
  reply.notes.insert(reply.notes.begin(), draft.notes.begin(), draft.notes.end());
  take_edit(std::move(before), std::move(next), anew);
}

// What can be undone.
void LiveRun::take_edit(Version before, Next next, bool anew) {
  before.across = checksum(next.simulation->state());
  auto stacks = std::make_shared<UndoStacks>(UndoStacks{stacks_->undo, {}});
  const std::string label = before.label;
  stacks->undo.push_back(std::move(before));
  if (stacks->undo.size() > kMaxUndo) stacks->undo.pop_front();
  take(std::move(next), std::move(stacks), label, anew);
}

Version LiveRun::here(const std::string& label) const {
  return {model_, label, recipe_, std::make_shared<const Moment>(now()), {}};
}

void LiveRun::travel(bool back, EditReply& reply) {
  const std::deque<Version>& from = back ? stacks_->undo : stacks_->redo;
  if (from.empty())
    throw std::invalid_argument(back ? "there is nothing to undo" : "there is nothing to redo");
  const Version& target = from.back();
  Version across = here(target.label);
  const bool untouched = target.moment->step == steps_ && target.across == checksum(simulation_->state());
  std::vector<Pull> pulls = pulls_;
  std::erase_if(pulls, [&](const Pull& p) { return target.model->body(p.body) == nullptr; });
  const bool anew = !untouched && !same_bodies(*target.model, *model_) && is_of_parameter(target.label);
  Next next = untouched ? as_it_was(target, reply)
              : anew    ? from_start(target.model)
                        : going_on_with(target.model, std::move(pulls), reply);
  across.across = checksum(next.simulation->state());
  auto stacks = std::make_shared<UndoStacks>(*stacks_);
  (back ? stacks->undo : stacks->redo).pop_back();
  (back ? stacks->redo : stacks->undo).push_back(std::move(across));
  const std::string label = (back ? "undo " : "redo ") + target.label;
  take(std::move(next), std::move(stacks), label, anew);
}

// Nothing has moved since the edit: the very State comes back.
LiveRun::Next LiveRun::as_it_was(const Version& version, EditReply& reply) const {
  const auto mechanical = [](const Simulation& s) { return s.energy().kinetic + s.energy().potential; };
  Next next{version.recipe->simulation(), version.model, pulls_in(*version.recipe, version.moment->state),
            version.recipe->phases, version.moment->landing};
  next.simulation->restore(version.moment->state);
  reply.energy = mechanical(*next.simulation) - mechanical(*simulation_);
  return next;
}

void LiveRun::pull(const Json& edit, EditReply& reply) {
  const JsonFields fields(edit, "pull",
                          {"do", "name", "body", "at", "target", "stiffness", "damping", "hold"});
  const std::string name = fields.text("name", "pull");
  const Vec3 target = fields.vector("target");
  const auto known =
      std::find_if(pulls_.begin(), pulls_.end(), [&](const Pull& p) { return p.name == name; });
  const bool same = known != pulls_.end() && fields.text("body", known->body) == known->body &&
                    fields.vector("at", known->at) == known->at;
  if (same) return move_pull(static_cast<std::size_t>(known - pulls_.begin()), target);
  if (name.empty() || name.size() > kMaxName) fields.refuse("name", "a name of up to 64 characters");
  // A key is never used twice: what was carried over by name was another pull's.
  Pull added{name,
             fmt::format("live_pull_{}", ++pulls_made_),
             fields.text("body"),
             fields.vector("at", Vec3::Zero()),
             target,
             0,
             0};
  if (model_->body(added.body) == nullptr)
    throw std::invalid_argument(fmt::format("there is no body '{}' to pull", added.body));
  if (model_->is_planar) added.at.z() = 0;
  choose_stiffness(*model_, step_size(), fields.flag("hold", false), added);
  added.stiffness = fields.number("stiffness", added.stiffness);
  added.damping = fields.number("damping", added.damping);
  if (!(added.stiffness >= 0 && added.damping >= 0))
    throw std::invalid_argument("pull: stiffness and damping must not be negative");
  std::vector<Pull> pulls = pulls_;
  std::erase_if(pulls, [&](const Pull& p) { return p.name == name; });
  if (pulls.size() >= kMaxPulls)
    throw std::invalid_argument(fmt::format("there are {} pulls already", kMaxPulls));
  pulls.push_back(std::move(added));
  take(going_on_with(model_, std::move(pulls), reply), stacks_, "pull " + name);
}

void LiveRun::move_pull(std::size_t number, const Vec3& target) {
  pulls_[number].target = target;
  const std::size_t at = first_input(*model_, number);
  for (std::size_t i = 0; i < (model_->is_planar ? 2U : 3U); ++i)
    simulation_->set_input(at + i, target[static_cast<Eigen::Index>(i)]);
  past_.change_inputs(recipe_, now(), "pull " + pulls_[number].name);
}

void LiveRun::release(const Json& edit, EditReply& reply) {
  const JsonFields fields(edit, "release", {"do", "name"});
  std::vector<Pull> pulls = pulls_;
  if (fields.has("name")) {
    const std::string name = fields.text("name");
    if (std::erase_if(pulls, [&](const Pull& p) { return p.name == name; }) == 0)
      throw std::invalid_argument(fmt::format("there is no pull '{}'", name));
  } else {
    pulls.clear();
  }
  if (pulls.size() != pulls_.size()) take(going_on_with(model_, std::move(pulls), reply), stacks_, "release");
}

void LiveRun::set_input(const Json& edit) {
  const JsonFields fields(edit, "set-input", {"do", "name", "value"});
  const std::string name = fields.text("name");
  for (std::size_t k = 0; k < model_->inputs.size(); ++k)
    if (model_->inputs[k].name == name) {
      simulation_->set_input(k, fields.number("value"));
      return past_.change_inputs(recipe_, now(), "set-input " + name);
    }
  throw std::invalid_argument(fmt::format("there is no input '{}'", name));
}

void LiveRun::reset() { take(from_start(model_), stacks_, "reset", true); }

LiveRun::Next LiveRun::from_start(const std::shared_ptr<const Mechanism>& model) const {
  Next next{Recipe{model, {}, {}, stacks_}.simulation(), model, {}, {}};
  require_accepted(next.simulation->assemble(), *next.simulation);
  return next;
}

LiveRun::Next LiveRun::going_on_with(const std::shared_ptr<const Mechanism>& model, std::vector<Pull> pulls,
                                     EditReply& reply) const {
  Next next{nullptr, model, std::move(pulls),
            model == model_ ? phases_ : phases_for(*model, *model_, phases_, *simulation_)};
  next.simulation = Recipe{model, next.pulls, next.phases, stacks_}.simulation();
  const TakeOver over = next.simulation->take_over(*simulation_);
  if (!over.assembly.open.empty())
    throw std::invalid_argument(explain(over.assembly, *next.simulation) +
                                "; or reset first: the parts then stand as at the start");
  require_accepted(over.assembly, *next.simulation);
  const std::set<std::string> changed = changed_phases(phases_, next.phases);
  for (const Driver& driver : next.simulation->mechanism().drivers)
    if (changed.contains(driver.name))
      reply.notes.push_back(fmt::format("driver '{}' goes on from where it is: it follows {}", driver.name,
                                        fmt::join(driver.equals, ", ")));
  reply.moved = over.assembly.largest_move;
  reply.impulse = over.impulse;
  reply.energy = over.energy;
  return next;
}

void LiveRun::take(Next next, std::shared_ptr<const UndoStacks> stacks, const std::string& label, bool anew) {
  use(std::move(next), std::move(stacks));
  if (anew)
    past_.start(recipe_, now(), label);
  else
    past_.go_on(recipe_, now(), label);
}

void LiveRun::use(Next next, std::shared_ptr<const UndoStacks> stacks) {
  simulation_ = std::move(next.simulation);
  model_ = std::move(next.model);
  pulls_ = std::move(next.pulls);
  phases_ = std::move(next.phases);
  stacks_ = std::move(stacks);
  recipe_ = std::make_shared<const Recipe>(Recipe{model_, pulls_, phases_, stacks_});
  landings_.emplace(*simulation_, step_size());
  if (next.landing) landings_->resume(*next.landing);
  // What the last step left is not what an edit did.
  violation_ = {};
  iterations_ = 0;
  if (simulation_->system().sizes().rows > 0)
    violation_ = formulations::Projector(simulation_->system(), SolverChoice::automatic)
                     .violation(simulation_->state());
  ++revision_;
}

std::string LiveRun::yaml(bool now) const {
  if (!now) return text().text;
  Mechanism model = moving_as(with_phases(*model_, phases_), *simulation_);
  // A file may not have options of methods that were in use before.
  model.plan = simulation::without_unread(model.plan);
  return write_model(model, fmt::format("As it stood and moved at t = {:.6g} s, which is time 0 here.",
                                        simulation_->state().t));
}

}  // namespace trammel::live
