// Lowering: from a Mechanism's joints, drivers and forces to the parts of natural coordinates.
//
// First every expression is parsed, so that the signals it reads are known; then every joint and force names
// the places it needs; then the basis is chosen; then rows and forces are made. Rows are collected per type
// in the order in which they are made, and joined in the order of the pools.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "mechanism/signals.h"
#include "system/natural/parts.h"

namespace trammel::system {

template <int D>
class Lowering {
 public:
  Lowering(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched, Sharing sharing);
  NaturalParts<D> result();

 private:
  // Places are told apart by 1e-9 of a body's size; weights are exact to 1e-15, less a few digits of the
  // basis.
  static constexpr double kCancelled = 1e-12;

  // lowering.cpp
  void parse_expressions(const std::vector<mechanism::Watched>& watched);
  void name_signal_places();
  int measure(const std::string& key, MeasureKind kind, std::vector<Slot<D>> slots, double offset = 0,
              math::Vec<D> direction = math::Vec<D>::Zero(), double radius = 0);
  int signal_measure(const mechanism::Signal& signal);
  int joint_measure(const Joint& joint, bool angle);
  int only_measure(const std::string& joint_name);
  int rubbed_measure(const std::string& joint_name);  // on which dry friction acts
  void make_signals();
  void make_late_signal(std::size_t slot, const mechanism::Signal& signal);
  void check_late_signals() const;
  void name_coordinate(const Joint& joint, bool angle);
  expressions::Expression expression(const std::string& text) const;
  double initial_value(int measure) const;
  double initial_coordinate(const std::string& joint, int measure) const;
  double placed_angle(const Measure<D>& measure) const;
  // A driver that holds a coordinate on its end-stop.
  bool is_stop(const Driver& driver) const {
    return std::ranges::count(mechanism_.stops, driver.name, &EndStop::name) > 0;
  }

  int body(const Marker& m) const { return parts_.basis.body_index(m.body); }
  int point_node(const Marker& m) { return parts_.basis.node(body(m), true, m.frame.at); }
  // In the plane every vector is in reach of every body that turns; only ground must be told.
  void vector_node(const Marker& m, int axis) {
    if (D == 3 || body(m) == kGroundBody) parts_.basis.node(body(m), false, m.frame.axes.col(axis));
  }
  Material<D> point(const Marker& m) const { return parts_.basis.material(body(m), true, m.frame.at); }
  Material<D> vector(const Marker& m, int axis) const {
    return parts_.basis.material(body(m), false, m.frame.axes.col(axis));
  }
  Slot<D> gap(const Marker& from, const Marker& to) const { return difference(point(from), point(to)); }
  // to − from. Where both bodies have a place in the same elements, as on a second hinge of one axis, the
  // weights cancel: what is left of them is rounding, which would become a constraint when rows are scaled to
  // length one.
  static Slot<D> difference(const Material<D>& from, const Material<D>& to) {
    const auto size = [](const auto& term) {
      return std::max(std::abs(term.weight.alpha), std::abs(term.weight.beta));
    };
    double largest = 0;
    for (const Material<D>* side : {&from, &to})
      for (const auto& term : side->form.terms) largest = std::max(largest, size(term));
    Slot<D> slot = Slot<D>::between(from, to);
    std::erase_if(slot.form.terms, [&](const auto& term) { return size(term) <= kCancelled * largest; });
    return slot;
  }

  // lowering_joints.cpp
  void name_joint_places(int joint);
  void share(int joint, bool is_point, int axis);
  void body_rows();
  void shared_rows();
  void tie(RowRole role, const Material<D>& a, const Material<D>& b, const Vec3& local_b);
  void refused_rows();
  void make_parallel(int joint, const Marker& a, const Marker& b, int axis);
  void joint_rows(int joint);
  void coupler_rows(int joint);
  void relation_rows(int joint);
  void screw_rows(int joint);
  void twist_row(int joint);
  void add_armatures();
  void set_axes(int joint);
  // The reaction has an effort: the generalized force along the measure of a part of its row.
  void set_effort(int reaction, int measure, std::size_t part = 0);
  void add_dot(RowRole role, const Slot<D>& u, const Slot<D>& w, double factor, double constant, double scale,
               bool is_angle = false);
  void add_coincident(RowRole role, const Slot<D>& difference, double scale);
  void add_coupled(int reaction, std::vector<typename Coupled<D>::Part> parts, expressions::Expression f,
                   double scale, bool is_angle);
  RowOwner owner(int reaction, double scale, bool is_angle = false) const;

