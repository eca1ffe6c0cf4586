// <tendon> of MJCF. A fixed tendon is a sum of coordinates, a spatial one a way over sites, along which one
// tension pulls:
//
//   tension = stiffness (length − springlength) + damping · rate
//
// springlength is that of the start unless it is given; of two numbers, there is no force between them.
// Behind a pulley lengths count by 1/divisor. Ways around geoms are not known.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/import/mjcf.h"

namespace trammel::model {
namespace {

constexpr std::array<const char*, 1> kTendonTags = {"tendon"};

class MjcfTendons {
 public:
  explicit MjcfTendons(Mjcf& mjcf) : mjcf_(mjcf), reader_(mjcf.reader), robot_(mjcf.robot) {}

  void read() {
    for (XmlNode* node : mjcf_.in_sections("tendon")) {
      if (node->name != "fixed" && node->name != "spatial") continue;
      ForeignReader::use(*node);
      const MjcfElement e = mjcf_.classes.element(reader_, *node, "", kTendonTags);
      MjcfTendon tendon = node->name == "fixed" ? read_sum(*node) : read_way(*node);
      act(e, tendon);
      const std::string* name = ForeignReader::text(*node, "name");
      if (name != nullptr && !mjcf_.tendons.emplace(*name, std::move(tendon)).second)
        reader_.refuse(*node, fmt::format("there is already a tendon '{}'", *name), "give it another name");
    }
  }

 private:
  MjcfTendon read_sum(XmlNode& node) {
    MjcfTendon tendon;
    for (XmlNode* part : node.all("joint")) {
      ForeignReader::use(*part);
      const MjcfElement e(reader_, *part, {});
      const auto joint = mjcf_.joints.find(e.text("joint", ""));
      if (joint == mjcf_.joints.end()) {
        e.refuse("joint", fmt::format("tendon: there is no hinge or slide '{}'", e.text("joint", "")),
                 "name a joint of this file");
        continue;
      }
      const double coefficient = e.number("coef", 0);
      tendon.terms.push_back({joint->second, coefficient});
      tendon.start += coefficient * robot_.joint(joint->second).start;
    }
    return tendon;
  }

  MjcfTendon read_way(XmlNode& node) {
    MjcfTendon tendon;
    const RobotPlace* last = nullptr;
    double part = 1;
    for (XmlNode& child : node.children) {
      ForeignReader::use(child);
      const MjcfElement e(reader_, child, {});
      if (child.name == "pulley") {
        part = 1 / positive_divisor(e);
        last = nullptr;
      } else if (child.name != "site") {
        tendon.unknown = "it is led around a geom";
        for (XmlAttribute& a : child.attributes) a.note = {Treatment::ignored, tendon.unknown, false};
      } else if (const auto site = mjcf_.sites.find(e.text("site", "")); site == mjcf_.sites.end()) {
        e.refuse("site", fmt::format("tendon: there is no site '{}'", e.text("site", "")),
                 "name a site of this file");
      } else {
        if (last != nullptr) add_leg({*last, site->second, part}, tendon);
        last = &site->second;
      }
    }
    if (tendon.unknown.empty() && tendon.legs.empty()) tendon.unknown = "it has fewer than two sites";
    return tendon;
  }

  static double positive_divisor(const MjcfElement& e) {
    const double divisor = e.number("divisor", 1);
    if (divisor > 0) return divisor;
    e.refuse("divisor", fmt::format("a pulley has the divisor {}", divisor), "give a number above zero");
    return 1;
  }

  static void add_leg(const RobotLeg& leg, MjcfTendon& tendon) {
    tendon.start += leg.part * (leg.first.frame.at - leg.second.frame.at).norm();
    tendon.legs.push_back(leg);
  }

  // Stiffness, damping and what Trammel has not.
  void act(const MjcfElement& e, const MjcfTendon& tendon) {
    const double stiffness = mjcf_.settings.springs ? first_coefficient(e, "stiffness") : 0;
    const double damping = mjcf_.settings.dampers ? first_coefficient(e, "damping") : 0;
    for (const char* key : {"frictionloss", "armature"})
      if (e.number(key, 0) != 0) e.ignore(key, "not known of tendons", true);
    if (mjcf_.is_limited(e, "limited", "range")) e.ignore("range", "tendons have no stops", true);
    double length = tendon.start, upper = length;
    if (const auto given = e.numbers("springlength", 1, 2); given && given->front() >= 0) {
      length = upper = given->front();
      if (given->size() == 2) upper = std::max(length, given->back());
    }
    if (stiffness == 0 && damping == 0) {
      ForeignReader::use(e.node(), tendon.unknown.empty() ? "a length for actuators" : tendon.unknown);
      return;
    }
    if (!tendon.unknown.empty()) return ForeignReader::ignore(e.node(), tendon.unknown, true);
    const std::string name = e.text("name", fmt::format("tendon_{}", e.node().line));
    if (!tendon.legs.empty()) {
      robot_.springs.push_back({name, tendon.legs, stiffness, length, upper, damping, &e.node()});
      return;
    }
    if (upper != length)
      e.ignore("springlength", "a range without force is not known of fixed tendons: its lower end counts",
               true);
    robot_.tendons.push_back({name, tendon.terms, stiffness, length, damping, &e.node()});
  }

  Mjcf& mjcf_;
  ForeignReader& reader_;
  Robot& robot_;
};

}  // namespace

void read_mjcf_tendons(Mjcf& mjcf) { MjcfTendons(mjcf).read(); }

}  // namespace trammel::model
