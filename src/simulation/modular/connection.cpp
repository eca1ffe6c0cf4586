#include "simulation/modular/connection.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trammel::simulation {
namespace {

// Where nothing has weight, a mass accelerated by its own length in each second squared counts as much.
double weight_of(const Connector& connector, const system::System& system, double gravity) {
  double mass = 0;
  for (const Body& body : connector.mechanism.bodies) mass += body.mass;
  const double length = system.length_scale();
  return mass * length * (gravity > 0 ? gravity : length);
}

std::shared_ptr<const system::System> compile_alone(const Connector& connector) {
  try {
    return system::compile(connector.mechanism);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(
        fmt::format("{}; or put what '{}' joins into one subsystem", error.what(), connector.name));
  }
}

}  // namespace

Connection::Connection(Connector connector, const Home& home, const ResolvedPlan& plan)
    : connector_(std::move(connector)),
      system_(compile_alone(connector_)),
      terms_(system_->make_terms()),
      state_(system_->initial_state()),
      by_component_(plan.modular.criterion == "published"),
      weight_(weight_of(connector_, *system_, connector_.gravity)),
      dimensions_(connector_.mechanism.is_planar ? 2 : 3) {
  ResolvedPlan own = plan;
  if (!plan.stabilized) own.stabilization = "joli";
  const formulations::Stabilization gains = formulations::stabilization_of(own);
  k_p_ = gains.b * gains.b;
  k_v_ = 2 * gains.a;
  k_c_ = gains.c;
  if (!connector_.is_force)
    for (std::size_t r = 0; r < system_->rows().size(); ++r)
      if (const system::RowOwner& owner = system_->rows()[r];
          owner.kind != system::RowOwner::Kind::body && owner.name == connector_.name)
        rows_.push_back(r);
  find_ports(home);
  for (auto* list : {&iterate.lambda, &iterate.rho, &iterate.residual, &iterate.z, &iterate.p, &iterate.Kp,
                     &iterate.w, &iterate.guess})
    list->assign(rows_.size(), 0);
  row_sum.assign(rows_.size() * modules_.size(), 0);
  row_mass = row_sum;
}

void Connection::hold() {
  for (const Held& held : held_) held.module->hold(held.port);
}

bool Connection::constrains_velocities() const {
  return !rows_.empty() && static_cast<int>(rows_.back()) >= system_->sizes().holonomic;
}

std::vector<bool> Connection::used_elements() const {
  const std::size_t count = state_.q.size() / static_cast<std::size_t>(dimensions_);
  // Constraints of velocities have directions that depend on places which they do not move.
  std::vector<bool> used(count, connector_.is_force || constrains_velocities());
  const system::RowPattern& pattern = system_->jacobian();
  for (const std::size_t r : rows_)
    for (int k = pattern.start[r]; k < pattern.start[r + 1]; ++k)
      used[static_cast<std::size_t>(pattern.column[static_cast<std::size_t>(k)] / dimensions_)] = true;
  return used;
}

void Connection::find_ports(const Home& home) {
  const std::vector<bool> used = used_elements();
  // Velocities of the prediction lag by half a step: forces and velocities held by them would be of first
  // order.
  const bool ahead = connector_.is_force || constrains_velocities();
  const std::vector<system::Place> places = system_->coordinate_places();
  std::vector<std::size_t> port_of(places.size(), 0);
  for (std::size_t e = 0; e < places.size(); ++e) {
    if (!used[e]) continue;
    Module& module = home(places[e].body);
    port_of[e] = held_.size();
    held_.push_back({module.port(places[e], connector_.name, ahead), &module, e, places[e]});
    if (std::find(modules_.begin(), modules_.end(), &module) == modules_.end()) modules_.push_back(&module);
  }
  const system::RowPattern& pattern = system_->jacobian();
  for (const std::size_t r : rows_) {
    entries_.emplace_back();
    for (int k = pattern.start[r]; k < pattern.start[r + 1]; ++k) {
      const int column = pattern.column[static_cast<std::size_t>(k)];
      entries_.back().push_back({static_cast<std::size_t>(k),
                                 port_of[static_cast<std::size_t>(column / dimensions_)],
                                 column % dimensions_});
    }
  }
}

