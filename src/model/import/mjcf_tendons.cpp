// <tendon> of MJCF. A fixed tendon is a sum of coordinates, a spatial one a way over sites. Of these Trammel
// has the straight one between two sites: a spring.
//
//   tension = stiffness (length − springlength) + damping · rate
//
// springlength is that of the start unless it is given; MuJoCo allows two numbers, with no force between
// them.
#include <fmt/format.h>

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
    for (XmlNode& part : node.children) {
      ForeignReader::use(part);
      const MjcfElement e(reader_, part, {});
      if (part.name != "site") {
        tendon.unknown = "it is led by geoms or pulleys";
        for (XmlAttribute& a : part.attributes) a.note = {Treatment::ignored, tendon.unknown, false};
        continue;
      }
      const auto site = mjcf_.sites.find(e.text("site", ""));
      if (site == mjcf_.sites.end())
        e.refuse("site", fmt::format("tendon: there is no site '{}'", e.text("site", "")),
                 "name a site of this file");
      else
        tendon.ends.push_back(site->second);
    }
    if (tendon.unknown.empty() && tendon.ends.size() != 2)
      tendon.unknown = "it is led over more than two sites";
    if (tendon.unknown.empty()) tendon.start = (tendon.ends[0].frame.at - tendon.ends[1].frame.at).norm();
    return tendon;
  }

  // Stiffness, damping and what Trammel has not.
  void act(const MjcfElement& e, const MjcfTendon& tendon) {
    const double stiffness = mjcf_.settings.springs ? first_coefficient(e, "stiffness") : 0;
    const double damping = mjcf_.settings.dampers ? first_coefficient(e, "damping") : 0;
    for (const char* key : {"frictionloss", "armature"})
      if (e.number(key, 0) != 0) e.ignore(key, "not known of tendons", true);
    if (mjcf_.is_limited(e, "limited", "range")) e.ignore("range", "tendons have no stops", true);
    double length = tendon.start;
    if (const auto given = e.numbers("springlength", 1, 2)) {
      if ((*given)[0] >= 0) length = (*given)[0];
      if (given->size() == 2 && (*given)[0] != (*given)[1])
        e.ignore("springlength", "a range without force is not known: its lower end is the free length",
                 true);
    }
    if (stiffness == 0 && damping == 0) {
      ForeignReader::use(e.node(), tendon.unknown.empty() ? "a length for actuators" : tendon.unknown);
      return;
    }
    if (!tendon.unknown.empty()) return ForeignReader::ignore(e.node(), tendon.unknown, true);
    const std::string name = e.text("name", fmt::format("tendon_{}", e.node().line));
    if (tendon.ends.empty())
      robot_.tendons.push_back({name, tendon.terms, stiffness, length, damping, &e.node()});
    else
      robot_.springs.push_back({name, tendon.ends[0], tendon.ends[1], stiffness, length, damping, &e.node()});
  }

  Mjcf& mjcf_;
  ForeignReader& reader_;
  Robot& robot_;
};

}  // namespace

void read_mjcf_tendons(Mjcf& mjcf) { MjcfTendons(mjcf).read(); }

}  // namespace trammel::model
