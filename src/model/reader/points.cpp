// Named points: where they are at the start, who carries them; a point of two bodies or more is a pin.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/reader/bodies.h"
#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

// The pin's markers but for bodies that joints already hold to an earlier one of them.
std::vector<Marker> markers_left(const Joint& pin,
                                 const std::vector<std::pair<std::string, std::string>>& joined) {
  std::map<std::string, std::string> group;  // body → a body it moves with at this point
  for (const Marker& marker : pin.markers) group[marker.body] = marker.body;
  for (const auto& [first, second] : joined) {
    const std::string from = group[second], to = group[first];
    for (auto& [body, representative] : group) {
      if (representative == from) representative = to;
    }
  }
  std::vector<Marker> left;
  std::set<std::string> seen;
  for (const Marker& marker : pin.markers) {
    if (seen.insert(group[marker.body]).second) left.push_back(marker);
  }
  return left;
}

}  // namespace

void read_points(ModelContext& context, const YamlNode& root) {
  for_each_entry(context, root, "points", [&](const YamlNode& key, const YamlNode& value) {
    if (!context.declare(key, key.text, "point")) return;
    Point point;
    point.name = key.text;
    point.where = {key.line, key.column};
    if (value.is_sequence()) {
      point.at = read_vector(context, value, key.text, "m").value_or(Vec3::Zero());
    } else {
      const Fields fields(context, key, value, "point");
      if (const YamlNode* at = fields.need("at")) {
        point.at = read_vector(context, *at, "at", "m").value_or(Vec3::Zero());
      }
      if (const YamlNode* on = fields.find("on")) {
        const auto body = read_word(context, *on, "on");
        if (body && *body != kGround) {
          context.error(*on, fmt::format("on: '{}' is not ground", *body),
                        fmt::format("list the point under `carries:` of body '{}'", *body));
        }
        point.on.push_back({kGround, {point.at, Mat3::Identity()}});
      }
    }
    context.points[point.name] = context.mechanism.points.size();
    context.mechanism.points.push_back(std::move(point));
  });
}

void finish_points(ModelContext& context) {
  for (Point& point : context.mechanism.points) {
    // moving bodies first: an angle at the point then reads the body's, not minus the body's
    std::stable_partition(point.on.begin(), point.on.end(),
                          [](const Marker& m) { return m.body != kGround; });
    if (point.on.size() < 2) continue;
    Joint pin;
    pin.name = point.name;
    pin.kind = Joint::Kind::pin;
    pin.markers = point.on;
    pin.where = point.where;
    context.joints[pin.name] = context.mechanism.joints.size();
    context.mechanism.joints.push_back(std::move(pin));
  }
}

void replace_pins(ModelContext& context) {
  auto& joints = context.mechanism.joints;
  for (const auto& [point, joined] : context.joined_at) {
    Joint& pin = joints[context.joints.at(point)];
    pin.markers = markers_left(pin, joined);
  }
  std::erase_if(
      joints, [](const Joint& joint) { return joint.kind == Joint::Kind::pin && joint.markers.size() < 2; });
  context.joints.clear();
  for (std::size_t i = 0; i < joints.size(); ++i) context.joints[joints[i].name] = i;
}

}  // namespace trammel::model
