#include "model/describe_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "mechanism/force_kinds.h"
#include "mechanism/joint_kinds.h"

namespace trammel::model {
namespace {

using Json = nlohmann::ordered_json;

// What entries of every section have.
Json repeated() {
  return Json::parse(R"({"type": "object",
    "patternProperties": {"^[A-Za-z_][A-Za-z0-9_]*$": {"type": "string", "pattern": "\\.\\."}},
    "additionalProperties": false, "minProperties": 1,
    "description": "Repeats the entry: {i: 1..N}. In its name and texts {i}, {i+1} become numbers; in expressions i is a name."})");
}

Json reference(const std::string& definition) { return {{"$ref", "#/definitions/" + definition}}; }

Json field_schema(const mechanism::KindField& field) {
  Json schema =
      *field.type == '{' ? Json::parse(field.type) : Json{{"allOf", Json::array({reference(field.type)})}};
  schema["description"] = field.doc;
  return schema;
}

Json definition(const char* doc, const std::vector<mechanism::KindField>& fields) {
  Json properties = Json::object(), required = Json::array();
  for (const mechanism::KindField& field : fields) {
    properties[field.key] = field_schema(field);
    if (field.required) required.push_back(field.key);
  }
  properties["for"] = repeated();
  return {{"description", doc},
          {"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

// The section and the definitions that its entries may be.
Json section(const char* name, const char* doc, const Json& definitions) {
  Json any = Json::array();
  for (const auto& [title, one] : definitions.items()) any.push_back(reference(title));
  const Json entries = {{"oneOf", any}};
  const Json property = {{"description", doc},
                         {"type", {"object", "null"}},
                         {"patternProperties", {{"^[A-Za-z_{][A-Za-z0-9_{}+*/() -]*$", entries}}},
                         {"additionalProperties", false}};
  return {{"properties", {{name, property}}}, {"definitions", definitions}};
}

// What a joint leaves in the plane or in space, in few words.
std::string freedoms(const mechanism::JointInfo& kind, bool planar) {
  if (!kind.exists.in(planar)) return "";
  if (!kind.has_markers()) return kind.has_speeds() ? "−1 speed" : "−1";
  const int left = (planar ? 3 : 6) - kind.equations.in(planar), speeds = kind.speeds.in(planar);
  return speeds == 0 ? fmt::format("{}", left) : fmt::format("{}, {} of velocity", left, left - speeds);
}

std::string coordinates(const mechanism::JointInfo& kind) {
  const auto where = [](const mechanism::PlaneAndSpace<bool>& has, const char* name) {
    return !has.plane && !has.space ? "" : std::string(name);
  };
  const std::string angle = where(kind.angle, "angle"), slide = where(kind.displacement, "displacement");
  return angle + (angle.empty() || slide.empty() ? "" : ", ") + slide;
}

const char* frames_text(mechanism::JointFrames frames) {
  switch (frames) {
    case mechanism::JointFrames::own:
      return "the bodies' own axes";
    case mechanism::JointFrames::world:
      return "both the world's axes at the start";
    case mechanism::JointFrames::along:
      return "axis on both: z in space, x in the plane";
    case mechanism::JointFrames::crossed:
      return "z: an axis on each, perpendicular";
    case mechanism::JointFrames::shafts:
      return "z: the shaft's axis on each";
    case mechanism::JointFrames::second:
      return "direction on the second: z in space, x in the plane";
    case mechanism::JointFrames::edge:
      return "x on both: the edge";
    case mechanism::JointFrames::wheel:
      return "normal on the second: z in space, y in the plane";
    case mechanism::JointFrames::disk:
      return "z: the disk's axis on the first, the normal on the second";
  }
  return "";
}

// `a`, `b`, …: the keys besides the kind's own; optional ones in brackets.
std::string keys(const std::vector<mechanism::KindField>& fields, const char* quote) {
  std::vector<std::string> all;
  for (std::size_t k = 1; k < fields.size(); ++k) {
    const std::string key = quote + std::string(fields[k].key) + quote;
    all.push_back(fields[k].required ? key : "(" + key + ")");
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

// One row for each key of each kind. A text must not end a cell.
std::string key_rows(const char* kind, const std::vector<mechanism::KindField>& fields) {
  std::string text;
  for (std::size_t k = 0; k < fields.size(); ++k)
    text += fmt::format("| {} | `{}` | {} | {} |\n", k == 0 ? fmt::format("`{}`", kind) : "", fields[k].key,
                        fields[k].doc, fields[k].required ? "yes" : "");
  return text;
}

constexpr const char* kKeyHead = "\n| kind | key | meaning | required |\n| --- | --- | --- | --- |\n";

}  // namespace

std::string joints_text() {
  std::string text;
  for (const mechanism::JointInfo& kind : mechanism::joint_kinds()) {
    text += fmt::format("{}\n  {}\n", kind.name, kind.doc);
    const auto line = [&](const char* what, const std::string& words) {
      if (!words.empty()) text += fmt::format("    {:<22}{}\n", what, words);
    };
    line("freedoms in the plane", freedoms(kind, true));
    line("freedoms in space", freedoms(kind, false));
    line("coordinates", coordinates(kind));
    line("first marker", kind.first);
    line("second marker", kind.second);
    if (kind.has_markers()) line("axes", frames_text(kind.frames.in(!kind.exists.space)));
    if (kind.value.key != nullptr)
      line("value", fmt::format("{}{}{}", kind.value.key, *kind.value.unit ? ", " : "", kind.value.unit));
    line("model file",
         kind.fields.empty() ? "no key of its own" : fmt::format("{}: {}", kind.name, keys(kind.fields, "")));
    line("drawn as", kind.drawn.in(!kind.exists.space));
  }
  return text;
}

std::string joints_markdown() {
  std::string text =
      "| joint | freedoms left in the plane | in space | coordinate | other keys | what it is |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const mechanism::JointInfo& kind : mechanism::joint_kinds())
    if (!kind.fields.empty())
      text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", kind.name, freedoms(kind, true),
                          freedoms(kind, false), coordinates(kind), keys(kind.fields, "`"), kind.doc);
  text += kKeyHead;
  for (const mechanism::JointInfo& kind : mechanism::joint_kinds()) text += key_rows(kind.name, kind.fields);
  return text;
}

Json joints_schema() {
  Json definitions = Json::object();
  for (const mechanism::JointInfo& kind : mechanism::joint_kinds())
    if (!kind.fields.empty()) definitions[kind.title()] = definition(kind.doc, kind.fields);
  return section("joints",
                 "Joints between two bodies, couplers between joints, and constraints of velocities.",
                 definitions);
}

std::string forces_text() {
  std::string text;
  for (const mechanism::ForceInfo& kind : mechanism::force_kinds()) {
    text += fmt::format("{}\n  {}\n", kind.name, kind.doc);
    text += fmt::format("    {:<22}{}\n", "acts on", kind.acts);
    text += fmt::format("    {:<22}{}\n", "model file",
                        kind.fields.empty() ? "none: from C++ only"
                                            : fmt::format("{}: {}", kind.key(), keys(kind.fields, "")));
    text += fmt::format("    {:<22}{}\n", "drawn as", kind.drawn);
  }
  return text;
}

std::string forces_markdown() {
  std::string text = "| force | acts on | other keys | what it is |\n| --- | --- | --- | --- |\n";
  for (const mechanism::ForceInfo& kind : mechanism::force_kinds())
    if (!kind.fields.empty())
      text +=
          fmt::format("| `{}` | {} | {} | {} |\n", kind.key(), kind.acts, keys(kind.fields, "`"), kind.doc);
  text += kKeyHead;
  for (const mechanism::ForceInfo& kind : mechanism::force_kinds())
    if (!kind.fields.empty()) text += key_rows(kind.key(), kind.fields);
  return text;
}

Json forces_schema() {
  Json definitions = Json::object();
  for (const mechanism::ForceInfo& kind : mechanism::force_kinds())
    if (!kind.fields.empty()) definitions[kind.name] = definition(kind.doc, kind.fields);
  return section("forces", "Springs, friction, forces, torques, bushings.", definitions);
}

}  // namespace trammel::model
