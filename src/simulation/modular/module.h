// Module: a subsystem as a black box, with its own System, state, solver and step rule.
//
// It publishes the motion of the places where others hold it (ports) and takes forces there, nothing else:
//
//   predict      q ⊕ (h v + (½−β)h² v̇),  v + (1−γ)h v̇                   Joli, Seguy & Feng (2008), (37)
//   accelerate   v̇ from the forces at its ports, by its own solver      §4, step 2
//   correct      q ⊕ βh² v̇,  v + γh v̇                                   (38); β = ¼, γ = ½ as published
//
// What it publishes of q and v is by the published rule, q₊ − ¼h² v̇₊ and v₊ − ½h v̇₊, whatever its own rule
// and number of steps: two modules must not differ by terms of h² v̇ at a joint. With another rule this needs
// v̇₊, and the forces during the step are interpolated between its ends: the step is then repeated
// until the forces agree (`looks_ahead`).
//
// Forces are taken at the predicted positions, which makes the published rule a leapfrog, but at the
// velocities v + h v̇: those of the prediction lag by half a step, and the scheme would be of first order with
// dampers.
#pragma once

#include <memory>
#include <vector>

#include "simulation/modular/inner_solver.h"
#include "system/system.h"

namespace trammel::simulation {

// A place of a module that one connection holds.
struct Port {
  std::unique_ptr<system::PlaceView> view;
  bool is_ahead = false;             // with velocities of the end of the step
  system::PlaceMotion motion;        // published, of the predicted state
  Vec3 acceleration = Vec3::Zero();  // published
  Vec3 force = Vec3::Zero();         // handed back, at the end of the step
  Vec3 before = Vec3::Zero();        // the same at its start
};

class Module {
 public:
  // compiled: the System of another Module of the same subsystem.
  Module(Subsystem settings, const Mechanism& inside, const ResolvedPlan& plan,
         std::shared_ptr<const system::System> compiled = nullptr);

  const std::string& name() const { return settings_.name; }
  const Subsystem& settings() const { return settings_; }
  const std::shared_ptr<const system::System>& system() const { return system_; }
  double mass() const { return mass_; }

  // A port that a connection may hold. Throws std::invalid_argument, in words for a person, where the body
  // has no such place.
  std::shared_ptr<Port> port(const system::Place& place, const std::string& joint, bool is_ahead) const;
  // The ports at which forces act, in the order in which these are added up.
  void release_ports() { ports_.clear(); }
  void hold(std::shared_ptr<Port> port) { ports_.push_back(std::move(port)); }
  const std::vector<std::shared_ptr<Port>>& ports() const { return ports_; }

  // How its accelerations changed in the last step, and since when these changes grow.
  struct Growth {
    double change = 0, first = 0, steps = 0;
  } growth;
  // Whether they grow from step to step as only a rule beyond its bound of stability makes them.
  bool runs_away() const;

  // At the start of a step.
  State& state() { return state_; }
  const State& state() const { return state_; }
  // Positions and velocities as the whole, `seen`, has its bodies.
  void adopt(const system::System& seen, std::span<const Body> bodies, const State& at);

  bool looks_ahead() const;
  [[nodiscard]] Outcome predict(double h);
  // Factors at the state itself, for velocities that jump; publishes it.
  [[nodiscard]] Outcome stand();
  void accelerate();
  void respond();  // accelerations that the ports' forces alone would give
  [[nodiscard]] Outcome correct(double h);
  void settle();  // after stand() and accelerate(): the accelerations and forces are the state's
  void jump();    // after stand() and respond(): the response is a change of velocity
  const State& ahead() const { return ahead_; }

  // gᵀ Y g' of the loads that ports' forces make, Y the response, and gᵀ M g.
  void take_load(std::span<double> load) const { gather(load); }
  void respond_to(std::span<const double> load, std::span<double> a) { solver_.respond(load, a); }
  double mass_product(std::span<const double> load) const {
    return system_->mass_product(solver_.terms(), load, load);
  }

 private:
  void gather(std::span<double> load) const;
  void gather_at(double part);  // forces interpolated between the ends of the step
  void newmark_predict(double h);
  void newmark_correct(double h);
  [[nodiscard]] Outcome walk(double h);  // all steps inside but the end of the last
  void publish(double h);
  void publish_ports();
  void watch_growth();
  void publish_accelerations(std::span<const double> a, bool with_bias);

  Subsystem settings_;
  std::shared_ptr<const system::System> system_;
  InnerSolver solver_;
  std::vector<Body> bodies_;
  double mass_ = 0;
  std::vector<std::shared_ptr<Port>> ports_;
  State state_, trial_, published_, ahead_;
  std::vector<double> load_, move_, response_;
};

}  // namespace trammel::simulation
