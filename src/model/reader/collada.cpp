#include "model/reader/collada.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <Eigen/Geometry>
#include <charconv>
#include <map>
#include <numbers>
#include <optional>
#include <vector>

namespace trammel::model {
namespace {

using tinyxml2::XMLElement;

// Deeper nodes, or those that show themselves, are a mistake.
constexpr int kDeepest = 64;
constexpr std::size_t kMostCorners = 6'000'000;

// Numbers between spaces; none if something else stands there.
template <class T>
std::optional<std::vector<T>> numbers_in(const XMLElement* element) {
  const char* text = element == nullptr ? nullptr : element->GetText();
  std::vector<T> found;
  if (text == nullptr) return found;
  const std::string_view all(text);
  const char *at = all.data(), *const end = at + all.size();
  while (true) {
    while (at != end && std::string_view(" \t\r\n").find(*at) != std::string_view::npos) ++at;
    if (at == end) return found;
    if (*at == '+') ++at;
    T value{};
    const auto [stop, code] = std::from_chars(at, end, value);
    if (stop == at || code == std::errc::invalid_argument) return {};
    found.push_back(value);
    at = stop;
  }
}

class Collada {
 public:
  explicit Collada(const XMLElement& root) : root_(root) { index(root, 0); }

  std::variant<SurfaceMesh, MeshError> read() {
    const XMLElement* scenes = root_.FirstChildElement("library_visual_scenes");
    Eigen::Affine3d whole = Eigen::Affine3d::Identity();
    whole.linear() *= unit();
    if (scenes == nullptr) return MeshError{"its scene is empty", "write the file again as DAE"};
    for (const XMLElement* s = scenes->FirstChildElement("visual_scene"); s != nullptr;
         s = s->NextSiblingElement("visual_scene"))
      add_children(*s, whole, 0);
    if (!wrong_.empty()) return MeshError{wrong_, "write the file again as DAE, STL or OBJ"};
    return std::move(mesh_);
  }

 private:
  void index(const XMLElement& element, int depth) {
    if (const char* id = element.Attribute("id")) by_id_.emplace(id, &element);
    if (depth > kDeepest) return;
    for (const XMLElement* c = element.FirstChildElement(); c != nullptr; c = c->NextSiblingElement())
      index(*c, depth + 1);
  }

  // Metres for one unit.
  double unit() const {
    const XMLElement* asset = root_.FirstChildElement("asset");
    const XMLElement* unit = asset == nullptr ? nullptr : asset->FirstChildElement("unit");
    const double meter = unit == nullptr ? 1 : unit->DoubleAttribute("meter", 1);
    return meter > 0 ? meter : 1;
  }

  // What "#id" refers to.
  const XMLElement* referred(const char* url) const {
    if (url == nullptr || *url != '#') return nullptr;
    const auto found = by_id_.find(url + 1);
    return found == by_id_.end() ? nullptr : found->second;
  }

  void fail(const std::string& why) {
    if (wrong_.empty()) wrong_ = why;
  }

  Eigen::Affine3d transform(const XMLElement& node) {
    Eigen::Affine3d all = Eigen::Affine3d::Identity();
    for (const XMLElement* c = node.FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      const std::string_view name = c->Name();
      const std::size_t wanted = name == "matrix"                         ? 16
                                 : name == "rotate"                       ? 4
                                 : name == "translate" || name == "scale" ? 3
                                                                          : 0;
      if (wanted == 0) continue;
      const auto x = numbers_in<double>(c);
      if (!x || x->size() != wanted) {
        fail(fmt::format("line {}: <{}> is not {} numbers", c->GetLineNum(), name, wanted));
        continue;
      }
      const std::vector<double>& v = *x;
      if (name == "translate") all.translate(Vec3(v[0], v[1], v[2]));
      if (name == "scale") all.scale(Vec3(v[0], v[1], v[2]));
      if (name == "rotate" && Vec3(v[0], v[1], v[2]).norm() > 0)
        all.rotate(Eigen::AngleAxisd(v[3] * std::numbers::pi / 180, Vec3(v[0], v[1], v[2]).normalized()));
      if (name == "matrix") {
        Eigen::Affine3d own;
        for (Eigen::Index k = 0; k < 12; ++k) own(k / 4, k % 4) = v[static_cast<std::size_t>(k)];
        own.makeAffine();
        all = all * own;
      }
    }
    return all;
  }

  void add_children(const XMLElement& node, const Eigen::Affine3d& around, int depth) {
    if (depth > kDeepest) return fail("its nodes are nested too deeply");
    for (const XMLElement* c = node.FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      const std::string_view name = c->Name();
      if (name == "node") add_children(*c, around * transform(*c), depth + 1);
      const XMLElement* shown = referred(c->Attribute("url"));
      if (shown == nullptr) continue;
      if (name == "instance_node") add_children(*shown, around * transform(*shown), depth + 1);
      if (name == "instance_geometry")
        if (const XMLElement* mesh = shown->FirstChildElement("mesh")) add_mesh(*mesh, around);
    }
  }

