#include "live/start_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "live/driver_phases.h"
#include "live/pulls.h"

namespace trammel::live {
namespace {

// A given velocity that the new driver contradicts.
bool forget_velocity(Mechanism& model, const std::string& name) {
  bool found = false;
  for (Point& point : model.points)
    if (point.name == name && point.velocity) found = true, point.velocity.reset();
  for (Body& body : model.bodies)
    if (body.name == name && (body.velocity || body.angular_velocity))
      found = true, body.velocity.reset(), body.angular_velocity.reset();
  for (Joint& joint : model.joints)
    if (joint.name == name && joint.speed) found = true, joint.speed.reset();
  return found;
}

void forget_contradicted(Mechanism& model, const std::string& driver, std::vector<std::string>& notes) {
  Simulation start(with_pulls(model, {}), model.plan);
  for (const std::string& name : start.assemble().conflicts)
    if (forget_velocity(model, name))
      notes.push_back(
          fmt::format("the velocity of '{}' at the start is now what driver '{}' gives it", name, driver));
}

}  // namespace

void fit_to_start(Mechanism& model, const std::string& driver, std::vector<std::string>& notes) {
  Mechanism before = model;
  std::erase_if(before.drivers, [&](const Driver& d) { return d.name == driver; });
  try {
    Simulation start(with_pulls(before, {}), before.plan);
    if (!start.assemble().report.accepted()) return;
    const DriverPhases phases = phases_for(model, before, {}, start);
    if (const auto at = phases.find(driver); at != phases.end()) {
      model = with_phases(std::move(model), {*at});
      const auto added = std::ranges::find(model.drivers, driver, &Driver::name);
      notes.push_back(fmt::format("driver '{}' begins where the mechanism starts: it follows {}", driver,
                                  fmt::join(added->equals, ", ")));
    }
    forget_contradicted(model, driver, notes);
  } catch (const std::invalid_argument&) {
    // What is wrong with the driver is told when it is tried.
  }
}

}  // namespace trammel::live
