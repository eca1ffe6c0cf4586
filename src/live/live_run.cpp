#include "live/live_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "mechanism/numbers.h"
#include "mechanism/validate.h"
#include "model/writer/model_writer.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "trammel/model.h"
#include "trammel/thread_pool.h"

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

std::string joined(const std::vector<InputError>& errors) {
  std::string all;
  for (const InputError& error : errors) {
    if (!all.empty()) all += "\n";
    all += to_string(error);
  }
  return all;
}

std::shared_ptr<const Mechanism> named(Mechanism mechanism, const std::string& path) {
  if (mechanism.name.empty()) mechanism.name = std::filesystem::path(path).stem().string();
  return std::make_shared<const Mechanism>(std::move(mechanism));
}

std::shared_ptr<const Mechanism> read_or_throw(const LiveSource& source) {
  if (source.read != nullptr) return source.read;
  ModelInput input = read_model_text(source.text, source.path, source.settings, UnreadOptions::allowed);
  if (!input.errors.empty()) throw std::invalid_argument(joined(input.errors));
  return named(std::move(input.mechanism), source.path);
}

// A live run has no second run beside it: only subsystems are computed side by side.
std::shared_ptr<Executor> executor_for(Plan plan) {
  plan.verify = false;
  return make_executor(plan);
}

void require_accepted(const AssemblyReport& assembly, const Simulation& simulation) {
  if (!assembly.report.accepted()) throw std::invalid_argument(explain(assembly, simulation));
}

}  // namespace

LiveSource LiveRun::read_source(const std::string& path, std::vector<std::string> settings) {
  ModelInput input = read_model(path, {}, UnreadOptions::allowed);
  // Files that cannot be read have no text; other mistakes are told when it is opened.
  if (input.mechanism.text.empty()) throw std::runtime_error(joined(input.errors));
  LiveSource source{path, input.mechanism.text, std::move(settings)};
  if (input.errors.empty() && source.settings.empty()) source.read = named(std::move(input.mechanism), path);
  return source;
}

