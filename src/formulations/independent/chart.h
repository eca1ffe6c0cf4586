// Chart: independent coordinates z about a position q₀, and the positions and velocities that belong to them.
//
//   z = B D⁻¹(q ⊖ q₀),   ż = B D⁻¹v          García de Jalón & Bayo (1994), (5.54), D what counts as one
//
// Constraints of velocities reduce ż but not z: each then has a B of its own. The chart is a part of the
// State's memory, so that a copied State goes on in the same one.
#pragma once

#include <memory>

#include "formulations/matrices/completed_rows.h"
#include "trammel/report.h"

namespace trammel::formulations {

class Chart {
 public:
  // Of the State's memory.
  static constexpr MemorySlot kCoordinates{"independent coordinates", Lifetime::step};

  // How well z tells the motions apart, in a position: by |R|, and by the smallest pivot of its matrix. Both
  // are one at best and zero at worst.
  struct Fitness {
    double sight = 1, pivot = 1;
  };

  explicit Chart(std::shared_ptr<const system::Dynamics> system);

  // About the position of s. With `columns` these are the independent coordinates, if they serve: false, and
  // by choice, when they do not.
  bool choose(const State& s, system::Terms& terms, IndependentChoice choice,
              const std::vector<int>& columns = {});
  // From the memory of s; false when there is none.
  bool load(const State& s);
  void save(State& s);

  int rank() const { return static_cast<int>(velocities_.rank()); }
  int positions() const { return static_cast<int>(position_rows().freedom()); }
  int velocities() const { return static_cast<int>(velocities_.freedom()); }

  // Which coordinate each z and each ż is, where some of them were chosen (IndependentChoice::boolean).
  std::vector<int> position_columns() const { return columns_of(position_rows()); }
  std::vector<int> velocity_columns() const { return columns_of(velocities_); }
  // The completed rows of velocities at the state last factored.
  CompletedRows& rows() { return velocities_; }
  // Evaluates positions there, unless that has just been done. Fails where z does not determine the motion.
  [[nodiscard]] Report factor(const State& s, system::Terms& terms);
  void forget() { factored_ = false; }
  Fitness fitness();  // there
  // How far a position is from q₀, where differences of positions are not linear: rotations; else 0.
  double turned(std::span<const double> q);
  // That at the position where it was chosen, or where no other choice was better.
  const Fitness& usual() const { return usual_; }
  void set_usual(const Fitness& fitness) { usual_ = fitness; }
  // For whoever integrates: what is integrated at present.
  int regime() const { return regime_; }
  void set_regime(int regime) { regime_ = regime; }

  void coordinates(std::span<const double> q, std::span<double> z);
  void coordinate_rates(const State& s, std::span<double> z_dot);
  // B D⁻¹δ of a difference δ of positions, or of its rate.
  void project_positions(const Eigen::VectorXd& delta, Eigen::VectorXd& z) const {
    position_rows().project(delta, z);
  }
  // q with the coordinates z and Φ(q, t) = 0, by Newton's method from the q of s; factored there.
  [[nodiscard]] Report find_position(const Eigen::VectorXd& z, State& s, system::Terms& terms);

 private:
  const CompletedRows& position_rows() const { return apart_ ? positions_ : velocities_; }
  CompletedRows& position_rows() { return apart_ ? positions_ : velocities_; }
  static std::vector<int> columns_of(const CompletedRows& rows);
  bool take_columns(const std::vector<int>& columns, const system::Terms& terms);
  double smallest_pivot() const;
  void factor_at(const State& s, const system::Terms& terms);

  std::shared_ptr<const system::Dynamics> system_;
  bool apart_;  // positions have a matrix of their own: constraints of velocities, or q̇ ≠ v
  CompletedRows velocities_, positions_;
  std::vector<double> origin_;  // q₀
  Fitness usual_;
  int regime_ = 0;

  std::vector<double> saved_;  // as in the memory
  bool factored_ = false;
  double t_ = 0;
  std::vector<double> q_;  // where it was factored
  Eigen::MatrixXd turned_, turn_;
  Eigen::VectorXd closing_, missing_, move_, unit_;
};

}  // namespace trammel::formulations
