// Uzawa: the forces between modules, by iteration on what neighbours publish.
//
//   λ ← λ + ρ Φ̃(λ)                                    plain: Joli, Seguy & Feng (2008), (27), Uzawa (1958)
//   conjugate residuals on K λ = Φ̃(0), scaled by ρ    accelerated: Stiefel (1955); K x is what the modules
//                                                     answer to the forces −Φ_vᵀx
//
// Each connection needs only what its own modules publish, and two sums to which each connection adds one
// number. Sweeps run on the caller's executor; every sum has a fixed order.
//
// ρ, by row: automatic, 1.5 over a bound of Σ|K| along the row, which its modules publish, so that all
// eigenvalues of ρK are below 1.5 and plain sweeps contract; published, (36): the smallest Φ_v M Φ_vᵀ of the
// joint's rows, added over its modules; or given.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "simulation/modular/connection.h"
#include "simulation/modular/workers.h"

namespace trammel::simulation {

class Uzawa {
 public:
  Uzawa(std::vector<std::unique_ptr<Module>>& modules, std::vector<std::unique_ptr<Connection>>& connections,
        const ModularPlan& plan, Executor* executor);

  // After modules or connections came or went.
  void arrange();

  struct Result {
    Outcome outcome = Outcome::ok;
    int sweeps = 0;
    const Connection* worst = nullptr;  // converges worst
    double left = 0;                    // of its convergence test
  };
  // λ of all connections from their present one, at what the modules publish; accelerations with it.
  [[nodiscard]] Result accelerations(double tolerance, int max_sweeps);
  // The same by the accelerated iteration, whatever the plan says.
  [[nodiscard]] Result accelerations_exactly(double tolerance, int max_sweeps);
  // Impulses, in λ, that end Φ̇ at all connections; the modules' velocities jump, mass-orthogonally:
  // M Δv = −Φ_vᵀλ within what each module's own constraints allow.
  [[nodiscard]] Result velocities(int max_sweeps);

  Workers& workers() { return workers_; }

 private:
  // A module with the rows that hold it.
  struct Grip {
    Module* module;
    struct Row {
      Connection* connection;
      std::size_t side, row;
    };
    std::vector<Row> rows;
    Eigen::MatrixXd loads, responses;  // one column per row
  };
  void publish(Grip& grip);
  void choose_rho();
  void sweep(bool respond);
  Result plain(double tolerance, int max_sweeps);
  Result accelerated(double tolerance, int max_sweeps);
  // Conjugate residuals from the present residual until done(), or sweeps are used up.
  template <class Done>
  bool conjugate(int max_sweeps, Result& result, Done&& done);
  template <class Work>
  void for_connections(Work&& work);
  double sum(double (*share)(const Connection::Iterate&));
  bool converged(double tolerance, Result& result) const;

  std::vector<std::unique_ptr<Module>>& modules_;
  std::vector<std::unique_ptr<Connection>>& connections_;
  ModularPlan plan_;
  std::vector<Grip> grips_;
  Workers workers_;
};

}  // namespace trammel::simulation
