// <worldbody>: bodies with their joints, frames and inertias. MJCF describes the start, at which every joint
// coordinate has its value `ref`.
//
// Several joints in one body act one after the other: the first turns or moves the second, and so on. Each
// but the last gets a massless body of its own.
#include <fmt/format.h>

#include <algorithm>

#include "model/import/mjcf.h"
#include "model/import/robot_parts.h"
#include "model/import/visuals.h"

namespace trammel::model {
namespace {

struct MjcfBodyParts {
  std::vector<MjcfJoint> joints;
  std::optional<Inertial> given;
  std::vector<Inertial> of_geoms;
  std::vector<std::pair<XmlNode*, MjcfPlace>> children;
};

class MjcfBodies {
 public:
  explicit MjcfBodies(Mjcf& mjcf) : mjcf_(mjcf), reader_(mjcf.reader), robot_(mjcf.robot) {}

  void read() {
    MjcfBodyParts world;
    for (XmlNode* node : mjcf_.file.root.all("worldbody")) {
      ForeignReader::use(*node);
      read_parts(*node, {}, world);
    }
    if (!world.joints.empty())
      reader_.refuse(*world.joints.front().joint.node, "the world has a joint", "put it into a body");
    for (auto& [node, place] : world.children) read_body(*node, place);
    if (robot_.bodies.size() == 1 && reader_.errors().empty())
      reader_.refuse(mjcf_.file.root, "the file has no body", "add one to <worldbody>");
    scale_masses();
  }

 private:
  // What stands in a body, also inside frames.
  void read_parts(XmlNode& node, const MjcfPlace& place, MjcfBodyParts& parts) {
    for (XmlNode& child : node.children) {
      if (child.name == "body")
        parts.children.emplace_back(&child, place);
      else if (child.name == "frame")
        read_frame(child, place, parts);
      else if (child.name == "replicate")
        read_copies(child, place, parts);
      else if (child.name == "joint" || child.name == "freejoint")
        read_joint(child, place, parts);
      else if (child.name == "inertial")
        read_inertial(child, place, parts);
      else if (child.name == "geom")
        read_geom(child, place, parts);
      else if (child.name == "site")
        read_site(child, place);
      else if (child.name == "composite" || child.name == "flexcomp")
        reader_.refuse(child,
                       fmt::format("<{}> makes flexible bodies, which Trammel does not have", child.name),
                       "remove it, or write its bodies out");
      else if (child.name == "attach")
        reader_.refuse(child, "<attach> puts another model here",
                       "save the whole as one file by MuJoCo first");
    }
  }

  std::string class_of(XmlNode& node, const MjcfPlace& place) {
    const std::string* name = ForeignReader::text(node, "childclass");
    if (name == nullptr) return place.childclass;
    if (!mjcf_.classes.has(*name))
      reader_.refuse(node, *node.attribute("childclass"),
                     fmt::format("{}: there is no default class '{}'", xml_label(node), *name),
                     "name a class of <default>");
    return *name;
  }

  void read_frame(XmlNode& node, const MjcfPlace& place, MjcfBodyParts& parts) {
    ForeignReader::use(node);
    ForeignReader::text(node, "name");
    const Frame own = mjcf_.frame({reader_, node, {}});
    read_parts(node, {place.body, place.frame * own, class_of(node, place), place.suffix}, parts);
  }

  // Copies, each turned and moved from the last; copies of bodies have numbers in their names.
  void read_copies(XmlNode& node, const MjcfPlace& place, MjcfBodyParts& parts) {
    ForeignReader::use(node);
    // more would be a mistake
    constexpr double kMostCopies = 10'000;
    const MjcfElement e(reader_, node, {});
    const double count = e.number("count", 0);
    if (!(count >= 1 && count <= kMostCopies))
      return reader_.refuse(node, fmt::format("<replicate> makes {} copies", count),
                            "give a count from 1 to 10000");
    const Vec3 offset = e.vector("offset", Vec3::Zero()), euler = e.vector("euler", Vec3::Zero());
    const std::string separator = e.text("sep", "");
    const std::size_t digits = std::to_string(static_cast<int>(count) - 1).size();
    const std::string childclass = class_of(node, place);
    Frame copy;
    for (int i = 0; i < static_cast<int>(count); ++i) {
      copy.axes = mjcf_.from_euler(i * euler);
      read_parts(node,
                 {place.body, place.frame * copy, childclass,
                  fmt::format("{}{}{:0{}}", place.suffix, separator, i, digits)},
                 parts);
      copy.at += copy.axes * offset;
    }
  }

