// Shapes in the scene: what bodies and ground look like. Surfaces of meshes stand in one list, each once, and
// shapes name them by their index there.
//
//   shape  {"kind", "size", "at", "q", "colour": [red, green, blue, opacity]; "mesh": index or "missing":
//   file} mesh   {"positions": base64 of float32, "corners": base64 of uint32, "low", "high": of the box
//   around it}
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::results {

class SceneShapes {
 public:
  // All meshes of the mechanism together are drawn with about kSceneTriangles.
  explicit SceneShapes(const Mechanism& mechanism);

  nlohmann::ordered_json shape(const Shape& shape);  // with the surface of its own, if it is a mesh
  nlohmann::ordered_json drawn(const std::vector<DrawnShape>& all);
  static nlohmann::ordered_json colour(const Colour& colour);

  const nlohmann::ordered_json& meshes() const { return meshes_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::size_t mesh(const void* source, const SurfaceMesh& surface, const Vec3& scale);

  std::size_t most_triangles_;  // of a mesh
  std::map<std::pair<const void*, std::array<double, 3>>, std::size_t> known_;
  nlohmann::ordered_json meshes_ = nlohmann::ordered_json::array();
  std::vector<std::string> notes_;
};

// A vector and a rotation as the scene has them.
nlohmann::ordered_json vector_json(const Vec3& x);
nlohmann::ordered_json quaternion_json(const Mat3& axes);

}  // namespace trammel::results
