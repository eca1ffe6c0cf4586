#include "live/driver_phases.h"

#include <fmt/format.h>

#include <algorithm>

#include "mechanism/signals.h"
#include "simulation/take_over.h"

namespace trammel::live {
namespace {

// Of the row's scale: what a driver that fits leaves is rounding.
constexpr double kFits = 1e-9;

const Driver* same_driver(const Mechanism& mechanism, const Driver& driver) {
  const auto at = std::ranges::find(mechanism.drivers, driver.name, &Driver::name);
  if (at == mechanism.drivers.end() || at->kind != driver.kind || at->of != driver.of || at->of_speed ||
      at->equals.size() != driver.equals.size())
    return nullptr;
  return &*at;
}

double value_at(const Mechanism& mechanism, const std::string& text, double t) {
  const std::unique_ptr<expressions::Symbols> symbols = mechanism::make_symbols(mechanism);
  const auto parsed = expressions::Expression::parse(text, *symbols);
  const auto* f = std::get_if<expressions::Expression>(&parsed);
  if (f == nullptr) return 0;  // validate() tells of it
  std::vector<double> x(static_cast<std::size_t>(symbols->size())),
      scratch(static_cast<std::size_t>(f->scratch_size()));
  x[0] = t;
  return f->value(x, scratch);
}

// Which of a driver's expressions have rows, in order.
std::vector<std::size_t> followed(const Driver& driver) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < driver.equals.size(); ++k)
    if (!driver.equals[k].empty()) all.push_back(k);
  return all;
}

// Φ = s − f(t) of drivers that are new, where the bodies stand now.
void measure_new(const Mechanism& next, const Simulation& running, DriverPhases& phases,
                 const std::vector<const Driver*>& added) {
  const Simulation probe(with_phases(next, phases), next.plan);
  const system::System& system = probe.system();
  State s = probe.state();
  s.t = running.state().t;
  system.place(next.bodies, simulation::carried_poses(running, next), s);
  system.take_turns(running.system().turns(running.state()), s);
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition, terms);
  for (const Driver* driver : added) {
    std::vector<double> phase(driver->equals.size(), 0.0);
    const std::vector<std::size_t> which = followed(*driver);
    std::size_t seen = 0;
    for (std::size_t r = 0; r < system.rows().size() && seen < which.size(); ++r) {
      const system::RowOwner& row = system.rows()[r];
      if (row.kind != system::RowOwner::Kind::driver || row.name != driver->name) continue;
      if (std::abs(terms.Phi[r]) > kFits * row.scale) phase[which[seen]] = terms.Phi[r];
      ++seen;
    }
    phases[driver->name] = std::move(phase);
  }
}

}  // namespace

Mechanism with_phases(Mechanism mechanism, const DriverPhases& phases) {
  for (Driver& driver : mechanism.drivers)
    if (const auto at = phases.find(driver.name); at != phases.end())
      for (std::size_t k = 0; k < driver.equals.size(); ++k)
        if (at->second[k] != 0)
          driver.equals[k] = fmt::format("({}) + ({:.17g})", driver.equals[k], at->second[k]);
  return mechanism;
}

DriverPhases phases_for(const Mechanism& next, const Mechanism& before, const DriverPhases& phases,
                        const Simulation& running) {
  const double t = running.state().t;
  DriverPhases out;
  std::vector<const Driver*> added;
  for (const Driver& driver : next.drivers) {
    if (driver.of_speed) continue;
    const Driver* old = same_driver(before, driver);
    if (old == nullptr) {
      added.push_back(&driver);
      continue;
    }
    std::vector<double>& phase = out[driver.name];
    const auto known = phases.find(driver.name);
    for (std::size_t k = 0; k < driver.equals.size(); ++k) {
      const double was = known == phases.end() ? 0 : known->second[k];
      // Exactly the old phase where nothing has changed.
      phase.push_back(was + (value_at(before, old->equals[k], t) - value_at(next, driver.equals[k], t)));
    }
  }
  if (!added.empty()) measure_new(next, running, out, added);
  std::erase_if(out, [](const auto& one) {
    return std::ranges::all_of(one.second, [](double phase) { return phase == 0; });
  });
  return out;
}

std::set<std::string> changed_phases(const DriverPhases& before, const DriverPhases& now) {
  std::set<std::string> names;
  for (const auto* all : {&before, &now})
    for (const auto& [name, phase] : *all) {
      const DriverPhases& other = all == &before ? now : before;
      const auto at = other.find(name);
      if (at == other.end() || at->second != phase) names.insert(name);
    }
  return names;
}

}  // namespace trammel::live
