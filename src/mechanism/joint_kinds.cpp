// The table of joint kinds.
#include "mechanism/joint_kinds.h"

#include <algorithm>

#include "mechanism/belts.h"
#include "mechanism/validate_belt.h"
#include "mechanism/validate_cam.h"
#include "mechanism/validate_couplers.h"
#include "mechanism/validate_curve.h"
#include "mechanism/validate_parts.h"
#include "mechanism/validate_teeth.h"

namespace trammel::mechanism {
namespace {

using Kind = Joint::Kind;
using Frames = JointFrames;
using Coordinate = CoupledCoordinate;

constexpr PlaneAndSpace<bool> kBoth{true, true}, kPlane{true, false}, kSpace{false, true};
constexpr JointValue kRadius{"radius", "m", JointValue::Range::positive};

template <class T>
constexpr PlaneAndSpace<T> both(T x) {
  return {x, x};
}

// Keys that several kinds have.
constexpr KindField kBodies{"", "two bodies", "The two bodies.", true};
constexpr KindField kAt{
    "at", "joint place",
    "Where the joint is: a place in the world at the start, a point, or one point on each body.", true};
constexpr KindField kMaybeAt{"at", "joint place",
                             "Where the joint is. Default: the origin of the first body."};
constexpr KindField kPoint{"", "point reference", "The point.", true};
constexpr const char* kPlace =
    R"({"anyOf": [{"$ref": "#/definitions/vector"}, {"$ref": "#/definitions/point reference"}]})";

constexpr const char* kTwoNumbers =
    R"({"type": "array", "items": {"$ref": "#/definitions/number"}, "minItems": 2, "maxItems": 2})";
constexpr const char* kTwoPlaces =
    R"({"type": "array", "items": {"anyOf": [{"$ref": "#/definitions/vector"}, {"$ref": "#/definitions/point reference"}]}, "minItems": 2, "maxItems": 2})";

constexpr KindField kArmature{
    "armature", "number",
    "Inertia of a rotor that turns with the coordinate, as the motor's behind a gear: its own times the "
    "square of the gear ratio. Adds ½·armature·rate² to the kinetic energy; kg.m² or kg. Default 0."};
constexpr const char* kTwoDirections =
    R"({"type": "array", "items": {"$ref": "#/definitions/direction"}, "minItems": 2, "maxItems": 2})";
constexpr KindField kPressureAngle{"pressure-angle", "number", "Across the teeth, rad. Default: 20 deg."};
constexpr KindField kHelixAngle{
    "helix-angle", "number",
    "In space: of the teeth against the axis, rad; positive where those of the first gear are right-handed. "
    "Default: 0."};
constexpr KindField kFlank{
    "flank", R"({"enum": ["either", "positive", "negative"]})",
    "Which flanks press: those that give the first gear a positive or a negative torque, or whichever the "
    "motion needs. `either` takes bearings that do not yield. Default: either."};

KindField named(const char* key, KindField field) {
  field.key = key;
  return field;
}

std::vector<JointInfo> make_joint_table() {
  return {
      {.kind = Kind::pin,
       .name = "pin",
       .doc = "A point that bodies share: all rotations about it.",
       .exists = kBoth,
       .first = "the point on the first body",
       .second = "the point on each other body",
       .equations = {2, 3},
       .angle = kPlane,
       .hold = JointHold::point,
       .drawn = {"pivot", "socket"},
       .offered = kPlane},
      {.kind = Kind::revolute,
       .name = "revolute",
       .doc = "One rotation about an axis.",
       .exists = kBoth,
       .first = "the place and axis on the first body",
       .second = "the same on the second",
       .frames = {Frames::own, Frames::along},
       .equations = {2, 5},
       .angle = kBoth,
       .hold = JointHold::point,
       .is_pin = true,
       .drawn = both("pivot"),
       .offered = kSpace,
       .fields = {{"revolute", "two bodies", "The two bodies; the first turns relative to the second.", true},
                  kAt,
                  {"axis", "joint axis", "In space: the axis of rotation."},
                  {"coordinate", "number",
                   "What the coordinate reads where the file places the bodies, rad; space only. Default 0."},
                  kArmature}},
      {.kind = Kind::prismatic,
       .name = "prismatic",
       .doc = "One translation along an axis.",
       .exists = kBoth,
       .first = "what slides, with the axis",
       .second = "the guide, with the axis",
       .frames = both(Frames::along),
       .equations = {2, 5},
       .displacement = kBoth,
       .hold = JointHold::line,
       .drawn = both("slider"),
       .offered = kBoth,
       .fields = {{"prismatic", "two bodies", "The two bodies; the first slides relative to the second.",
                   true},
                  kMaybeAt,
                  {"axis", "joint axis", "The direction of sliding.", true},
                  {"coordinate", "number",
                   "What the coordinate reads where the file places the bodies, m. Default 0."},
                  kArmature}},
      {.kind = Kind::cylindrical,
       .name = "cylindrical",
       .doc = "Rotation about and translation along an axis; space only.",
       .exists = kSpace,
       .first = "the place and axis on the first body",
       .second = "the same on the second",
       .frames = both(Frames::along),
       .equations = {0, 4},
       .angle = kSpace,
       .displacement = kSpace,
       .hold = JointHold::line,
       .drawn = both("sleeve"),
       .offered = kSpace,
       .fields = {named("cylindrical", kBodies), kAt, {"axis", "joint axis", "The common axis.", true}}},
      {.kind = Kind::universal,
       .name = "universal",
       .doc = "Two rotations about perpendicular axes; space only.",
       .exists = kSpace,
       .first = "the place and the first axis",
       .second = "the place and the second axis",
       .frames = both(Frames::crossed),
       .equations = {0, 4},
       .hold = JointHold::point,
       .is_pin = true,
       .drawn = both("cross"),
       .offered = kSpace,
       .fields = {named("universal", kBodies),
                  kAt,
                  {"axes",
                   R"({"type": "array", "items": {"$ref": "#/definitions/direction"},
                       "minItems": 2, "maxItems": 2})",
                   "The axis fixed to the first body and the one fixed to the second, perpendicular.",
                   true}}},
      {.kind = Kind::spherical,
       .name = "spherical",
       .doc = "All rotations about a point; space only.",
       .exists = kSpace,
       .first = "the point on the first body",
       .second = "the point on the second",
       .equations = {0, 3},
       .hold = JointHold::point,
       .is_pin = true,
       .drawn = both("socket"),
       .offered = kSpace,
       .fields = {named("spherical", kBodies), kAt}},
      {.kind = Kind::planar,
       .name = "planar",
       .doc = "Two translations in a plane and the rotation about its normal; space only.",
       .exists = kSpace,
       .first = "a place of the plane, and its normal",
       .second = "the same on the second body",
       .frames = both(Frames::along),
       .equations = {0, 3},
       .hold = JointHold::plane,
       .drawn = both("sheet"),
       .offered = kSpace,
       .fields = {named("planar", kBodies),
                  kAt,
                  {"normal", "joint axis", "The normal of the plane of motion.", true}}},
      {.kind = Kind::fixed,
       .name = "fixed",
       .doc = "No relative motion: welded as they stand at the start.",
       .exists = kBoth,
       .first = "a frame on the first body",
       .second = "the same on the second",
       .frames = both(Frames::world),
       .equations = {3, 6},
       .hold = JointHold::point,
       .is_pin = true,
       .drawn = both("block"),
       .offered = kBoth,
       .fields = {named("fixed", kBodies), kMaybeAt}},
      {.kind = Kind::distance,
       .name = "distance",
       .doc = "Two points kept at a distance: a massless bar.",
       .exists = kBoth,
       .first = "the first point",
       .second = "the second point",
       .equations = {1, 1},
       .value = {"length", "m", JointValue::Range::positive},
       .hold = JointHold::distance,
       .drawn = both("bar"),
       .offered = kBoth,
       .fields = {{"distance", "two points", "Two points, of two bodies.", true},
                  {"length", "number", "Their distance, m. Default: that at the start."}}},
      {.kind = Kind::point_on_line,
       .name = "point-on-line",
       .doc = "A point that slides along a line.",
       .exists = kBoth,
       .first = "the point",
       .second = "a place of the line, and its direction",
       .frames = both(Frames::second),
       .equations = {1, 2},
       .hold = JointHold::line,
       .drawn = both("rail"),
       .offered = kBoth,
       .fields = {named("point-on-line", kPoint),
                  {"through", kPlace, "A place on the line at the start.", true},
                  {"along", "direction", "The direction of the line at the start.", true},
                  {"of", kText, "The body the line is fixed to. Default: ground."}}},
      {.kind = Kind::point_on_plane,
       .name = "point-on-plane",
       .doc = "A point that slides on a plane; space only.",
       .exists = kSpace,
       .first = "the point",
       .second = "a place of the plane, and its normal",
       .frames = both(Frames::second),
       .equations = {0, 1},
       .hold = JointHold::plane,
       .drawn = both("floor"),
       .offered = kSpace,
       .fields = {named("point-on-plane", kPoint),
                  {"through", kPlace, "A place on the plane at the start.", true},
                  {"normal", "direction", "The plane's normal at the start.", true},
                  {"of", kText, "The body the plane is fixed to. Default: ground."}}},
      {.kind = Kind::gear,
       .name = "gear",
       .doc = "Couples two angles: angle1 + ratio·angle2 = constant.",
       .exists = kBoth,
       .equations = {1, 1},
       .of = JointOf::joints,
       .couples = {Coordinate::angle, Coordinate::angle},
       .value = {"ratio", "", JointValue::Range::not_zero},
       .drawn = both("gears"),
       .fields = {{"gear", "two names", "Two joints with an angle.", true},
                  {"ratio", "number",
                   "angle1 + ratio·angle2 = constant. Positive: the two turn in opposite senses.", true}}},
      {.kind = Kind::screw,
       .name = "screw",
       .doc = "Couples the displacement of a cylindrical joint to its angle; space only.",
       .exists = kSpace,
       .equations = {0, 1},
       .of = JointOf::joints,
       .couples = {Coordinate::both},
       .value = {"pitch", "m", JointValue::Range::not_zero},
       .fields = {{"screw", kText, "A cylindrical joint: displacement = pitch/2π·angle + constant.", true},
                  {"pitch", "number", "Displacement per turn, m.", true}}},
      {.kind = Kind::rack,
       .name = "rack",
       .doc = "Rack and pinion: displacement = radius·angle + constant.",
       .exists = kBoth,
       .equations = {1, 1},
       .of = JointOf::joints,
       .couples = {Coordinate::angle, Coordinate::displacement},
       .value = {"radius", "m", JointValue::Range::not_zero},
       .fields = {{"rack", "two names", "[pinion, slide]: a joint with an angle, one with a displacement.",
                   true},
                  {"radius", "number", "Of the pinion, m: displacement = radius·angle + constant.", true}}},
      {.kind = Kind::knife_edge,
       .name = "knife-edge",
       .doc = "A point of a body that moves along the body's own edge only, as a skate does: a constraint of "
              "velocities.",
       .exists = kBoth,
       .first = "the point, with the edge",
       .second = "the place it slides on",
       .frames = both(Frames::edge),
       .speeds = {1, 1},
       .drawn = both("edge"),
       .fields =
           {{"knife-edge", kText, "The body.", true},
            {"at", kPlace, "Where the edge touches, at the start.", true},
            {"along", "direction",
             "The edge, fixed in the body: the point moves along it only, which in space takes two "
             "equations."},
            {"across", "direction",
             "Instead of `along`: the one direction, fixed in the body, in which the point does not move. In "
             "space the blade may also rise and sink."},
            {"on", kText,
             "The body on which it slides: velocities are those seen from there. Default: ground."}},
       .validate = validate_velocity_joint},
      {.kind = Kind::velocity_along,
       .name = "velocity-along",
       .doc = "A knife edge in space with `along`: the point moves along the edge only.",
       .exists = kSpace,
       .first = "the point, with the edge",
       .second = "the place it slides on",
       .frames = both(Frames::edge),
       .speeds = {0, 2},
       .drawn = both("edge"),
       .validate = validate_velocity_joint},
      {.kind = Kind::rolling,
       .name = "rolling",
       .doc = "A wheel, ball or thin disk that rolls without slipping on a line or plane.",
       .exists = kBoth,
       .first = "the centre",
       .second = "a place of the line or plane, and its normal",
       .frames = both(Frames::wheel),
       .equations = {1, 1},
       .speeds = {1, 2},
       .value = kRadius,
       .drawn = {"wheel", "belts"},
       .fields =
           {{"rolling", kText, "The body that rolls.", true},
            {"radius", "number", "Its radius, m.", true},
            {"center", kPlace, "Its centre, at the start. Default: the centre of mass."},
            {"axis", "direction",
             "In space: the axis of a thin disk. It may lean; where it falls flat the run ends. Left out: a "
             "ball."},
            {"on", kText,
             "The body that the line or plane is fixed to; it may move, as a turning table does. Default: "
             "ground."},
            {"through", kPlace,
             "A place on the line or plane at the start. Default: where the wheel touches it then."},
            {"normal", "direction",
             "The normal of the line or plane at the start; turned to the wheel's side if it points away."},
            {"along", "direction",
             "In the plane, instead of `normal`: the direction of the line at the start."},
            {"contact", R"({"type": "boolean"})",
             "false: something else keeps the wheel at its height. Default: true."},
            {"friction", "number",
             "Coefficient of friction: where the reaction would need more, or a pull, the run reports `slip` "
             "or "
             "`lift`, and `grip` where it is regained. Default: not watched."},
            {"when-lost", R"({"enum": ["continue", "stop"]})",
             "Whether the run goes on, as if the contact held, where it would slip or lift off; `stop` "
             "locates "
             "the time to 1e-10 s. Default: continue."}},
       .validate = validate_velocity_joint},
      {.kind = Kind::rolling_disk,
       .name = "rolling-disk",
       .doc = "Rolling in space with `axis`: a thin disk, which may lean.",
       .exists = kSpace,
       .first = "the centre, with the disk's axis",
       .second = "a place of the plane, and its normal",
       .frames = both(Frames::disk),
       .equations = {0, 1},
       .speeds = {0, 2},
       .value = kRadius,
       .drawn = both("disk"),
       .validate = validate_velocity_joint},
      {.kind = Kind::pursuit,
       .name = "pursuit",
       .doc =
           "A point whose velocity points at another, which feels nothing of it: a constraint of velocities "
           "in the plane.",
       .exists = kPlane,
       .first = "the point that pursues",
       .second = "the point it moves towards",
       .speeds = {1, 0},
       .drawn = both("bar"),
       .fields = {{"pursuit", "two points", "[A, B]: A moves towards B.", true}},
       .validate = validate_velocity_joint},
      {.kind = Kind::velocity,
       .name = "velocity",
       .doc = "Speeds tied by coefficients: the sum of coefficient·speed equals an expression.",
       .exists = kBoth,
       .speeds = {1, 1},
       .of = JointOf::signals,
       .fields =
           {{"velocity",
             R"({"type": "object", "patternProperties": {"^[A-Za-z_{]": {"$ref": "#/definitions/expression"}},
                       "additionalProperties": false, "minProperties": 1})",
             "Speeds such as hinge.rate, crank.rate, P.vx, each with its coefficient: an expression of t, "
             "parameters, functions and positions.",
             true},
            {"equals", "expression",
             "What the sum equals: an expression of t, parameters, functions and positions. Default: "
             "0."}},
       .validate = validate_velocity_joint},
      {.kind = Kind::point_on_curve,
       .name = "point-on-curve",
       .doc = "A point that slides along a smooth curve, as of a cam: a cubic spline through given points.",
       .exists = kBoth,
       .first = "the point",
       .second = "the curve's axes",
       .equations = {1, 2},
       .drawn = both("curve"),
       .fields =
           {named("point-on-curve", kPoint),
            {"through", R"({"type": "array", "items": {"$ref": "#/definitions/vector"}, "minItems": 3})",
             "Three points or more, in the axes of the body `of`, in the order of the curve.", true},
            {"closed", R"({"type": "boolean"})",
             "true: the curve goes on from its last point to the first. Else a point that leaves its end "
             "ends the run. Default: false."},
            {"of", kText, "The body the curve is fixed to. Default: ground."}},
       .validate = validate_curve},
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
                  {"axes",
                   R"({"type": "array", "items": {"$ref": "#/definitions/direction"},
                       "minItems": 2, "maxItems": 2})",
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

}  // namespace

const std::vector<JointInfo>& joint_kinds() {
  static const std::vector<JointInfo> kTable = make_joint_table();
  return kTable;
}

const JointInfo& about(Joint::Kind kind) { return joint_kinds()[static_cast<std::size_t>(kind)]; }

const JointInfo* find_joint_kind(std::string_view name) {
  const auto& all = joint_kinds();
  const auto found = std::ranges::find_if(all, [&](const JointInfo& k) { return name == k.name; });
  return found == all.end() ? nullptr : &*found;
}

std::string to_string(Joint::Kind kind) { return about(kind).name; }

}  // namespace trammel::mechanism
