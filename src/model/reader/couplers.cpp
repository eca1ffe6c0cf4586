// Couplers tie the coordinates of joints: gear, screw, rack and pinion.
#include <fmt/format.h>

#include "mechanism/signals.h"
#include "model/reader/fields.h"
#include "model/reader/joints.h"
#include "model/reader/values.h"

namespace trammel {
namespace {

enum class Coordinate { angle, displacement };

// The joint a coupler names, if it has the coordinate it needs.
bool couple(ModelContext& context, const YamlNode& at, const std::string& name, Coordinate needed,
            Joint& joint) {
  const Joint* of = context.find_joint(at, name);
  if (of == nullptr) return false;
  const bool fits = needed == Coordinate::angle ? has_angle(context.mechanism, *of)
                                                : has_displacement(context.mechanism, *of);
  if (!fits) {
    context.error(
        at, fmt::format("joint '{}' has no {}", name, needed == Coordinate::angle ? "angle" : "displacement"),
        needed == Coordinate::angle ? "name a revolute or cylindrical joint, or a pin of two bodies"
                                    : "name a prismatic or cylindrical joint");
    return false;
  }
  joint.of.push_back(name);
  return true;
}

void couple_two(ModelContext& context, const YamlNode& node, const std::string& kind, Coordinate second,
                Joint& joint) {
  const auto names = read_words(context, node, kind, 2);
  if (!names) return;
  couple(context, node.children[0], (*names)[0], Coordinate::angle, joint);
  couple(context, node.children[1], (*names)[1], second, joint);
  if ((*names)[0] == (*names)[1]) {
    context.error(node, fmt::format("{} '{}' couples joint '{}' to itself", kind, joint.name, (*names)[0]),
                  "name two different joints");
  }
}

void require_not_zero(ModelContext& context, const Fields& fields, const std::string& key, double value) {
  const YamlNode* node = fields.find(key);
  if (node != nullptr && value == 0) {
    context.error(*node, fmt::format("{} must not be zero", key),
                  "give the number that couples the two motions");
  }
}

}  // namespace

void read_coupler(ModelContext& context, const YamlNode& key, const YamlNode& value, const std::string& kind,
                  Joint& joint) {
  const Fields fields(context, key, value, kind);
  const YamlNode& node = *fields.find(kind);
  if (kind == "gear") {
    couple_two(context, node, kind, Coordinate::angle, joint);
    joint.value = fields.need_number("ratio", "1");
    require_not_zero(context, fields, "ratio", joint.value);
  } else if (kind == "rack") {
    couple_two(context, node, kind, Coordinate::displacement, joint);
    joint.value = fields.need_number("radius", "m");
    require_not_zero(context, fields, "radius", joint.value);
  } else {
    const auto name = read_word(context, node, kind);
    if (name && couple(context, node, *name, Coordinate::angle, joint)) {
      const Joint* of = context.find_joint(node, *name);
      if (!has_displacement(context.mechanism, *of)) {
        context.error(node, fmt::format("joint '{}' has no displacement", *name),
                      "a screw needs a cylindrical joint");
      }
    }
    joint.value = fields.need_number("pitch", "m");
    require_not_zero(context, fields, "pitch", joint.value);
  }
}

}  // namespace trammel
