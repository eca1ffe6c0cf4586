// ReferenceSystem: a Mechanism in the position of each body's centre of mass and its rotation.
//
//   plane   q = (x, y, θ),   v = q̇
//   space   q = (c, e), e Euler parameters,   v = (ċ in world axes, ω in the body's axes)
//
// Constraints and forces are those of natural coordinates over elements that no two bodies share: centres of
// mass and unit vectors u_k = R e_k. The System carries them over, with x = X(q), ẋ = B v, ẍ = B v̇ + β:
//
//   Φ_v = Φ_x B,   γ = γ_x + Φ_x β,   Q = BᵀQ_x − (0, ω × Jω),   M = diag(m, J), constant
//   space:  u̇ = R(ω × e_k) = B_k ω,  β = R(ω × (ω × e_k));   plane:  u̇ = θ̇Ju,  β = −θ̇²u
#pragma once

#include <array>

#include "system/natural/natural_system.h"

namespace trammel::system {

template <int D>
class ReferenceSystem final : public System {
 public:
  explicit ReferenceSystem(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched = {});

  // The velocities of a body, in order of Mechanism::bodies from 1: centre of mass, then rotation. Ground, 0,
  // has none.
  struct Columns {
    int first = 0, count = 0;
  };
  Columns body_columns(int body) const;
  int body_position(int body) const {
    return bodies_[static_cast<std::size_t>(body)].q;
  }  // its first position

  const NaturalSystem<D>& elements() const { return elements_; }
  const std::vector<double>& body_mass() const { return mass_; }  // M without armatures

  // ∇S of an armature's measure, S: its columns, and at the State of the Terms its entries and their rates.
  static constexpr int kArmed = 2 * (D + (D == 2 ? 1 : 3));  // columns of two bodies
  struct ArmatureRow {
    double inertia = 0;
    std::span<const int> columns;
    std::array<double, static_cast<std::size_t>(kArmed)> entry{}, rate{};
    double bias = 0;  // S̈ where v̇ = 0
  };
  std::size_t armatures() const { return armatures_.size(); }
  ArmatureRow armature_row(std::size_t k, const State& s, const Terms& terms, bool with_rates) const;
  // Whether every angle that a State keeps follows from its positions, turns included.
  bool guided() const { return !guides_.empty(); }
  State mapped(const State& s) const;  // to the elements
  // Where a material point is, from its body's centre of mass in the body's axes; on ground, in the world.
  math::Vec<D> local(const Material<D>& point) const;

  Terms make_terms() const override;
  State initial_state() const override;
  std::vector<KnownVelocity> known_velocities(const State&) const override;
  void evaluate(const State&, unsigned ask, Terms&) const override;
  void position_rate(std::span<const double> q, std::span<const double> v,
                     std::span<double> q_dot) const override;
  void retract(std::span<double> q, std::span<const double> delta) const override;
  void difference(std::span<const double> from, std::span<const double> to,
                  std::span<double> delta) const override;
  void difference_rate(std::span<const double> from, std::span<const double> to, std::span<const double> v,
                       std::span<double> rate) const override;
  void normalize(std::span<double> q) const override;
  std::string accept_angles(State&, Terms&, double step) const override;
  std::string out_of_range(const State&, Terms&) const override;
  std::vector<std::string> coordinate_names() const override;
  std::string coordinate_owner(int column) const override;
  std::unique_ptr<PlaceView> view(const system::Place&) const override;
  std::vector<Pose> poses(const State&) const override;
  std::vector<Vec3> point_positions(const State&) const override;
  void place(std::span<const Body> bodies, std::span<const Pose> poses, State&) const override;
  std::map<std::string, double> turns(const State& s) const override { return elements_.turns(mapped(s)); }
  void take_turns(const std::map<std::string, double>& known, State& s) const override;
  std::vector<Reading> readings(const State&, Terms&) const override;
  bool reads_reactions() const override { return elements_.reads_reactions(); }
  bool watches_reactions() const override { return elements_.watches_reactions(); }
  std::vector<ForceColumn> force_columns() const override { return elements_.force_columns(); }
  void forces(const State&, Terms&, std::span<double> values) const override;
  void watch(const State&, Terms&, std::span<double> values) const override;
  std::vector<Wrench> reactions(const State&, Terms&) const override;
  std::vector<Reading> efforts(const State&, Terms&) const override;
  std::vector<ReactionMode> reaction_modes(const State&, Terms&,
                                           std::span<const std::vector<double>> multipliers) const override;

