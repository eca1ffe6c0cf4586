// URDF: a tree of links from one root. Each joint places its child's frame in its parent's.
#include "model/import/urdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "model/import/robot_parts.h"
#include "model/import/visuals.h"

namespace trammel::model {
namespace {

class UrdfFile {
 public:
  UrdfFile(ForeignReader& reader, ForeignFile& file) : reader_(reader), file_(file), root_(file.root) {}

  Robot read() {
    ForeignReader::use(root_);
    if (const std::string* name = ForeignReader::text(root_, "name")) robot_.name = *name;
    for (XmlAttribute& a : root_.attributes)
      if (a.name.starts_with("xmlns") || a.name == "version")
        a.note = {Treatment::ignored, "of the file format", false};
    loops_ = read_urdf_loops(reader_, file_);
    read_elements();
    if (!reader_.errors().empty()) return robot_;
    settle_mimics(reader_, joints_);
    check_tree();
    if (!reader_.errors().empty()) return robot_;
    place_links();
    if (!reader_.errors().empty()) return robot_;
    add_couplings();
    add_loops();
    return std::move(robot_);
  }

 private:
  void read_elements() {
    const UrdfVisuals visuals(file_, reader_.options());
    for (XmlNode& node : root_.children) {
      if (node.name.starts_with("xacro:")) {
        reader_.refuse(node, fmt::format("<{}> is a macro of xacro, not URDF", node.name),
                       "expand the file first: xacro robot.xacro > robot.urdf");
        return;
      }
      if (node.name == "link") {
        auto link = read_urdf_link(reader_, node);
        if (link) link->drawn = visuals.read(node);
        add(std::move(link), links_, link_index_, "link");
      } else if (node.name == "joint")
        add(read_urdf_joint(reader_, node, loops_), joints_, joint_index_, "joint");
      else if (node.name == "transmission")
        ForeignReader::ignore(node,
                              "which motor moves which joint: add the motors that you want to the model");
      else if (node.name == "gazebo")
        ignore_extension(node);
      else if (node.name == "sensor" || node.name == "group" || node.name == "group_state" ||
               node.name == "ros2_control")
        ForeignReader::ignore(node, "not of the mechanism");
    }
    if (links_.empty() && reader_.errors().empty())
      reader_.refuse(root_, "the robot has no link", "add <link name=\"…\"/>");
    for (const auto& [name, type] : loops_.joint_types)
      if (!joint_index_.contains(name))
        file_.side_ledger.push_back({fmt::format("joint_name[{}]", name), loops_.file, 0, Treatment::ignored,
                                     "the robot has no joint of this name", true});
  }

  // An extension of a simulator may hold joints and springs.
  static void ignore_extension(XmlNode& node) {
    const bool matters = std::ranges::any_of(node.children, [](const XmlNode& c) {
      return c.name == "joint" || c.name == "springStiffness" || c.name == "springReference" ||
             c.name == "implicitSpringDamper" || c.name == "gravity" || c.name == "turnGravityOff";
    });
    ForeignReader::ignore(node, "an extension for Gazebo, which Trammel does not read", matters);
  }

  template <class Part>
  void add(std::optional<Part> part, std::vector<Part>& all, std::map<std::string, int>& index,
           const char* what) {
    if (!part) return;
    const auto [known, is_new] = index.emplace(part->name, static_cast<int>(all.size()));
    if (!is_new) {
      reader_.refuse(*part->node,
                     fmt::format("a {} '{}' is already in line {}", what, part->name,
                                 all[static_cast<std::size_t>(known->second)].node->line),
                     "give it another name");
      return;
    }
    all.push_back(std::move(*part));
  }

  // Every joint has its links, every link but one a parent.
  void check_tree() {
    parent_joint_.assign(links_.size(), -1);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const UrdfJoint& joint = joints_[i];
      for (const auto& [role, link] : {std::pair("parent", &joint.parent), std::pair("child", &joint.child)})
        if (!link_index_.contains(*link))
          reader_.refuse(*joint.node->child(role),
                         fmt::format("joint '{}': there is no link '{}'", joint.name, *link),
                         "name a link of this file");
      const auto child = link_index_.find(joint.child);
      if (child == link_index_.end()) continue;
      int& parent = parent_joint_[static_cast<std::size_t>(child->second)];
      if (parent >= 0)
        reader_.refuse(*joint.node,
                       fmt::format("link '{}' is already the child of joint '{}', line {}", joint.child,
                                   joints_[static_cast<std::size_t>(parent)].name,
                                   joints_[static_cast<std::size_t>(parent)].node->line),
                       "close loops by a side file with closed_loop, or by <mimic> (docs/robots.md)");
      parent = static_cast<int>(i);
    }
  }

  void place_links() {
    std::vector<int> roots;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (parent_joint_[i] < 0) roots.push_back(static_cast<int>(i));
    if (roots.empty())
      return reader_.refuse(root_, "every link is the child of a joint: the links form a circle",
                            "remove one joint, and close the loop by a side file with closed_loop");
    for (std::size_t i = 1; i < roots.size(); ++i)
      reader_.refuse(
          *link(roots[i]).node,
          fmt::format("link '{}' is a second root beside '{}'", link(roots[i]).name, link(roots[0]).name),
          "connect it by a joint, of type floating if it is free");
    if (roots.size() > 1) return;
    std::map<std::string, std::vector<int>> children;
    for (std::size_t i = 0; i < joints_.size(); ++i)
      children[joints_[i].parent].push_back(static_cast<int>(i));
    body_of_.assign(links_.size(), 0);
    add_body(roots[0], Frame());
    stand(roots[0]);
    std::deque<int> todo{roots[0]};
    std::size_t placed = 1;
    while (!todo.empty()) {
      const int parent = todo.front();
      todo.pop_front();
      for (const int i : children[link(parent).name]) {
        const int child = link_index_.at(joints_[static_cast<std::size_t>(i)].child);
        add_joint(joints_[static_cast<std::size_t>(i)], parent, child);
        todo.push_back(child);
        ++placed;
      }
    }
    if (placed == links_.size()) return;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (body_of_[i] == 0)
        return reader_.refuse(
            *links_[i].node,
            fmt::format("link '{}' is in a circle of joints that the root '{}' does not reach",
                        links_[i].name, link(roots[0]).name),
            "remove one joint, and close the loop by a side file with closed_loop");
  }

