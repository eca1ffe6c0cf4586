// <equality> of MJCF: connect and weld close loops, joint and tendon couple coordinates. MuJoCo softens them
// all; here they hold exactly.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/import/mjcf.h"

namespace trammel::model {
namespace {

constexpr std::array<const char*, 1> kEqualityTags = {"equality"};

class MjcfEqualities {
 public:
  explicit MjcfEqualities(Mjcf& mjcf) : mjcf_(mjcf), reader_(mjcf.reader), robot_(mjcf.robot) {}

  void read() {
    for (XmlNode* node : mjcf_.in_sections("equality")) {
      const MjcfElement e = mjcf_.classes.element(reader_, *node, "", kEqualityTags);
      if (!e.flag("active", true) || !mjcf_.settings.equalities) {
        ForeignReader::ignore(*node, "it is not active at the start");
        continue;
      }
      if (node->name == "connect" || node->name == "weld")
        read_loop(e, node->name == "weld");
      else if (node->name == "joint")
        read_joint(e);
      else if (node->name == "tendon")
        read_tendon(e);
      else
        ForeignReader::ignore(*node, fmt::format("equalities of kind {} are not known", node->name), true);
    }
  }

 private:
  // By its name; null: refused.
  const RobotPlace* site(const MjcfElement& e, const std::string& attribute) {
    const auto found = mjcf_.sites.find(e.text(attribute, ""));
    if (found != mjcf_.sites.end()) return &found->second;
    e.refuse(attribute, fmt::format("{}: there is no site '{}'", xml_label(e.node()), e.text(attribute, "")),
             "name a site of this file");
    return nullptr;
  }

  std::optional<int> body(const MjcfElement& e, const std::string& attribute) {
    const auto found = mjcf_.bodies.find(e.text(attribute, "world"));
    if (found != mjcf_.bodies.end()) return found->second;
    e.refuse(attribute, fmt::format("{}: there is no body '{}'", xml_label(e.node()), e.text(attribute, "")),
             "name a body of this file");
    return {};
  }

  void read_loop(const MjcfElement& e, bool whole) {
    ForeignReader::use(e.node());
    RobotLoop loop{.name = e.text("name", fmt::format("{}_{}", e.node().name, e.node().line)),
                   .on_first = {},
                   .on_second = {},
                   .whole = whole,
                   .node = &e.node()};
    if (e.has("site1") || e.has("site2")) {
      const RobotPlace *first = site(e, "site1"), *second = site(e, "site2");
      if (first == nullptr || second == nullptr) return;
      loop.first = first->body;
      loop.second = second->body;
      loop.on_first = first->frame;
      loop.on_second = second->frame;
    } else {
      const auto first = body(e, "body1"), second = body(e, "body2");
      if (!first || !second) return;
      loop.first = *first;
      loop.second = *second;
      whole ? place_weld(e, loop) : place_connect(e, loop);
    }
    robot_.loops.push_back(std::move(loop));
  }

  // A point of the first body; of the second, the point that is there at the start.
  void place_connect(const MjcfElement& e, RobotLoop& loop) {
    const Frame& first = robot_.body(loop.first).placement;
    if (!e.has("anchor"))
      return reader_.refuse(e.node(), fmt::format("{} has no anchor", xml_label(e.node())),
                            "add anchor=\"…\"");
    loop.on_first.at = loop.on_second.at = first.at + first.axes * e.vector("anchor", Vec3::Zero());
  }

  // relpose: the second body's frame in the first body's; left out, as they stand at the start.
  void place_weld(const MjcfElement& e, RobotLoop& loop) {
    const Frame &first = robot_.body(loop.first).placement, &second = robot_.body(loop.second).placement;
    loop.on_first = loop.on_second = second;
    // The point at which MuJoCo measures: the same weld.
    e.ignore("anchor", "where the weld is measured: it holds everywhere");
    e.ignore("torquescale", "how MuJoCo softens the weld");
    const auto pose = e.numbers("relpose", 7, 7);
    if (!pose) return;
    const std::vector<double>& p = *pose;
    const Eigen::Quaterniond q(p[3], p[4], p[5], p[6]);
    if (q.norm() == 0) return;
    loop.on_first = first * Frame{{p[0], p[1], p[2]}, q.normalized().toRotationMatrix()};
  }

