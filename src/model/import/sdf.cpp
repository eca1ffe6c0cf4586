// SDF: models of links and joints, which may form loops, in a world or alone.
#include "model/import/sdf.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/import/robot_parts.h"
#include "model/import/visuals.h"

namespace trammel::model {
namespace {

class SdfFile {
 public:
  SdfFile(ForeignReader& reader, ForeignFile& file)
      : sdf_{reader, file, 0, {}, SdfFrames(reader)}, reader_(reader), root_(file.root) {}

  Robot read() {
    ForeignReader::use(root_);
    sdf_.robot.gravity = {0, 0, -9.8};  // SDF's default
    sdf_.version = reader_.number(root_, "version", 1.9);
    ForeignReader::ignore_children(root_, {"light", "actor"}, "it has no influence on the motion");
    const std::vector<XmlNode*> worlds = root_.all("world"), models = root_.all("model");
    if (worlds.size() > 1)
      reader_.refuse(*worlds[1], "the file has a second world", "import one world at a time");
    if (worlds.empty() && models.empty()) reader_.refuse(root_, "the file has no model", "add <model>");
    for (XmlNode* world : worlds) read_world(*world);
    for (XmlNode* model : models) read_model(*model, "", "", models.size() > 1, false);
    if (reader_.errors().empty()) place_links();
    if (reader_.errors().empty()) place_visuals();
    if (reader_.errors().empty()) add_joints();
    return std::move(sdf_.robot);
  }

 private:
  struct Link {
    std::string name;
    SdfModel model;
    XmlNode* node;
    int body;
  };

  struct Visual {
    std::string frame;
    int body;
    DrawnShape drawn;
    XmlNode* node;
  };

  void read_world(XmlNode& world) {
    ForeignReader::use(world);
    if (const std::string* name = ForeignReader::text(world, "name")) sdf_.robot.name = *name;
    if (XmlNode* gravity = world.child("gravity"))
      if (const auto g = reader_.own_numbers(*gravity, 3, 3))
        sdf_.robot.gravity = Vec3((*g)[0], (*g)[1], (*g)[2]);
    ForeignReader::ignore_children(world,
                                   {"light", "scene", "gui", "physics", "plugin", "atmosphere", "audio",
                                    "road", "spherical_coordinates", "magnetic_field", "state", "actor"},
                                   "it is not of the mechanism");
    ForeignReader::ignore_children(world, {"wind", "population"}, "not known", true);
    read_frames(world, {});
    for (XmlNode* include : world.all("include")) refuse_include(*include);
    for (XmlNode* model : world.all("model")) read_model(*model, "", "", true, false);
  }

  void refuse_include(XmlNode& include) {
    std::string uri;
    sdf_text(include, "uri", uri);
    reader_.refuse(include, fmt::format("<include> of '{}': other files are not read", uri),
                   "write the whole as one file, as by `gz sdf -p`");
  }

  // named: its name stands before those of what it has.
  void read_model(XmlNode& node, const std::string& scope, const std::string& around, bool named,
                  bool is_static) {
    ForeignReader::use(node);
    const std::string* name = ForeignReader::text(node, "name");
    if (name == nullptr) return reader_.refuse(node, "a model has no name", "add name=\"…\"");
    if (scope.empty() && sdf_.robot.name.empty()) sdf_.robot.name = *name;
    SdfModel model{named ? scope + *name + "::" : scope, is_static};
    std::string text;
    if (sdf_text(node, "static", text) != nullptr) model.is_static |= text == "1" || text == "true";
    if (const std::string* frame = ForeignReader::text(node, "placement_frame");
        frame != nullptr && !frame->empty())
      reader_.refuse(node, *node.attribute("placement_frame"), "placement_frame is not known",
                     "give the pose of the model itself");
    ForeignReader::ignore_attributes(node, {"canonical_link"}, "which link the model's frame moves with");
    sdf_.frames.add(model.frame(), {.relative_to = relative_to(node, scope, around),
                                    .attached_to = "",
                                    .pose = read_sdf_pose(reader_, node),
                                    .node = &node});
    ForeignReader::ignore_children(node,
                                   {"plugin", "self_collide", "allow_auto_disable", "enable_wind", "gripper"},
                                   "it is not of the mechanism");
    for (XmlNode* link : node.all("link")) read_link(*link, model);
    read_frames(node, model);
    for (XmlNode* joint : node.all("joint")) read_joint(*joint, model);
    for (XmlNode* include : node.all("include")) refuse_include(*include);
    for (XmlNode* nested : node.all("model"))
      read_model(*nested, model.scope, model.frame(), true, model.is_static);
  }

