// The table of machine elements: pairs of gears, couplers, screws, belts and cams.
#include "mechanism/belts.h"
#include "mechanism/joint_kind_fields.h"
#include "mechanism/validate_belt.h"
#include "mechanism/validate_cam.h"
#include "mechanism/validate_couplers.h"
#include "mechanism/validate_parts.h"
#include "mechanism/validate_teeth.h"

namespace trammel::mechanism {
namespace {

constexpr const char* kTwoNumbers =
    R"({"type": "array", "items": {"$ref": "#/definitions/number"}, "minItems": 2, "maxItems": 2})";
constexpr const char* kTwoPlaces =
    R"({"type": "array", "items": {"anyOf": [{"$ref": "#/definitions/vector"}, {"$ref": "#/definitions/point reference"}]}, "minItems": 2, "maxItems": 2})";
constexpr KindField kPressureAngle{"pressure-angle", "number", "Across the teeth, rad. Default: 20 deg."};
constexpr KindField kHelixAngle{
    "helix-angle", "number",
    "In space: of the teeth against the axis, rad; positive where those of the first gear are right-handed. "
    "Default: 0."};
constexpr KindField kFlank{
    "flank", R"({"enum": ["either", "positive", "negative"]})",
    "Which flanks press: those that give the first gear a positive or a negative torque, or whichever the "
    "motion needs. `either` takes bearings that do not yield. Default: either."};

}  // namespace

std::vector<JointInfo> machine_kinds() {
  using Kind = Joint::Kind;
  using Frames = JointFrames;
  return {
      {.kind = Kind::gear_pair,
       .name = "gear-pair",
       .doc = "Two gears on parallel axes; the force between their teeth acts on the gears and so on their "
              "bearings.",
       .exists = kBoth,
       .first = "the centre of the first gear, with its axis",
       .second = "the same of the second gear",
       .frames = {Frames::world, Frames::along},
       .equations = {1, 1},
       .teeth = true,
       .drawn = both("gear pair"),
       .fields = {{"gear-pair", "two bodies", "The bodies that the two gears are part of.", true},
                  {"radii", kTwoNumbers, "The radii of the pitch circles, m.", true},
                  {"centers", kTwoPlaces,
                   "The centres of the gears at the start, in the middle of their width. Default: the "
                   "bodies' centres of mass."},
                  {"axis", "joint axis", "In space: the direction of both axes at the start."},
                  {"internal", R"({"type": "boolean"})",
                   "true: the larger gear is a ring that is toothed inside. Default: false."},
                  kPressureAngle,
                  kHelixAngle,
                  kFlank},
       .validate = validate_teeth},
      {.kind = Kind::coupler,
       .name = "coupler",
       .doc = "Couples joint coordinates by an expression or a polynomial: the first joint's coordinate "
              "follows the others'.",
       .exists = kBoth,
       .equations = {1, 1},
       .of = JointOf::joints,
       .drawn = both("link"),
       .fields =
           {{"coupler",
             R"({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]})",
             "The joint whose coordinate follows, then those that it follows.", true},
            {"equals", "expression",
             "What the first joint's coordinate equals: a smooth expression of the coordinates of these "
             "joints, as 0.02*sin(B.angle). It may contain the first one's too."},
            {"polynomial", R"({"type": "array", "items": {"$ref": "#/definitions/number"}, "minItems": 1})",
             "Instead, of two joints: [c0, c1, c2, …] for c0 + c1·x + c2·x² + … of the second's coordinate "
             "x."}},
       .validate = validate_coupler},
      {.kind = Kind::screw_pair,
       .name = "screw-pair",
       .doc =
           "A screw in its nut: the axial force and the torque of the thread act on both bodies, and so on "
           "their bearings; space only.",
       .exists = kSpace,
       .first = "the nut, or the screw, with the axis",
       .second = "the other, with the axis",
       .frames = both(Frames::along),
       .equations = {0, 1},
       .angle = kSpace,
       .displacement = kSpace,
       .value = {"pitch", "m", JointValue::Range::not_zero},
       .drawn = both("thread"),
       .fields = {{"screw-pair", "two bodies",
                   "The two bodies: displacement of the first along the axis = pitch/2π·its angle about it + "
                   "constant.",
                   true},
                  kAt,
                  {"axis", "joint axis", "The common axis.", true},
                  {"pitch", "number", "Displacement per turn, m; positive: right-handed.", true}},
       .validate = validate_screw_pair},
      {.kind = Kind::constant_velocity,
       .name = "constant-velocity",
       .doc = "Two shafts that meet in a point and turn at the same speed, however they bend; space only.",
       .exists = kSpace,
       .first = "the place and the first shaft's axis",
       .second = "the place and the second shaft's axis",
       .frames = both(Frames::shafts),
       .equations = {0, 4},
       .hold = JointHold::point,
       .is_pin = true,
       .drawn = both("constant velocity"),
       .offered = kSpace,
       .fields = {named("constant-velocity", kBodies),
                  kAt,
                  {"axes", kTwoDirections,
                   "The axis of the first body's shaft and that of the second's, both pointing the same way "
                   "along the drive.",
                   true}},
       .validate = validate_constant_velocity},
      {.kind = Kind::rack_pair,
       .name = "rack-pair",
       .doc = "A pinion on a rack; the force between their teeth acts on both bodies and so on bearing and "
              "guide.",
       .exists = kBoth,
       .first = "the centre of the pinion, with its axis",
       .second = "a place of the rack's pitch line, which is the x axis",
       .frames = {Frames::world, Frames::along},
       .equations = {1, 1},
       .teeth = true,
       .drawn = both("rack pair"),
       .fields = {{"rack-pair", "two bodies", "[pinion, rack]: the bodies that they are part of.", true},
                  {"radius", "number", "Of the pinion's pitch circle, m.", true},
                  {"along", "direction", "The direction of the rack at the start.", true},
                  {"centers", kTwoPlaces,
                   "The centre of the pinion and a place of the rack's pitch line, at the start. Default: "
                   "the bodies' centres of mass."},
                  {"axis", "joint axis", "In space: the direction of the pinion's axis at the start."},
                  kPressureAngle,
                  kHelixAngle,
                  kFlank},
       .validate = validate_teeth},
      {.kind = Kind::bevel_pair,
       .name = "bevel-pair",
       .doc = "Two bevel gears, whose axes meet; the force between their teeth acts on the gears and so on "
              "their bearings; space only.",
       .exists = kSpace,
       .first = "the apex, with the first gear's axis, which points from there to the gear",
       .second = "the same of the second gear",
       .frames = both(Frames::crossed),
       .equations = {0, 1},
       .teeth = true,
       .drawn = both("bevel pair"),
       .fields = {{"bevel-pair", "two bodies", "The bodies that the two gears are part of.", true},
                  {"radii", kTwoNumbers,
                   "The radii of the pitch circles in the middle of the width of the teeth, m.", true},
                  {"apex", kPlace, "Where the axes meet at the start.", true},
                  {"axes", kTwoDirections,
                   "The axes of both gears at the start, pointing from the apex to the gear.", true},
                  kPressureAngle,
                  {"spiral-angle", "number",
                   "Of the teeth against the cone's lines, rad; positive where those of the first gear are "
                   "right-handed. Default: 0, straight teeth."},
                  kFlank},
       .validate = validate_teeth},
      {.kind = Kind::worm_pair,
       .name = "worm-pair",
       .doc = "A worm and its wheel, or two helical gears whose axes cross; the force between their teeth "
              "acts on both bodies and so on their bearings; space only.",
       .exists = kSpace,
       .first = "the point of the worm's axis that is next to the wheel's, with the axis",
       .second = "the point of the wheel's axis that is next to the worm's, with the axis",
       .frames = both(Frames::crossed),
       .equations = {0, 1},
       .teeth = true,
       .drawn = both("worm pair"),
       .fields = {{"worm-pair", "two bodies", "[worm, wheel]: the bodies that they are part of.", true},
                  {"radii", kTwoNumbers, "The radii of their pitch circles, m.", true},
                  {"lead-angle", "number",
                   "Of the worm's thread at its pitch circle against the plane across its axis, rad; "
                   "positive: right-handed.",
                   true},
                  {"axes", kTwoDirections, "The axes of worm and wheel at the start.", true},
                  {"centers", kTwoPlaces,
                   "A place of each axis at the start. Default: the bodies' centres of mass."},
                  kPressureAngle,
                  kFlank},
       .validate = validate_teeth},
      {.kind = Kind::belt,
       .name = "belt",
       .doc = "A belt or chain over pulleys that does not stretch and does not slip: one equation for each "
              "span.",
       .exists = kBoth,
       .first = "the centre of the pulley that the span leaves, with its axis",
       .second = "the same of the pulley that it comes to",
       .frames = {Frames::world, Frames::along},
       .equations = {1, 1},
       .drawn = both("belt line"),
       .fields = belt_path_fields(),
       .validate = validate_belt},
      {.kind = Kind::cam,
       .name = "cam",
       .doc =
           "A point, a roller or a flat face on a cam: its outline is a cubic spline through given points.",
       .exists = kBoth,
       .first = "the follower's point, the centre of its roller or a place of its face",
       .second = "the axes of the cam's outline",
       .equations = {1, 1},
       .displacement = kBoth,
       .value = {"radius", "m", JointValue::Range::any},
       .drawn = both("cam plate"),
       .fields =
           {{"cam", kText, "The body of the cam; it may be ground.", true},
            {"through", R"({"type": "array", "items": {"$ref": "#/definitions/vector"}, "minItems": 3})",
             "Points of the outline in the axes of that body, in order; in space they lie in a plane.", true},
            {"closed", R"({"type": "boolean"})",
             "false: the outline ends at its last point. Plane only. Default: true."},
            {"follower", "point reference",
             "The point that touches the cam, the centre of the roller, or a point of the flat face.", true},
            {"radius", "number", "Of the roller, m. Default: 0, a point."},
            {"face", "direction",
             "Instead of `radius`: a flat face with this normal, which points to the cam; the cam is "
             "convex."},
            {"side", R"({"enum": ["outside", "inside", "left", "right"]})",
             "Where the follower is. Of an open outline: left or right of it, in the order of its points. "
             "Default: outside."},
            {"when-lost", R"({"enum": ["continue", "stop", "free"]})",
             "What happens where the cam would have to pull: the run reports `lift` and goes on as if it "
             "could, it ends, or the follower lifts off and comes back with an impact. Default: continue."},
            {"restitution", "number",
             "With `when-lost: free`: speed after over speed before the follower comes back, 0 to 1. "
             "Default: 0."},
            {"contact", R"({"type": "boolean"})",
             "false: nothing holds the follower; its gap is the coordinate that `stops` and springs use. "
             "Default: true."}},
       .validate = validate_cam},
  };
}

}  // namespace trammel::mechanism
