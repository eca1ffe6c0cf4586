#include "model/reader/drawn.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <charconv>

#include "model/reader/rigid.h"
#include "model/reader/shape_fields.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

struct NamedColour {
  const char* name;
  unsigned rgb;
};

constexpr std::array<NamedColour, 14> kColours = {{{"red", 0xc8321e},
                                                   {"orange", 0xe8862a},
                                                   {"yellow", 0xe6c02e},
                                                   {"green", 0x3f9142},
                                                   {"teal", 0x1f8a8a},
                                                   {"blue", 0x2f6fc4},
                                                   {"purple", 0x7d4fb0},
                                                   {"pink", 0xd9638f},
                                                   {"brown", 0x8a5a36},
                                                   {"white", 0xf2f2f2},
                                                   {"silver", 0xbcc2c8},
                                                   {"grey", 0x808488},
                                                   {"gray", 0x808488},
                                                   {"black", 0x202224}}};

Colour from_rgb(unsigned rgb, unsigned opacity = 255) {
  const auto part = [](unsigned x) { return (x & 255U) / 255.0; };
  return {part(rgb >> 16U), part(rgb >> 8U), part(rgb), part(opacity)};
}

std::optional<Colour> from_hex(const std::string& text) {
  if (text.size() != 7 && text.size() != 9) return {};
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + 1, end, value, 16);
  if (code != std::errc() || stop != end) return {};
  return text.size() == 7 ? from_rgb(value) : from_rgb(value >> 8U, value);
}

// In the plane an angle, in space an orientation, as of a body; or an axis, or neither.
void read_turn(ModelContext& context, const Fields& fields, Shape& shape) {
  const bool is_planar = context.mechanism.is_planar;
  const char* key = is_planar ? "angle" : "orientation";
  const char* other = is_planar ? "orientation" : "angle";
  fields.refuse(other, is_planar ? "in the plane a shape has an angle" : "one angle turns no shape in space",
                is_planar ? "write angle: 30 deg" : "write orientation: {axis: [0, 0, 1], angle: 30 deg}");
  if (!fields.has(key)) return;
  const bool has_other = fields.has("axis") || shape.kind == Shape::Kind::bar;
  if (has_other)
    return fields.refuse(key, "its direction is given already", fmt::format("leave {} out", key));
  shape.place.axes =
      is_planar ? Mat3(Eigen::AngleAxisd(fields.number(key, "rad", 0), Vec3::UnitZ()).toRotationMatrix() *
                       shape.place.axes)
                : read_orientation(context, *fields.find(key)).value_or(Mat3::Identity());
}

std::optional<DrawnShape> read_drawn_shape(ModelContext& context, const YamlNode& node) {
  if (!node.is_map()) {
    context.error(node, fmt::format("drawn: expected a shape, found {}", describe(node)),
                  "write drawn: [{shape: box, size: [0.1, 0.2, 0.3]}]");
    return {};
  }
  const Fields fields(context, node, node, "drawn shape");
  auto shape = ShapeFields(context, fields, true).read();
  if (!shape) return {};
  const mechanism::ShapeInfo& info = mechanism::about(shape->kind);
  for (const char* key : kShapeKeys) {
    const bool is_place = shape->kind == Shape::Kind::mesh && std::string_view(key) == "center";
    if (!info.has(key) && !is_place)
      fields.refuse(key, fmt::format("a {} has no {}", info.name, key), "leave it out");
  }
  read_turn(context, fields, *shape);
  DrawnShape drawn{*shape, {}, {}};
  if (const YamlNode* colour = fields.find("colour")) drawn.colour = read_colour(context, *colour);
  if (shape->kind == Shape::Kind::mesh)
    drawn.surface = context.meshes->find(found_file(context, shape->file));
  return drawn;
}

void read_list(ModelContext& context, const YamlNode& node, std::vector<DrawnShape>& drawn) {
  if (!node.is_sequence())
    return context.error(node, fmt::format("drawn: expected a list of shapes, found {}", describe(node)),
                         "write drawn: [{shape: box, size: [0.1, 0.2, 0.3]}]");
  for (const YamlNode& one : node.children)
    if (auto shape = read_drawn_shape(context, one)) drawn.push_back(*shape);
}

}  // namespace

std::optional<Colour> read_colour(ModelContext& context, const YamlNode& node) {
  if (node.is_sequence()) {
    const auto parts = read_numbers(context, node, "colour", node.children.size() == 4 ? 4 : 3, {"1"});
    if (!parts) return {};
    for (const double part : *parts)
      if (!(part >= 0 && part <= 1)) {
        context.error(node, fmt::format("colour: {} is not from 0 to 1", part), "write [red, green, blue]");
        return {};
      }
    return Colour{(*parts)[0], (*parts)[1], (*parts)[2], parts->size() == 4 ? (*parts)[3] : 1};
  }
  const auto text = read_word(context, node, "colour");
  if (!text) return {};
  std::vector<std::string> names;
  for (const NamedColour& one : kColours) {
    if (*text == one.name) return from_rgb(one.rgb);
    names.emplace_back(one.name);
  }
  if (text->starts_with('#')) {
    if (const auto colour = from_hex(*text)) return colour;
    context.error(node, fmt::format("colour: '{}' is no colour", *text), "write \"#rrggbb\" in hex digits");
    return {};
  }
  context.error(node, fmt::format("colour: there is no '{}'", *text),
                suggest(*text, names,
                        R"(write a name such as red, a text "#rrggbb", or [red, green, blue] from 0 to 1)"));
  return {};
}

void read_looks(ModelContext& context, const YamlNode& body_keys, Body& body) {
  if (const YamlNode* colour = body_keys.find("colour")) body.colour = read_colour(context, *colour);
  if (const YamlNode* drawn = body_keys.find("drawn")) read_list(context, *drawn, body.drawn);
}

void read_ground(ModelContext& context, const YamlNode& root) {
  const YamlNode* ground = root.find("ground");
  if (ground == nullptr) return;
  if (!ground->is_map())
    return context.error(*ground, fmt::format("ground: expected keys, found {}", describe(*ground)),
                         "write ground: {drawn: […]}");
  const Fields fields(context, *ground, *ground, "ground");
  if (const YamlNode* drawn = fields.find("drawn")) read_list(context, *drawn, context.mechanism.ground);
}

std::string missing_meshes(const Mechanism& mechanism) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> missing;
  const auto look = [&](const std::string& owner, const std::vector<DrawnShape>& drawn) {
    for (const DrawnShape& one : drawn)
      if (one.shape.kind == Shape::Kind::mesh && one.surface == nullptr)
        missing.push_back(fmt::format("'{}' of {}", one.shape.file, owner));
  };
  look(kGround, mechanism.ground);
  for (const Body& body : mechanism.bodies) look(fmt::format("'{}'", body.name), body.drawn);
  if (missing.empty()) return {};
  const std::size_t more = missing.size() - std::min(missing.size(), kNamed);
  missing.resize(missing.size() - more);
  return fmt::format("not drawn, because the file is not there: {}{}", fmt::join(missing, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace trammel::model