  // The frame that a pose names, else `otherwise`.
  static std::string relative_to(XmlNode& node, const std::string& scope, const std::string& otherwise) {
    XmlNode* pose = node.child("pose");
    if (pose == nullptr) return otherwise;
    ForeignReader::ignore_attributes(*pose, {"frame"}, "SDF has no use for it");
    const std::string* given = ForeignReader::text(*pose, "relative_to");
    if (given == nullptr || given->empty()) return otherwise;
    return *given == "world" ? *given : scope + *given;
  }

  void read_link(XmlNode& node, const SdfModel& model) {
    ForeignReader::use(node);
    const std::string* name = ForeignReader::text(node, "name");
    if (name == nullptr) return reader_.refuse(node, "a link has no name", "add name=\"…\"");
    const int body = static_cast<int>(sdf_.robot.bodies.size());
    RobotBody made{.name = model.scope + *name, .node = &node};
    sdf_.robot.bodies.push_back(std::move(made));
    sdf_.frames.add(model.scope + *name, {.relative_to = relative_to(node, model.scope, model.frame()),
                                          .attached_to = "",
                                          .pose = read_sdf_pose(reader_, node),
                                          .node = &node,
                                          .body = body});
    links_.push_back({model.scope + *name, model, &node, body});
    std::string gravity;
    if (const XmlNode* g = sdf_text(node, "gravity", gravity); g != nullptr)
      weightless_.resize(std::max(weightless_.size(), links_.size()), false);
    if (gravity == "0" || gravity == "false") weightless_[links_.size() - 1] = true;
    ForeignReader::ignore_children(
        node, {"light", "sensor", "projector", "audio_sink", "audio_source", "battery", "particle_emitter"},
        "it has no influence on the motion");
    read_visuals(node, model);
    ForeignReader::ignore_children(node, {"collision", "self_collide", "must_be_base_link"},
                                   "contact between bodies is not simulated");
    ForeignReader::ignore_children(node, {"velocity_decay", "kinematic", "enable_wind"}, "not known", true);
  }

  // They are placed with the links.
  void read_visuals(XmlNode& link, const SdfModel& model) {
    const std::string own = model.scope + link.attribute("name")->value;
    int count = 0;
    for (XmlNode* visual : link.all("visual")) {
      const std::string around = relative_to(*visual, model.scope, own);
      const Frame pose = read_sdf_pose(reader_, *visual);
      auto drawn = read_sdf_visual(sdf_.file, reader_.options(), *visual);
      if (!drawn) continue;
      const std::string frame = fmt::format("{}__visual{}__", own, count++);
      sdf_.frames.add(frame, {.relative_to = around, .attached_to = own, .pose = pose, .node = visual});
      visuals_.push_back({frame, links_.back().body, std::move(*drawn), visual});
    }
  }

  void place_visuals() {
    for (Visual& one : visuals_) {
      one.drawn.shape.place = sdf_.frames.world(one.frame, *one.node);
      sdf_.robot.shapes.push_back({one.body, std::move(one.drawn)});
    }
  }

