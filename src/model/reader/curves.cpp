#include "model/reader/curves.h"

#include <fmt/format.h>

#include "mechanism/joint_kinds.h"
#include "model/reader/places.h"
#include "model/reader/values.h"

namespace trammel::model {

void read_point_on_curve(ModelContext& context, const Fields& fields, const YamlNode& point, Joint& joint) {
  const auto marker = read_point_marker(context, point, mechanism::to_string(joint.kind));
  const YamlNode* through = fields.need("through");
  const YamlNode* of = fields.find("of");
  joint.curve.closed = fields.flag("closed", false);
  const auto body = of == nullptr ? std::optional<std::string>(kGround) : read_word(context, *of, "of");
  const bool body_known = body && (of == nullptr || context.find_body(*of, *body));
  if (through == nullptr) return;
  if (!through->is_sequence()) {
    context.error(*through, fmt::format("through: expected a list of points, found {}", describe(*through)),
                  "write through: [[0, 0], [1, 0.5], [2, 0]]");
    return;
  }
  bool good = true;
  for (const YamlNode& node : through->children) {
    const auto at = read_vector(context, node, "through", "m");
    good = good && at;
    if (at) joint.curve.through.push_back(*at);
  }
  if (!marker || !body_known || !good) return;
  joint.markers = {*marker, {*body, {}}};
}

}  // namespace trammel::model
