#include "simulation/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "formulations/reactions/work.h"
#include "mechanism/signals.h"
#include "simulation/frictions.h"
#include "simulation/held_start.h"
#include "simulation/loaded_system.h"
#include "simulation/modular/modular.h"
#include "simulation/passages.h"
#include "simulation/switches.h"

namespace trammel::simulation {
namespace {

std::vector<mechanism::Watched> watched_by(const Mechanism& mechanism) {
  std::vector<mechanism::Watched> all;
  for (const EndStop& stop : mechanism.stops) {
    const Joint* joint = mechanism.joint(stop.joint);
    const char* quantity = !joint ? "" : mechanism::has_angle(mechanism, *joint) ? ".angle" : ".displacement";
    all.push_back({stop.joint + quantity});
    all.push_back({stop.joint + ".rate"});
  }
  for (const Friction& friction : frictions_of(mechanism)) {
    all.push_back({friction.speed});
    all.push_back({friction.capacity});
    all.push_back({friction.most});
  }
  for (const Switch& one : switches_of(mechanism)) all.push_back(one.watched);
  const Passages passages(mechanism);
  for (const std::string& signal : passages.signals()) all.push_back({signal});
  if (!mechanism.stop_when.empty()) all.push_back({mechanism.stop_when});
  return all;
}

// The loads that dry frictions read, in the order of their inputs.
std::vector<FrictionLoad> loads_of(const Mechanism& mechanism) {
  std::vector<FrictionLoad> all;
  for (const Friction& friction : frictions_of(mechanism)) {
    if (!friction.is_loaded()) continue;
    const auto force = std::ranges::find(mechanism.forces, friction.name, &Force::name);
    const DryFriction::Now now = std::get<DryFriction>(force->law).now;
    const bool slips = now == DryFriction::Now::forward || now == DryFriction::Now::backward;
    all.push_back({friction.name, friction.contact, slips});
  }
  return all;
}

// The mechanism with one more constraint for each stop that holds, and its dry frictions as they are now.
Mechanism held(const Mechanism& mechanism, const Holds& holds, const Grips& grips) {
  Mechanism out = mechanism;
  auto grip = grips.begin();
  for (Force& force : out.forces)
    if (auto* friction = std::get_if<DryFriction>(&force.law)) friction->now = *grip++;
  write_loads(out);
  for (std::size_t k = 0; k < holds.size(); ++k) {
    if (holds[k] == 0) continue;
    const EndStop& stop = mechanism.stops[k];
    const double limit = holds[k] < 0 ? *stop.lower : *stop.upper;
    if (out.generalized) {
      out.generalized->constraints.push_back(
          {stop.name, fmt::format("{} - ({:.17g})", stop.joint, limit), stop.where});
    } else {
      Driver driver;
      driver.name = stop.name;
      driver.of = stop.joint;
      driver.equals = {fmt::format("{:.17g}", limit)};
      out.drivers.push_back(std::move(driver));
    }
  }
  return out;
}

}  // namespace

Mode::Mode(const std::shared_ptr<const system::System>& s, const Mechanism& mechanism,
           const ResolvedPlan& plan)
    : system(s), method(make_method(s, plan)), reader(system, mechanism, plan) {}

Mode::Mode(std::unique_ptr<Method> m, Modular& as_modular, const Mechanism& mechanism,
           const ResolvedPlan& plan)
    : system(as_modular.whole()),
      method(std::move(m)),
      modular(&as_modular),
      reader(system, mechanism, plan) {}

Method& Mode::aside(const ResolvedPlan& plan) {
  if (!aside_) aside_ = make_method(system, plan);
  return *aside_;
}

Modes::Modes(const Mechanism& mechanism, const ResolvedPlan& plan, Executor* executor)
    : mechanism_(with_start_turns(mechanism)),
      plan_(plan),
      executor_(executor),
      watched_(watched_by(mechanism)) {}

std::unique_ptr<Mode> Modes::make(const Mechanism& mechanism) const {
  if (plan_.formulation != FormulationKind::modular) {
    std::shared_ptr<const system::System> system =
        system::compile(mechanism, system::coordinates_of(plan_), watched_);
    if (std::vector<FrictionLoad> loads = loads_of(mechanism); !loads.empty())
      system = std::make_shared<LoadedSystem>(std::move(system), std::move(loads));
    return std::make_unique<Mode>(system, mechanism, plan_);
  }
  const Modular* like = nullptr;
  for (const auto& [key, mode] : all_)
    if (mode) like = mode->modular;
  auto method = std::make_unique<Modular>(mechanism, plan_, watched_, executor_, like);
  Modular& modular = *method;
  return std::make_unique<Mode>(std::move(method), modular, mechanism, plan_);
}

void Modes::follow(const Mechanism& mechanism, const Holds& holds, State& state) {
  std::vector<mechanism::Watched> watched = watched_by(mechanism);
  Mode& old = at(holds, {});
  State after = old.modular->follow(held(mechanism, holds, {}), watched, state);
  auto mode = std::make_unique<Mode>(std::move(old.method), *old.modular, mechanism, plan_);
  all_.clear();
  all_[{holds, {}}] = std::move(mode);
  mechanism_ = mechanism;
  watched_ = std::move(watched);
  state = std::move(after);
}

Mode& Modes::at(const Holds& holds, const Grips& grips) {
  std::unique_ptr<Mode>& mode = all_[{holds, grips}];
  if (!mode) {
    mode = make(held(mechanism_, holds, grips));
    for (const auto& [key, other] : all_)
      if (other->system->sizes().v != mode->system->sizes().v)
        throw std::logic_error("a stop that holds, or friction that sticks, has changed the coordinates");
  }
  return *mode;
}

Running::Running(const Mechanism& m, const Plan& a, const ResolvedPlan& p, std::shared_ptr<Executor> e)
    : mechanism(m),
      asked(a),
      plan(p),
      executor(std::move(e)),
      modes(m, p, executor.get()),
      mode(&modes.at(Holds(m.stops.size(), 0), Grips(frictions_of(m).size(), DryFriction::Now::open))) {
  state = mode->system->initial_state();
  if (!m.stops.empty()) state.remember(kStops, m.stops.size());
  if (const std::size_t count = frictions_of(m).size(); count > 0) state.remember(kGrips, count);
}

namespace {

// On by h with a constant acceleration.
void coast(const system::System& system, double h, const std::vector<double>& a, State& s) {
  std::vector<double> way(s.v.size());
  for (std::size_t i = 0; i < way.size(); ++i) {
    way[i] = h * (s.v[i] + 0.5 * h * a[i]);
    s.v[i] += h * a[i];
  }
  system.retract(s.q, way);
  s.t += h;
}

// Whether the middle is about the mean of the ends, to a quarter of their difference and rounding.
bool changes_evenly(const std::vector<double>& begin, const std::vector<double>& middle,
                    const std::vector<double>& end) {
  constexpr double kEven = 0.25, kRounding = 1e-10;
  double largest = 0;
  for (const double a : begin) largest = std::max(largest, std::abs(a));
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const double uneven = middle[i] - 0.5 * (begin[i] + end[i]);
    // False for what is not a number, too.
    if (!(std::abs(uneven) <= kEven * std::abs(end[i] - begin[i]) + kRounding * largest)) return false;
  }
  return true;
}

}  // namespace

