// Mass and inertia of MJCF's geoms: what a shape fills evenly, or covers (shellinertia, and `inertia` of
// meshes).
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "linalg/dense.h"
#include "model/import/mesh_inertia.h"
#include "model/import/mjcf.h"
#include "model/reader/mesh_files.h"

namespace trammel::model {
namespace {

constexpr double kPi = std::numbers::pi;

// Volume or surface, and the moments of inertia of a mass of one about the axes of the geom.
struct GeomIntegrals {
  double volume = 0;
  Vec3 moments = Vec3::Zero();
};

GeomIntegrals sphere(double r, bool shell) {
  const double moment = (shell ? 2.0 / 3 : 2.0 / 5) * r * r;
  return {shell ? 4 * kPi * r * r : 4 * kPi * r * r * r / 3, Vec3::Constant(moment)};
}

// Along z; h is its whole length.
GeomIntegrals cylinder(double r, double h, bool shell) {
  if (!shell) return {kPi * r * r * h, {(3 * r * r + h * h) / 12, (3 * r * r + h * h) / 12, r * r / 2}};
  const double area = 2 * kPi * r * (r + h), lid = kPi * r * r / area, wall = 1 - 2 * lid;
  const double across = wall * (6 * r * r + h * h) / 12 + 2 * lid * (r * r / 4 + h * h / 4);
  return {area, {across, across, wall * r * r + lid * r * r}};
}

// h is the length between the centres of its ends. A half sphere has its centre of mass at 3r/8, as a shell
// at r/2.
GeomIntegrals capsule(double r, double h, bool shell) {
  const double ends = shell ? 4 * kPi * r * r : 4 * kPi * r * r * r / 3;
  const double middle = shell ? 2 * kPi * r * h : kPi * r * r * h;
  const double all = ends + middle, e = ends / all, m = middle / all;
  const double centre = (shell ? 0.5 : 0.375) * r;
  const double ball = sphere(r, shell).moments.x();
  const double wall = (shell ? 6.0 : 3.0) * r * r;
  // ball: both ends about their common centre; moved apart by h/2 each
  const double apart = std::pow(h / 2 + centre, 2) - centre * centre;
  const double across = m * (wall + h * h) / 12 + e * (ball + apart);
  return {all, {across, across, m * (shell ? 1.0 : 0.5) * r * r + e * ball}};
}

GeomIntegrals ellipsoid(const Vec3& s, bool shell) {
  const Vec3 squares = s.cwiseAbs2();
  const Vec3 solid = (Vec3::Constant(squares.sum()) - squares) / 5;
  const double volume = 4 * kPi * s.prod() / 3;
  if (!shell) return {volume, solid};
  // As MuJoCo: Thomsen's formula for the surface, the inertia of a layer of 1 μm.
  const double p = 1.6075;
  const double mean = (std::pow(s[0] * s[1], p) + std::pow(s[1] * s[2], p) + std::pow(s[2] * s[0], p)) / 3;
  const Vec3 outer = s + Vec3::Constant(1e-6), wide = outer.cwiseAbs2();
  const double outer_volume = 4 * kPi * outer.prod() / 3, layer = outer_volume - volume;
  const Vec3 outer_solid = (Vec3::Constant(wide.sum()) - wide) / 5;
  return {4 * kPi * std::pow(mean, 1 / p), (outer_volume * outer_solid - volume * solid) / layer};
}

// s: half the sides.
GeomIntegrals box(const Vec3& s, bool shell) {
  const Vec3 squares = s.cwiseAbs2();
  if (!shell) return {8 * s.prod(), (Vec3::Constant(squares.sum()) - squares) / 3};
  Vec3 faces(s.y() * s.z(), s.z() * s.x(), s.x() * s.y());  // one of each pair, by the axis across it
  const double area = faces.sum();
  faces /= area;
  // ∫ x² over the two faces across x is s_x², over the others a third of it
  Vec3 second;
  for (int i = 0; i < 3; ++i) second[i] = squares[i] * (faces[i] + (1 - faces[i]) / 3);
  return {8 * area, Vec3::Constant(second.sum()) - second};
}

std::optional<GeomIntegrals> integrals_of(const MjcfElement& e, const std::string& type, const Vec3& size) {
  const bool shell = e.flag("shellinertia", false);
  const int wanted = type == "sphere" ? 1 : type == "capsule" || type == "cylinder" ? 2 : 3;
  if ((size.head(wanted).array() <= 0).any()) {
    e.refuse("size", fmt::format("{}: a {} has {} positive sizes", xml_label(e.node()), type, wanted),
             "give all of them in size=\"…\"");
    return {};
  }
  if (type == "sphere") return sphere(size[0], shell);
  if (type == "capsule") return capsule(size[0], 2 * size[1], shell);
  if (type == "cylinder") return cylinder(size[0], 2 * size[1], shell);
  return type == "ellipsoid" ? ellipsoid(size, shell) : box(size, shell);
}

// As MuJoCo keeps vertices. They are stored as float, for within one loop g++ 12 leaves out the rounding of
// neighbouring numbers: -ftree-slp-vectorize makes one conversion from double to double of both.
std::vector<Eigen::Vector3f> in_single_precision(const std::vector<Vec3>& vertices) {
  std::vector<Eigen::Vector3f> kept;
  kept.reserve(vertices.size());
  for (const Vec3& v : vertices) kept.emplace_back(v.cast<float>());
  return kept;
}

// Triangles of an asset, scaled, moved and turned as it asks for.
std::optional<SurfaceMesh> mesh_of(Mjcf& mjcf, const MjcfElement& asset, const MjcfElement& geom) {
  SurfaceMesh mesh;
  const auto fail = [&](const std::string& why, const std::string& remedy) {
    mjcf.reader.refuse(
        geom.node(),
        fmt::format("{}: its mass needs mesh '{}': {}", xml_label(geom.node()), geom.text("mesh", ""), why),
        remedy);
    return std::nullopt;
  };
  if (const std::string* file = asset.text("file")) {
    const auto read = read_mesh(mjcf.asset_path(asset.node(), *file).string());
    if (const auto* error = std::get_if<MeshError>(&read))
      return fail(fmt::format("{}: {}", *file, error->message),
                  error->remedy + ", or give the body an <inertial>");
    mesh = std::get<SurfaceMesh>(read);
  } else {
    const auto vertices = asset.numbers("vertex", 12, 3'000'000), faces = asset.numbers("face", 3, 6'000'000);
    if (!vertices || !faces || vertices->size() % 3 != 0 || faces->size() % 3 != 0)
      return fail("it has no file, nor whole vertices and faces", "give the body an <inertial>");
    for (std::size_t i = 0; i < vertices->size(); i += 3)
      mesh.vertices.emplace_back((*vertices)[i], (*vertices)[i + 1], (*vertices)[i + 2]);
    for (std::size_t i = 0; i < faces->size(); i += 3)
      mesh.triangles.push_back({static_cast<int>((*faces)[i]), static_cast<int>((*faces)[i + 1]),
                                static_cast<int>((*faces)[i + 2])});
    for (const auto& t : mesh.triangles)
      for (const int corner : t)
        if (corner < 0 || corner >= static_cast<int>(mesh.vertices.size()))
          return fail(fmt::format("vertex {} is not there", corner), "count vertices from 0");
  }
  const Vec3 scale = asset.vector("scale", Vec3::Ones()), middle = asset.vector("refpos", Vec3::Zero());
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
  if (const auto q = asset.numbers("refquat", 4, 4))
    turn = Eigen::Quaterniond((*q)[0], (*q)[1], (*q)[2], (*q)[3]).normalized();
  const Mat3 back = turn.toRotationMatrix().transpose();
  const std::vector<Eigen::Vector3f> kept = in_single_precision(mesh.vertices);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Vec3 turned = back * (kept[k].cast<double>() - middle);
    mesh.vertices[k] = turned.cwiseProduct(scale);
  }
  if (scale.prod() < 0)
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

std::optional<Inertial> mesh_inertial(Mjcf& mjcf, const MjcfElement& geom) {
  const std::string name = geom.text("mesh", "");
  const auto found = mjcf.meshes.find(name);
  if (found == mjcf.meshes.end()) {
    geom.refuse("mesh", fmt::format("{}: there is no mesh '{}'", xml_label(geom.node()), name),
                "name a mesh of <asset>");
    return {};
  }
  const MjcfElement asset = mjcf.classes.element(mjcf.reader, *found->second, "");
  const std::string mode = asset.word("inertia", {"legacy", "exact", "shell", "convex"});
  if (mode == "convex") {
    asset.refuse("inertia", fmt::format("mesh '{}': the inertia of its convex hull is not known", name),
                 "use inertia=\"exact\", or give the body an <inertial>");
    return {};
  }
  const auto mesh = mesh_of(mjcf, asset, geom);
  if (!mesh) return {};
  const MeshIntegrals all = mesh_integrals(*mesh, mode == "exact"   ? MeshInertia::exact
                                                  : mode == "shell" ? MeshInertia::shell
                                                                    : MeshInertia::legacy);
  // as MuJoCo has it
  if (all.volume < 1e-15) {
    mjcf.reader.refuse(geom.node(), fmt::format("mesh '{}' encloses {} m³", name, all.volume),
                       "give the body an <inertial>, or the mesh inertia=\"shell\"");
    return {};
  }
  const double mass = geom.has("mass") ? geom.number("mass", 0) : geom.number("density", 1000) * all.volume;
  return Inertial{mass, all.com, mass / all.volume * all.inertia};
}

}  // namespace

// pos and orientation, or the two ends that `fromto` gives: then size has one number less.
MjcfGeomShape mjcf_geom_shape(const Mjcf& mjcf, const MjcfElement& e, const std::string& type) {
  MjcfGeomShape shape;
  if (const auto size = e.numbers("size", 1, 3))
    for (std::size_t i = 0; i < size->size(); ++i) shape.size[static_cast<int>(i)] = (*size)[i];
  const auto ends = e.numbers("fromto", 6, 6);
  if (!ends) {
    shape.frame = mjcf.frame(e);
    return shape;
  }
  const Vec3 from((*ends)[0], (*ends)[1], (*ends)[2]), to((*ends)[3], (*ends)[4], (*ends)[5]);
  const double half = (from - to).norm() / 2;
  if (half < 1e-14) {
    e.refuse("fromto", fmt::format("{}: fromto has no length", xml_label(e.node())), "give two places");
    return shape;
  }
  shape.frame = {0.5 * (from + to), turn_z_to(from - to)};
  const bool has_sides = type == "box" || type == "ellipsoid";
  shape.size = has_sides ? Vec3(shape.size[0], shape.size[0], half) : Vec3(shape.size[0], half, 0);
  return shape;
}

std::optional<Inertial> mjcf_geom_inertial(Mjcf& mjcf, const MjcfElement& e, const Frame& around) {
  const std::string type =
      e.word("type", {"sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "plane", "hfield", "sdf"});
  if (type == "plane" || type == "hfield") return {};
  const bool is_massless = e.has("mass") ? e.number("mass", 0) == 0 : e.number("density", 1000) == 0;
  if (is_massless) return {};
  Inertial own;
  Frame frame = around * mjcf.frame(e);
  if (type == "mesh") {
    const auto found = mesh_inertial(mjcf, e);
    if (!found) return {};
    own = *found;
  } else if (type == "sdf" || e.has("mesh")) {
    e.refuse(
        "type",
        fmt::format("{}: the mass of a {} that is fitted to a mesh is not known", xml_label(e.node()), type),
        "give the body an <inertial>");
    return {};
  } else {
    const MjcfGeomShape shape = mjcf_geom_shape(mjcf, e, type);
    const auto found = integrals_of(e, type, shape.size);
    if (!found) return {};
    frame = around * shape.frame;
    own.mass = e.has("mass") ? e.number("mass", 0) : e.number("density", 1000) * found->volume;
    own.inertia = (own.mass * found->moments).asDiagonal();
  }
  // lighter ones are left out, as by MuJoCo
  if (own.mass <= 1e-14) {
    if (own.mass < 0)
      e.refuse(e.has("mass") ? "mass" : "density",
               fmt::format("{}: its mass is {} kg", xml_label(e.node()), own.mass), "give zero or more");
    return {};
  }
  return Inertial{own.mass, frame.at + frame.axes * own.com,
                  frame.axes * own.inertia * frame.axes.transpose()};
}

void bound_mjcf_inertia(const MjcfSettings& s, Inertial& own) {
  if (s.least_mass <= 0 && s.least_moment <= 0 && !s.balances_inertia) return;
  own.mass = std::max(own.mass, s.least_mass);
  const auto eigen = linalg::symmetric_eigen(own.inertia);
  Vec3 moments = Vec3(eigen.values).cwiseMax(s.least_moment);
  const double largest = moments.maxCoeff();
  if (s.balances_inertia && moments.sum() - largest < largest) moments.setConstant(moments.mean());
  if (moments == Vec3(eigen.values)) return;
  own.inertia = eigen.vectors * moments.asDiagonal() * eigen.vectors.transpose();
}

}  // namespace trammel::model
