#include "trammel/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "forms/take_state.h"
#include "formulations/independent/coordinate_changes.h"
#include "formulations/projection/assembly.h"
#include "formulations/rows/row_parameters.h"
#include "integrators/ode_step.h"
#include "simulation/breaks.h"
#include "simulation/bring_together.h"
#include "simulation/events.h"
#include "simulation/follow_jumps.h"
#include "simulation/held_start.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "simulation/start_path.h"
#include "simulation/yielding_gears.h"
#include "trammel/motion_reader.h"

namespace trammel {
namespace {

// A failed step is halved this often before it is given up: 64 times smaller.
constexpr int kMaxHalvings = 6;
void require_assembly(bool assembled) {
  if (!assembled) throw std::logic_error("assemble() the mechanism before its first step");
}

void require_step(double t, double h) {
  if (!std::isfinite(h) || h <= 0)
    throw std::invalid_argument(fmt::format("a step of {} s is not possible; give a positive time", h));
  if (!std::isfinite(t + h) || t + h == t)
    throw std::invalid_argument(
        fmt::format("a step of {} s from t = {} s is lost in rounding; give another size", h, t));
}

std::vector<std::string> problems_of(const Mechanism& mechanism, const Plan& plan) {
  std::vector<std::string> problems;
  for (const Issue& issue : validate(mechanism))
    problems.push_back(issue.message + (issue.remedy.empty() ? "" : "; " + issue.remedy));
  for (std::string& problem : check_plan(plan)) problems.push_back(std::move(problem));
  return problems;
}

// What is wrong at the coordinates to which assembly has moved a model with its own, as a mass that is
// negative there; empty: nothing.
std::string wrong_where_assembled(Mechanism mechanism, const State& state) {
  if (!mechanism.generalized) return {};
  for (std::size_t k = 0; k < mechanism.generalized->coordinates.size(); ++k)
    mechanism.generalized->coordinates[k].start = state.q[k];
  const std::vector<Issue> issues = validate(mechanism);
  return issues.empty() ? ""
                        : fmt::format("where assembly has moved the coordinates, {}; {}",
                                      issues.front().message, issues.front().remedy);
}

// From places far beyond the size of the mechanism: bodies are first brought to their joints without turning.
bool assemble_from_afar(const Mechanism& mechanism, const system::System& system, State& state,
                        AssemblyReport& out) {
  if (mechanism.generalized) return false;
  const std::optional<Mechanism> held = simulation::held_start(mechanism);
  const Mechanism start = simulation::with_start_turns(held ? *held : mechanism);
  // In natural coordinates, as any rough placement.
  std::shared_ptr<const system::System> closing;
  try {
    closing = system::compile(start);
  } catch (const std::invalid_argument&) {
    return false;
  }
  State placed = closing->initial_state();
  std::vector<Pose> nearer = closing->poses(placed);
  simulation::bring_together(start, closing->length_scale(), nearer);
  closing->place(start.bodies, nearer, placed);
  if (!formulations::assemble_positions(*closing, placed, formulations::Moves::far).report.accepted())
    return false;
  state = system.initial_state();
  system.place(mechanism.bodies, closing->poses(placed), state);
  system.take_turns(closing->turns(placed), state);
  const AssemblyReport closed = formulations::assemble(system, state);
  if (closed.report.accepted()) out = closed;
  return closed.report.accepted();
}

// Closed joints are not closed again: that would move them by rounding.
bool stands_as_assembled(const simulation::Running& running) {
  if (!running.assembled) return false;
  const State &now = running.state, &start = running.assembled->begun;
  return now.q == start.q && now.v == start.v && now.x == start.x;
}

}  // namespace

Simulation::Simulation(const Mechanism& mechanism, const Plan& plan, std::shared_ptr<Executor> executor) {
  const std::vector<std::string> problems = problems_of(mechanism, plan);
  if (!problems.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(problems, "\n")));
  const std::string problem = simulation::misfit(mechanism, plan.coordinates);
  if (!problem.empty()) throw std::invalid_argument(problem);
  running_ = std::make_unique<simulation::Running>(mechanism, plan, simulation::resolve(plan, mechanism),
                                                   std::move(executor));
  for (const auto* list : {&plan.penalty_of, &plan.omega_of, &plan.mu_of})
    for (const auto& [name, value] : *list)
      if (!formulations::owns_row(system(), name))
        throw std::invalid_argument(fmt::format("'{}' has no constraint equation of its own; {}", name,
                                                formulations::name_an_owner(system())));
  watch_events();
}

