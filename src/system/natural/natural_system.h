// NaturalSystem: a Mechanism in points and unit vectors, shared between neighbours.
//
// Constant mass matrix, no velocity-dependent inertia, Φ_v linear in q but for angles and distances.
//   García de Jalón & Bayo (1994), ch. 2
#pragma once

#include <map>

#include "system/constraints/dot_rows.h"
#include "system/decisions.h"
#include "system/natural/angle_turns.h"
#include "system/natural/parts.h"
#include "system/natural/shared_flows.h"

namespace trammel::system {

template <int D>
class WrenchSum;

template <int D>
class NaturalSystem final : public System {
 public:
  explicit NaturalSystem(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched = {},
                         Sharing sharing = Sharing::neighbours);
  const Basis<D>& basis() const { return parts_.basis; }
  const NaturalParts<D>& parts() const { return parts_; }
  // Of the weights, by coordinate: N, N.m
  const std::vector<double>& weight() const { return gravity_; }

  // No force but weight, and nothing that reads the motion.
  bool only_gravity() const;
  const Vec3& gravity() const { return mechanism_.gravity; }
  // No force but weight and linear springs between points, and nothing that reads the motion.
  bool only_springs() const;
  const std::vector<Spring<D>>& springs() const { return std::get<std::vector<Spring<D>>>(parts_.forces); }

  // Rotors on joint coordinates, in the order of the joints.
  const std::vector<Armature>& armatures() const { return parts_.armatures; }
  const Measure<D>& measure(int k) const { return parts_.measures[static_cast<std::size_t>(k)]; }
  MeasureView<D> measured(int k, const Terms& terms) const {
    return {terms.measures.data() + measure_start_[static_cast<std::size_t>(k)], measure(k).columns()};
  }

  // The angles that a State keeps, in their order, and their measures.
  const Measure<D>& angle(int k) const;
  const std::vector<int>& angle_measures() const { return angle_measures_; }
  double angle_rate(int k, const State& s) const {
    return angle(k).rate(elements(s.q, true), elements(s.v, false));
  }

  void force_left(const Terms&, std::span<const double> x, std::span<double> y) const override;
  bool has_damping() const override { return has_damping_; }
  Terms make_terms() const override;
  State initial_state() const override;
  std::vector<KnownVelocity> known_velocities(const State&) const override;
  void evaluate(const State&, unsigned ask, Terms&) const override;
  std::string accept_angles(State&, Terms&, double step) const override;
  std::string out_of_range(const State&, Terms&) const override;
  std::string coordinate_owner(int column) const override;
  std::vector<std::string> coordinate_names() const override;
  std::unique_ptr<PlaceView> view(const Place&) const override;
  std::vector<Place> coordinate_places() const override;
  std::vector<Pose> poses(const State&) const override;
  std::vector<Vec3> point_positions(const State&) const override;
  void place(std::span<const Body> bodies, std::span<const Pose> poses, State&) const override;
  std::map<std::string, double> turns(const State&) const override;
  void take_turns(const std::map<std::string, double>&, State&) const override;
  std::vector<Reading> readings(const State&, Terms&) const override;
  bool reads_reactions() const override { return !parts_.late.empty(); }
  bool watches_reactions() const override { return parts_.watches_late; }
  std::vector<ForceColumn> force_columns() const override;
  void forces(const State&, Terms&, std::span<double> values) const override;
  void watch(const State&, Terms&, std::span<double> values) const override;
  std::vector<Wrench> reactions(const State&, Terms&) const override;
  std::vector<Reading> efforts(const State&, Terms&) const override;
  std::vector<ReactionMode> reaction_modes(const State&, Terms&,
                                           std::span<const std::vector<double>> multipliers) const override;

