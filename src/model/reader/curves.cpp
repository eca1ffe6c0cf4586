#include "model/reader/curves.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "mechanism/joint_kinds.h"
#include "mechanism/spline_curve.h"
#include "model/reader/places.h"
#include "model/reader/values.h"

namespace trammel::model {

namespace {

// The points of `through`; false where one is wrong, which is told.
bool read_through(ModelContext& context, const YamlNode& through, std::vector<Vec3>& points) {
  if (!through.is_sequence()) {
    context.error(through, fmt::format("through: expected a list of points, found {}", describe(through)),
                  "write through: [[0, 0], [1, 0.5], [2, 0]]");
    return false;
  }
  bool good = true;
  for (const YamlNode& node : through.children) {
    const auto at = read_vector(context, node, "through", "m");
    good = good && at;
    if (at) points.push_back(*at);
  }
  return good;
}

// Of the size of the outline: how far its points may lie off their plane.
constexpr double kFlat = 1e-6;

// The axes of an outline in space: the plane of its points, its first point as origin. None: it has no plane.
std::optional<Frame> plane_of(const std::vector<Vec3>& points) {
  Vec3 normal = Vec3::Zero();
  for (std::size_t i = 0; i < points.size(); ++i)
    normal += (points[i] - points[0]).cross(points[(i + 1) % points.size()] - points[0]);
  const Vec3 across = points[1] - points[0];
  if (!(normal.norm() > kFlat * across.squaredNorm())) return std::nullopt;
  Frame frame;
  frame.at = points[0];
  frame.axes.col(2) = normal.normalized();
  frame.axes.col(0) = across.normalized();
  frame.axes.col(1) = frame.axes.col(2).cross(frame.axes.col(0));
  double size = 0, off = 0;
  for (const Vec3& p : points) {
    size = std::max(size, (p - points[0]).norm());
    off = std::max(off, std::abs((p - points[0]).dot(frame.axes.col(2))));
  }
  return off > kFlat * size ? std::nullopt : std::optional(frame);
}

class CamReader {
 public:
  CamReader(ModelContext& context, const Fields& fields, const YamlNode& body, Joint& joint)
      : context_(context), fields_(fields), body_(body), joint_(joint) {}

  void read() {
    const auto cam = read_word(context_, body_, "cam");
    const bool known = cam && context_.find_body(body_, *cam);
    const YamlNode* through = fields_.need("through");
    const YamlNode* follower = fields_.need("follower", "give the point that touches the cam");
    const auto point =
        follower == nullptr ? std::nullopt : read_point_marker(context_, *follower, "follower");
    joint_.curve.closed = fields_.flag("closed", true);
    joint_.value = fields_.number("radius", "m", 0);
    read_contact();
    if (!known || through == nullptr || !read_through(context_, *through, joint_.curve.through) || !point)
      return;
    if (joint_.curve.through.size() < 3) {
      joint_.markers = {*point, {*cam, {}}};  // validation tells
      return;
    }
    const std::optional<Frame> plane = outline_axes(*through);
    if (!plane) return;
    joint_.markers = {*point, {*cam, *plane}};
    read_side();
    read_face();
  }

 private:
  std::optional<Frame> outline_axes(const YamlNode& through) {
    if (context_.mechanism.is_planar) return Frame();
    if (!joint_.curve.closed) {
      fields_.refuse("closed", "in space the outline of a cam is closed", "leave it out");
      return std::nullopt;
    }
    const auto plane = plane_of(joint_.curve.through);
    if (!plane) {
      context_.error(through, fmt::format("the outline of '{}' does not lie in a plane", joint_.name),
                     "give points of one plane; a point on any curve in space is point-on-curve");
      return std::nullopt;
    }
    for (Vec3& p : joint_.curve.through) {
      p = plane->axes.transpose() * (p - plane->at);
      p.z() = 0;
    }
    return plane;
  }

  void read_side() {
    const YamlNode* node = fields_.find("side");
    const auto word = node == nullptr
                          ? std::optional<std::string>(joint_.curve.closed ? "outside" : "")
                          : read_choice(context_, *node, "side", {"outside", "inside", "left", "right"});
    if (!word) return;
    const bool by_hand = *word == "left" || *word == "right";
    if (by_hand == joint_.curve.closed)
      return context_.error(
          node == nullptr ? body_ : *node,
          fmt::format("the outline of '{}' is {}", joint_.name, joint_.curve.closed ? "closed" : "open"),
          joint_.curve.closed ? "say side: outside or inside"
                              : "say side: left or right, in the order of its points");
    if (by_hand) {
      joint_.cam.side = *word == "left" ? 1 : -1;
      return;
    }
    const double area = mechanism::SplineCurve(joint_.curve.through, true).area();
    joint_.cam.side = (area > 0) == (*word == "inside") ? 1 : -1;
  }

  void read_face() {
    const YamlNode* node = fields_.find("face");
    if (node == nullptr) return;
    fields_.refuse("radius", "a flat face has no radius", "leave out one of them");
    fields_.refuse("side", "a flat face touches a cam from outside", "leave it out");
    const auto normal = read_world_direction(context_, *node, "face");
    if (!normal) return;
    joint_.cam.face = true;
    Marker& follower = joint_.markers[0];
    const Vec3 x = context_.placement(follower.body).axes.transpose() * *normal;
    const Vec3 z = context_.mechanism.is_planar ? Vec3(Vec3::UnitZ()) : Vec3(x.unitOrthogonal());
    follower.frame.axes << x, z.cross(x), z;
  }

  // Whether it holds, and what happens where it would have to pull.
  void read_contact() {
    const YamlNode* node = fields_.find("when-lost");
    const auto word = node == nullptr
                          ? std::optional<std::string>("continue")
                          : read_choice(context_, *node, "when-lost", {"continue", "stop", "free"});
    const bool free = word == "free";
    joint_.ends_run = word == "stop";
    joint_.keeps_contact = fields_.flag("contact", true) && !free;
    if (!fields_.flag("contact", true))
      fields_.refuse("when-lost", fmt::format("nothing holds the follower of '{}'", joint_.name),
                     "leave out `contact: false`");
    if (!free) {
      fields_.refuse("restitution", "only a follower that lifts off comes back", "say when-lost: free");
      return;
    }
    EndStop stop;
    stop.name = joint_.name + "_stop";
    stop.joint = joint_.name;
    stop.lower = 0;
    stop.restitution = fields_.number("restitution", "1", 0);
    stop.where = joint_.where;
    if (context_.declare(body_, stop.name, "stop")) context_.mechanism.stops.push_back(std::move(stop));
  }

  ModelContext& context_;
  const Fields& fields_;
  const YamlNode& body_;
  Joint& joint_;
};

}  // namespace

void read_point_on_curve(ModelContext& context, const Fields& fields, const YamlNode& point, Joint& joint) {
  const auto marker = read_point_marker(context, point, mechanism::to_string(joint.kind));
  const YamlNode* through = fields.need("through");
  const YamlNode* of = fields.find("of");
  joint.curve.closed = fields.flag("closed", false);
  const auto body = of == nullptr ? std::optional<std::string>(kGround) : read_word(context, *of, "of");
  const bool body_known = body && (of == nullptr || context.find_body(*of, *body));
  if (through == nullptr) return;
  const bool good = read_through(context, *through, joint.curve.through);
  if (!marker || !body_known || !good) return;
  joint.markers = {*marker, {*body, {}}};
}

void read_cam(ModelContext& context, const Fields& fields, const YamlNode& body, Joint& joint) {
  CamReader(context, fields, body, joint).read();
}

}  // namespace trammel::model