LiveRun::LiveRun(LiveSource source, Journal journal)
    : source_(std::move(source)), journal_(std::move(journal)) {
  try {
    model_ = read_or_throw(source_);
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
  if (result.report.accepted()) ++steps_;
  return result;
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
  try {
    if (!clean.is_object() || !clean.contains("do") || !clean["do"].is_string())
      throw std::invalid_argument("expected {\"do\": \"…\", …}");
    edit(clean, reply);
  } catch (const std::exception& error) {
    reply = EditReply();
    reply.ok = false;
    reply.error = error.what();
    return reply;
  }
  // The edit is done; that it is not written down must be told.
  try {
    journal_.add(steps_, clean, before);
  } catch (const std::exception& error) {
    reply.notes.push_back(fmt::format("{}: this edit is not in it, and it cannot be replayed", error.what()));
  }
  return reply;
}

void LiveRun::edit(const Json& edit, EditReply& reply) {
  const std::string what = edit["do"];
  if (is_model_edit(what)) return edit_model(edit, reply);
  if (what == "pull") return pull(edit, reply);
  if (what == "release") return release(edit, reply);
  if (what == "set-input") return set_input(edit);
  if (what == "undo") return travel(undo_, redo_, reply);
  if (what == "redo") return travel(redo_, undo_, reply);
  if (what == "reset") return reset();
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
  // What is pulled may be gone.
  std::vector<Pull> pulls = pulls_;
  std::erase_if(pulls, [&](const Pull& p) { return draft.model.body(p.body) == nullptr; });
  Version before{model_, describe_edit(edit)};
  go_on_with(std::make_shared<const Mechanism>(std::move(draft.model)), std::move(pulls), reply);
  reply.name = draft.name;
  reply.notes.insert(reply.notes.begin(), draft.notes.begin(), draft.notes.end());
  undo_.push_back(std::move(before));
  if (undo_.size() > kMaxUndo) undo_.pop_front();
  redo_.clear();
}

void LiveRun::travel(std::deque<Version>& from, std::deque<Version>& to, EditReply& reply) {
  if (from.empty())
    throw std::invalid_argument(&from == &undo_ ? "there is nothing to undo" : "there is nothing to redo");
  const Version target = from.back();
  Version here{model_, target.label};
  std::vector<Pull> pulls = pulls_;
  std::erase_if(pulls, [&](const Pull& p) { return target.model->body(p.body) == nullptr; });
  go_on_with(target.model, std::move(pulls), reply);
  from.pop_back();
  to.push_back(std::move(here));
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
  if (same) {
    known->target = target;
    const std::size_t at = first_input(*model_, static_cast<std::size_t>(known - pulls_.begin()));
    for (std::size_t i = 0; i < (model_->is_planar ? 2U : 3U); ++i)
      simulation_->set_input(at + i, target[static_cast<Eigen::Index>(i)]);
    return;
  }
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
  go_on_with(model_, std::move(pulls), reply);
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
  if (pulls.size() != pulls_.size()) go_on_with(model_, std::move(pulls), reply);
}

void LiveRun::set_input(const Json& edit) {
  const JsonFields fields(edit, "set-input", {"do", "name", "value"});
  const std::string name = fields.text("name");
  for (std::size_t k = 0; k < model_->inputs.size(); ++k)
    if (model_->inputs[k].name == name) return simulation_->set_input(k, fields.number("value"));
  throw std::invalid_argument(fmt::format("there is no input '{}'", name));
}

void LiveRun::reset() {
  auto next = std::make_unique<Simulation>(with_pulls(*model_, {}), model_->plan, executor_for(model_->plan));
  require_accepted(next->assemble(), *next);
  pulls_.clear();
  phases_.clear();
  take(std::move(next));
}

void LiveRun::go_on_with(std::shared_ptr<const Mechanism> model, std::vector<Pull> pulls, EditReply& reply) {
  DriverPhases phases = model == model_ ? phases_ : phases_for(*model, *model_, phases_, *simulation_);
  auto next = std::make_unique<Simulation>(with_phases(with_pulls(*model, pulls), phases), model->plan,
                                           executor_for(model->plan));
  const TakeOver over = next->take_over(*simulation_);
  if (!over.assembly.open.empty())
    throw std::invalid_argument(explain(over.assembly, *next) +
                                "; or reset first: the parts then stand as at the start");
  require_accepted(over.assembly, *next);
  const std::set<std::string> changed = changed_phases(phases_, phases);
  for (const Driver& driver : next->mechanism().drivers)
    if (changed.contains(driver.name))
      reply.notes.push_back(fmt::format("driver '{}' goes on from where it is: it follows {}", driver.name,
                                        fmt::join(driver.equals, ", ")));
  reply.moved = over.assembly.largest_move;
  reply.impulse = over.impulse;
  reply.energy = over.energy;
  model_ = std::move(model);
  pulls_ = std::move(pulls);
  phases_ = std::move(phases);
  take(std::move(next));
}

void LiveRun::take(std::unique_ptr<Simulation> simulation) {
  simulation_ = std::move(simulation);
  landings_.emplace(*simulation_, step_size());
  ++revision_;
}

std::string LiveRun::yaml(bool now) const {
  // A file may not have options of methods that were in use before.
  const auto written = [](Mechanism model, const std::string& remark = "") {
    model.plan = simulation::without_unread(model.plan);
    return write_model(model, remark);
  };
  if (now)
    return written(
        moving_as(with_phases(*model_, phases_), *simulation_),
        fmt::format("As it stood and moved at t = {:.6g} s, which is time 0 here.", simulation_->state().t));
  if (model::frames_are_closed(*model_)) return written(*model_);
  // Only as it stands can the file say how these bodies are held together.
  try {
    Simulation start(with_pulls(*model_, {}), model_->plan);
    require_accepted(start.assemble(), start);
    return written(placed_as(*model_, start));
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(error.what());
  }
}

}  // namespace trammel::live