  // The places of an input's vertices.
  std::vector<Vec3> positions(const XMLElement& input) {
    const XMLElement* vertices = referred(input.Attribute("source"));
    const XMLElement* source = nullptr;
    for (const XMLElement* i = vertices == nullptr ? nullptr : vertices->FirstChildElement("input");
         i != nullptr; i = i->NextSiblingElement("input"))
      if (i->Attribute("semantic", "POSITION") != nullptr) source = referred(i->Attribute("source"));
    const XMLElement* array = source == nullptr ? nullptr : source->FirstChildElement("float_array");
    const auto x = numbers_in<double>(array);
    if (array == nullptr || !x) {
      fail(fmt::format("line {}: its vertices have no places", input.GetLineNum()));
      return {};
    }
    int stride = 3;
    if (const XMLElement* common = source->FirstChildElement("technique_common"))
      if (const XMLElement* accessor = common->FirstChildElement("accessor"))
        stride = std::max(3, accessor->IntAttribute("stride", 3));
    std::vector<Vec3> found;
    const auto step = static_cast<std::size_t>(stride);
    for (std::size_t k = 0; k + 2 < x->size(); k += step)
      found.emplace_back((*x)[k], (*x)[k + 1], (*x)[k + 2]);
    return found;
  }

  void add_mesh(const XMLElement& mesh, const Eigen::Affine3d& place) {
    for (const char* kind : {"triangles", "polylist", "polygons"})
      for (const XMLElement* part = mesh.FirstChildElement(kind); part != nullptr;
           part = part->NextSiblingElement(kind))
        add_faces(*part, place);
  }

  void add_faces(const XMLElement& part, const Eigen::Affine3d& place) {
    std::size_t inputs = 1, offset = 0;
    std::vector<Vec3> vertices;
    for (const XMLElement* i = part.FirstChildElement("input"); i != nullptr;
         i = i->NextSiblingElement("input")) {
      const auto at = static_cast<std::size_t>(std::clamp(i->IntAttribute("offset", 0), 0, 31));
      inputs = std::max(inputs, at + 1);
      if (i->Attribute("semantic", "VERTEX") == nullptr) continue;
      offset = at;
      vertices = positions(*i);
    }
    const int first = static_cast<int>(mesh_.vertices.size());
    for (const Vec3& v : vertices) mesh_.vertices.emplace_back(place * v);
    const bool mirrors = place.linear().determinant() < 0;
    const bool lists = std::string_view(part.Name()) == "polylist";
    const auto counts = numbers_in<int>(lists ? part.FirstChildElement("vcount") : nullptr);
    for (const XMLElement* p = part.FirstChildElement("p"); p != nullptr; p = p->NextSiblingElement("p")) {
      const auto corners = numbers_in<int>(p);
      if (!corners || !counts) return fail(fmt::format("line {}: a face has no numbers", p->GetLineNum()));
      std::vector<int> own;
      for (std::size_t k = offset; k < corners->size(); k += inputs) {
        const int v = (*corners)[k];
        if (v < 0 || v >= static_cast<int>(vertices.size()))
          return fail(fmt::format("line {}: vertex {} is not there", p->GetLineNum(), v));
        own.push_back(first + v);
      }
      const bool whole = std::string_view(part.Name()) == "polygons";
      cut(own, lists ? *counts : std::vector<int>{}, whole, mirrors);
    }
  }

  // Faces of so many corners each, or of three, or one face, as triangles.
  void cut(const std::vector<int>& corners, const std::vector<int>& counts, bool is_one, bool mirrors) {
    std::size_t at = 0;
    for (std::size_t face = 0; at < corners.size(); ++face) {
      const std::size_t left = corners.size() - at;
      std::size_t count = is_one ? left : 3;
      if (!counts.empty()) {
        if (face >= counts.size() || counts[face] < 1) return fail("its faces have too few corners");
        count = static_cast<std::size_t>(counts[face]);
      }
      if (count > left) return fail("its faces have too few corners");
      for (std::size_t k = 1; k + 1 < count; ++k)
        mesh_.triangles.push_back(
            {corners[at], corners[at + (mirrors ? k + 1 : k)], corners[at + (mirrors ? k : k + 1)]});
      at += count;
      if (mesh_.triangles.size() > kMostCorners) return fail("it is too large");
    }
  }

  const XMLElement& root_;
  std::map<std::string, const XMLElement*, std::less<>> by_id_;
  SurfaceMesh mesh_;
  std::string wrong_;
};

}  // namespace

std::variant<SurfaceMesh, MeshError> parse_collada(const std::string& text) {
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    return MeshError{fmt::format("line {} is no XML", document.ErrorLineNum()),
                     "write the file again as DAE"};
  const XMLElement* root = document.RootElement();
  if (root == nullptr || std::string_view(root->Name()) != "COLLADA")
    return MeshError{"it is XML, but not COLLADA", "give an STL, OBJ or DAE file"};
  return Collada(*root).read();
}

}  // namespace trammel::model