Simulation::~Simulation() = default;

void Simulation::watch_events() {
  events_.reset();
  pieces_ = std::make_unique<simulation::Pieces>();
  breaks_ = std::make_unique<simulation::Breaks>(
      mechanism(), simulation::Breaks::Samples{first_sample_, sampling_.make ? sampling_.every : 0});
  if (breaks_->none()) breaks_.reset();
  if (simulation::Events::any(mechanism()) || !watched_.empty())
    events_ = std::make_unique<simulation::Events>(
        *running_, *pieces_, [this](double h) { return try_step(h, 0); }, functions_of_state());
}

std::vector<simulation::FunctionOfState> Simulation::functions_of_state() const {
  std::vector<simulation::FunctionOfState> all;
  for (const WatchedFunction& one : watched_)
    all.push_back(
        {one.name, [this, &one](const State& s) { return one.value(MotionReader(*this, s)); }, one.ends});
  return all;
}

void Simulation::control(Sampling sampling) {
  if (sampling.make && !(sampling.every > 0 && std::isfinite(sampling.every)))
    throw std::invalid_argument(
        fmt::format("a controller cannot act every {} s; give a positive time", sampling.every));
  // As many as there may be steps: nobody waits for more, and rounding would stop the time.
  if (constexpr double kMost = 1e10; sampling.make && plan().duration / sampling.every > kMost)
    throw std::invalid_argument(
        fmt::format("a controller that acts every {} s would act {:.2g} times in {} s; give a longer time",
                    sampling.every, plan().duration / sampling.every, plan().duration));
  require_assembly(assembled_);
  sampling_ = std::move(sampling);
  first_sample_ = state().t;
  controller_ = sampling_.make ? sampling_.make() : Controller();
  watch_events();
  if (controller_) controller_(*this);
}

void Simulation::watch(std::vector<WatchedFunction> functions) {
  watched_ = std::move(functions);
  std::erase_if(running_->state.memory, [](const Memory& m) { return m.slot == simulation::kCrossings; });
  watch_events();
}

const State& Simulation::state() const { return running_->state; }
void Simulation::restore(const State& state) {
  const system::Sizes& sizes = system().sizes();
  const auto has = [](const std::vector<double>& x, int size) {
    return x.size() == static_cast<std::size_t>(size);
  };
  if (!has(state.q, sizes.q) || !has(state.v, sizes.v) || !has(state.x, sizes.states) ||
      !has(state.inputs, sizes.inputs))
    throw std::invalid_argument(
        "this state is not of this mechanism and its coordinates; restore() takes copies of state() of the "
        "same "
        "model");
  const auto finite = [](const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
  };
  if (!std::isfinite(state.t) || !finite(state.q) || !finite(state.v))
    throw std::invalid_argument("a time, position or velocity of this state is not a finite number");
  running_->restore(state);
  assembled_ = true;
}
void Simulation::set_time(double t) {
  if (!std::isfinite(t)) throw std::invalid_argument(fmt::format("the time cannot be {} s", t));
  State& s = running_->state;
  const bool elsewhere = !integrators::same_time(t, s.t);
  s.t = t;
  if (elsewhere) s.after = -std::numeric_limits<double>::infinity();
  if (elsewhere) s.before = std::numeric_limits<double>::infinity();
}
void Simulation::set_input(std::size_t index, double value) {
  if (index >= mechanism().inputs.size())
    throw std::invalid_argument(fmt::format("there is no input {}; the model has {}, counted from 0", index,
                                            mechanism().inputs.size()));
  double& input = running_->state.inputs[index];
  if (!std::isfinite(value))
    throw std::invalid_argument(fmt::format("input '{}' cannot be {}; give a finite number",
                                            mechanism().inputs.at(index).name, value));
  input = value;
}
const Mechanism& Simulation::mechanism() const { return running_->mechanism; }
const Plan& Simulation::plan() const { return running_->asked; }
const ResolvedPlan& Simulation::resolved() const { return running_->plan; }
const std::shared_ptr<Executor>& Simulation::executor() const { return running_->executor; }
const system::System& Simulation::system() const { return *running_->mode->system; }
std::shared_ptr<const system::System> Simulation::shared_system() const { return running_->mode->system; }

