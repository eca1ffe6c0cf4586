// Inertia of solids against closed forms, and of meshes against the solids that they approach.
#include "mechanism/solids.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

namespace trammel::mechanism::solids_test {
namespace {

// A box as twelve triangles.
SurfaceMesh box_mesh(const Vec3& sides, const Vec3& at) {
  SurfaceMesh mesh;
  for (int k = 0; k < 8; ++k)
    mesh.vertices.push_back(
        at + Vec3((k & 1) - 0.5, ((k >> 1) & 1) - 0.5, ((k >> 2) & 1) - 0.5).cwiseProduct(sides));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// r(z) turned about z, with so many sides.
template <class Radius>
SurfaceMesh turned_mesh(int sides, int rings, double low, double high, Radius radius) {
  SurfaceMesh mesh;
  mesh.vertices = {Vec3(0, 0, low), Vec3(0, 0, high)};
  const auto vertex = [&](int ring, int side) { return 2 + ring * sides + side % sides; };
  for (int r = 0; r < rings; ++r) {
    // closer to the ends, where the surface turns
    const double z = 0.5 * (low + high) - 0.5 * (high - low) * std::cos(M_PI * (r + 0.5) / rings);
    for (int s = 0; s < sides; ++s) {
      const double a = 2 * M_PI * s / sides;
      mesh.vertices.emplace_back(radius(z) * std::cos(a), radius(z) * std::sin(a), z);
    }
  }
  for (int s = 0; s < sides; ++s) {
    mesh.triangles.push_back({0, vertex(0, s + 1), vertex(0, s)});
    mesh.triangles.push_back({1, vertex(rings - 1, s), vertex(rings - 1, s + 1)});
    for (int r = 0; r + 1 < rings; ++r) {
      mesh.triangles.push_back({vertex(r, s), vertex(r, s + 1), vertex(r + 1, s)});
      mesh.triangles.push_back({vertex(r, s + 1), vertex(r + 1, s + 1), vertex(r + 1, s)});
    }
  }
  return mesh;
}

void expect_same(const Solid& a, const Solid& b, double relative) {
  EXPECT_NEAR(a.volume, b.volume, relative * b.volume);
  EXPECT_LT((a.centre - b.centre).norm(), relative * std::cbrt(b.volume));
  EXPECT_LT((a.inertia - b.inertia).norm(), relative * b.inertia.norm());
}

TEST(Solids, ABoxAndItsMesh) {
  Shape box{
      Shape::Kind::box, Vec3(0.2, 0.3, 0.5), {Vec3(1, -2, 3), Mat3::Identity()}, "", Vec3::Ones(), 0, {}};
  const Solid solid = solid_of(box);
  EXPECT_DOUBLE_EQ(solid.volume, 0.03);
  EXPECT_DOUBLE_EQ(solid.inertia(0, 0), 0.03 * (0.09 + 0.25) / 12);
  EXPECT_EQ(solid.centre, Vec3(1, -2, 3));
  expect_same(solid_of(box_mesh(box.size, box.place.at)), solid, 1e-13);
  EXPECT_EQ(why_no_solid(box_mesh(box.size, box.place.at)), "");
  // Turned with its axes.
  box.place.axes = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  SurfaceMesh mesh = box_mesh(box.size, Vec3::Zero());
  for (Vec3& v : mesh.vertices) v = box.place.at + box.place.axes * v;
  expect_same(solid_of(mesh), solid_of(box), 1e-13);
}

// An inscribed mesh of n sides errs by about (2π/n)²/6 in its volume, 1 % at n = 24, and by 5/3 of this in
// its inertia; by 16 times less at n = 96.
TEST(Solids, RoundOnesAreWhatTheirMeshesApproach) {
  const double r = 0.3, L = 0.8;
  const Shape sphere{Shape::Kind::sphere, Vec3(r, 0, 0), {}, "", Vec3::Ones(), 0, {}},
      capsule{Shape::Kind::capsule, Vec3(r, L, 0), {}, "", Vec3::Ones(), 0, {}};
  const auto of_sphere = [&](double z) { return std::sqrt(std::max(0.0, r * r - z * z)); };
  const auto of_capsule = [&](double z) { return of_sphere(std::max(0.0, std::abs(z) - L / 2)); };
  for (const int n : {24, 96}) {
    const double bound = 3 * std::pow(2 * M_PI / n, 2) / 6;
    const SurfaceMesh ball = turned_mesh(n, n, -r, r, of_sphere),
                      pill = turned_mesh(n, 4 * n, -r - L / 2, r + L / 2, of_capsule);
    EXPECT_EQ(why_no_solid(ball), "");
    expect_same(solid_of(ball), solid_of(sphere), bound);
    expect_same(solid_of(pill), solid_of(capsule), bound);
  }
  // A prism of n sides about its circle's axis: V = n/2 r² sin(2π/n) L, I_z = V r² (2 + cos(2π/n))/6
  const int n = 12;
  SurfaceMesh prism;
  prism.vertices = {Vec3(0, 0, -L / 2), Vec3(0, 0, L / 2)};
  for (int s = 0; s < n; ++s)
    for (const double z : {-L / 2, L / 2})
      prism.vertices.emplace_back(r * std::cos(2 * M_PI * s / n), r * std::sin(2 * M_PI * s / n), z);
  for (int s = 0; s < n; ++s) {
    const int a = 2 + 2 * s, b = 2 + 2 * ((s + 1) % n);
    prism.triangles.insert(prism.triangles.end(),
                           {{0, b, a}, {1, a + 1, b + 1}, {a, b, a + 1}, {b, b + 1, a + 1}});
  }
  const double V = 0.5 * n * r * r * std::sin(2 * M_PI / n) * L;
  const Solid solid = solid_of(prism);
  EXPECT_NEAR(solid.volume, V, 1e-14);
  EXPECT_NEAR(solid.inertia(2, 2), V * r * r * (2 + std::cos(2 * M_PI / n)) / 6, 1e-14);
  const Shape cylinder{Shape::Kind::cylinder, Vec3(r, L, 0), {}, "", Vec3::Ones(), 0, {}};
  expect_same(solid, solid_of(cylinder), 2 * std::pow(2 * M_PI / n, 2) / 6 * 2);
}

TEST(Solids, OpenAndInvertedMeshesAreRefused) {
  const SurfaceMesh closed = box_mesh(Vec3(1, 1, 1), Vec3::Zero());
  SurfaceMesh open = closed, inverted = closed, mixed = closed, flat;
  open.triangles.pop_back();
  EXPECT_NE(
      why_no_solid(open).find("the surface is open: 3 edges belong to one triangle only, the first near ("),
      std::string::npos);
  for (auto& t : inverted.triangles) std::swap(t[1], t[2]);
  EXPECT_EQ(why_no_solid(inverted), "its triangles face inwards; turn them, so that all face outwards");
  std::swap(mixed.triangles[0][1], mixed.triangles[0][2]);
  EXPECT_NE(why_no_solid(mixed).find("neighbouring triangles face opposite sides"), std::string::npos);
  flat.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0)};
  flat.triangles = {{0, 1, 2}, {1, 3, 2}, {2, 1, 0}, {2, 3, 1}};
  EXPECT_EQ(why_no_solid(flat), "it encloses no volume; give a solid body");
  EXPECT_NE(why_no_solid({}).find("it has 0 triangles"), std::string::npos);
}

TEST(Solids, WeldingMakesOneOfEqualVertices) {
  const SurfaceMesh closed = box_mesh(Vec3(1, 2, 3), Vec3::Zero());
  SurfaceMesh loose;  // as STL files have it
  for (const auto& t : closed.triangles) {
    const int first = static_cast<int>(loose.vertices.size());
    for (const int k : t) loose.vertices.push_back(closed.vertices[static_cast<std::size_t>(k)]);
    loose.triangles.push_back({first, first + 1, first + 2});
  }
  loose.triangles.push_back({0, 0, 1});
  weld(loose);
  EXPECT_EQ(loose.vertices.size(), 8U);
  EXPECT_EQ(loose.triangles.size(), 12U);
  EXPECT_EQ(why_no_solid(loose), "");
}

// Sums over slices across x: a slice of width w has the volume w t dx and the moment (x² + w²/12) w t dx.
TEST(Solids, BarsAreThoseOfTheirSlices) {
  Shape bar;
  bar.kind = Shape::Kind::bar;
  bar.size = {0.7, 0.2, 0.05};
  const double L = 0.7, r = 0.1, t = 0.05;
  const int slices = 200'000;
  const double dx = (L + 2 * r) / slices;
  double volume = 0, moment = 0;
  for (int k = 0; k < slices; ++k) {
    const double x = -L / 2 - r + (k + 0.5) * dx, beyond = std::max(0.0, std::abs(x) - L / 2);
    const double w = 2 * std::sqrt(r * r - beyond * beyond);
    volume += w * t * dx;
    moment += (x * x + w * w / 12) * w * t * dx;
  }
  const Solid solid = solid_of(bar);
  // the sum is of order 3/2 in dx where the ends are round
  EXPECT_NEAR(solid.volume, volume, 1e-7 * volume);
  EXPECT_NEAR(solid.inertia(2, 2), moment, 1e-7 * moment);
  // about x: all of it lies within t/2 of the plane
  EXPECT_NEAR(solid.inertia(0, 0) + solid.inertia(1, 1) - solid.inertia(2, 2), volume * t * t / 6, 1e-9);
}

TEST(Solids, AnEllipsoidOfEqualAxesIsASphere) {
  Shape ellipsoid, sphere;
  ellipsoid.kind = Shape::Kind::ellipsoid;
  ellipsoid.size = Vec3::Constant(0.3);
  sphere.kind = Shape::Kind::sphere;
  sphere.size.x() = 0.3;
  EXPECT_TRUE(solid_of(ellipsoid).inertia.isApprox(solid_of(sphere).inertia, 1e-14));
  // stretched along z by two, moments about z grow with the volume
  ellipsoid.size.z() = 0.6;
  EXPECT_NEAR(solid_of(ellipsoid).inertia(2, 2), 2 * solid_of(sphere).inertia(2, 2), 1e-16);
}

// A mirror image, stretched along its axes, is a solid of its own.
TEST(Solids, MeshesWithAScaleForEachAxis) {
  Shape shape;
  shape.kind = Shape::Kind::mesh;
  shape.scale = {2, -3, 0.5};
  shape.mesh = std::make_shared<const SurfaceMesh>(box_mesh({1, 1, 1}, {1, 1, 1}));
  const Solid solid = solid_of(shape);
  EXPECT_NEAR(solid.volume, 3, 1e-14);
  EXPECT_LT((solid.centre - Vec3(2, -3, 0.5)).norm(), 1e-14);
  EXPECT_NEAR(solid.inertia(2, 2), 3 * (4 + 9) / 12.0, 1e-13);
}

}  // namespace
}  // namespace trammel::mechanism::solids_test
