// Shapes of bodies by name, with the keys that each has in model files.
#pragma once

#include <array>
#include <string_view>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

struct ShapeInfo {
  const char* name;
  Shape::Kind kind;
  std::array<std::string_view, 5> keys;

  constexpr bool has(std::string_view key) const {
    for (const std::string_view one : keys)
      if (!one.empty() && one == key) return true;
    return false;
  }
};

// In the order of Shape::Kind.
inline constexpr std::array kShapes = {
    ShapeInfo{"box", Shape::Kind::box, {"size", "center"}},
    ShapeInfo{"cylinder", Shape::Kind::cylinder, {"radius", "length", "center", "axis"}},
    ShapeInfo{"sphere", Shape::Kind::sphere, {"radius", "center"}},
    ShapeInfo{"capsule", Shape::Kind::capsule, {"radius", "length", "center", "axis"}},
    ShapeInfo{"mesh", Shape::Kind::mesh, {"file", "scale"}},
    ShapeInfo{"ellipsoid", Shape::Kind::ellipsoid, {"radii", "center"}},
    ShapeInfo{"bar", Shape::Kind::bar, {"from", "to", "width", "thickness", "axis"}},
};

inline const ShapeInfo& about(Shape::Kind kind) { return kShapes[static_cast<std::size_t>(kind)]; }

}  // namespace trammel::mechanism