// Where a rough placement closes must not depend on the coordinates of a run: natural ones decide it. Given
// coordinates are held meanwhile; the report says where that cannot be.
AssemblyReport Simulation::place_at_start() {
  if (const auto led = simulation::lead_along_turns(mechanism())) {
    system().place(mechanism().bodies, led->poses, running_->state);
    system().take_turns(led->turns, running_->state);
    return {};
  }
  const CoordinatesKind coordinates = resolved().coordinates;
  const std::optional<Mechanism> held = simulation::held_start(mechanism());
  if (!held && coordinates != CoordinatesKind::reference && coordinates != CoordinatesKind::relative)
    return {};
  if (held) {
    AssemblyReport refusal;
    refusal.report.message = simulation::too_many_turns(mechanism());
    refusal.report.outcome = Outcome::refused;
    if (!refusal.report.message.empty()) return refusal;
  }
  const Mechanism start = simulation::with_start_turns(held ? *held : mechanism());
  std::shared_ptr<const system::System> natural;
  try {
    natural = system::compile(start);
  } catch (const std::invalid_argument&) {
    // Other coordinates can express more.
    if (!held) return {};
    natural = system::compile(start, system::coordinates_of(resolved()));
  }
  State placed = natural->initial_state();
  AssemblyReport report = formulations::assemble_positions(*natural, placed);
  if (!report.report.accepted()) return held ? report : AssemblyReport();
  system().place(mechanism().bodies, natural->poses(placed), running_->state);
  system().take_turns(natural->turns(placed), running_->state);
  return report;
}

AssemblyReport Simulation::assemble() {
  if (assembled_ && state().t != 0)
    throw std::logic_error(
        fmt::format("assemble() is for the start, and the simulation stands at t = {:g} s; make a new "
                    "Simulation, or restore() "
                    "its first state",
                    state().t));
  if (stands_as_assembled(*running_)) {
    State closed = running_->assembled->closed;
    closed.inputs = state().inputs;
    running_->restore(closed);
    return begin(running_->assembled->report);
  }
  AssemblyReport out = place_at_start();
  if (out.report.accepted()) out = formulations::assemble(system(), running_->state);
  if (out.report.outcome == Outcome::assembly_failed && !out.open.empty()) {
    if (const auto start = simulation::lead_to_start(mechanism())) {
      system().place(mechanism().bodies, start->poses, running_->state);
      system().take_turns(start->turns, running_->state);
      out = formulations::assemble(system(), running_->state);
    } else if (!assemble_from_afar(mechanism(), system(), running_->state, out)) {
      out.report.message = simulation::out_of_reach(mechanism());
    }
  }
  if (!out.report.accepted()) return out;
  if (std::string wrong = wrong_where_assembled(mechanism(), state()); !wrong.empty()) {
    out.report.outcome = Outcome::refused;
    out.report.message = std::move(wrong);
    return out;
  }
  out.largest_move = largest_move();
  out.rough_shapes = rough_shapes();
  simulation::Running::Assembled start{state(), {}, out};
  out = begin(std::move(out));
  start.begun = state();
  if (out.report.accepted()) running_->assembled = std::move(start);
  return out;
}

// What acts is seen just after the start; where it is infinite there (time_limits.h), as far after it as
// after a break, so that steps can begin.
void Simulation::see_start() {
  State& s = running_->state;
  s.after = std::nextafter(s.t, std::numeric_limits<double>::infinity());
  const simulation::TimeLimits::Missing missing = running_->mode->reader.time_limits().missing_at(s);
  // A force that is infinite at the start no step of fixed length follows.
  if (missing.words.empty() || (missing.of_force && !simulation::controls_error(resolved()))) return;
  const double scale = std::max(std::abs(s.t), simulation::landing_interval(resolved()));
  s.after = s.t + 8 * simulation::Breaks::kRounding * scale;
}

// Accelerations, multipliers, memories and events of a state whose joints are closed.
AssemblyReport Simulation::begin(AssemblyReport out) {
  const auto passes = [&](const Report& report) {
    if (report.accepted()) return true;
    out.report.outcome = report.outcome;
    out.report.message = report.message;
    return false;
  };
  if (breaks_) see_start();
  if (!passes(running_->start())) return out;
  Report refusal;
  refusal.message = running_->mode->method->refusal(state());
  if (refusal.message.empty())
    refusal.message = simulation::yielding_gears(system(), running_->mode->reader.projector(), state());
  if (!refusal.message.empty()) refusal.outcome = Outcome::refused;
  if (passes(refusal) && events_) passes(events_->start());
  assembled_ = out.report.accepted();
  return out;
}

