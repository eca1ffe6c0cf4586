// `stops:`, limits of joints' coordinates.
#include <fmt/format.h>

#include "mechanism/signals.h"
#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/sections.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

// The unit of the stopped coordinate; empty for a coordinate of one's own.
const char* unit_of(const ModelContext& context, const EndStop& stop) {
  const Joint* joint = context.mechanism.joint(stop.joint);
  if (joint == nullptr) return "";
  return mechanism::has_angle(context.mechanism, *joint) ? "rad" : "m";
}

void read_stop(ModelContext& context, const YamlNode& key, const YamlNode& value) {
  EndStop stop;
  stop.name = key.text;
  stop.where = {key.line, key.column};
  const Fields fields(context, key, value, "stop");
  const bool own = context.mechanism.generalized.has_value();
  const char *wanted = own ? "coordinate" : "joint", *other = own ? "joint" : "coordinate";
  fields.refuse(other, fmt::format("this model has no {}s", other), fmt::format("write {}:", wanted));
  const YamlNode* of = fields.need(wanted, fmt::format("name the {} that it limits", wanted));
  if (of == nullptr || !read_word(context, *of, wanted)) return;
  if (!own && context.find_joint(*of, of->text) == nullptr) return;
  stop.joint = of->text;
  const char* unit = unit_of(context, stop);
  if (fields.has("lower")) stop.lower = fields.number("lower", unit, 0);
  if (fields.has("upper")) stop.upper = fields.number("upper", unit, 0);
  stop.restitution = fields.number("restitution", "1", 0);
  context.mechanism.stops.push_back(std::move(stop));
}

}  // namespace

void read_stops(ModelContext& context, const YamlNode& root) {
  for_each_entry(context, root, "stops", [&](const YamlNode& key, const YamlNode& value) {
    if (context.declare(key, key.text, "stop")) read_stop(context, key, value);
  });
}

}  // namespace trammel::model
