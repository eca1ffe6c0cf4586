// A triangle with corners d, e, f, seen from a point, is the base of a pyramid, or a plate. Of a pyramid with
// its tip at the origin and the volume V, of a plate with the area V,
//
//   ∫ x xᵀ = V/C (2 (d dᵀ + e eᵀ + f fᵀ) + sym(d eᵀ + d fᵀ + e fᵀ)),   C = 20, of a plate 12,
//
// with sym(A) = A + Aᵀ. The centre of mass is found with the tips in the middle of the surface, the inertia
// with the tips in the centre of mass, as MuJoCo does: in the legacy mode the two give different volumes, of
// which the second counts.
#include "model/import/mesh_inertia.h"

#include <Eigen/Geometry>
#include <cmath>

namespace trammel::model {
namespace {

struct Triangle {
  Vec3 d, e, f;
  Vec3 centre() const { return (d + e + f) / 3; }
  Vec3 area() const { return 0.5 * (e - d).cross(f - d); }  // along its normal
  // Of the pyramid with its tip at the origin; shell: of the triangle itself.
  double size(MeshInertia mode) const {
    if (mode == MeshInertia::shell) return area().norm();
    const double volume = centre().dot(area()) / 3;
    return mode == MeshInertia::legacy ? std::abs(volume) : volume;
  }
};

// The triangles seen from a point.
template <class Visit>
void for_triangles(const SurfaceMesh& mesh, const Vec3& from, Visit visit) {
  const auto at = [&](int i) -> Vec3 { return mesh.vertices[static_cast<std::size_t>(i)] - from; };
  for (const auto& t : mesh.triangles) visit(Triangle{at(t[0]), at(t[1]), at(t[2])});
}

}  // namespace

MeshIntegrals mesh_integrals(const SurfaceMesh& mesh, MeshInertia mode) {
  Vec3 middle = Vec3::Zero();
  double area = 0;
  for_triangles(mesh, Vec3::Zero(), [&](const Triangle& t) {
    middle += t.area().norm() * t.centre();
    area += t.area().norm();
  });
  MeshIntegrals out;
  if (!(area > 0)) return out;
  middle /= area;
  Vec3 moment = Vec3::Zero();
  double size = 0;
  const double tip = mode == MeshInertia::shell ? 1 : 0.75;  // a pyramid's centre is ¾ from its tip
  for_triangles(mesh, middle, [&](const Triangle& t) {
    const double part = t.size(mode);
    size += part;
    moment += part * tip * t.centre();
  });
  if (!(size > 0)) return out;
  out.com = middle + moment / size;
  Mat3 second = Mat3::Zero();
  const double divisor = mode == MeshInertia::shell ? 12 : 20;
  for_triangles(mesh, out.com, [&](const Triangle& t) {
    const double part = t.size(mode);
    out.volume += part;
    const Mat3 cross = t.d * t.e.transpose() + t.d * t.f.transpose() + t.e * t.f.transpose();
    second += part / divisor *
              (2 * (t.d * t.d.transpose() + t.e * t.e.transpose() + t.f * t.f.transpose()) + cross +
               cross.transpose());
  });
  out.inertia = second.trace() * Mat3::Identity() - second;
  return out;
}

}  // namespace trammel::model