// How far assembly took a centre of mass or a named point from where the model places it.
double Simulation::largest_move() const {
  double largest = 0;
  const std::vector<Pose> poses = system().poses(running_->state);
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Body& body = mechanism().bodies[b];
    const Vec3 placed = body.placement.at + body.placement.axes * body.com;
    largest = std::max(largest, (poses[b].position - placed).norm());
  }
  const std::vector<Vec3> points = system().point_positions(running_->state);
  for (std::size_t k = 0; k < points.size(); ++k)
    largest = std::max(largest, (points[k] - mechanism().points[k].at).norm());
  return largest;
}

// A rod has its length; any other body has the shape that the places of its points give it.
std::vector<std::string> Simulation::rough_shapes() const {
  constexpr double kExact = 1e-6;  // m
  constexpr double kRounding = 1e-12;
  const std::vector<Vec3> points = system().point_positions(running_->state);
  std::map<std::string, std::pair<int, bool>> carried;  // by body: how many points, and whether one moved
  for (std::size_t k = 0; k < points.size(); ++k)
    for (const Marker& marker : mechanism().points[k].on) {
      const Body* body = mechanism().body(marker.body);
      if (body == nullptr || body->kind != Body::Kind::rigid) continue;
      // Given in body axes it would hardly be at the rough place to the last digit.
      const Vec3 placed = body->placement.at + body->placement.axes * marker.frame.at;
      if ((placed - mechanism().points[k].at).norm() > kRounding * (1 + placed.norm())) continue;
      auto& [count, moved] = carried[marker.body];
      ++count;
      moved = moved || (points[k] - mechanism().points[k].at).norm() > kExact;
    }
  std::vector<std::string> names;
  for (const auto& [name, shape] : carried)
    if (shape.first > 1 && shape.second) names.push_back(name);
  return names;
}

StepResult Simulation::step(double h) {
  require_assembly(assembled_);
  require_step(state().t, h);
  if (!breaks_) return step_to_landing(h, false);
  const double end = state().t + h;
  // A step that fails leaves no trace of what was found ahead.
  forms::take(state(), start_);
  StepResult all;
  if (!at_break() && look_ahead(end, h) == end) {
    all = step_to_landing(h, false);
    if (!all.report.accepted()) running_->restore(start_);
    return all;
  }
  all.steps = 0;
  while (all.report.accepted() && !all.ended && state().t < end) {
    StepResult part;
    part.report = pass_break(part.events);
    const double to = look_ahead(end, h);
    if (part.report.accepted()) {
      const std::vector<Event> passed = std::move(part.events);
      const double rest = to - state().t;
      part = rest < simulation::kShort && rest < h ? running_->creep(rest) : step_to_landing(rest, rest < h);
      part.events.insert(part.events.begin(), passed.begin(), passed.end());
    }
    all.take(part);
    if (part.report.accepted() && !part.ended) running_->state.t = to;
  }
  if (!all.report.accepted()) running_->restore(start_);
  return all;
}

// By h, to a landing; cut: by a break, from a longer step. The second run of an error estimate goes there in
// two parts where the first run takes one.
StepResult Simulation::step_to_landing(double h, bool cut) {
  const auto whole = [this](double part) { return events_ ? events_->advance(part) : try_step(part, 0); };
  const std::vector<double>* second = state().recall(simulation::kSecondRun);
  const double of_step = second == nullptr                               ? 0
                         : cut || simulation::controls_error(resolved()) ? 0.5
                                                                         : second->back();
  if (of_step == 0) return whole(h);
  const State start = state();
  StepResult both = whole(of_step * h < simulation::kShort ? 0.5 * h : of_step * h);
  if (both.report.accepted() && !both.ended && state().t < start.t + h)
    both.take(whole(start.t + h - state().t));
  if (!both.report.accepted()) running_->restore(start);
  return both;
}

bool Simulation::at_break() const { return state().t >= state().before; }

// Where the next step has to end, so that no force or driver breaks within it. A break that differs from the
// end by rounding is at the end: no step is worth taking between them.
double Simulation::look_ahead(double end, double step) {
  State& s = running_->state;
  const double rounding = simulation::Breaks::kRounding * std::abs(end);
  const simulation::Breaks::Next next =
      breaks_->after(s, end + 2 * rounding, simulation::controls_error(resolved()) ? 0 : step);
  const bool at_end = next.t >= end - 4 * rounding;
  s.before = next.breaks ? std::min(next.before(), end - rounding) : std::numeric_limits<double>::infinity();
  return at_end ? end : next.t;
}

