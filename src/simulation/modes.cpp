#include "simulation/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "formulations/coordinate_changes.h"
#include "formulations/work.h"
#include "mechanism/signals.h"

namespace trammel {
namespace {

constexpr const char* kStops = "stops";
constexpr const char* kStateRates = "state rates";
// Memories that belong to the motion; the others belong to methods, and are made anew after a jump.
constexpr const char* kKept[] = {"angles", kWork, kStops, kContacts, kCoordinateChanges};

std::vector<std::string> watched_by(const Mechanism& mechanism) {
  std::vector<std::string> texts;
  for (const EndStop& stop : mechanism.stops) {
    const Joint* joint = mechanism.joint(stop.joint);
    const char* quantity = !joint ? "" : has_angle(mechanism, *joint) ? ".angle" : ".displacement";
    texts.push_back(stop.joint + quantity);
    texts.push_back(stop.joint + ".rate");
  }
  if (!mechanism.stop_when.empty()) texts.push_back(mechanism.stop_when);
  return texts;
}

// The mechanism with one more constraint for each stop that holds.
Mechanism held(const Mechanism& mechanism, const Holds& holds) {
  Mechanism out = mechanism;
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

Mode::Mode(std::shared_ptr<const System> s, const Plan& plan)
    : system(std::move(s)),
      method(make_method(system, plan)),
      index1(*system, SolverChoice::automatic),
      projector(*system, SolverChoice::automatic) {}

Modes::Modes(const Mechanism& mechanism, const Plan& plan)
    : mechanism_(mechanism), plan_(plan), watched_(watched_by(mechanism)) {}

Mode& Modes::at(const Holds& holds) {
  std::unique_ptr<Mode>& mode = all_[holds];
  if (!mode) {
    mode = std::make_unique<Mode>(compile(held(mechanism_, holds), coordinates_of(plan_), watched_), plan_);
    for (const auto& [other_holds, other] : all_)
      if (other->system->sizes().v != mode->system->sizes().v)
        throw std::logic_error("a stop that holds has changed the coordinates");
  }
  return *mode;
}

Running::Running(const Mechanism& m, const Plan& p)
    : mechanism(m), plan(p), modes(m, p), mode(&modes.at(Holds(m.stops.size(), 0))) {
  state = mode->system->initial_state();
  if (!m.stops.empty()) state.remember(kStops, m.stops.size());
}

Holds Running::holds() const {
  Holds holds(mechanism.stops.size(), 0);
  if (const std::vector<double>* memory = state.recall(kStops))
    for (std::size_t k = 0; k < holds.size(); ++k) holds[k] = static_cast<int>((*memory)[k]);
  return holds;
}

void Running::hold(const Holds& holds) {
  mode = &modes.at(holds);
  state.lambda.assign(static_cast<std::size_t>(mode->system->sizes().rows), 0.0);
  std::copy(holds.begin(), holds.end(), state.remember(kStops, holds.size()).begin());
}

void Running::restore(const State& s) {
  state = s;
  mode = &modes.at(holds());
}

Report Running::start() {
  std::erase_if(state.memory, [](const Memory& m) {
    return std::find(std::begin(kKept), std::end(kKept), m.name) == std::end(kKept);
  });
  const Report report = mode->index1.accelerations(state);
  if (!report.accepted()) return report;
  if (!state.x.empty()) state.remember(kStateRates, state.x.size()) = mode->index1.terms().x_dot;
  mode->method->prepare(state);
  follow_work(*mode->system, mode->index1.terms(), state, 0);
  return report;
}

}  // namespace trammel