Holds Running::holds(const State& s) const {
  Holds holds(mechanism.stops.size(), 0);
  if (const std::vector<double>* memory = s.recall(kStops))
    for (std::size_t k = 0; k < holds.size(); ++k) holds[k] = static_cast<int>((*memory)[k]);
  return holds;
}

Grips Running::grips(const State& s) const {
  Grips grips;
  if (const std::vector<double>* memory = s.recall(kGrips))
    for (const double now : *memory) grips.push_back(static_cast<DryFriction::Now>(static_cast<int>(now)));
  return grips;
}

void Running::grip(const Grips& grips) {
  mode = &modes.at(holds(), grips);
  state.lambda.assign(static_cast<std::size_t>(mode->system->sizes().rows), 0.0);
  std::ranges::transform(grips, state.remember(kGrips, grips.size()).begin(),
                         [](DryFriction::Now now) { return static_cast<double>(now); });
}

void Running::hold(const Holds& holds) {
  mode = &modes.at(holds, grips());
  state.lambda.assign(static_cast<std::size_t>(mode->system->sizes().rows), 0.0);
  std::copy(holds.begin(), holds.end(), state.remember(kStops, holds.size()).begin());
}

void Running::restore(const State& s) {
  state = s;
  mode = &modes.at(holds(), grips());
}

// By accelerations at the beginning, in the middle and at the end, as Simpson's rule has it:
// v₊ = v + h (a + 4aₘ + a₊)/6, q₊ = q + h v + h² (a + 2aₘ)/6. Where they do not change about evenly, as next
// to a time at which a force is infinite, the acceleration is that of the beginning.
StepResult Running::creep(double h) {
  const system::System& system = *mode->system;
  const bool has_work = system.has_work(), has_states = !state.x.empty();
  system::Terms& terms = mode->reader.scratch();
  const auto power = [&] {
    if (has_work || has_states) system.evaluate(state, system::kAskForces, terms);
    return has_work ? formulations::power(system, terms, state) : 0;
  };
  const double before = power();
  const std::vector<double> rates = has_states ? terms.x_dot : std::vector<double>();
  State middle = state, end = state;
  coast(system, 0.5 * h, state.a, middle);
  for (std::size_t i = 0; i < state.x.size(); ++i) middle.x[i] += 0.5 * h * rates[i];
  bool even = mode->reader.index1().accelerations(middle).accepted();
  coast(system, h, even ? middle.a : state.a, end);
  for (std::size_t i = 0; i < state.x.size(); ++i) end.x[i] += h * rates[i];
  even =
      even && mode->reader.index1().accelerations(end).accepted() && changes_evenly(state.a, middle.a, end.a);
  std::vector<double> mean = state.a, mean_of_way = state.a;
  for (std::size_t i = 0; even && i < mean.size(); ++i) {
    mean[i] = (state.a[i] + 4 * middle.a[i] + end.a[i]) / 6;
    mean_of_way[i] = (state.a[i] + 2 * middle.a[i]) / 3;
  }
  coast(system, h, mean_of_way, state);
  for (std::size_t i = 0; i < mean.size(); ++i) state.v[i] += h * (mean[i] - mean_of_way[i]);
  state.x = end.x;
  if (even) state.a = end.a;
  const double after = power();
  for (std::size_t i = 0; i < state.x.size(); ++i) state.x[i] += 0.5 * h * (terms.x_dot[i] - rates[i]);
  if (has_work) {
    std::vector<double>& work = state.remember(formulations::kWork, 2);
    work[1] = after;
    work[0] += 0.5 * h * (before + work[1]);
  }
  return {};
}

Report Running::start() {
  state.forget_steps();
  return begin(*mode->system, mode->reader.index1(), *mode->method, state);
}

}  // namespace trammel::simulation
