// <actuator> of MJCF: each becomes an input, and a force that depends on it.
//
//   force = gain · u + bias,   gain = g0 + g1 l + g2 l̇,   bias = b0 + b1 l + b2 l̇,   l = gear · coordinate
//
// The force on the coordinate is gear times that. u is the input within its range, or what a filter makes of
// it. The kinds are names for choices of g, b and the filter.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/import/mjcf.h"

namespace trammel::model {
namespace {

// In a default class all kinds share what they are given.
constexpr std::array<const char*, 13> kActuatorTags = {
    "general", "motor",    "position", "velocity", "intvelocity", "damper", "cylinder",
    "muscle",  "adhesion", "dcmotor",  "pid",      "orientation", "plugin"};

struct ActuatorLaw {
  Vec3 gain = Vec3::Zero(), bias = Vec3::Zero();
  std::string filter;  // as in RobotActuator
};

std::string filter_of(double time_constant) {
  return time_constant > 0 ? fmt::format("({{u}} - {{x}})/{}", time_constant) : "";
}

Vec3 first_three(const std::optional<std::vector<double>>& given, const Vec3& otherwise) {
  if (!given) return otherwise;
  Vec3 values = Vec3::Zero();
  for (std::size_t i = 0; i < std::min<std::size_t>(3, given->size()); ++i)
    values[static_cast<int>(i)] = (*given)[i];
  return values;
}

// A sum of terms that are not zero: "2 + 3*{q}"; empty: zero.
std::string sum_text(const std::array<std::pair<double, std::string>, 4>& terms) {
  std::string text;
  for (const auto& [factor, of] : terms) {
    if (factor == 0) continue;
    if (!text.empty()) text += " + ";
    text += of.empty() ? fmt::format("({})", factor) : factor == 1 ? of : fmt::format("({})*{}", factor, of);
  }
  return text;
}

class MjcfActuators {
 public:
  explicit MjcfActuators(Mjcf& mjcf) : mjcf_(mjcf), reader_(mjcf.reader), robot_(mjcf.robot) {}

  void read() {
    for (XmlNode* node : mjcf_.in_sections("actuator")) {
      ForeignReader::use(*node);
      if (!mjcf_.settings.actuation) {
        ForeignReader::ignore(*node, "actuation is disabled");
        continue;
      }
      read_actuator(mjcf_.classes.element(reader_, *node, "", kActuatorTags));
    }
  }

 private:
  void read_actuator(const MjcfElement& e) {
    const auto law = law_of(e);
    if (!law)
      return ForeignReader::ignore(e.node(), fmt::format("actuators of kind {} are not known", e.node().name),
                                   true);
    RobotActuator actuator{.name = e.text("name", ""), .node = &e.node()};
    const auto gear = e.numbers("gear", 1, 6);
    if (!attach(e, gear, actuator)) return;
    if (actuator.name.empty()) actuator.name = fmt::format("actuator_{}", e.node().line);
    for (const char* key : {"armature", "damping"})
      if (first_coefficient(e, key) != 0) e.ignore(key, "not known of actuators: give it to the joint", true);
    actuator.filter = law->filter;
    actuator.law = text_of(e, *law, actuator.at.empty() && gear ? gear->front() : 1);
    if (!actuator.filter.empty())
      actuator.filter =
          fmt::format(fmt::runtime(actuator.filter), fmt::arg("u", input_text(e)), fmt::arg("x", "{x}"));
    robot_.actuators.push_back(std::move(actuator));
  }

  // What it acts on; false: nothing that is known.
  bool attach(const MjcfElement& e, const std::optional<std::vector<double>>& gear, RobotActuator& to) {
    for (const char* key : {"joint", "jointinparent"})
      if (e.node().attribute(key) != nullptr) return attach_joint(e, key, to);
    if (e.node().attribute("tendon") != nullptr) return attach_tendon(e, to);
    if (e.node().attribute("site") != nullptr && e.node().attribute("refsite") == nullptr) {
      const auto site = mjcf_.sites.find(e.text("site", ""));
      if (site == mjcf_.sites.end()) return is_missing(e, "site");
      to.at = {site->second};
      const std::vector<double> g = gear.value_or(std::vector<double>{1});
      for (std::size_t i = 0; i < g.size(); ++i)
        (i < 3 ? to.force : to.torque)[static_cast<int>(i % 3)] = g[i];
      return true;
    }
    ForeignReader::ignore(e.node(), "what it acts on is not known", true);
    return false;
  }

  bool is_missing(const MjcfElement& e, const std::string& attribute) {
    e.refuse(attribute,
             fmt::format("{}: there is no {} '{}'", xml_label(e.node()), attribute, e.text(attribute, "")),
             "name one of this file");
    return false;
  }

  bool attach_joint(const MjcfElement& e, const std::string& key, RobotActuator& to) {
    const std::string name = e.text(key, "");
    const auto joint = mjcf_.joints.find(name);
    if (joint == mjcf_.joints.end()) {
      ForeignReader::ignore(e.node(), fmt::format("'{}' is no hinge or slide of this file", name), true);
      return false;
    }
    to.along = {{joint->second, 1}};
    if (to.name.empty()) to.name = name + "_drive";
    return true;
  }