  // lowering_drivers.cpp
  void driver_rows();
  void add_driver(const Driver& driver);
  void add_stop(const EndStop& stop);
  void add_custom(const CustomConstraint& custom);
  void add_friction_row(const Force& force, const DryFriction& law);
  ReactionPlace coordinate_place(const std::string& name, const Joint& joint) const;

  // lowering_teeth.h
  void name_gear_places(const Joint& joint);
  void gear_pair_rows(int joint);
  void rack_rows(int joint);
  void put_at_pitch_point(int joint, LinearForm<D> at);
  void put_at(int joint, MovingPlace<D> place);

  // lowering_crossed_teeth.h
  void bevel_pair_rows(int joint);
  void worm_pair_rows(int joint);
  // Parts of the given coefficients, signed by the flank that presses; what they add to the constant.
  double add_flank(const Joint& joint, std::vector<typename Coupled<D>::Part>& parts,
                   const std::vector<std::pair<int, double>>& measures);

  // lowering_belts.h
  void name_pulley_places(const Marker& a, const Marker& b);
  int belt_measure(const std::string& name, const Marker& a, const Marker& b, const Joint::Pulleys& pulleys,
                   std::size_t part);
  void belt_rows(int joint);
  void name_cam_places(const Joint& joint);
  int cam_measure(const Joint& joint);
  void cam_rows(int joint);

  // lowering_velocities.cpp
  void name_contact_places(const Joint& joint);
  void knife_edge_rows(int joint);
  void rolling_rows(int joint);
  void pursuit_rows(int joint);
  void velocity_rows(int joint);
  void add_slip(int reaction, Slip<D> slip, double scale);
  void add_rate_sum(int reaction, std::vector<typename RateSum<D>::Part> parts, const std::string& f,
                    double scale);
  typename RateSum<D>::Law rate_law(const std::string& text) const;
  typename Slip<D>::Side slip_side(const Marker& m, bool turns) const;

  // lowering_forces.cpp
  void name_force_places();
  void make_forces();
  void add(const Force& force, const SpringDamper& law);
  void add(const Force& force, const JointSpring& law);
  void add(const Force& force, const Tendon& law);
  void add(const Force& force, const JointFriction& law);
  void add(const Force& force, const Motor& law);
  void add(const Force& force, const DryFriction& law);
  void add(const Force& force, const AppliedForce& law);
  void add(const Force& force, const AppliedTorque& law);
  void add(const Force& force, const Bushing& law);
  void add(const Force& force, const ElasticBelt& law);
  void add(const Force& force, const UserForcePtr& law);
  void add_rotors();
  void add_effort(Lever<D> lever, Law law);
  template <class Part>
  void report(const Force& force, const char* quantity, const char* component, double sign, int measure = 0);
  void report_zero(const Force& force, const char* quantity, const char* component);
  const char* coordinate_force(const std::string& joint) const;
  Elements<D> start() const {
    const int free = parts_.basis.free_elements();
    return {start_.data(), start_.data() + D * free, free};
  }
  Law expression_law(const std::string& text, double sign) const;
  Material<D> axis(int body, bool body_fixed, int k) const;

  template <class Part>
  std::vector<Part>& pool() {
    return std::get<std::vector<Part>>(parts_.constraints);
  }
  // Notes a row of the part just put into its pool.
  template <class Part>
  void made(RowOwner owner, RowRole role) {
    made_[pool_index<Part>(static_cast<const ConstraintPools<D>*>(nullptr))].push_back(
        {std::move(owner), role});
  }

  const Mechanism& mechanism_;
  NaturalParts<D> parts_;
  std::vector<double> start_;  // where all elements are at the beginning, for the forces
  std::unique_ptr<expressions::Symbols> symbols_;
  std::map<std::string, expressions::Expression> expressions_;  // by text
  struct Refused {                                              // a place that a joint could not share
    int joint;
    bool is_point;
    int axis;
    std::size_t first, second;  // markers
  };
  std::vector<Refused> refused_;
  // Rows in making, one list per pool.
  struct MadeRow {
    RowOwner owner;
    RowRole role;
  };
  std::array<std::vector<MadeRow>, std::tuple_size_v<ConstraintPools<D>>> made_;
  double length_scale_ = 1;
  bool reporting_ = false;  // measures made now are only for output
};

}  // namespace trammel::system