  // The root: a part of ground, or a body that floats. A robot of one rigid body floats unless it is asked to
  // stand.
  void stand(int root) {
    const bool is_world = link(root).name == "world";
    const int body = body_of_[static_cast<std::size_t>(root)];
    const bool is_rigid = std::ranges::all_of(
        joints_, [](const UrdfJoint& j) { return j.motion == UrdfJoint::Motion::welded; });
    const bool floats =
        reader_.options().base == Base::free || (reader_.options().base == Base::as_in_file && is_rigid);
    if (floats && !is_world) {
      robot_.body(body).floats = true;
      link(root).node->note.reason = "floats";
    } else {
      weld(robot_, body, 0);
    }
  }

  void add_body(int i, const Frame& placement) {
    const UrdfLink& from = link(i);
    const Frame inertial = placement * from.inertial;
    RobotBody body{.name = from.name, .placement = placement, .node = from.node};
    body.inertial = {from.mass, inertial.at, inertial.axes * from.inertia * inertial.axes.transpose()};
    body_of_[static_cast<std::size_t>(i)] = static_cast<int>(robot_.bodies.size());
    for (DrawnShape drawn : from.drawn) {
      drawn.shape.place = placement * drawn.shape.place;
      robot_.shapes.push_back({static_cast<int>(robot_.bodies.size()), std::move(drawn)});
    }
    robot_.bodies.push_back(std::move(body));
  }

  void add_joint(UrdfJoint& from, int parent, int child) {
    const int parent_body = body_of_[static_cast<std::size_t>(parent)];
    const Frame at_zero = robot_.body(parent_body).placement * from.origin;
    add_body(child, robot_.body(parent_body).placement * from.placed());
    const int child_body = body_of_[static_cast<std::size_t>(child)];
    if (from.motion == UrdfJoint::Motion::welded) {
      weld(robot_, child_body, parent_body);
      ForeignReader::use(*from.node, fmt::format("'{}' and '{}' are one body", from.parent, from.child));
    } else if (from.motion == UrdfJoint::Motion::floating) {
      robot_.body(child_body).floats = true;
      ForeignReader::use(*from.node, fmt::format("'{}' floats", from.child));
    } else {
      RobotJoint joint{.name = from.name, .kind = from.kind, .child = child_body, .parent = parent_body};
      joint.at = robot_.body(child_body).placement.at;
      joint.axis = at_zero.axes * from.axis;
      joint.axis2 = at_zero.axes * from.axis2;
      joint.start = from.start;
      joint.lower = from.lower;
      joint.upper = from.upper;
      joint.damping = from.damping;
      joint.friction = from.friction;
      joint.node = from.node;
      robot_joint_[from.name] = static_cast<int>(robot_.joints.size());
      robot_.joints.push_back(std::move(joint));
    }
  }

  void add_couplings() {
    for (UrdfJoint& joint : joints_) {
      if (!joint.mimic || joint.motion == UrdfJoint::Motion::welded) continue;
      robot_.couplings.push_back({joint.name + "_mimic", robot_joint_.at(joint.name),
                                  robot_joint_.at(joint.mimic->of), joint.mimic->multiplier,
                                  joint.mimic->node});
    }
  }

  // The frame of a joint is that of its child.
  std::optional<int> frame_of(const std::string& name) const {
    if (const auto joint = joint_index_.find(name); joint != joint_index_.end())
      return link_index_.at(joints_[static_cast<std::size_t>(joint->second)].child);
    if (const auto link = link_index_.find(name); link != link_index_.end()) return link->second;
    return {};
  }

  void add_loops() {
    for (const UrdfLoops::Pair& pair : loops_.pairs) {
      const auto first = frame_of(pair.first), second = frame_of(pair.second);
      if (!first || !second) {
        reader_.errors().push_back(
            {loops_.file, pair.line, 0,
             fmt::format("closed_loop: there is no joint or link '{}'", first ? pair.second : pair.first),
             "name a joint or link of the URDF file"});
        continue;
      }
      const int a = body_of_[static_cast<std::size_t>(*first)],
                b = body_of_[static_cast<std::size_t>(*second)];
      if (robot_.whole(a) == robot_.whole(b)) {
        reader_.errors().push_back(
            {loops_.file, pair.line, 0,
             fmt::format("closed_loop: '{}' and '{}' are on one rigid body", pair.first, pair.second),
             "name frames of two bodies that move against each other"});
        continue;
      }
      robot_.loops.push_back({pair.first + "_" + pair.second, a, b, robot_.body(a).placement,
                              robot_.body(b).placement, pair.whole, nullptr, 0});
    }
  }

  UrdfLink& link(int i) { return links_[static_cast<std::size_t>(i)]; }

  ForeignReader& reader_;
  ForeignFile& file_;
  XmlNode& root_;
  UrdfLoops loops_;
  Robot robot_;
  std::vector<UrdfLink> links_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, int> link_index_, joint_index_, robot_joint_;
  std::vector<int> parent_joint_, body_of_;
};

}  // namespace

Robot read_urdf(ForeignReader& reader, ForeignFile& file) { return UrdfFile(reader, file).read(); }

}  // namespace trammel::model
