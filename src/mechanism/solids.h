// Solids: volume, centre and inertia of what a Shape fills, per unit of density.
//
//   box       V = a b c,        I_x = V (b² + c²)/12
//   cylinder  V = π r² L,       I_z = V r²/2,   I_x = V (3 r² + L²)/12
//   sphere    V = 4/3 π r³,     I = 2/5 V r²
//   capsule   a cylinder and two half spheres: I_x = V_c (r²/4 + L²/12) + V_s (2/5 r² + L²/4 + 3/8 L r)
//   ellipsoid V = 4/3 π a b c,  I_x = V (b² + c²)/5
//   bar       a box L w t and two half disks of radius r = w/2, with their centres of mass 4 r/3π beyond its
//             ends: ∫x² = V_b L²/12 + V_d (r²/4 + 4 r L/3π + L²/4),  ∫y² = V_b w²/12 + V_d r²/4
//   mesh      sums over the tetrahedra from one point to each triangle a, b, c (divergence theorem), with
//             d = a·(b × c), s = a + b + c:  V = Σ d/6,  ∫x = Σ d s/24,  ∫x xᵀ = Σ d (a aᵀ + b bᵀ + c cᵀ + s
//             sᵀ)/120
#pragma once

#include <string>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

struct Solid {
  double volume = 0;            // m³
  Vec3 centre = Vec3::Zero();   // m
  Mat3 inertia = Mat3::Zero();  // m⁵, about the centre
};

// In the body's axes.
Solid solid_of(const Shape& shape);
Solid solid_of(const SurfaceMesh& mesh);

// Sets mass, centre of mass and inertia: of the shape's density, or of the body's mass if it has none.
void fill(Body& body, bool is_planar);

// Each vertex times the scale of its axis; a mirror image still has its outside outside.
SurfaceMesh scaled(const SurfaceMesh& mesh, const Vec3& scale);
// Makes one of vertices at the same place, and leaves out triangles without area.
void weld(SurfaceMesh& mesh);
// Why a mesh bounds no volume, with the remedy after "; "; empty: it does.
std::string why_no_solid(const SurfaceMesh& mesh);

}  // namespace trammel::mechanism
