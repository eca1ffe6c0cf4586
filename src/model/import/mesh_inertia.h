// What a surface of triangles encloses or covers, in the ways that MuJoCo has.
#pragma once

#include "trammel/mechanism.h"

namespace trammel::model {

// exact: the volume, by the divergence theorem. legacy: each pyramid over a triangle counts as positive,
// which is the volume of a convex body and too much for others. shell: the surface.
enum class MeshInertia { exact, legacy, shell };

struct MeshIntegrals {
  double volume = 0;            // m³; shell: m²
  Vec3 com = Vec3::Zero();      // m
  Mat3 inertia = Mat3::Zero();  // m⁵ about the centre of mass, for a density of one; shell: m⁴
};

MeshIntegrals mesh_integrals(const SurfaceMesh& mesh, MeshInertia mode);

}  // namespace trammel::model
