// LoadedSystem: a System whose dry frictions slip with a force in proportion to their joint's own reaction.
//
// The reaction follows from the accelerations, these from the friction, and that from the reaction: with the
// loads N of the frictions that slip, at one State,
//
//   M v̇ + Φ_vᵀλ = Q₀ + Σ N_k Q_k,   Φ_v v̇ = −γ,   N_k = Σ_i |r_ki(v̇, λ, N_k)|
//
// r are the forces of the friction's contact (FrictionContact). v̇, λ and r are linear in N, so that a few
// solutions of the linear equations and Newton's method for N give Q as a function of position, velocity and
// time. Whatever reads the System sees a plain force, and every formulation and integrator keeps its order.
// Where the friction adds to its own load by as much as it takes
// (|∂N/∂N| ≥ 1: it jams, Painlevé 1895) there is no such N: the force is not a number, and the run ends.
//
// The System within has an input for each load, after the mechanism's own; States here do not have them.
#pragma once

#include <memory>

#include "simulation/frictions.h"
#include "system/system.h"

namespace trammel::simulation {

// What a friction reads of its joint.
struct FrictionLoad {
  std::string friction;
  FrictionContact contact;
  bool slips = false;  // its force acts now
};

// The sum of the forces of its contact, N; NaN where the joint has no reaction. The State has accelerations
// and multipliers that are solved for.
double load_of(const FrictionLoad& load, const system::System& system, const State& solved);

class LoadedSystem final : public system::System {
 public:
  // loads: one for each of the last inputs of the System within.
  LoadedSystem(std::shared_ptr<const system::System> within, std::vector<FrictionLoad> loads);

  system::Terms make_terms() const override { return within_->make_terms(); }
  void add_mass_times(const system::Terms& terms, std::span<const double> x, double factor,
                      std::span<double> y) const override {
    within_->add_mass_times(terms, x, factor, y);
  }
  void force_left(const system::Terms& terms, std::span<const double> x, std::span<double> y) const override {
    within_->force_left(terms, x, y);
  }
  double mass_product(const system::Terms& terms, std::span<const double> x,
                      std::span<const double> y) const override {
    return within_->mass_product(terms, x, y);
  }
  std::vector<double> mass_diagonal(const system::Terms& terms) const override {
    return within_->mass_diagonal(terms);
  }
  std::unique_ptr<system::RecursiveSolver> recursive_solver() const override {
    return within_->recursive_solver();
  }
  bool has_stiffness() const override { return within_->has_stiffness(); }
  bool has_damping() const override { return within_->has_damping(); }
  State initial_state() const override;
  std::vector<system::KnownVelocity> known_velocities(const State&) const override;
  void evaluate(const State&, unsigned ask, system::Terms&) const override;
  void position_rate(std::span<const double> q, std::span<const double> v,
                     std::span<double> q_dot) const override {
    within_->position_rate(q, v, q_dot);
  }
  void retract(std::span<double> q, std::span<const double> delta) const override {
    within_->retract(q, delta);
  }
  void difference(std::span<const double> from, std::span<const double> to,
                  std::span<double> delta) const override {
    within_->difference(from, to, delta);
  }
  void difference_rate(std::span<const double> from, std::span<const double> to, std::span<const double> v,
                       std::span<double> rate) const override {
    within_->difference_rate(from, to, v, rate);
  }
  void normalize(std::span<double> q) const override { within_->normalize(q); }
  std::string accept_angles(State&, system::Terms&, double step) const override;
  std::string out_of_range(const State&, system::Terms&) const override;
  std::vector<std::string> coordinate_names() const override { return within_->coordinate_names(); }
  std::string coordinate_owner(int column) const override { return within_->coordinate_owner(column); }

  std::vector<Pose> poses(const State&) const override;
  std::vector<Vec3> point_positions(const State&) const override;
  std::vector<system::Reading> readings(const State&, system::Terms&) const override;
  bool reads_reactions() const override { return within_->reads_reactions(); }
  bool watches_reactions() const override { return within_->watches_reactions(); }
  std::vector<system::ForceColumn> force_columns() const override { return within_->force_columns(); }
  void forces(const State&, system::Terms&, std::span<double> values) const override;
  void watch(const State&, system::Terms&, std::span<double> values) const override;
  std::vector<system::Wrench> reactions(const State&, system::Terms&) const override;
  std::vector<system::Reading> efforts(const State&, system::Terms&) const override;
  std::vector<system::ReactionMode> reaction_modes(
      const State&, system::Terms&, std::span<const std::vector<double>> multipliers) const override;
  std::map<std::string, double> turns(const State&) const override;

  std::unique_ptr<system::PlaceView> view(const system::Place& place) const override {
    return within_->view(place);
  }
  std::vector<system::Place> coordinate_places() const override { return within_->coordinate_places(); }
  void place(std::span<const Body> bodies, std::span<const Pose> poses, State&) const override;
  void take_turns(const std::map<std::string, double>&, State&) const override;

 private:
  State without_loads(const State& s) const;  // with loads of zero
  void take_back(State from, State& to) const;
  State loaded(const State& s) const;  // with the loads at that State

  std::shared_ptr<const system::System> within_;
  std::vector<FrictionLoad> loads_;
  bool slips_ = false;
};

}  // namespace trammel::simulation