void Connection::read(const State& step, double t, std::span<const double> x) {
  state_.take_time(step);
  state_.t = t;
  std::copy(x.begin(), x.end(), state_.x.begin());
  std::copy(step.inputs.begin(), step.inputs.end(), state_.inputs.begin());
  for (const Held& held : held_)
    for (int i = 0; i < dimensions_; ++i) {
      const auto k = held.element * static_cast<std::size_t>(dimensions_) + static_cast<std::size_t>(i);
      state_.q[k] = held.port->motion.x[i];
      state_.v[k] = held.port->motion.v[i];
    }
  system_->evaluate(
      state_, system::kAskPosition | system::kAskGamma | (connector_.is_force ? system::kAskForces : 0U),
      terms_);
}

void Connection::act(std::span<const double> lambda, bool with_loads) {
  for (const Held& held : held_) {
    held.port->force.setZero();
    if (!connector_.is_force || !with_loads) continue;
    for (int i = 0; i < dimensions_; ++i)
      held.port->force[i] =
          terms_.Q[held.element * static_cast<std::size_t>(dimensions_) + static_cast<std::size_t>(i)];
  }
  for (std::size_t r = 0; r < entries_.size(); ++r)
    for (const Entry& e : entries_[r]) held_[e.port].port->force[e.axis] -= lambda[r] * terms_.Phi_v[e.value];
}

void Connection::act_row(std::size_t row, const Module& module) {
  for (const Entry& e : entries_[row])
    if (held_[e.port].module == &module) held_[e.port].port->force[e.axis] -= terms_.Phi_v[e.value];
}

double Connection::times_row(std::size_t row, bool accelerations) const {
  double sum = 0;
  for (const Entry& e : entries_[row]) {
    const Port& port = *held_[e.port].port;
    sum += terms_.Phi_v[e.value] * (accelerations ? port.acceleration : port.motion.v)[e.axis];
  }
  return sum;
}

void Connection::rate(std::span<double> out) const {
  for (std::size_t r = 0; r < rows_.size(); ++r) out[r] = times_row(r, false) + terms_.Phi_t[rows_[r]];
}

void Connection::residual(std::span<double> out) const {
  const auto holonomic = static_cast<std::size_t>(system_->sizes().holonomic);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::size_t row = rows_[r];
    const double rate = times_row(r, false) + terms_.Phi_t[row];
    const double pull = row < holonomic ? k_v_ * rate + k_p_ * terms_.Phi[row] : k_c_ * rate;
    out[r] = times_row(r, true) + terms_.gamma[row] + pull;
  }
}

void Connection::product(std::span<double> out) const {
  for (std::size_t r = 0; r < rows_.size(); ++r) out[r] = -times_row(r, true);
}

double Connection::gap() const {
  double largest = 0;
  for (const std::size_t row : rows_)
    largest = std::max(largest, std::abs(terms_.Phi[row]) / system_->rows()[row].scale);
  return largest;
}

double Connection::relative_size(std::span<const double> change, std::span<const double> lambda) const {
  double moved = 0, size = 0, largest = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double scale = system_->rows()[rows_[r]].scale;
    moved += change[r] * change[r] * scale * scale;
    size += lambda[r] * lambda[r] * scale * scale;
    if (change[r] != 0) largest = std::max(largest, std::abs(change[r] / lambda[r]));
  }
  if (by_component_ && std::isfinite(moved)) return largest;
  return std::sqrt(moved) / std::max(std::sqrt(size), weight_);
}

std::pair<Vec3, Vec3> Connection::wrench(std::span<const double> lambda, const Joint& joint) {
  act(lambda, false);
  const bool grounded = joint.markers.front().body == kGround && joint.markers.size() > 1;
  const Marker& marker = joint.markers[grounded ? 1 : 0];
  system::PlaceMotion motion;
  system_->view({marker.body, true, marker.frame.at})->see(state_, motion);
  std::pair<Vec3, Vec3> sum{Vec3::Zero(), Vec3::Zero()};
  for (const Held& held : held_) {
    if (held.place.body != marker.body) continue;
    const Vec3& force = held.port->force;
    if (held.place.is_point) sum.first += force;
    sum.second +=
        (held.place.is_point ? Vec3(held.port->motion.x - motion.x) : held.port->motion.x).cross(force);
  }
  return sum;
}

}  // namespace trammel::simulation
