// <joint> of MJCF: hinge and slide have a coordinate, with what acts on it; ball and free have none.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/import/mjcf.h"

namespace trammel::model {
namespace {

// What acts on a coordinate, none of it negative.
constexpr std::array<const char*, 4> kCoordinateLaws = {"stiffness", "damping", "frictionloss", "armature"};

void read_range(const Mjcf& mjcf, const MjcfElement& e, RobotJoint& joint) {
  const auto range = e.numbers("range", 2, 2);
  if (!range) return;
  const double lower = (*range)[0], upper = (*range)[1];
  if (lower >= upper)
    return e.refuse("range", fmt::format("{}: range {} {} has no inside", xml_label(e.node()), lower, upper),
                    "give the lower limit first");
  const bool turns = joint.kind == Joint::Kind::revolute;
  joint.lower = turns ? mjcf.angle(lower) : lower;
  joint.upper = turns ? mjcf.angle(upper) : upper;
  if (joint.start >= *joint.lower && joint.start <= *joint.upper) return;
  // MuJoCo pushes it back by a spring.
  e.ignore("range", "the joint starts outside of it: no stop is made", true);
  joint.lower.reset();
  joint.upper.reset();
}

void read_coordinate(const Mjcf& mjcf, const MjcfElement& e, const MjcfPlace& place, RobotJoint& joint) {
  const bool turns = joint.kind == Joint::Kind::revolute;
  const auto in_unit = [&](double value) { return turns ? mjcf.angle(value) : value; };
  Vec3 axis = e.vector("axis", Vec3::UnitZ());
  // as MuJoCo has it
  if (axis.norm() < 1e-14) {
    e.refuse("axis", fmt::format("{}: its axis is zero", xml_label(e.node())), "give a direction");
    axis = Vec3::UnitZ();
  }
  joint.axis = place.frame.axes * axis.stableNormalized();
  joint.start = in_unit(e.number("ref", 0));
  joint.free = in_unit(e.number("springref", 0));
  for (const char* law : kCoordinateLaws)
    if (first_coefficient(e, law) < 0)
      e.refuse(law, fmt::format("{}: {} is negative", xml_label(e.node()), law), "give zero or more");
  const MjcfSettings& s = mjcf.settings;
  joint.stiffness = s.springs ? first_coefficient(e, "stiffness") : 0;
  joint.damping = s.dampers ? first_coefficient(e, "damping") : 0;
  joint.friction = s.friction ? e.number("frictionloss", 0) : 0;
  joint.armature = e.number("armature", 0);
  e.ignore("springdamper",
           "it means a stiffness and a damping by the inertia at the start: give these instead", true);
  if (mjcf.is_limited(e, "limited", "range") && s.limits) read_range(mjcf, e, joint);
  if (mjcf.is_limited(e, "actuatorfrclimited", "actuatorfrcrange")) {
    const auto range = e.numbers("actuatorfrcrange", 2, 2);
    if (range) joint.least_drive = (*range)[0];
    if (range) joint.most_drive = (*range)[1];
  }
}

void read_without_coordinate(const Mjcf& mjcf, const MjcfElement& e, const std::string& type,
                             RobotJoint& joint) {
  const bool is_ball = type == "ball";
  if (!is_ball) joint.armature = e.number("armature", 0);
  if (is_ball && mjcf.settings.springs) joint.stiffness = first_coefficient(e, "stiffness");
  if (is_ball && mjcf.settings.dampers) joint.damping = first_coefficient(e, "damping");
  for (const std::string law : kCoordinateLaws) {
    const bool is_known = is_ball ? law == "stiffness" || law == "damping" : law == "armature";
    if (first_coefficient(e, law) != 0 && !is_known)
      e.ignore(law, fmt::format("a joint of type {} has no coordinate that it could act on", type), true);
  }
  if (type == "ball" && mjcf.is_limited(e, "limited", "range"))
    e.ignore("range", "a ball joint has no coordinate for a limit", true);
}

}  // namespace

double first_coefficient(const MjcfElement& e, const std::string& attribute) {
  const auto found = e.numbers(attribute, 1, 3);
  if (!found) return 0;
  if (std::any_of(found->begin() + 1, found->end(), [](double c) { return c != 0; }))
    e.ignore(attribute, "only its first coefficient is used: the law is linear", true);
  return found->front();
}

MjcfJoint read_mjcf_joint(Mjcf& mjcf, XmlNode& node, const MjcfPlace& place) {
  ForeignReader::use(node);
  const bool is_short = node.name == "freejoint";
  const MjcfElement e = is_short ? MjcfElement(mjcf.reader, node, {})
                                 : mjcf.classes.element(mjcf.reader, node, place.childclass);
  const std::string type = is_short ? "free" : e.word("type", {"hinge", "slide", "ball", "free"});
  MjcfJoint made;
  RobotJoint& joint = made.joint;
  joint.node = &node;
  joint.name = type;
  made.is_free = type == "free";
  if (!made.is_free) joint.at = place.frame.at + place.frame.axes * e.vector("pos", Vec3::Zero());
  joint.kind = type == "hinge"   ? Joint::Kind::revolute
               : type == "slide" ? Joint::Kind::prismatic
                                 : Joint::Kind::spherical;
  if (joint.has_coordinate())
    read_coordinate(mjcf, e, place, joint);
  else
    read_without_coordinate(mjcf, e, type, joint);
  return made;
}

}  // namespace trammel::model
