// Couplers tie the coordinates of joints: gear, screw, rack and pinion.
#include <fmt/format.h>

#include "mechanism/signals.h"
#include "model/reader/fields.h"
#include "model/reader/joints.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

// The joint a coupler names, if it has the coordinate it needs.
void couple(ModelContext& context, const YamlNode& at, const std::string& name,
            mechanism::CoupledCoordinate needed, Joint& joint) {
  const Joint* of = context.find_joint(at, name);
  if (of == nullptr) return;
  if (needed != mechanism::CoupledCoordinate::displacement && !mechanism::has_angle(context.mechanism, *of))
    return context.error(at, fmt::format("joint '{}' has no angle", name),
                         "name a revolute or cylindrical joint, or a pin of two bodies");
  if (needed == mechanism::CoupledCoordinate::displacement &&
      !mechanism::has_displacement(context.mechanism, *of))
    return context.error(at, fmt::format("joint '{}' has no displacement", name),
                         "name a prismatic or cylindrical joint");
  joint.of.push_back(name);
  if (needed == mechanism::CoupledCoordinate::both && !mechanism::has_displacement(context.mechanism, *of))
    context.error(at, fmt::format("joint '{}' has no displacement", name),
                  "a screw needs a cylindrical joint");
}

void couple_two(ModelContext& context, const YamlNode& node, const mechanism::JointInfo& kind, Joint& joint) {
  const auto names = read_words(context, node, kind.name, 2);
  if (!names) return;
  for (std::size_t k = 0; k < 2; ++k) couple(context, node.children[k], (*names)[k], kind.couples[k], joint);
  if ((*names)[0] == (*names)[1])
    context.error(node,
                  fmt::format("{} '{}' couples joint '{}' to itself", kind.name, joint.name, (*names)[0]),
                  "name two different joints");
}

}  // namespace

void read_coupler(ModelContext& context, const YamlNode& key, const YamlNode& value,
                  const mechanism::JointInfo& kind, Joint& joint) {
  const Fields fields(context, key, value, kind.title());
  const YamlNode& node = *fields.find(kind.name);
  if (kind.couples.size() == 2) {
    couple_two(context, node, kind, joint);
  } else if (const auto name = read_word(context, node, kind.name)) {
    couple(context, node, *name, kind.couples[0], joint);
  }
  joint.value = fields.need_number(kind.value.key, *kind.value.unit == '\0' ? "1" : kind.value.unit);
  if (const YamlNode* number = fields.find(kind.value.key); number != nullptr && joint.value == 0)
    context.error(*number, fmt::format("{} must not be zero", kind.value.key),
                  "give the number that couples the two motions");
}

}  // namespace trammel::model