 private:
  void build_mass();
  void build_patterns();
  // armatures.h
  void declare_armatures(std::map<std::pair<int, int>, double>& sum) const;
  void find_armature_entries();
  void evaluate_armatures(const Motion<D>&, unsigned ask, Terms&) const;
  void build_readings();
  int holonomic_rows() const;
  Motion<D> motion(const State& s, Terms& terms) const;
  Elements<D> elements(const std::vector<double>& free, bool places) const {
    return {free.data(), places ? fixed_.data() : still_.data(), parts_.basis.free_elements()};
  }
  void number_measures();
  std::string name_of(int measure) const;
  // Those that something acts on, or all, for output.
  void evaluate_measures(const State&, Terms&, bool with_hessian, bool all) const;
  void read_late(const State&, Terms&) const;
  double gravity_potential(const State&) const;
  void evaluate_forces(const Motion<D>&, unsigned ask, Terms&) const;
  void evaluate_states(const Motion<D>&, bool tangent, Terms&) const;
  Pose pose(std::size_t body, const State&) const;
  Mat3 body_axes(std::size_t body, const State&) const;
  double expected_angle(int measure, double t) const;

  // reactions.cpp: generalized forces that each body's own elements must receive from its joints
  using Balance = std::vector<std::vector<math::Vec<D>>>;
  Balance no_balance() const;
  void take(Balance&, const Material<D>& on, const math::Vec<D>& force) const;
  void take_rows(Balance&, const Motion<D>&, const double* lambda) const;
  Balance body_balance(const State&, const Motion<D>&) const;
  void take_armatures(Balance&, const State&, const Motion<D>&) const;
  void act_rows(const Motion<D>&, const double* lambda, WrenchSum<D>&) const;
  Vec3 shared_place(const SharedPlace&, const Motion<D>&) const;
  // What each moving body of each shared place receives there, one column per body of its flows.
  std::vector<Eigen::MatrixXd> received(const Balance&, const Motion<D>&, const double* lambda) const;
  void act_flows(const Motion<D>&, const double* lambda, const Balance&, WrenchSum<D>&) const;
  Mat3 joint_axes(const ReactionPlace&, const State&) const;
  std::vector<Wrench> reported(const State&, const WrenchSum<D>&) const;
  std::vector<Reading> efforts_of(const Motion<D>&, const double* lambda) const;

  // reaction_modes.cpp
  double largest_force(const Motion<D>&, const double* lambda) const;
  ReactionMode multiplier_mode(const State&, const Motion<D>&, std::vector<double> multipliers) const;
  ReactionMode held_mode(const State&, const Motion<D>&, const Dot<D>& row) const;
  ReactionMode flow_mode(const State&, const Motion<D>&, std::size_t place, const Eigen::VectorXd& flows,
                         int axis) const;

  const Mechanism mechanism_;
  NaturalParts<D> parts_;
  std::vector<double> fixed_, still_;  // places and (zero) velocities of ground's elements
  std::vector<double> gravity_;        // constant generalized force
  double grounded_potential_ = 0;      // J, of gravity on what ground's elements carry
  DotRows<D> dots_;                    // the first rows
  bool has_other_rows_ = false, has_forces_ = false;
  bool has_more_ = false;       // than products of elements and gravity
  bool has_damping_ = false;    // some force depends on velocities
  bool reads_signals_ = false;  // something does in a step
  // M between different elements: y_e += (α + βJ) x_f, and the transpose for f.
  struct MassBlock {
    int e, f;  // first columns
    Weight<D> weight;
  };
  std::vector<MassBlock> mass_blocks_;
  std::vector<std::size_t> armature_entries_;  // of M: the lower triangle of each armature's block
  std::vector<double> start_mass_;             // M at the start, with armatures
  std::vector<Material<D>> com_;               // by body
  std::vector<SharedFlows> flows_;             // by shared place
  std::vector<int> measure_start_;
  std::vector<int> active_measures_;             // that something acts on
  std::vector<std::pair<int, int>> read_slots_;  // slots of expression variables: slot, place in the scratch
  std::vector<int> angle_measures_;
  // What readings() tells of joints.
  struct JointReading {
    std::string joint, quantity, rate, unit;
    int measure = 0;
  };
  std::vector<JointReading> joint_readings_;
  std::vector<int> active_angles_;  // of these: those that something acts on
  std::vector<int> angle_of_body_;  // planar bodies: among the angles; −1: not kept
  AngleTurns<D> turns_;
};

}  // namespace trammel::system