  std::optional<int> joint(const MjcfElement& e, const std::string& attribute) {
    const auto found = mjcf_.joints.find(e.text(attribute, ""));
    if (found != mjcf_.joints.end()) return found->second;
    e.refuse(attribute,
             fmt::format("{}: there is no hinge or slide '{}'", xml_label(e.node()), e.text(attribute, "")),
             "name a joint of this file");
    return {};
  }

  // q1 − ref1 = a0 + a1 (q2 − ref2) + … + a4 (q2 − ref2)⁴; without a second joint q1 − ref1 = a0.
  void read_joint(const MjcfElement& e) {
    ForeignReader::use(e.node());
    const auto first = joint(e, "joint1");
    const bool is_pair = e.has("joint2");
    const auto second = is_pair ? joint(e, "joint2") : first;
    if (!first || !second) return;
    const RobotJoint &one = robot_.joint(*first), &other = robot_.joint(*second);
    const std::string name = e.text("name", one.name + "_coupling");
    const std::vector<double> a = polynomial(e);
    const bool is_line = is_pair && a[0] == 0 && a[1] != 0 && a[2] == 0 && a[3] == 0 && a[4] == 0;
    if (is_line)
      robot_.couplings.push_back({name, *first, *second, a[1], &e.node()});
    else if (is_pair)
      robot_.relations.push_back({name, {{*first, 1}}, {{*second, 1}}, a, one.start, other.start, &e.node()});
    else
      robot_.relations.push_back({name, {{*first, 1}}, {}, {a[0]}, one.start, 0, &e.node()});
  }

  static std::vector<double> polynomial(const MjcfElement& e) {
    std::vector<double> a{0, 1, 0, 0, 0};
    if (const auto given = e.numbers("polycoef", 1, 5)) std::copy(given->begin(), given->end(), a.begin());
    return a;
  }

  // The same of the lengths of tendons, as they differ from those of the start.
  void read_tendon(const MjcfElement& e) {
    ForeignReader::use(e.node());
    const MjcfTendon* first = tendon(e, "tendon1");
    const MjcfTendon* second = e.has("tendon2") ? tendon(e, "tendon2") : nullptr;
    if (first == nullptr || (e.has("tendon2") && second == nullptr)) return;
    if (first->terms.empty() || (second != nullptr && second->terms.empty()))
      return ForeignReader::ignore(e.node(), "only sums of joint coordinates can be tied", true);
    const std::vector<double> a = polynomial(e);
    robot_.relations.push_back({e.text("name", fmt::format("tendon_{}", e.node().line)), first->terms,
                                second != nullptr ? second->terms : std::vector<RobotTerm>(),
                                second != nullptr ? a : std::vector<double>{a[0]}, first->start,
                                second != nullptr ? second->start : 0, &e.node()});
  }

  const MjcfTendon* tendon(const MjcfElement& e, const std::string& attribute) {
    const auto found = mjcf_.tendons.find(e.text(attribute, ""));
    if (found != mjcf_.tendons.end()) return &found->second;
    e.refuse(attribute,
             fmt::format("{}: there is no tendon '{}'", xml_label(e.node()), e.text(attribute, "")),
             "name a tendon of this file");
    return nullptr;
  }

  Mjcf& mjcf_;
  ForeignReader& reader_;
  Robot& robot_;
};

}  // namespace

void read_mjcf_equalities(Mjcf& mjcf) { MjcfEqualities(mjcf).read(); }

}  // namespace trammel::model
