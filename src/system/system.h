// System: a Mechanism lowered to coordinates. Immutable, shared; physics without numerics.
//
// Each reader has its own part: numerics the Dynamics, whoever shows a motion the Readable, whoever goes on
// from another one the Placeable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechanism/watched.h"
#include "system/dynamics.h"
#include "system/placeable.h"
#include "system/readable.h"
#include "trammel/mechanism.h"
#include "trammel/resolved_plan.h"

namespace trammel::system {

class System : public Dynamics, public Readable, public Placeable {
 public:
  void place(std::span<const Body> bodies, std::span<const Pose> poses, State&) const override;
};

// Which coordinates a Mechanism is lowered to.
struct Coordinates {
  Coordinates(CoordinatesKind which = CoordinatesKind::natural, std::vector<std::string> opened = {})
      : kind(which), open(std::move(opened)) {}
  // By name; throws std::invalid_argument where there are none of that name.
  Coordinates(const std::string& name);
  Coordinates(const char* name) : Coordinates(std::string(name)) {}

  CoordinatesKind kind;
  std::vector<std::string> open;  // relative: where loops are opened, if it matters
};
inline Coordinates coordinates_of(const ResolvedPlan& plan) { return {plan.coordinates, plan.open}; }

// Lowers a valid Mechanism to the coordinates that are asked for, or to those that it gives itself. Throws
// std::invalid_argument, with a message for a person, when the mechanism cannot be expressed (validate()
// finds everything else first).
// Expressions to watch read the motion between steps; they may ask for variables of their own.
std::shared_ptr<const System> compile(const Mechanism&, const Coordinates& coordinates = {},
                                      const std::vector<mechanism::Watched>& watched = {});

}  // namespace trammel::system
