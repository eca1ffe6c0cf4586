// Couplers tie the coordinates of joints: gear, screw, rack and pinion; by expression or polynomial.
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

// The only coordinate of a joint, as expressions call it.
std::string coordinate_name(ModelContext& context, const YamlNode& at, const Joint& joint) {
  const bool angle = mechanism::has_angle(context.mechanism, joint),
             slide = mechanism::has_displacement(context.mechanism, joint);
  if (angle == slide) {
    context.error(at,
                  fmt::format("joint '{}' has {}", joint.name, angle ? "two coordinates" : "no coordinate"),
                  "name a revolute or prismatic joint, or a pin of two bodies");
    return "0";
  }
  return joint.name + (angle ? ".angle" : ".displacement");
}

// c0 + x (c1 + x (c2 + …)): Horner's rule has finite derivatives at x = 0.
std::string polynomial_text(const std::vector<double>& c, const std::string& x) {
  std::string text = fmt::format("{:.17g}", c.back());
  for (std::size_t k = c.size() - 1; k-- > 0;) text = fmt::format("{:.17g} + {}*({})", c[k], x, text);
  return text;
}

void read_polynomial(ModelContext& context, const YamlNode& node, const Fields& fields, Joint& joint) {
  const YamlNode& list = *fields.find("polynomial");
  fields.refuse("equals", "`polynomial:` already says what it equals", "keep one of them");
  if (joint.of.size() > 2)
    return context.error(node, fmt::format("polynomial: '{}' names {} joints", joint.name, joint.of.size()),
                         "name the joint that follows and the one that it follows, or write equals:");
  if (!list.is_sequence() || list.children.empty())
    return context.error(list, fmt::format("polynomial: expected numbers, found {}", describe(list)),
                         "write [c0, c1, c2] for c0 + c1·x + c2·x²");
  if (joint.of.size() < 2 && list.children.size() > 1)
    return context.error(node, fmt::format("polynomial: '{}' names one joint only", joint.name),
                         "name the joint that it follows, too");
  std::vector<double> c;
  for (const YamlNode& one : list.children) {
    const auto number = read_number(context, one, "polynomial", "");
    if (!number) return;
    c.push_back(*number);
  }
  std::string x = "0";
  if (joint.of.size() == 2)
    x = coordinate_name(context, node.children[1], context.mechanism.joints[context.joints.at(joint.of[1])]);
  joint.law = {polynomial_text(c, x)};
}

// {coupler: [A, B], equals: EXPRESSION} or {coupler: [A, B], polynomial: [c0, c1, …]}
void read_expression_coupler(ModelContext& context, const YamlNode& node, const Fields& fields,
                             Joint& joint) {
  joint.law = {"0"};  // until it is read
  std::vector<const YamlNode*> names;
  if (node.is_sequence())
    for (const YamlNode& one : node.children) names.push_back(&one);
  else
    names.push_back(&node);
  for (const YamlNode* one : names) {
    const auto name = read_word(context, *one, "coupler");
    if (!name || context.find_joint(*one, *name) == nullptr) return;
    joint.of.push_back(*name);
  }
  if (joint.of.empty())
    return context.error(node, "coupler: names no joint", "write coupler: [A, B]: A follows B");
  const Joint& first = context.mechanism.joints[context.joints.at(joint.of.front())];
  coordinate_name(context, *names.front(), first);
  if (fields.has("polynomial")) return read_polynomial(context, node, fields, joint);
  if (const YamlNode* law = fields.need("equals", "give equals: or polynomial:"))
    joint.law = {read_expression(context, *law, "equals",
                                 mechanism::has_angle(context.mechanism, first) ? "rad" : "m")};
}

}  // namespace

void read_coupler(ModelContext& context, const YamlNode& key, const YamlNode& value,
                  const mechanism::JointInfo& kind, Joint& joint) {
  const Fields fields(context, key, value, kind.title());
  const YamlNode& node = *fields.find(kind.name);
  if (kind.kind == Joint::Kind::coupler) return read_expression_coupler(context, node, fields, joint);
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