  bool attach_tendon(const MjcfElement& e, RobotActuator& to) {
    const auto tendon = mjcf_.tendons.find(e.text("tendon", ""));
    if (tendon == mjcf_.tendons.end()) return is_missing(e, "tendon");
    if (!tendon->second.unknown.empty()) {
      ForeignReader::ignore(e.node(), tendon->second.unknown, true);
      return false;
    }
    to.along = tendon->second.terms;
    to.between = tendon->second.legs;
    return true;
  }

  // g, b and the filter; none: a kind that is not known.
  std::optional<ActuatorLaw> law_of(const MjcfElement& e) {
    const std::string& kind = e.node().name;
    if (kind == "motor") return ActuatorLaw{Vec3::UnitX(), Vec3::Zero(), ""};
    if (kind == "position") {
      const double kp = e.number("kp", 1);
      e.ignore("dampratio", "it means a damping by the inertia at the start: give kv instead", true);
      return ActuatorLaw{{kp, 0, 0}, {0, -kp, -e.number("kv", 0)}, filter_of(e.number("timeconst", 0))};
    }
    if (kind == "velocity") {
      const double kv = e.number("kv", 1);
      return ActuatorLaw{{kv, 0, 0}, {0, 0, -kv}, ""};
    }
    if (kind == "intvelocity") {
      const double kp = e.number("kp", 1);
      return ActuatorLaw{{kp, 0, 0}, {0, -kp, -e.number("kv", 0)}, "{u}"};
    }
    if (kind == "damper") return ActuatorLaw{{0, 0, -e.number("kv", 1)}, Vec3::Zero(), ""};
    if (kind == "cylinder") {
      const double d = e.number("diameter", 0), pi = 3.141592653589793;
      return ActuatorLaw{{d > 0 ? pi / 4 * d * d : e.number("area", 1), 0, 0},
                         e.vector("bias", Vec3::Zero()),
                         filter_of(e.number("timeconst", 1))};
    }
    return kind == "general" ? general_law(e) : std::nullopt;
  }

  std::optional<ActuatorLaw> general_law(const MjcfElement& e) {
    const std::string dynamics = e.text("dyntype", "none"), gain = e.text("gaintype", "fixed"),
                      bias = e.text("biastype", "none");
    ActuatorLaw law;
    law.gain = first_three(e.numbers("gainprm", 1, 30), Vec3::UnitX());
    if (gain == "fixed") law.gain.tail<2>().setZero();
    const Vec3 given = first_three(e.numbers("biasprm", 1, 30), Vec3::Zero());
    if (bias == "affine") law.bias = given;
    const double time_constant = first_three(e.numbers("dynprm", 1, 30), Vec3::UnitX()).x();
    if (dynamics == "integrator") law.filter = "{u}";
    if (dynamics == "filter" || dynamics == "filterexact") law.filter = filter_of(time_constant);
    const bool is_known = (gain == "fixed" || gain == "affine") && (bias == "none" || bias == "affine") &&
                          (dynamics == "none" || !law.filter.empty());
    return is_known ? std::optional(law) : std::nullopt;
  }

  // The input within its range.
  std::string input_text(const MjcfElement& e) { return clamped(e, "ctrllimited", "ctrlrange", "{u}"); }

  std::string clamped(const MjcfElement& e, const char* limited, const char* range, const std::string& text) {
    if (!mjcf_.is_limited(e, limited, range)) return text;
    const auto values = e.numbers(range, 2, 2);
    return values ? fmt::format("clamp({}, {}, {})", text, (*values)[0], (*values)[1]) : text;
  }

  std::string text_of(const MjcfElement& e, const ActuatorLaw& law, double gear) {
    const auto geared = [&](const char* what) {
      return gear == 1 ? std::string(what) : fmt::format("({}*{})", gear, what);
    };
    const std::string l = geared("{q}"), rate = geared("{v}");
    const std::string u = law.filter.empty() ? input_text(e) : "{u}";
    const bool is_fixed = law.gain.tail<2>().isZero(0);
    const std::string gain =
        is_fixed
            ? ""
            : fmt::format("({})", sum_text({{{law.gain[0], ""}, {law.gain[1], l}, {law.gain[2], rate}, {}}}));
    const std::string driven = is_fixed ? u : fmt::format("{}*{}", gain, u);
    std::string text = sum_text(
        {{{is_fixed ? law.gain[0] : 1, driven}, {law.bias[0], ""}, {law.bias[1], l}, {law.bias[2], rate}}});
    if (text.empty()) text = "0";
    text = clamped(e, "forcelimited", "forcerange", text);
    return gear == 1 ? text : fmt::format("({})*({})", gear, text);
  }

  Mjcf& mjcf_;
  ForeignReader& reader_;
  Robot& robot_;
};

}  // namespace

void read_mjcf_actuators(Mjcf& mjcf) { MjcfActuators(mjcf).read(); }

}  // namespace trammel::model
