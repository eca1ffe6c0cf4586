#include "mechanism/solids.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <functional>
#include <map>
#include <numbers>
#include <unordered_map>

namespace trammel::mechanism {
namespace {

using std::numbers::pi;

// In the shape's own axes.
Solid primitive(const Shape& shape) {
  const double a = shape.size.x(), b = shape.size.y(), c = shape.size.z();
  const auto diagonal = [](double V, double x, double y, double z) {
    return Solid{V, Vec3::Zero(), Mat3(Vec3(x, y, z).asDiagonal())};
  };
  switch (shape.kind) {
    case Shape::Kind::box: {
      const double V = a * b * c;
      return diagonal(V, V * (b * b + c * c) / 12, V * (a * a + c * c) / 12, V * (a * a + b * b) / 12);
    }
    case Shape::Kind::cylinder: {
      const double V = pi * a * a * b, across = V * (3 * a * a + b * b) / 12;
      return diagonal(V, across, across, V * a * a / 2);
    }
    case Shape::Kind::sphere: {
      const double V = 4 * pi / 3 * a * a * a, I = 0.4 * V * a * a;
      return diagonal(V, I, I, I);
    }
    case Shape::Kind::capsule: {
      const double V_c = pi * a * a * b, V_s = 4 * pi / 3 * a * a * a;
      const double across = V_c * (a * a / 4 + b * b / 12) + V_s * (0.4 * a * a + b * b / 4 + 0.375 * a * b);
      return diagonal(V_c + V_s, across, across, V_c * a * a / 2 + V_s * 0.4 * a * a);
    }
    case Shape::Kind::ellipsoid: {
      const double V = 4 * pi / 3 * a * b * c;
      return diagonal(V, V * (b * b + c * c) / 5, V * (a * a + c * c) / 5, V * (a * a + b * b) / 5);
    }
    case Shape::Kind::bar: {
      const double r = b / 2, V_b = a * b * c, V_d = pi * r * r * c;
      const double xx = V_b * a * a / 12 + V_d * (r * r / 4 + 4 * r * a / (3 * pi) + a * a / 4);
      const double yy = V_b * b * b / 12 + V_d * r * r / 4, zz = (V_b + V_d) * c * c / 12;
      return diagonal(V_b + V_d, yy + zz, xx + zz, xx + yy);
    }
    case Shape::Kind::mesh:
      break;
  }
  return {};
}

}  // namespace

Solid solid_of(const SurfaceMesh& mesh) {
  if (mesh.vertices.empty()) return {};
  // From the middle of the vertices, where products of coordinates lose the fewest digits.
  Vec3 low = mesh.vertices.front(), high = low;
  for (const Vec3& v : mesh.vertices) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  const Vec3 middle = 0.5 * (low + high);
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const auto& t : mesh.triangles) {
    const auto at = [&](int k) { return Vec3(mesh.vertices[static_cast<std::size_t>(k)] - middle); };
    const Vec3 a = at(t[0]), b = at(t[1]), c = at(t[2]), s = a + b + c;
    const double d = a.dot(b.cross(c));
    volume += d / 6;
    first += d / 24 * s;
    second += d / 120 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  const Vec3 centre = first / volume;
  const Mat3 about = second - volume * centre * centre.transpose();
  return {volume, middle + centre, about.trace() * Mat3::Identity() - about};
}

Solid solid_of(const Shape& shape) {
  const bool is_mesh = shape.kind == Shape::Kind::mesh && shape.mesh;
  const Solid own = is_mesh ? solid_of(scaled(*shape.mesh, shape.scale)) : primitive(shape);
  const Mat3& R = shape.place.axes;
  const Mat3 inertia = R * own.inertia * R.transpose();
  return {own.volume, shape.place.at + R * own.centre, 0.5 * (inertia + inertia.transpose())};
}

void fill(Body& body, bool is_planar) {
  Shape shape = *body.shape;
  // What is thin where the plane does not look still has the inertia that counts there.
  const bool is_plate = shape.kind == Shape::Kind::box || shape.kind == Shape::Kind::bar;
  if (is_planar && is_plate && shape.size.z() == 0) shape.size.z() = 1;
  if (is_planar && shape.kind == Shape::Kind::cylinder && shape.size.y() == 0) shape.size.y() = 1;
  const Solid solid = solid_of(shape);
  if (shape.density > 0) body.mass = shape.density * solid.volume;
  body.com = solid.centre;
  body.inertia = body.mass / solid.volume * solid.inertia;
  if (!is_planar) return;
  const double about = body.inertia(2, 2);
  body.inertia = Mat3::Zero();
  body.inertia(2, 2) = about;
}

SurfaceMesh scaled(const SurfaceMesh& mesh, const Vec3& scale) {
  SurfaceMesh out = mesh;
  for (Vec3& v : out.vertices) v = v.cwiseProduct(scale);
  if (scale.prod() < 0)
    for (auto& t : out.triangles) std::swap(t[1], t[2]);
  return out;
}

void weld(SurfaceMesh& mesh) {
  const auto hash = [](const Vec3& v) {
    std::size_t sum = 0;
    // 0 and −0 are the same place
    for (const double x : v) sum = sum * 1'000'003 + std::hash<double>()(x + 0.0);
    return sum;
  };
  std::unordered_map<Vec3, int, decltype(hash)> known(mesh.vertices.size(), hash);
  std::vector<Vec3> vertices;
  std::vector<int> place;
  for (const Vec3& v : mesh.vertices) {
    const auto [at, is_new] = known.emplace(v, static_cast<int>(vertices.size()));
    if (is_new) vertices.push_back(v);
    place.push_back(at->second);
  }
  mesh.vertices = std::move(vertices);
  for (auto& t : mesh.triangles)
    for (int& k : t) k = place[static_cast<std::size_t>(k)];
  std::erase_if(mesh.triangles, [](const auto& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
}

std::string why_no_solid(const SurfaceMesh& mesh) {
  if (mesh.triangles.size() < 4)
    return fmt::format("it has {} triangles; a closed surface has four or more", mesh.triangles.size());
  // Each edge belongs to two triangles, which pass it in opposite directions.
  std::map<std::pair<int, int>, std::pair<int, int>> passes;  // lower, higher vertex → up, down
  for (const auto& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = t[k], to = t[(k + 1) % 3];
      auto& [up, down] = passes[std::minmax(from, to)];
      ++(from < to ? up : down);
    }
  std::size_t open = 0, turned = 0;
  const std::pair<int, int>* place = nullptr;
  for (const auto& [edge, pass] : passes) {
    const bool is_open = pass.first + pass.second == 1, is_turned = !is_open && pass.first != pass.second;
    open += is_open;
    turned += is_turned;
    if (place == nullptr && (is_open || is_turned)) place = &edge;
  }
  if (place != nullptr) {
    const Vec3 at = 0.5 * (mesh.vertices[static_cast<std::size_t>(place->first)] +
                           mesh.vertices[static_cast<std::size_t>(place->second)]);
    const std::string where = fmt::format("the first near ({:.6g}, {:.6g}, {:.6g})", at.x(), at.y(), at.z());
    if (open > 0)
      return fmt::format("the surface is open: {} edges belong to one triangle only, {}; close its holes",
                         open, where);
    return fmt::format(
        "neighbouring triangles face opposite sides, or more than two meet, at {} edges, {}; turn them, so "
        "that all face outwards",
        turned, where);
  }
  const double volume = solid_of(mesh).volume;
  if (volume < 0) return "its triangles face inwards; turn them, so that all face outwards";
  if (!(volume > 0)) return "it encloses no volume; give a solid body";
  return {};
}

}  // namespace trammel::mechanism
