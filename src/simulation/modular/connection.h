// Connection: a joint, driver, constraint or force between modules, as a white box.
//
// It sees the motion of places only, and has a System of its own in which its bodies are described by such
// places: what the ports publish is that System's state, and −Φ_vᵀλ there is the force on the ports.
//
//   Φ̃ = Φ_v v̇ + γ + k_v Φ̇ + k_p Φ          Joli, Seguy & Feng (2008), (13), (27); k_v, k_p by (12)
//
// K λ = Φ̃(λ = 0) couples the connections that hold one module; nobody ever forms K.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simulation/modular/division.h"
#include "simulation/modular/module.h"

namespace trammel::simulation {

class Connection {
 public:
  using Home = std::function<Module&(const std::string& body)>;
  // Throws std::invalid_argument, in words for a person, where a body has no place to hold it at.
  Connection(Connector connector, const Home& home, const ResolvedPlan& plan);

  const std::string& name() const { return connector_.name; }
  std::size_t rows() const { return rows_.size(); }
  const std::vector<Module*>& modules() const { return modules_; }
  State& state() { return state_; }
  // How far they turned is judged for the whole mechanism.
  void accept_angles() { system_->accept_angles(state_, terms_, 0); }
  // Its ports, for the modules that it holds.
  void hold();
  template <class Visit>
  void each_port(Visit&& visit) const {
    for (const Held& held : held_) visit(*held.port);
  }

  // What the ports publish of positions and velocities, at a time within the step that begins with this
  // state.
  void read(const State& step, double t, std::span<const double> x);
  // Forces at the ports: −Φ_vᵀλ, with or without the forces that do not depend on λ.
  void act(std::span<const double> lambda, bool with_loads);
  // The same of one row with λ = 1, at the ports of one module; the others are left.
  void act_row(std::size_t row, const Module& module);
  void residual(std::span<double> out) const;  // Φ̃ of the published accelerations
  void product(std::span<double> out) const;   // K x, where they are what −Φ_vᵀx alone gives
  double gap() const;                          // largest |Φ|, lengths scaled to one
  void rate(std::span<double> out) const;      // Φ̇
  // The convergence test: ‖change‖ over max(‖λ‖, weight of what it joins), rows in energy units; or as
  // published, (28), the largest change of a component over itself.
  double relative_size(std::span<const double> change, std::span<const double> lambda) const;
  // What λ exerts on the first body of its joint: force, and torque about the joint's place there.
  std::pair<Vec3, Vec3> wrench(std::span<const double> lambda, const Joint& joint);

  // Memory of its iteration, by row: λ and its step lengths; and what the accelerated one needs.
  struct Iterate {
    std::vector<double> lambda, rho, residual, z, p, Kp, w, guess;
  } iterate;
  // What each module publishes of its response, by module and row: Σ|K| over all rows at the module, gᵀMg.
  std::vector<double> row_sum, row_mass;

 private:
  struct Entry {  // of Φ_v, at a port's axis
    std::size_t value, port;
    int axis;
  };
  void find_ports(const Home& home);
  std::vector<bool> used_elements() const;
  bool constrains_velocities() const;
  double times_row(std::size_t row, bool accelerations) const;

  Connector connector_;
  std::shared_ptr<const system::System> system_;
  system::Terms terms_;
  State state_;
  double k_p_, k_v_, k_c_;  // of positions, of velocities, of constraints that have only velocities
  bool by_component_;
  double weight_;  // N.m: weight times length of what it joins
  int dimensions_;
  std::vector<std::size_t> rows_;            // of the System
  std::vector<std::vector<Entry>> entries_;  // by row
  struct Held {
    std::shared_ptr<Port> port;
    Module* module;
    std::size_t element;
    system::Place place;
  };
  std::vector<Held> held_;
  std::vector<Module*> modules_;
};

}  // namespace trammel::simulation
