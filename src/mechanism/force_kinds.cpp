// The table of force kinds.
#include "mechanism/force_kinds.h"

#include <algorithm>

#include "mechanism/belts.h"

namespace trammel::mechanism {
namespace {

constexpr const char* kMatrix =
    R"({"anyOf": [{"type": "array", "items": {"$ref": "#/definitions/number"}, "minItems": 3, "maxItems": 6},
                  {"type": "array", "items": {"type": "array", "items": {"$ref": "#/definitions/number"},
                                              "minItems": 3, "maxItems": 6}, "minItems": 3, "maxItems": 6}]})";
constexpr KindField kAxes{"axes", R"({"enum": ["world", "body"], "default": "world"})",
                          "Whose axes the components are along: `body` turns them with the body."};
constexpr KindField kCapacity{"capacity", "expression",
                              "What it transmits while it slips, N.m or N, zero or more.", true};
constexpr KindField kStatic{"static", "expression",
                            "What it holds before it slips, N.m or N. Default: the capacity."};
constexpr KindField kClutchRatio{"ratio", "number", "Of the relative speed: rate1 − ratio·rate2. Default 1."};

std::vector<KindField> belt_fields() {
  std::vector<KindField> fields = belt_path_fields();
  fields.insert(
      fields.end(),
      {{"stiffness", "number",
        "Tension for a stretch of the belt's own length, N: the tension of a span is pretension + "
        "stiffness·stretch/length + damping·rate/length, its length that of the start, and not below zero."},
       {"damping", "number", "N.s. Default 0."},
       {"pretension", "number", "Tension of all spans at the start, N. Default 0."},
       {"tension", "expression",
        "Instead of the numbers, of a belt of one span: the tension in N, as of NAME.stretch and "
        "NAME.rate."}});
  return fields;
}

