// The scene: a mechanism as a page draws it, in JSON. What moves (poses, readings, reactions) comes beside
// it, by body and channel; this is what stays until the mechanism itself is changed.
//
//   {"name", "planar", "gravity": [x, y, z], "parameters": {name: value},
//    "bodies":  [{"name", "kind", "mass", "com", "inertia", "length", "placement", "points", "size",
//                "shape": what its mass fills, "colour", "drawn": [shape]}],      the last three where it has
//                them
//    "points":  [{"name", "at", "on": [marker]}],
//    "joints":  [{"name", "kind", "drawn", "coordinates": [quantity], "markers": [marker], "of", "value"}],
//    "drivers": [{"name", "kind", "of", "markers", "equals"}],
//    "stops":   [{"name", "joint", "lower", "upper", "restitution"}],
//    "forces":  [{"name", "kind", "drawn", "markers", …its numbers}],
//    "ground": {"drawn": [shape]}, "meshes": [mesh], "notes": [text],    scene_shapes.h
//    "coordinates": [name]}     of a model in its own coordinates, which has nothing to draw
//
// A marker is {"body", "at", "q"}: a place and a quaternion (w, x, y, z) in the body's axes; a placement the
// same in the world's. Vectors have three components in the plane too. SI units. Kinds are spelt as in the
// model file; `drawn` says how the table of kinds has them drawn (mechanism/joint_kinds.h, force_kinds.h).
#pragma once

#include <nlohmann/json.hpp>

#include "trammel/mechanism.h"

namespace trammel::results {

nlohmann::ordered_json scene_json(const Mechanism& mechanism);

// The homogeneous box that has the body's mass and inertia: half sides (m) along axes fixed in the body, at
// its centre of mass. A planar body has a disk instead: its radius twice, and no height.
struct BodySize {
  Vec3 half = Vec3::Zero();
  Mat3 axes = Mat3::Identity();
};
BodySize body_size(const Body& body, bool planar);

}  // namespace trammel::results