 private:
  static constexpr int kTurn = D == 2 ? 1 : 3;      // velocities of a rotation
  static constexpr int kRotation = D == 2 ? 1 : 4;  // and its positions
  using Lever = Eigen::Matrix<double, D, kTurn>;    // of a unit vector: B_k
  using Inertia = Eigen::Matrix<double, kTurn, kTurn>;
  using Turning = Eigen::Matrix<double, kTurn, 1>;

  struct Carrier {  // a body
    std::string name;
    int element = 0;     // of its centre of mass; its unit vectors follow
    int directions = 0;  // how many these are
    int q = 0, v = 0;    // where its coordinates begin
    bool turns = false;
    Inertia inertia = Inertia::Zero();
    Mat3 axes = Mat3::Identity();  // at the start
    double angle = 0;
  };
  // What an element's velocity depends on: its own body's velocity, or its rotation.
  struct Place {
    int body = 0;
    bool turns = false;
    int column = 0;  // the first
  };
  // A block of K and C: the entry of (row, column) is at start + stride·row + column.
  struct Target {
    int start = -1, stride = 0;
  };

  // In the plane an angle is a difference of two of these coordinates, up to whole turns. So a State keeps
  // only these turns, and a step may be as long as it likes.
  struct Guide {
    int plus = -1, minus = -1;  // −1: ground
  };
  double guide(std::size_t k, const std::vector<double>& q) const {
    const auto angle = [&](int at) { return at < 0 ? 0.0 : q[static_cast<std::size_t>(at)]; };
    return guides_.empty() ? 0.0 : angle(guides_[k].plus) - angle(guides_[k].minus);
  }
  void find_guides();
  // The elements' angles, with all turns, into what a State keeps.
  void keep_angles(const std::vector<double>& of_elements, State& s) const;

  void place_bodies(const Mechanism& mechanism);
  void build_mass(const Mechanism& mechanism);
  void build_armatures();
  void carry_armatures(const State& s, unsigned ask, Terms& terms) const;
  void build_rows();
  void build_tangent();
  Target declare_block(int first_row, int rows, int first_column, int columns);
  static bool is_gyroscopic(const Carrier& body);

  // Where the elements are, and how they move; a: null for v̇ = 0.
  void map_body(const Carrier& body, const State& s, bool accelerations, State& inner, double* map) const;
  State& map_into(const State& s, bool accelerations, Terms& terms) const;

  // B_k of an element that turns, and ∂(B_k ω)/∂q.
  static Eigen::Map<const Lever> lever(const Terms& terms, int element) {
    return Eigen::Map<const Lever>(terms.map.data() + 2 * D * kTurn * element);
  }
  static Eigen::Map<const Lever> lever_rate(const Terms& terms, int element) {
    return Eigen::Map<const Lever>(terms.map.data() + (2 * D * element + D) * kTurn);
  }
  void carry_rows(Terms& terms) const;
  void carry_gamma(Terms& terms) const;
  void carry_rates(const State& s, Terms& terms) const;
  void carry_forces(const State& s, Terms& terms) const;
  void carry_tangent(const State& s, Terms& terms) const;
  void carry_entry(int row, int column, Target target, double K, double C, Terms& terms) const;
  void add_own_tangent(const Carrier& body, Target target, const State& s, Terms& terms) const;

  struct ArmatureColumns {
    std::vector<int> columns;          // velocities of the bodies that it joins
    std::vector<int> target;           // by element of its measure: where its body's columns begin here
    std::vector<std::size_t> entries;  // of M: the lower triangle
  };

  NaturalSystem<D> elements_;
  std::vector<Carrier> bodies_;  // from 1; 0 is ground
  std::vector<Place> places_;    // by element
  std::vector<Guide> guides_;    // by angle; none in space
  std::vector<ArmatureColumns> armatures_;
  std::vector<double> start_mass_;  // M at the start, with armatures
  std::vector<int> row_target_;     // of each entry of the elements' Φ_v: the first of its entries here
  std::vector<Target> entry_target_, own_target_;  // of K and C: by entry of the elements', by body
};

}  // namespace trammel::system
