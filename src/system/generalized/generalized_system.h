// GeneralizedSystem: a person's own coordinates, with formulas for M, Q, V and Φ and exact derivatives.
//
//   M q̈ + Φ_qᵀ λ = Q − V_q + h,   h = ½ ∂(q̇ᵀM q̇)/∂q − Ṁ q̇,   γ = q̇ᵀΦ_qq q̇ + 2Φ_qt q̇ + Φ_tt
//   A q̇ + b = 0,   γ̂ = Ȧ q̇ + ḃ   for constraints that name rates
//
// h follows from Lagrange's equations with T = ½ q̇ᵀM(q, t) q̇ and is part of Terms::Q. K and C are complete,
// with the second derivatives of M. Coordinates and constraints count in their own units: their scale is one.
#pragma once

#include "system/generalized/formula.h"
#include "system/system.h"

namespace trammel::system {

class GeneralizedSystem final : public System {
 public:
  explicit GeneralizedSystem(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched = {});

  State initial_state() const override;
  std::vector<KnownVelocity> known_velocities(const State&) const override;
  void evaluate(const State&, unsigned ask, Terms&) const override;
  std::string accept_angles(State&, Terms&, double) const override { return {}; }
  std::string coordinate_owner(int column) const override;
  std::vector<std::string> coordinate_names() const override;
  std::vector<Pose> poses(const State&) const override { return {}; }
  std::vector<Vec3> point_positions(const State&) const override { return {}; }
  // Every coordinate and its rate, states, a person's own columns.
  std::vector<Reading> readings(const State&, Terms&) const override;
  void watch(const State&, Terms&, std::span<double> values) const override;
  std::vector<Wrench> reactions(const State&, Terms&) const override { return {}; }
  // lambda.CONSTRAINT
  std::vector<Reading> efforts(const State&, Terms&) const override;
  std::vector<ReactionMode> reaction_modes(const State&, Terms&,
                                           std::span<const std::vector<double>> multipliers) const override;

 private:
  // An entry of M in the lower triangle, and the block of coordinates that its motion couples.
  struct MassEntry {
    int row = 0, column = 0;
    Formula value;
    std::vector<int> block;                 // row, column and every coordinate of the formula, ascending
    std::size_t row_at = 0, column_at = 0;  // where these stand in the block
    std::vector<std::size_t> at;            // and each variable (t: no meaning)
  };
  struct AppliedForce {
    int row = 0;
    Formula value;
    std::vector<int> columns;
    std::vector<std::size_t> at;  // where each variable stands in the columns
  };
  // Where an entry's part of K and C begins.
  struct TangentBlock {
    double* K = nullptr;
    double* C = nullptr;
  };

  std::vector<Reading> multipliers(const std::vector<double>& lambda) const;
  void build_mass();
  void build_applied();
  Formula formula(const std::string& text) const;
  void build_constraints();
  void declare_block(const std::vector<int>& rows, const std::vector<int>& columns);

  void evaluate_mass(const State&, bool forces, bool tangent, Terms&) const;
  void evaluate_mass_rate(const State&, Terms&) const;
  void add_inertia(const MassEntry&, const Formula::Jet&, const State&, Terms&) const;
  void add_inertia_tangent(const MassEntry&, const Formula::Jet&, const State&, TangentBlock) const;
  void evaluate_constraints(const State&, unsigned ask, Terms&) const;
  void evaluate_velocity_constraints(const State&, unsigned ask, Terms&) const;
  void evaluate_applied(const State&, bool tangent, Terms&) const;
  void evaluate_potential(bool tangent, Terms&) const;
  void evaluate_states(bool tangent, Terms&) const;

  const Mechanism mechanism_;
  const GeneralizedModel& model_;
  SlotLayout layout_;
  std::unique_ptr<expressions::Symbols> symbols_;
  std::vector<mechanism::Watched> asked_;
  std::vector<MassEntry> mass_entries_;
  std::vector<AppliedForce> applied_;
  Formula potential_;
  std::vector<Formula> constraints_, velocity_constraints_, state_rates_, watched_;
  std::vector<std::pair<std::string, Formula>> outputs_;
  std::size_t applied_start_ = 0, potential_start_ = 0;  // of their entries in K and C
};

}  // namespace trammel::system
