#include "simulation/modular/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "formulations/rows/rows.h"

namespace trammel::simulation {
namespace {

// Changes of accelerations, each larger than the last and than the accelerations themselves, that grow so
// much in so few steps or more: no smooth motion does.
constexpr double kFewSteps = 5, kFarApart = 1e4;

// (12) from the subsystem's own step, or as given.
formulations::Stabilization inner_gains(const ResolvedPlan& plan, const Subsystem& settings) {
  ResolvedPlan own = plan;
  if (!plan.stabilized) own.stabilization = "joli";
  own.step = plan.step / settings.substeps;
  return formulations::stabilization_of(own);
}

double total_mass(const std::vector<Body>& bodies) {
  double sum = 0;
  for (const Body& body : bodies) sum += body.mass;
  return sum;
}

}  // namespace

Module::Module(Subsystem settings, const Mechanism& inside, const ResolvedPlan& plan,
               std::shared_ptr<const system::System> compiled)
    : settings_(std::move(settings)),
      system_(compiled ? std::move(compiled)
                       : system::compile(inside, settings_.coordinates.empty()
                                                     ? system::Coordinates(plan.coordinates)
                                                     : system::Coordinates(settings_.coordinates))),
      solver_(*system_, settings_, plan, inner_gains(plan, settings_)),
      bodies_(inside.bodies),
      mass_(total_mass(bodies_)),
      state_(system_->initial_state()),
      trial_(state_),
      published_(state_),
      ahead_(state_),
      load_(state_.v.size(), 0),
      move_(state_.v.size(), 0),
      response_(state_.v.size(), 0) {}

std::shared_ptr<Port> Module::port(const system::Place& place, const std::string& joint,
                                   bool is_ahead) const {
  auto made = std::make_shared<Port>();
  made->is_ahead = is_ahead;
  made->view = system_->view(place);
  if (!made->view)
    throw std::invalid_argument(
        fmt::format("body '{}' is too slender to be held by '{}' from outside its subsystem: it has no {} "
                    "there; describe it as a rigid body with inertia, or put it in one subsystem with what "
                    "'{}' joins it to",
                    place.body, joint, place.is_point ? "point" : "direction", joint));
  return made;
}

void Module::adopt(const system::System& seen, std::span<const Body> bodies, const State& at) {
  const std::vector<Pose> all = seen.poses(at);
  std::vector<Pose> poses;
  for (const Body& own : bodies_)
    for (std::size_t b = 0; b < bodies.size(); ++b)
      if (bodies[b].name == own.name) poses.push_back(all[b]);
  system_->place(bodies_, poses, state_);
  system_->take_turns(seen.turns(at), state_);
  state_.take_time(at);
  state_.inputs = at.inputs;
}

bool Module::looks_ahead() const {
  return settings_.substeps > 1 || settings_.newmark_beta != 0.25 || settings_.newmark_gamma != 0.5;
}

void Module::gather(std::span<double> load) const {
  std::fill(load.begin(), load.end(), 0.0);
  for (const auto& port : ports_)
    for (std::size_t k = 0; k < port->motion.J.size(); ++k)
      load[static_cast<std::size_t>(port->view->columns()[k])] += port->motion.J[k].dot(port->force);
}

void Module::gather_at(double part) {
  std::fill(load_.begin(), load_.end(), 0.0);
  for (const auto& port : ports_) {
    port->view->see(trial_, port->motion);
    const Vec3 force = port->before + part * (port->force - port->before);
    for (std::size_t k = 0; k < port->motion.J.size(); ++k)
      load_[static_cast<std::size_t>(port->view->columns()[k])] += port->motion.J[k].dot(force);
  }
}

void Module::newmark_predict(double h) {
  const double position = (0.5 - settings_.newmark_beta) * h * h,
               velocity = (1 - settings_.newmark_gamma) * h;
  for (std::size_t k = 0; k < move_.size(); ++k) {
    move_[k] = h * trial_.v[k] + position * trial_.a[k];
    trial_.v[k] += velocity * trial_.a[k];
  }
  system_->retract(trial_.q, move_);
  trial_.t += h;
  ahead_ = trial_;
  for (std::size_t k = 0; k < move_.size(); ++k) ahead_.v[k] += (h - velocity) * trial_.a[k];
}

void Module::newmark_correct(double h) {
  for (std::size_t k = 0; k < move_.size(); ++k) {
    move_[k] = settings_.newmark_beta * h * h * trial_.a[k];
    trial_.v[k] += settings_.newmark_gamma * h * trial_.a[k];
  }
  system_->retract(trial_.q, move_);
  system_->normalize(trial_.q);
}

Outcome Module::walk(double h) {
  const int steps = settings_.substeps;
  const double own = h / steps;
  trial_ = state_;
  for (int i = 1; i <= steps; ++i) {
    newmark_predict(own);
    if (i == steps) trial_.t = state_.t + h;
    ahead_.t = trial_.t;
    if (const Outcome outcome = solver_.factor(trial_, ahead_); outcome != Outcome::ok) return outcome;
    if (i == steps) break;
    gather_at(static_cast<double>(i) / steps);
    solver_.accelerate(load_, trial_);
    newmark_correct(own);
  }
  return Outcome::ok;
}

Outcome Module::predict(double h) {
  const Outcome outcome = walk(h);
  if (outcome == Outcome::ok) publish(h);
  return outcome;
}

void Module::publish(double h) {
  published_ = trial_;
  if (looks_ahead()) {
    const double own = h / settings_.substeps;
    gather_at(1);
    solver_.accelerate(load_, trial_);
    const double position = settings_.newmark_beta * own * own - 0.25 * h * h;
    const double velocity = settings_.newmark_gamma * own - 0.5 * h;
    for (std::size_t k = 0; k < move_.size(); ++k) {
      move_[k] = position * trial_.a[k];
      published_.v[k] += velocity * trial_.a[k];
    }
    system_->retract(published_.q, move_);
  }
  publish_ports();
}

void Module::publish_ports() {
  for (const auto& port : ports_) port->view->see(port->is_ahead ? ahead_ : published_, port->motion);
}

Outcome Module::stand() {
  trial_ = published_ = ahead_ = state_;
  publish_ports();
  return solver_.factor(trial_, ahead_);
}

void Module::publish_accelerations(std::span<const double> a, bool with_bias) {
  for (const auto& port : ports_) {
    port->acceleration = with_bias ? port->motion.bias : Vec3(Vec3::Zero());
    for (std::size_t k = 0; k < port->motion.J.size(); ++k)
      port->acceleration += a[static_cast<std::size_t>(port->view->columns()[k])] * port->motion.J[k];
  }
}

void Module::accelerate() {
  gather(load_);
  solver_.accelerate(load_, trial_);
  publish_accelerations(trial_.a, true);
}

void Module::respond() {
  gather(load_);
  solver_.respond(load_, response_);
  publish_accelerations(response_, false);
}

void Module::settle() {
  state_.a = trial_.a;
  state_.lambda = trial_.lambda;
  for (const auto& port : ports_) port->before = port->force;
}

void Module::jump() {
  for (std::size_t k = 0; k < response_.size(); ++k) state_.v[k] += response_[k];
}

void Module::watch_growth() {
  double change = 0, size = 0;
  for (std::size_t k = 0; k < move_.size(); ++k) {
    change = formulations::larger(change, trial_.a[k] - state_.a[k]);
    size = formulations::larger(size, state_.a[k]);
  }
  if (change > growth.change && change > size) {
    growth.steps += 1;
    if (growth.steps == 1) growth.first = change;
  } else {
    growth.steps = 0;
  }
  growth.change = change;
}

bool Module::runs_away() const {
  return growth.steps >= kFewSteps && growth.change > kFarApart * growth.first;
}

Outcome Module::correct(double h) {
  if (looks_ahead()) {
    // Once more with the forces as they are now.
    if (const Outcome outcome = walk(h); outcome != Outcome::ok) return outcome;
    gather_at(1);
    solver_.accelerate(load_, trial_);
  }
  watch_growth();
  newmark_correct(h / settings_.substeps);
  system_->accept_angles(trial_, solver_.terms(), 0);  // judged for the whole mechanism
  state_ = trial_;
  for (const auto& port : ports_) port->before = port->force;
  return Outcome::ok;
}

}  // namespace trammel::simulation
