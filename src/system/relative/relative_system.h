// RelativeSystem: a Mechanism in the coordinates of a tree of joints; the other joints close loops.
//
// The velocity transformation V = R v takes the reference coordinates' equations to these:
//
//   RᵀM R v̇ + (Φ_V R)ᵀλ = Rᵀ(Q − M β),   Φ̈ = Φ_V R v̇ + (γ + Φ_V β)      García de Jalón & Bayo (1994), (5.92)
//
// for the rows Φ of the joints that are opened, of drivers and of velocities. Neither R nor RᵀM R is formed:
// products and solves pass along the tree, in a time linear in the number of bodies. The reactions of the
// tree's joints follow from the balance of each body, from the tips inwards.
#pragma once

#include <any>
#include <array>
#include <map>

#include "system/reference/reference_system.h"
#include "system/relative/tree_motion.h"
#include "system/relative/tree_spring.h"

namespace trammel::system {

template <int D>
class TreeSolver;

// What evaluate() leaves in Terms: the bodies in reference coordinates, and the tree.
template <int D>
struct RelativeTerms {
  State& bodies;
  Terms& terms;
  TreeMotion<D>& tree;
};

template <int D>
class RelativeSystem final : public System {
 public:
  RelativeSystem(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched,
                 std::span<const std::string> open);

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
  std::vector<int> spins_in_own_axes() const override;
  std::vector<Pose> poses(const State&) const override;
  std::vector<Vec3> point_positions(const State&) const override;
  void place(std::span<const Body> bodies, std::span<const Pose> poses, State&) const override;
  std::map<std::string, double> turns(const State& s) const override {
    return bodies_.turns(in_reference(s));
  }
  void take_turns(const std::map<std::string, double>& known, State& s) const override;
  std::vector<Reading> readings(const State&, Terms&) const override;
  bool reads_reactions() const override { return bodies_.reads_reactions(); }
  bool watches_reactions() const override { return bodies_.watches_reactions(); }
  std::vector<ForceColumn> force_columns() const override { return bodies_.force_columns(); }
  void forces(const State&, Terms&, std::span<double> values) const override;
  void watch(const State&, Terms&, std::span<double> values) const override;
  std::vector<Wrench> reactions(const State&, Terms&) const override;
  std::vector<Reading> efforts(const State&, Terms&) const override;
  std::vector<ReactionMode> reaction_modes(const State&, Terms&,
                                           std::span<const std::vector<double>> multipliers) const override;

  void add_mass_times(const Terms&, std::span<const double> x, double factor,
                      std::span<double> y) const override;
  double mass_product(const Terms&, std::span<const double> x, std::span<const double> y) const override;
  std::vector<double> mass_diagonal(const Terms&) const override;
  bool has_stiffness() const override { return true; }
  bool has_damping() const override { return true; }
  std::unique_ptr<RecursiveSolver> recursive_solver() const override;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  // One body's part in a row.
  struct RowSide {
    int body = 0;
    int stop = 0;                                                // the carrying body at which the row ends
    std::array<int, static_cast<std::size_t>(kTwist<D>)> entry;  // of the reference Jacobian; −1: none
    std::vector<int> target;  // for each joint on the way up, the entry of its first column in the row here
  };
  struct TreeRow {
    int source = 0;  // of the reference system
    std::vector<RowSide> sides;
  };

  // Plane: the angle of a joint's child is that of its parent, a constant, and ± the coordinate of a hinge.
  struct Turn {
    double constant = 0;
    int q = -1;
    double sign = 0;
  };
  // Space: the hinge whose coordinate an angle follows, up to whole turns.
  struct Hinge {
    int q = -1;  // none
    double sign = 0;
  };