  std::string name_of(XmlNode& node, const MjcfPlace& place, const std::string& otherwise) {
    const std::string* name = ForeignReader::text(node, "name");
    return (name == nullptr || name->empty() ? otherwise : *name) + place.suffix;
  }

  void read_body(XmlNode& node, const MjcfPlace& place) {
    ForeignReader::use(node);
    const MjcfElement e(reader_, node, {});
    const Frame own = mjcf_.frame(e);
    const int index = static_cast<int>(robot_.bodies.size());
    RobotBody body{.name = name_of(node, place, "body"), .placement = place.frame * own, .node = &node};
    remember(node, mjcf_.bodies, body.name, index, "body", node.attribute("name") != nullptr);
    const MjcfPlace inside{index, body.placement, class_of(node, place), place.suffix};
    robot_.bodies.push_back(std::move(body));
    MjcfBodyParts parts;
    read_parts(node, inside, parts);
    robot_.body(index).inertial = inertial_of(parts, inside.frame, own.at);
    if (const double part = e.number("gravcomp", 0); part != 0) {
      RobotBody& made = robot_.body(index);
      made.weightless = {part * made.inertial.mass, made.inertial.com, Mat3::Zero()};
    }
    if (e.flag("mocap", false)) node.note.reason = "stands still: nothing moves a mocap body here";
    join(node, place.body, index, parts);
    for (auto& [child, at] : parts.children) read_body(*child, at);
  }

  void remember(XmlNode& node, std::map<std::string, int>& index, const std::string& name, int i,
                const char* what, bool is_named) {
    if (!is_named || index.emplace(name, i).second) return;
    reader_.refuse(node, fmt::format("there is already a {} '{}'", what, name), "give it another name");
  }

  // From what is given and from geoms, within the bounds of <compiler>.
  Inertial inertial_of(const MjcfBodyParts& parts, const Frame& body, const Vec3& pos) const {
    const bool from_geoms =
        mjcf_.settings.inertia_from_geoms == InertiaFromGeoms::always ||
        (mjcf_.settings.inertia_from_geoms == InertiaFromGeoms::where_none_is_given && !parts.given);
    Inertial own;
    // MuJoCo's place of a mass that boundmass alone gives: the body's `pos`, once more.
    own.com = body.at + body.axes * pos;
    if (parts.given) own = *parts.given;
    if (from_geoms && !parts.of_geoms.empty()) {
      own = parts.of_geoms.front();
      for (std::size_t k = 1; k < parts.of_geoms.size(); ++k) add_inertial(own, parts.of_geoms[k]);
    }
    bound_mjcf_inertia(mjcf_.settings, own);
    return own;
  }

  // Body i, on the parent by its joints.
  void join(XmlNode& node, int parent, int i, MjcfBodyParts& parts) {
    if (parts.joints.empty()) {
      weld(robot_, i, parent);
      return;
    }
    if (parts.joints.front().is_free) {
      if (parts.joints.size() > 1)
        reader_.refuse(node, "a body with a free joint has other joints", "remove them");
      if (parent != 0)
        reader_.refuse(node, "a free joint is not in a body of the world", "move the body there");
      RobotBody& body = robot_.body(i);
      body.floats = true;
      // armature · (|v|² + |ω|²)/2 of the body's origin is the energy of such a mass there, without weight
      if (const double armature = parts.joints.front().joint.armature; armature != 0) {
        add_inertial(body.inertial, {armature, body.placement.at, armature * Mat3::Identity()});
        add_inertial(body.weightless, {armature, body.placement.at, Mat3::Zero()});
      }
      ForeignReader::use(*parts.joints.front().joint.node, fmt::format("'{}' floats", robot_.body(i).name));
      return;
    }
    for (std::size_t k = 0; k < parts.joints.size(); ++k) {
      MjcfJoint& from = parts.joints[k];
      if (from.is_free) {
        reader_.refuse(*from.joint.node, "a free joint is not the only joint of its body",
                       "remove the others");
        return;
      }
      from.joint.parent = parent;
      from.joint.child = k + 1 < parts.joints.size() ? add_between(i, from.joint) : i;
      parent = from.joint.child;
      const int index = static_cast<int>(robot_.joints.size());
      if (from.joint.has_coordinate())
        remember(*from.joint.node, mjcf_.joints, from.joint.name, index, "joint",
                 from.joint.node->attribute("name") != nullptr);
      robot_.joints.push_back(std::move(from.joint));
    }
  }

  int add_between(int body, const RobotJoint& joint) {
    const int index = static_cast<int>(robot_.bodies.size());
    RobotBody between{.name = fmt::format("{}_{}", robot_.body(body).name, joint.name),
                      .placement = robot_.body(body).placement};
    robot_.bodies.push_back(std::move(between));
    return index;
  }