  void read_frames(XmlNode& node, const SdfModel& model) {
    for (XmlNode* frame : node.all("frame")) {
      ForeignReader::use(*frame);
      const std::string* name = ForeignReader::text(*frame, "name");
      if (name == nullptr) {
        reader_.refuse(*frame, "a frame has no name", "add name=\"…\"");
        continue;
      }
      const std::string base = node.name == "world" ? "" : model.frame();
      const std::string* given = ForeignReader::text(*frame, "attached_to");
      const bool is_given = given != nullptr && !given->empty();
      const std::string attached = is_given ? (*given == "world" ? *given : model.scope + *given) : base;
      sdf_.frames.add(model.scope + *name, {.relative_to = relative_to(*frame, model.scope, attached),
                                            .attached_to = attached,
                                            .pose = read_sdf_pose(reader_, *frame),
                                            .node = frame});
    }
  }

  std::string end_of(XmlNode& joint, const SdfModel& model, const char* role) {
    std::string name;
    if (sdf_text(joint, role, name) == nullptr || name.empty())
      reader_.refuse(joint, fmt::format("joint '{}' has no {}", joint.attribute("name")->value, role),
                     fmt::format("add <{}>…</{}>", role, role));
    return name.empty() || name == "world" ? "world" : model.scope + name;
  }

  void read_joint(XmlNode& node, const SdfModel& model) {
    ForeignReader::use(node);
    const std::string* name = ForeignReader::text(node, "name");
    if (name == nullptr) return reader_.refuse(node, "a joint has no name", "add name=\"…\"");
    SdfJoint joint{model.scope + *name,
                   model.scope + *name,
                   end_of(node, model, "parent"),
                   end_of(node, model, "child"),
                   model,
                   &node};
    sdf_.frames.add(joint.frame, {.relative_to = relative_to(node, model.scope, joint.child),
                                  .attached_to = joint.child,
                                  .pose = read_sdf_pose(reader_, node),
                                  .node = &node});
    sdf_.joints.push_back(std::move(joint));
  }

  void place_links() {
    weightless_.resize(links_.size(), false);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Link& link = links_[i];
      RobotBody& body = sdf_.robot.body(link.body);
      body.placement = sdf_.frames.world(link.name, *link.node);
      body.inertial = read_sdf_inertial(reader_, *link.node, body.placement);
      if (weightless_[i]) body.weightless = {body.inertial.mass, body.inertial.com, Mat3::Zero()};
      if (link.model.is_static) weld(sdf_.robot, link.body, 0);
    }
  }

  // Links that are the child of no joint float; the first of them may be asked to stand.
  void add_joints() {
    std::vector<bool> is_held(sdf_.robot.bodies.size(), false);
    for (SdfJoint& joint : sdf_.joints) {
      is_held[static_cast<std::size_t>(sdf_.frames.body(joint.child, *joint.node))] = true;
      if (joint.parent == "world" || joint.child == "world")
        is_held[static_cast<std::size_t>(sdf_.frames.body(joint.parent, *joint.node))] = true;
    }
    bool stands = reader_.options().base == Base::fixed;
    for (const Link& link : links_) {
      if (is_held[static_cast<std::size_t>(link.body)] || link.model.is_static) continue;
      if (stands)
        weld(sdf_.robot, link.body, 0);
      else
        sdf_.robot.body(link.body).floats = true;
      stands = false;
    }
    for (SdfJoint& joint : sdf_.joints) {
      ForeignReader::use(*joint.node);
      add_sdf_joint(sdf_, joint);
    }
    if (reader_.errors().empty()) add_sdf_mimics(sdf_);
  }

  Sdf sdf_;
  ForeignReader& reader_;
  XmlNode& root_;
  std::vector<Link> links_;
  std::vector<Visual> visuals_;
  std::vector<bool> weightless_;
};

}  // namespace

Robot read_sdf(ForeignReader& reader, ForeignFile& file) { return SdfFile(reader, file).read(); }

}  // namespace trammel::model
