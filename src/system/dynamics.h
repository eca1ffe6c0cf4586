// Dynamics: the equations of motion of a System, as formulations and integrators read them.
//
//   M v̇ + Φ_vᵀ λ = Q(q, v, t),   Φ(q, t) = 0,   q̇ = N(q) v
//   Φ̇ = Φ_v v + Φ_t,   Φ̈ = Φ_v v̇ + γ,   γ = Φ̇_v v + Φ̇_t
//
// Constraints of velocities, A(q, t) v + b(q, t) = 0 with the derivative A v̇ + γ̂, follow as further rows: A
// in Φ_v, b in Φ_t, γ̂ in γ, λ̂ in λ, and zero in Φ. What works with Φ̇ and Φ̈ alone need not tell them apart.
//
// K = ∂(M v̇ − Q)/∂q and C = −∂Q/∂v along the retraction q ⊕ δ; M is constant in natural coordinates.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "system/recursive_solver.h"
#include "system/terms.h"
#include "trammel/state.h"

namespace trammel::system {

struct Sizes {
  int q = 0, v = 0;   // coordinates
  int rows = 0;       // constraints: the holonomic ones first, then those of velocities alone
  int holonomic = 0;  // Φ(q, t) = 0; the others have no position level: A(q, t) v + b(q, t) = 0
  int states = 0;     // auxiliary states
  int inputs = 0;
  int angles = 0;  // unwrapped angles kept in the State
};

// What a constraint row belongs to.
struct RowOwner {
  enum class Kind { joint, body, driver, user };
  Kind kind = Kind::joint;
  std::string name;
  double scale = 1;                 // the size of Φ, or of A v + b in a second, that counts as one
  std::vector<std::string> joints;  // joints that meet at the elements this row ties together
  bool is_angle = false;            // Φ is an angle, else a length or an area scaled by one
};

// A linear condition on the initial velocity that a person gave: Σ coefficient·v[column] = value.
struct KnownVelocity {
  std::string owner;
  std::vector<int> column;
  std::vector<double> coefficient;
  double value = 0;
};

// Angles as they were last looked at, turns included; each kind of coordinates adds what it needs.
inline constexpr MemorySlot kAngles{"angles", Lifetime::edit};

class Dynamics {
 public:
  virtual ~Dynamics() = default;
  Dynamics() = default;
  Dynamics(const Dynamics&) = delete;
  Dynamics& operator=(const Dynamics&) = delete;

  const Sizes& sizes() const { return sizes_; }
  const std::vector<RowOwner>& rows() const { return rows_; }
  const RowPattern& jacobian() const { return jacobian_; }
  const EntryPattern& mass_pattern() const { return mass_pattern_; }  // lower triangle, unique
  const EntryPattern& stiffness() const { return stiffness_; }
  const EntryPattern& damping() const { return damping_; }
  // True when K and C are symmetric but for small terms that modified Newton may leave out.
  bool symmetric_tangent() const { return symmetric_tangent_; }
  // Inertia that would count as one on each coordinate: what a massless direction is compared with.
  const std::vector<double>& inertia_scale() const { return inertia_scale_; }
  // Inertia of one kilogram on each coordinate: 1 for points, the square of the body's size (m²) for unit
  // vectors and rotations. Empty: not known.
  const std::vector<double>& unit_inertia() const { return unit_inertia_; }
  double length_scale() const { return length_scale_; }  // m
  // What counts as one on each velocity: the length scale for points, 1 for unit vectors and angles.
  const std::vector<double>& coordinate_scale() const { return coordinate_scale_; }
  // The same for each position.
  const std::vector<double>& position_scale() const {
    return position_scale_.empty() ? coordinate_scale_ : position_scale_;
  }
  // Positions that are angles, which may make any number of turns: their errors do not count relative to
  // them.
  const std::vector<int>& angle_positions() const { return angle_positions_; }
  bool constant_mass() const { return constant_mass_; }      // M is as make_terms() fills it
  bool constant_forces() const { return constant_forces_; }  // Q is, and there are no auxiliary states
  bool has_work() const { return has_work_; }                // some force or driver is not conservative
  bool rheonomic() const { return rheonomic_; }              // some constraint depends on time

  virtual Terms make_terms() const;
  double kinetic_energy(const State& s, const Terms& terms) const {
    return 0.5 * mass_product(terms, s.v, s.v);
  }