// Goes on beyond the break at which the last step has ended. Where the speed that a constraint asks for
// jumps there, an impulse makes the mechanism follow; at its sample times the controller acts.
Report Simulation::pass_break(std::vector<Event>& events) {
  if (!at_break()) return {};
  State& s = running_->state;
  const State before = s;
  // Beyond every time that look_ahead() takes for this one.
  s.after = s.t + 8 * simulation::Breaks::kRounding * std::abs(s.t);
  s.before = std::numeric_limits<double>::infinity();
  Report report = simulation::follow_jumps(*running_, before, events);
  if (report.accepted() && controller_ && breaks_->is_sample(s.t)) controller_(*this);
  return report;
}

// Of a way that is cut at a break the second run of an error estimate takes half at most, once: the first run
// may go to the break in one step.
double Simulation::half_way(double to) {
  const std::vector<double>* second = state().recall(simulation::kSecondRun);
  if (second == nullptr || second->front() == to || to - state().t < 2 * simulation::kShort) return to;
  running_->state.remember(simulation::kSecondRun, 1).front() = to;
  return state().t + 0.5 * (to - state().t);
}

StepResult Simulation::advance(double most) {
  require_assembly(assembled_);
  require_step(state().t, most);
  if (!dense()) return step(most);
  const State start = breaks_ && at_break() ? state() : State();
  std::vector<Event> passed;
  double to = state().t + most;
  const auto undone = [&](StepResult failed) {
    if (!start.q.empty()) running_->restore(start);
    return failed;
  };
  if (breaks_) {
    StepResult passing;
    passing.report = pass_break(passed);
    if (!passing.report.accepted()) return undone(std::move(passing));
    const double asked = to;
    to = look_ahead(to, 0);
    if (to < asked) to = half_way(to);
    most = to - state().t;
  }
  pieces_->clear();
  if (!events_) pieces_->begin(*running_, most >= simulation::kShort);
  StepResult result = events_                      ? events_->advance(most, true)
                      : most >= simulation::kShort ? running_->mode->method->advance(running_->state, most)
                                                   : running_->creep(most);
  if (!breaks_) return result;
  if (!result.report.accepted()) return undone(std::move(result));
  if (integrators::same_time(state().t, to)) running_->state.t = to;
  result.events.insert(result.events.begin(), passed.begin(), passed.end());
  return result;
}

bool Simulation::dense() const {
  return running_->mode->method->dense(state()) && !(events_ && events_->need_landings());
}

StepResult Simulation::between(double t, State& at, Wanted wanted) {
  return pieces_->at(*running_, t, at, wanted);
}

StepResult Simulation::try_step(double h, int depth) {
  StepResult result = running_->mode->method->step(running_->state, h);
  if (result.report.accepted()) return result;
  result.report.step = h;
  if (depth == kMaxHalvings || !running_->mode->method->halves_help()) return result;
  ++rejected_steps_;
  const State before = running_->state;
  StepResult first = try_step(0.5 * h, depth + 1);
  if (!first.report.accepted()) return first;
  StepResult second = try_step(0.5 * h, depth + 1);
  second.iterations += first.iterations;
  if (!second.report.accepted()) running_->state = before;
  if (second.report.outcome == Outcome::ok && first.report.outcome == Outcome::marked) {
    second.report = first.report;
  }
  second.violation.take_larger(first.violation);
  return second;
}

simulation::StateReader& Simulation::reader(const State& state) const {
  return running_->modes.at(running_->holds(state), running_->grips(state)).reader;
}
State Simulation::with_reactions(Report& report) const {
  return running_->mode->reader.with_reactions(state(), report);
}

long Simulation::rejected_steps() const {
  long all = rejected_steps_;
  for (const auto& [key, mode] : running_->modes.all()) all += mode->method->rejected();
  return all;
}

int Simulation::solver_fallovers() const {
  int all = 0;
  for (const auto& [key, mode] : running_->modes.all()) all += mode->method->solver_fallovers();
  return all;
}

int Simulation::coordinate_changes() const { return formulations::coordinate_changes(state()); }

std::string Simulation::choice() const { return running_->mode->method->choice(state()); }

std::string Simulation::solver_name() const { return running_->mode->method->solver_name(); }

}  // namespace trammel