  void read_joint(XmlNode& node, const MjcfPlace& place, MjcfBodyParts& parts) {
    const std::string body = robot_.body(place.body).name;
    parts.joints.push_back(read_mjcf_joint(mjcf_, node, place));
    RobotJoint& joint = parts.joints.back().joint;
    joint.name = name_of(node, place, body + "_" + joint.name);
  }

  void read_inertial(XmlNode& node, const MjcfPlace& place, MjcfBodyParts& parts) {
    ForeignReader::use(node);
    const MjcfElement e(reader_, node, {});
    Mat3 inertia = e.vector("diaginertia", Vec3::Zero()).asDiagonal();
    if (const auto full = e.numbers("fullinertia", 6, 6)) {
      const std::vector<double>& f = *full;
      inertia << f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2];
    }
    const Frame own = place.frame * mjcf_.frame(e);
    if (!e.has("mass")) reader_.refuse(node, "<inertial> has no mass", "add mass=\"…\"");
    parts.given = {e.number("mass", 0), own.at, own.axes * inertia * own.axes.transpose()};
  }

  void read_geom(XmlNode& node, const MjcfPlace& place, MjcfBodyParts& parts) {
    const MjcfElement e = mjcf_.classes.element(reader_, node, place.childclass);
    ForeignReader::text(node, "name");
    const std::string hidden = draw_mjcf_geom(mjcf_, e, place);
    if (std::string why = add_mass(e, place, parts); !why.empty() && !node.note.outcome) {
      node.note = hidden.empty() ? XmlNote{Treatment::drawn, "", false}
                                 : XmlNote{Treatment::ignored, why + "; " + hidden, false};
      if (hidden.empty()) settle_drawn(node);
    }
  }

  // Adds its mass to the body; why not, if it has none there.
  std::string add_mass(const MjcfElement& e, const MjcfPlace& place, MjcfBodyParts& parts) {
    if (place.body == 0) return "contact with the world is not simulated";
    const bool counts = mjcf_.settings.inertia_from_geoms == InertiaFromGeoms::always ||
                        (mjcf_.settings.inertia_from_geoms == InertiaFromGeoms::where_none_is_given &&
                         robot_.body(place.body).node->child("inertial") == nullptr);
    if (!counts) return "the body's inertia is given, and contact is not simulated";
    const auto group = static_cast<int>(e.number("group", 0));
    if (group < mjcf_.settings.first_inertia_group || group > mjcf_.settings.last_inertia_group)
      return fmt::format("geoms of group {} have no mass here", group);
    const auto inertial = mjcf_geom_inertial(mjcf_, e, place.frame);
    if (!inertial) return "it has no mass, and contact is not simulated";
    ForeignReader::use(e.node(), fmt::format("{} kg of the body", inertial->mass));
    parts.of_geoms.push_back(*inertial);
    return "";
  }

  void read_site(XmlNode& node, const MjcfPlace& place) {
    const MjcfElement e = mjcf_.classes.element(reader_, node, place.childclass);
    ForeignReader::use(node);
    Frame own;
    if (const auto ends = e.numbers("fromto", 6, 6)) {
      const Vec3 from((*ends)[0], (*ends)[1], (*ends)[2]), to((*ends)[3], (*ends)[4], (*ends)[5]);
      own = {0.5 * (from + to), turn_z_to(from - to)};
    } else {
      own = mjcf_.frame(e);
    }
    const bool is_named = node.attribute("name") != nullptr;
    const std::string name = name_of(node, place, "site");
    const Frame world = place.frame * own;
    if (!is_named) return ForeignReader::ignore(node, "a place without a name, which nothing refers to");
    if (!mjcf_.sites.emplace(name, RobotPlace{place.body, world}).second)
      return reader_.refuse(node, fmt::format("there is already a site '{}'", name), "give it another name");
    robot_.points.push_back({name, place.body, world.at, &node});
  }

  // settotalmass
  void scale_masses() {
    if (mjcf_.settings.total_mass <= 0) return;
    double sum = 0;
    for (const RobotBody& body : robot_.bodies) sum += body.inertial.mass;
    if (sum <= 0) return;
    const double scale = mjcf_.settings.total_mass / sum;
    for (RobotBody& body : robot_.bodies) {
      body.inertial.mass *= scale;
      body.inertial.inertia *= scale;
      body.weightless.mass *= scale;
    }
  }

  Mjcf& mjcf_;
  ForeignReader& reader_;
  Robot& robot_;
};

}  // namespace

void read_mjcf_bodies(Mjcf& mjcf) { MjcfBodies(mjcf).read(); }

}  // namespace trammel::model
