// NaturalParts: a Mechanism lowered to natural coordinates, as plain data in one pool per type.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "mechanism/signals.h"
#include "system/constraints/coincident.h"
#include "system/constraints/coupled.h"
#include "system/constraints/disk_contact.h"
#include "system/constraints/dot.h"
#include "system/constraints/on_curve.h"
#include "system/constraints/rate_sum.h"
#include "system/constraints/relation.h"
#include "system/constraints/slip.h"
#include "system/constraints/user.h"
#include "system/forces/bushing.h"
#include "system/forces/effort.h"
#include "system/forces/rotor.h"
#include "system/forces/spring.h"
#include "system/forces/tendon.h"
#include "system/forces/user.h"
#include "system/natural/basis.h"
#include "system/system.h"

namespace trammel::system {

// The lists of types: a new constraint or force is one header and one entry here. Constraints of velocities
// stand after the holonomic ones.
template <int D>
using ConstraintPools =
    std::conditional_t<D == 2,
                       std::tuple<std::vector<Dot<2>>, std::vector<Coincident<2>>, std::vector<Coupled<2>>,
                                  std::vector<Relation<2>>, std::vector<OnCurve<2>>, std::vector<UserRow<2>>,
                                  std::vector<Slip<2>>, std::vector<RateSum<2>>>,
                       std::tuple<std::vector<Dot<3>>, std::vector<Coincident<3>>, std::vector<Coupled<3>>,
                                  std::vector<Relation<3>>, std::vector<OnCurve<3>>, std::vector<UserRow<3>>,
                                  std::vector<DiskContact>, std::vector<Slip<3>>, std::vector<RateSum<3>>>>;
template <int D>
using ForcePools = std::conditional_t<
    D == 2,
    std::tuple<std::vector<Spring<2>>, std::vector<Effort<2>>, std::vector<TendonForce<2>>,
               std::vector<BushingForce<2>>, std::vector<UserEffort<2>>>,
    std::tuple<std::vector<Spring<3>>, std::vector<Effort<3>>, std::vector<TendonForce<3>>,
               std::vector<BushingForce<3>>, std::vector<RotorTorque>, std::vector<UserEffort<3>>>>;

// From the pool number First on.
template <std::size_t First = 0, class Pools, class Visit>
[[gnu::always_inline]] inline void for_each_part(Pools& pools, Visit&& visit) {
  if constexpr (First < std::tuple_size_v<std::remove_const_t<Pools>>) {
    for (auto& part : std::get<First>(pools)) visit(part);
    for_each_part<First + 1>(pools, visit);
  }
}

// Which of the pools holds a type.
template <class Part, class... Pool>
constexpr std::size_t pool_index(const std::tuple<Pool...>*) {
  std::size_t index = 0;
  bool found = false;
  (..., (found = found || std::is_same_v<Pool, std::vector<Part>>, index += found ? 0 : 1));
  return index;
}

// Whether no constraint of velocities stands before a holonomic one.
template <class... Pool>
constexpr bool holonomic_first(const std::tuple<Pool...>*) {
  bool is_ordered = true, was_velocity = false;
  (..., (is_ordered = is_ordered && !(was_velocity && Pool::value_type::kHolonomic),
         was_velocity = was_velocity || !Pool::value_type::kHolonomic));
  return is_ordered;
}
static_assert(holonomic_first(static_cast<const ConstraintPools<2>*>(nullptr)) &&
              holonomic_first(static_cast<const ConstraintPools<3>*>(nullptr)));

// A joint's or driver's place on a body, where its reaction is reported.
struct ReactionPlace {
  std::string name;
  struct Side {
    int body;
    Vec3 at;  // local
  };
  std::vector<Side> sides;
  int contact = -1;  // rolling: the Slip whose contact point is the place, which moves over both bodies
  int moving = -1;   // gears, belts, cams: the MovingPlace that is the place
  // Joint axes: fixed in a body, or with x along a line.
  int axes_body = 0;  // ground
  Mat3 axes = Mat3::Identity();
  std::optional<std::pair<Side, Side>> line{};  // x points from the first to the second
  // Effort: the generalized force along a measure.
  std::string effort_unit{};  // none: it has no effort
  std::size_t effort_part = 0;
  bool is_tension = false;  // the effort is reported as a tension, which pulls the measure back
};

// The part whose magnitude a column of a force tells.
struct ForceReport {
  enum class Part { none, spring, effort, tendon, bushing };  // none: it is zero
  ForceColumn column;
  Part part = Part::none;
  std::size_t index = 0;  // in its pool
  int measure = 0;        // bushing: which of its measures
  double sign = 1;
};

// The energy ½ inertia·(rate of the measure)², of a rotor that turns with a joint's coordinate.
struct Armature {
  int measure;
  double inertia;  // kg.m² or kg
  int joint;       // of the Mechanism
};

// The effort of dry friction that slips: sign · capacity.
struct SlippingEffort {
  std::size_t reaction;
  expressions::Expression capacity;
  double sign;
};

// A place that moves over both bodies, with axes of its own.
template <int D>
struct MovingPlace {
  enum class Kind {
    teeth,   // at; x points away from the first gear's centre
    belt,    // where a belt leaves its first pulley; x along the belt
    contact  // where a follower touches its cam; x from the cam to the follower
  };
  Kind kind = Kind::teeth;
  LinearForm<D> at, centre;     // belt: the centres of the second pulley and of the first
  LinearForm<D> axis;           // z; in the plane none
  Joint::Pulleys pulleys = {};  // belt
  int gap = -1;                 // contact: its measure, from `centre`, the origin of the outline's axes
};

// Which reaction a row belongs to.
struct RowRole {
  int reaction = -1;  // −1: a body's own rigidity
  // Rows that tie a body to a shared place outside its basis: what they give it is divided among the joints.
  int place = -1;
  int tied = -1;  // the body
};

// A variable of an expression that follows from the forces: an acceleration or a reaction.
struct LateSignal {
  std::size_t slot = 0;
  mechanism::Signal signal;
  int measure = -1;  // accelerations
};

template <int D>
struct NaturalParts {
  NaturalParts(const Mechanism& mechanism, Sharing sharing) : basis(mechanism, sharing) {}

  Basis<D> basis;
  std::vector<Measure<D>> measures;
  std::vector<bool> measure_active;            // something acts on it; else it is only reported
  std::map<std::string, int> measure_by_name;  // "hinge.angle"
  ConstraintPools<D> constraints;
  ForcePools<D> forces;
  std::vector<ForceReport> force_reports;
  std::vector<RowOwner> rows;  // in order of the pools' rows
  std::vector<RowRole> roles;  // of the rows
  // Rigidity rows between elements that ground holds: no row of the System, but they can carry force.
  std::vector<Dot<D>> held;
  std::vector<ReactionPlace> reactions;  // joints, then drivers
  std::vector<SlippingEffort> slipping;
  std::vector<Armature> armatures;
  std::vector<MovingPlace<D>> moving;
  int flanks = 0;                     // pairs of gears of which either flank may press
  std::vector<SignalSource> sources;  // of expression variables, by slot
  std::vector<expressions::Expression> state_rates;
  std::vector<std::pair<std::string, expressions::Expression>> outputs;
  std::vector<expressions::Expression> watched;
  std::vector<LateSignal> late;
  bool watches_late = false;       // one of the watched
  std::size_t first_decision = 0;  // slot of the first
  std::size_t expression_scratch = 0;
};

template <int D>
NaturalParts<D> lower(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched,
                      Sharing sharing);

}  // namespace trammel::system