std::vector<ForceInfo> make_force_table() {
  return {
      {.kind = ForceKind::joint_spring,
       .name = "joint-spring",
       .doc = "A spring and damper on a joint's coordinate: a positive value pulls the coordinate back.",
       .acts = "a joint's coordinate",
       .drawn = "spiral",
       .fields = {{"joint-spring", kText, "A joint with one coordinate.", true},
                  {"stiffness", "number", "N.m/rad or N/m. Default 0."},
                  {"free", "number", "The coordinate at rest, rad or m. Default 0."},
                  {"damping", "number", "N.m.s/rad or N.s/m. Default 0."},
                  {"preload", "number", "N.m or N at the free coordinate, acting against it. Default 0."},
                  {"torque", "expression",
                   "Instead of the numbers, on an angle: the torque in N.m that acts against it."},
                  {"force", "expression",
                   "Instead of the numbers, on a displacement: the force in N that acts against it."}}},
      {.kind = ForceKind::spring,
       .name = "spring",
       .doc =
           "A spring and damper between two points: tension = preload + stiffness·(length − free length) + "
           "damping·rate.",
       .acts = "two points",
       .drawn = "coil",
       .offered = true,
       .asked = {{"stiffness", "N/m", 100}},
       .fields = {{"spring", "two points", "The two points it connects.", true},
                  {"stiffness", "number", "N/m. Default 0."},
                  {"length", "number", "Free length, m. Default: the distance at the start."},
                  {"damping", "number", "N.s/m. Default 0."},
                  {"preload", "number", "Tension at the free length, N. Default 0."},
                  {"tension", "expression",
                   "Instead of the numbers: the tension in N, positive pulls the points together."}}},
      {.kind = ForceKind::tendon,
       .name = "tendon",
       .doc = "A spring and damper on a sum of joint coordinates, as a cable over pulleys: length = "
              "Σ coefficient·coordinate, tension = preload + stiffness·(length − free length) + "
              "damping·rate.",
       .acts = "joints' coordinates",
       .drawn = "tendon",
       .fields =
           {{"tendon",
             R"({"type": "object", "patternProperties": {"^[A-Za-z_{]": {"$ref": "#/definitions/number"}},
                 "additionalProperties": false, "minProperties": 1})",
             "Joints with one coordinate each, and their coefficients: m/rad on an angle (the radius of the "
             "pulley), a plain number on a displacement.",
             true},
            {"stiffness", "number", "N/m. Default 0."},
            {"length", "number", "Free length, m. Default 0."},
            {"damping", "number", "N.s/m. Default 0."},
            {"preload", "number", "Tension at the free length, N. Default 0."}}},
      {.kind = ForceKind::friction,
       .name = "friction",
       .doc = "Friction on a joint's coordinate: −(coulomb·tanh(rate/transition) + viscous·rate).",
       .acts = "a joint's coordinate",
       .fields = {{"friction", kText, "A joint with one coordinate.", true},
                  {"coulomb", "number", "Friction torque or force, N.m or N. Default 0."},
                  {"viscous", "number", "N.m.s/rad or N.s/m. Default 0."},
                  {"transition", "number",
                   "The speed over which dry friction builds up (tanh), rad/s or m/s. Default 0.001."}}},
      {.kind = ForceKind::dry_friction,
       .name = "dry-friction",
       .doc =
           "A brake, or dry friction, on a joint's coordinate, with stiction: it sticks and slips at events.",
       .acts = "a joint's coordinate",
       .fields = {{"dry-friction", kText, "A joint with one coordinate, or a `screw-pair`: its angle.", true},
                  {"capacity", "expression",
                   "What it transmits while it slips, N.m or N, zero or more. Give this or `coefficient`."},
                  kStatic,
                  {"coefficient", "number",
                   "Instead of a capacity: the coefficient of friction. The capacity is this times the force "
                   "that the joint transmits across its axis; on an angle times the radius, too."},
                  {"static-coefficient", "number",
                   "With `coefficient`: before it slips. Default: the coefficient."},
                  {"radius", "number",
                   "With `coefficient` on an angle: of the bearing, or the mean one of the thread, m."},
                  {"length", "number",
                   "With `coefficient` on a guide or a bearing: the distance of its ends, m, so that moments "
                   "across the axis press there, too. Default: moments do not count."},
                  {"flank-angle", "number",
                   "With `coefficient` on a thread: half of the thread angle, rad; 30 deg of metric threads. "
                   "Default: 0, a square thread."}}},
      {.kind = ForceKind::clutch,
       .name = "clutch",
       .doc =
           "Dry friction with stiction between two coaxial shafts, on the speed rate1 − ratio·rate2 of their "
           "joints.",
       .acts = "two joints' coordinates",
       .fields = {{"clutch", "two names", "Two joints with one coordinate each.", true},
                  kClutchRatio,
                  kCapacity,
                  kStatic}},
      {.kind = ForceKind::one_way_clutch,
       .name = "one-way-clutch",
       .doc = "A freewheel: the speed rate1 − ratio·rate2 of two joints may be positive; it is held at zero "
              "while "
              "something pushes it below.",
       .acts = "joints' coordinates",
       .fields = {{"one-way-clutch",
                   R"({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"},
                       "minItems": 2, "maxItems": 2}]})",
                   "A joint with one coordinate, which then turns forward only; or two of them.", true},
                  kClutchRatio}},
      {.kind = ForceKind::bushing,
       .name = "bushing",
       .doc = "Linear springs and dampers in all directions, without force where the bodies are placed.",
       .acts = "two bodies",
       .drawn = "coil",
       .fields =
           {{"bushing", "two bodies", "The two bodies.", true},
            {"at", "joint place",
             "Where the joint is: a place in the world at the start, a point, or one point on each body.",
             true},
            {"stiffness", kMatrix,
             "Six numbers or 6x6: x, y, z (N/m), rotations about x, y, z (N.m/rad); in the plane three: x, "
             "y, angle.",
             true},
            {"damping", kMatrix, "Likewise, N.s/m and N.m.s/rad. Default 0."}}},
      {.kind = ForceKind::belt,
       .name = "belt",
       .doc = "A belt or chain over pulleys that stretches and does not slip. A belt cannot push: where a "
              "span is slack it does nothing.",
       .acts = "two bodies for each span",
       .drawn = "belt line",
       .fields = belt_fields()},
      {.kind = ForceKind::motor,
       .name = "motor",
       .doc = "A motor: a torque on a joint's angle, or a force on its displacement, positive along the "
              "coordinate. The joint's other body carries the reaction.",
       .acts = "a joint's coordinate",
       .drawn = "arc",
       .fields = {{"joint", kText, "A joint that has an angle or a displacement.", true},
                  {"torque", "expression", "On the angle, N.m. Give this or `force`."},
                  {"force", "expression", "On the displacement, N."}}},
      {.kind = ForceKind::force,
       .name = "force",
       .doc = "A force at a point.",
       .acts = "a point",
       .drawn = "dot",
       .fields = {{"force",
                   R"({"type": "array", "items": {"$ref": "#/definitions/expression"},
                       "minItems": 2, "maxItems": 3})",
                   "Components in N, one per axis; expressions allowed.", true},
                  {"at", "point reference",
                   "The point it acts at. Of a shared point: ground's if ground carries it, else that of the "
                   "first body in the file.",
                   true},
                  kAxes}},
      {.kind = ForceKind::torque,
       .name = "torque",
       .doc = "A torque on a body.",
       .acts = "a body",
       .drawn = "arc",
       .fields = {{"torque",
                   R"({"anyOf": [{"$ref": "#/definitions/expression"},
                       {"type": "array", "items": {"$ref": "#/definitions/expression"},
                        "minItems": 3, "maxItems": 3}]})",
                   "N.m; in the plane one number, positive counterclockwise, in space three components; "
                   "expressions allowed.",
                   true},
                  {"on", kText, "The body it acts on.", true},
                  kAxes}},
      {.kind = ForceKind::user,
       .name = "user",
       .doc = "A force of one's own, written in C++.",
       .acts = "points of its own",
       .drawn = "dot"},
  };
}

