#include "results/scene/scene_shapes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>
#include <set>
#include <span>

#include "mechanism/shapes.h"
#include "mechanism/simplify_mesh.h"
#include "mechanism/solids.h"
#include "results/scene/base64.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

// More make a report of several megabytes, and a slow page.
constexpr std::size_t kSceneTriangles = 200'000;
// A mesh that is alone needs no more than the picture has pixels for, and one of many is still itself.
constexpr std::size_t kMostOfAMesh = 60'000, kLeastOfAMesh = 2'000;

std::set<const void*> sources_of(const Mechanism& mechanism) {
  std::set<const void*> sources;
  const auto look = [&](const std::vector<DrawnShape>& drawn) {
    for (const DrawnShape& one : drawn)
      if (one.surface) sources.insert(one.surface.get());
  };
  look(mechanism.ground);
  for (const Body& body : mechanism.bodies) {
    look(body.drawn);
    if (body.shape && body.shape->mesh) sources.insert(body.shape->mesh.get());
  }
  return sources;
}

}  // namespace

Json vector_json(const Vec3& x) { return {x.x(), x.y(), x.z()}; }

Json quaternion_json(const Mat3& axes) {
  const Eigen::Quaterniond q(axes);
  return {q.w(), q.x(), q.y(), q.z()};
}

SceneShapes::SceneShapes(const Mechanism& mechanism)
    : most_triangles_(std::clamp(kSceneTriangles / std::max<std::size_t>(sources_of(mechanism).size(), 1),
                                 kLeastOfAMesh, kMostOfAMesh)) {}

Json SceneShapes::shape(const Shape& shape) {
  Json j = {{"kind", mechanism::about(shape.kind).name},
            {"size", vector_json(shape.size)},
            {"at", vector_json(shape.place.at)},
            {"q", quaternion_json(shape.place.axes)}};
  if (shape.mesh)
    j["mesh"] = mesh(shape.mesh.get(), mechanism::simplified(*shape.mesh, most_triangles_), shape.scale);
  return j;
}

Json SceneShapes::drawn(const std::vector<DrawnShape>& all) {
  Json list = Json::array();
  for (const DrawnShape& one : all) {
    Json j = shape(one.shape);
    if (one.colour) j["colour"] = colour(*one.colour);
    if (one.shape.kind == Shape::Kind::mesh) {
      const MeshSource::Surface found =
          one.surface ? one.surface->drawn(most_triangles_)
                      : MeshSource::Surface{nullptr, "the mesh '" + one.shape.file + "' is not there"};
      if (!found.note.empty() && std::ranges::find(notes_, found.note) == notes_.end())
        notes_.push_back(found.note);
      if (found.mesh)
        j["mesh"] = mesh(one.surface.get(), *found.mesh, one.shape.scale);
      else
        j["missing"] = one.shape.file;
    }
    list.push_back(std::move(j));
  }
  return list;
}

Json SceneShapes::colour(const Colour& c) { return {c.red, c.green, c.blue, c.opacity}; }

std::size_t SceneShapes::mesh(const void* source, const SurfaceMesh& surface, const Vec3& scale) {
  const auto [at, is_new] = known_.try_emplace({source, {scale.x(), scale.y(), scale.z()}}, meshes_.size());
  if (!is_new) return at->second;
  const SurfaceMesh mesh = mechanism::scaled(surface, scale);
  std::vector<float> positions;
  std::vector<std::uint32_t> corners;
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  if (!mesh.vertices.empty()) low = high = mesh.vertices.front();
  for (const Vec3& v : mesh.vertices) {
    for (int k = 0; k < 3; ++k) positions.push_back(static_cast<float>(v[k]));
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  for (const auto& t : mesh.triangles)
    for (const int corner : t) corners.push_back(static_cast<std::uint32_t>(corner));
  meshes_.push_back({{"positions", base64(std::as_bytes(std::span(positions)))},
                     {"corners", base64(std::as_bytes(std::span(corners)))},
                     {"low", vector_json(low)},
                     {"high", vector_json(high)}});
  return at->second;
}

}  // namespace trammel::results