  // M where it is a matrix on mass_pattern(); coordinates that have it otherwise say how to use it.
  // y += factor · M x
  virtual void add_mass_times(const Terms&, std::span<const double> x, double factor,
                              std::span<double> y) const;
  // y = Q − M x
  virtual void force_left(const Terms&, std::span<const double> x, std::span<double> y) const;
  virtual double mass_product(const Terms&, std::span<const double> x,
                              std::span<const double> y) const;  // xᵀ M y
  virtual std::vector<double> mass_diagonal(const Terms&) const;
  // Where M is no matrix, mass_pattern(), stiffness() and damping() are empty and this solves with them.
  virtual std::unique_ptr<RecursiveSolver> recursive_solver() const { return nullptr; }
  virtual bool has_stiffness() const { return stiffness_.size() > 0; }  // some force has a K
  virtual bool has_damping() const { return damping_.size() > 0; }      // Q depends on v

  // The State as the model file places it, not yet assembled.
  virtual State initial_state() const = 0;
  // What the model file says of the initial velocity, as conditions at an assembled State.
  virtual std::vector<KnownVelocity> known_velocities(const State&) const = 0;
  virtual void evaluate(const State&, unsigned ask, Terms&) const = 0;
  // Velocities may differ from the rates of the coordinates: q̇ = N(q) v. Where they do not, N = 1 and ⊕ adds.
  virtual void position_rate(std::span<const double> q, std::span<const double> v,
                             std::span<double> q_dot) const;
  // q ⊕ δ
  virtual void retract(std::span<double> q, std::span<const double> delta) const;
  // δ with to = from ⊕ δ
  virtual void difference(std::span<const double> from, std::span<const double> to,
                          std::span<double> delta) const;
  // Its rate while `to` moves with the velocity v.
  virtual void difference_rate(std::span<const double> from, std::span<const double> to,
                               std::span<const double> v, std::span<double> rate) const;
  // Brings back what rounding and explicit rules take from positions that are not free, as |e| = 1.
  virtual void normalize(std::span<double>) const {}
  // Takes the unwrapped angles of an accepted step into its memory; the joint's name when one turned more
  // than half a turn since the last, else empty. The Terms are scratch.
  virtual std::string accept_angles(State&, Terms&, double step) const = 0;
  // Some equation holds only within a range of positions.
  bool has_range() const { return has_range_; }
  // Where positions have left such a range: what happened, for a person; else empty. The Terms are scratch.
  virtual std::string out_of_range(const State&, Terms&) const { return {}; }
  // Pairs of gears of which either flank may press: their rows (decisions.h).
  const std::vector<int>& flank_rows() const { return flank_rows_; }
  // Velocities that nothing holds or drives and that change nothing, as a thin rod's about its own axis: no
  // freedom that counts.
  const std::vector<int>& idle_columns() const { return idle_columns_; }

  // Names of the velocities' coordinates as a person may use them, "B.x"; empty where one has none.
  virtual std::vector<std::string> coordinate_names() const {
    return std::vector<std::string>(static_cast<std::size_t>(sizes_.v));
  }
  // Angular velocities in axes that turn with their body: the first column of each three. Space only.
  virtual std::vector<int> spins_in_own_axes() const { return {}; }
  // What a coordinate belongs to, for messages: a body's name, or the coordinate's own.
  virtual std::string coordinate_owner(int column) const {
    return "coordinate " + std::to_string(column + 1);
  }

 protected:
  Sizes sizes_;
  std::vector<RowOwner> rows_;
  RowPattern jacobian_;
  EntryPattern mass_pattern_, stiffness_, damping_;
  std::vector<double> mass_, inertia_scale_, unit_inertia_, coordinate_scale_, position_scale_;
  std::vector<int> idle_columns_, angle_positions_, flank_rows_;
  std::size_t diagonal_masses_ = 0;  // so many first entries of M are its diagonal, in order
  bool constant_mass_ = false;
  bool constant_forces_ = false;
  bool symmetric_tangent_ = true;
  bool has_work_ = false;
  bool rheonomic_ = false;
  bool has_range_ = false;
  double length_scale_ = 1;
  std::size_t signal_count_ = 1, measure_scratch_ = 0, expression_scratch_ = 0;
};

}  // namespace trammel::system