struct KindOf {
  ForceKind operator()(const JointSpring&) const { return ForceKind::joint_spring; }
  ForceKind operator()(const SpringDamper&) const { return ForceKind::spring; }
  ForceKind operator()(const Tendon&) const { return ForceKind::tendon; }
  ForceKind operator()(const JointFriction&) const { return ForceKind::friction; }
  ForceKind operator()(const DryFriction& f) const {
    if (f.one_way) return ForceKind::one_way_clutch;
    return f.joints.size() > 1 ? ForceKind::clutch : ForceKind::dry_friction;
  }
  ForceKind operator()(const Bushing&) const { return ForceKind::bushing; }
  ForceKind operator()(const ElasticBelt&) const { return ForceKind::belt; }
  ForceKind operator()(const Motor&) const { return ForceKind::motor; }
  ForceKind operator()(const AppliedForce&) const { return ForceKind::force; }
  ForceKind operator()(const AppliedTorque&) const { return ForceKind::torque; }
  ForceKind operator()(const UserForcePtr&) const { return ForceKind::user; }
};

}  // namespace

const std::vector<ForceInfo>& force_kinds() {
  static const std::vector<ForceInfo> kTable = make_force_table();
  return kTable;
}

const ForceInfo& about(ForceKind kind) { return force_kinds()[static_cast<std::size_t>(kind)]; }

const ForceInfo* find_force_kind(std::string_view name) {
  const auto& all = force_kinds();
  const auto found = std::ranges::find_if(all, [&](const ForceInfo& k) { return name == k.name; });
  return found == all.end() ? nullptr : &*found;
}

const ForceInfo* find_force_key(std::string_view key) {
  const auto& all = force_kinds();
  const auto found =
      std::ranges::find_if(all, [&](const ForceInfo& k) { return !k.fields.empty() && key == k.key(); });
  return found == all.end() ? nullptr : &*found;
}

ForceKind kind_of(const Force& force) { return std::visit(KindOf{}, force.law); }

}  // namespace trammel::mechanism