  RelativeSystem(const Mechanism& cut, std::size_t uncut_bodies,
                 const std::vector<mechanism::Watched>& watched, std::span<const std::string> open);
  static RelativeTerms<D> own_terms(Terms& terms) {
    return {terms.inner_state, terms.inner.front(), *std::any_cast<TreeMotion<D>>(&terms.own)};
  }
  static const TreeMotion<D>& tree_of(const Terms& terms) {
    return *std::any_cast<TreeMotion<D>>(&terms.own);
  }
  void read_inertia();
  void find_idle_columns();
  void find_springs();
  void find_turns();
  void find_hinges();
  // What is kept of the bodies' angles: in space, less the coordinates of hinges.
  void keep_angles(const State& bodies, State& s) const;
  void choose_rows(const Mechanism& mechanism);
  void add_row(int source, const std::vector<int>& bodies, int stop);
  std::vector<int> bodies_of_row(int source) const;
  // Where a joint's frame on the child stands in its frame on the parent, in given poses of all bodies.
  struct JointPlace {
    math::Mat<D> frame, R;  // the parent's axes, the child's in them
    math::Vec<D> p;
  };
  JointPlace joint_place(const TreeJoint<D>&, std::span<const Pose>) const;
  void move(const State&, RelativeTerms<D>, bool with_rates = false) const;     // q and v of all bodies
  void accelerate(const State&, RelativeTerms<D>) const;                        // and their v̇
  void write_pose(int body, const TreeBody<D>&, std::vector<double>& q) const;  // in the plane no angle
  void write_angle(const TreeJoint<D>&, const Turn&, const std::vector<double>& q,
                   std::vector<double>& to) const;
  void write_twist(int body, const TreeBody<D>&, const Twist<D>&, std::vector<double>& to) const;
  Twist<D> on_body(int body, const std::vector<double>& reference, RelativeTerms<D>) const;
  Twist<D> row_on_body(const RowSide&, const std::vector<double>& entries, RelativeTerms<D>) const;
  void clean_row(std::size_t row, double size, Terms&) const;
  void evaluate_rows(unsigned ask, RelativeTerms<D>, Terms&) const;
  void evaluate_forces(RelativeTerms<D>, Terms&) const;
  void evaluate_springs(RelativeTerms<D>, Terms&) const;
  void evaluate_rates(RelativeTerms<D>, Terms&) const;
  // armatures.h
  void find_armatures();
  void read_loop_armatures(RelativeTerms<D>, Terms&) const;
  void add_armature_bias(RelativeTerms<D>) const;
  void add_armature_momenta(RelativeTerms<D>) const;
  Twist<D> row_on_body(int body, const typename ReferenceSystem<D>::ArmatureRow&, bool rate,
                       RelativeTerms<D>) const;

  // reading.cpp
  State in_reference(const State&) const;
  void balance(const State&, RelativeTerms<D>) const;
  std::vector<Wrench> of_whole_bodies(std::vector<Wrench>) const;
  // All multipliers of the reference system: those of the rows here, and of the tree's joints by balance.
  void all_multipliers(const std::vector<double>& lambda, bool in_motion, RelativeTerms<D>) const;

  friend class TreeSolver<D>;

  std::size_t uncut_bodies_;  // of the Mechanism; halves that were cut off follow
  ReferenceSystem<D> bodies_;
  Tree<D> tree_;
  std::vector<math::Vec<D>> com_;              // by body, in its axes
  std::vector<math::Mat<kTwist<D>>> inertia_;  // by body, in its axes
  std::vector<int> body_of_column_;            // of the reference system
  std::vector<TreeRow> tree_rows_;             // the rows of this system
  std::vector<std::vector<int>> held_rows_;    // by tree joint: the reference rows that it holds by itself
  std::vector<std::size_t> half_of_;           // of the halves that were cut off: the body
  bool only_springs_ = false;                  // nothing acts but weight and these
  std::vector<TreeSpring<D>> springs_;
  std::vector<std::size_t> loop_armatures_;  // those on joints that close loops
  std::vector<Turn> turns_of_;               // by tree joint
  std::vector<Hinge> hinges_;                // by angle
  State start_;
};

}  // namespace trammel::system
