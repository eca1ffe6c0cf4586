// Modular: subsystems as black boxes, joints that solve their own forces. Joli, Seguy & Feng (2008), §4.
//
//   1  every module predicts positions and velocities                      (37)
//   2  every module finds its accelerations under the forces at its ports
//   3  every connection finds its forces from the accelerations it sees    (27), uzawa.h
//   4  the forces go to the modules
//   5  again from 2 until the forces no longer change
//   6  every module corrects                                               (38)
//   7  the next step
//
// The state of the modules is one memory of the State, and resumes to the same bits; q, v and v̇ of the State
// are those of the whole mechanism, compiled for results (observer.h), and its λ those of the connections.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formulations/projection/projection.h"
#include "formulations/reactions/work.h"
#include "simulation/method.h"
#include "simulation/modular/observer.h"
#include "simulation/modular/uzawa.h"
#include "trammel/modular_editor.h"

namespace trammel::simulation {

// The state of all modules and connections, one after the other.
inline constexpr MemorySlot kModules{"subsystems", Lifetime::step};

class Modular final : public Method {
 public:
  // Throws std::invalid_argument, in words for a person, when the mechanism cannot be divided so.
  // like: another of the same subsystems, whose Systems are used again.
  // executor: may be null.
  Modular(const Mechanism& mechanism, const ResolvedPlan& plan,
          const std::vector<mechanism::Watched>& watched, Executor* executor, const Modular* like = nullptr);

  const std::shared_ptr<const system::System>& whole() const { return observer_->whole(); }
  const std::vector<std::unique_ptr<Module>>& modules() const { return modules_; }

  StepResult step(State& state, double h) override;
  void prepare(State& state) override;
  std::string refusal(const State& state) override;
  bool halves_help() const override { return false; }
  std::string solver_name() const override;

  // Follows a mechanism in which joints or subsystems came or went, at a state of the old one, and gives that
  // of the new one. Modules and connections that stay are not touched; the whole is compiled anew, for
  // results. Throws std::invalid_argument as the constructor does, and then changes nothing.
  State follow(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched, const State& old);
  // Lets velocities jump, mass-orthogonally, to what the connections allow.
  [[nodiscard]] Report reconcile(State& state, const Mechanism& mechanism,
                                 std::vector<Edit::Impulse>& impulses);
  // Accelerations and forces that belong to positions and velocities.
  [[nodiscard]] Report settle(State& state);
  // How far a connection is open at a state, lengths scaled to one.
  double gap(const State& state, const std::string& connection);

 private:
  void arrange(const Division& division, const std::vector<mechanism::Watched>& watched, const Modular* like);
  void put_in_order(const Division& division, const std::vector<Connector>& connectors);
  void prepare_iteration();
  // Calls visit(span) for everything that the State must remember, in order.
  template <class Visit>
  void each_memory(Visit&& visit);
  void load(const State& state);
  void store(State& state);
  void read_connections(const State& state, double h);
  [[nodiscard]] Report at_all_modules(const std::function<Outcome(Module&)>& act);
  [[nodiscard]] Report stand(const State& state);
  [[nodiscard]] Report find_forces(const State& state, double h, int& sweeps);
  [[nodiscard]] bool forces_agree(Uzawa::Result& result) const;
  [[nodiscard]] Report finish(State& state, double h, StepResult& result);
  Report too_stiff(const Module& module, double h) const;
  Report not_converged(const Uzawa::Result& result) const;

  ResolvedPlan plan_;
  Executor* executor_;
  bool warm_start_;
  std::vector<Body> bodies_;  // of the whole
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::unique_ptr<Observer> observer_;
  std::unique_ptr<Uzawa> uzawa_;
  std::unique_ptr<formulations::Projector> projector_;  // tells what is left of the constraints
  system::Terms terms_;
  State next_;  // of the whole
  formulations::StepWork work_;
  std::vector<double> x_;                // auxiliary states, predicted
  std::vector<std::size_t> whole_rows_;  // of the connections' rows
  std::vector<Outcome> outcomes_;        // by module
};

}  // namespace trammel::simulation
