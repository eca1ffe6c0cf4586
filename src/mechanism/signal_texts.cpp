// Names that stand for texts of other signals: the forces of springs, motors and loads, angular velocities
// and accelerations. As texts they have exact derivatives, and forces that need each other are circles.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mechanism/belts.h"
#include "mechanism/signals.h"

namespace trammel::mechanism {
namespace {

// Columns of forces.
constexpr std::string_view kForceColumn = "force", kTorqueColumn = "torque";

constexpr std::array<const char*, 3> kComponentNames = {"x", "y", "z"};

// The law of a force as a text, in the sense of its column. component: empty for a scalar.
class LawText {
 public:
  LawText(const Mechanism& mechanism, const Force& force, std::string quantity, const std::string& component)
      : mechanism_(mechanism), name_(force.name), quantity_(std::move(quantity)) {
    const auto found = std::ranges::find(kComponentNames, component);
    axis_ = component.empty()                ? -1
            : found == kComponentNames.end() ? 3
                                             : static_cast<int>(found - kComponentNames.begin());
  }

  std::optional<std::string> operator()(const SpringDamper& law) const {
    if (axis_ >= 0 || quantity_ != kForceColumn) return std::nullopt;
    if (!law.law.empty()) return law.law;
    return fmt::format("{:.17g} + {:.17g}*({}.length - {:.17g}) + {:.17g}*{}.rate", law.preload,
                       law.stiffness, name_, law.length, law.damping, name_);
  }
  std::optional<std::string> operator()(const JointSpring& law) const {
    if (!is_of(law.joint)) return std::nullopt;
    if (!law.law.empty()) return law.law;
    return fmt::format("{:.17g} + {:.17g}*({}.{} - {:.17g}) + {:.17g}*{}.rate", law.preload, law.stiffness,
                       law.joint, quantity_ == kTorqueColumn ? "angle" : "displacement", law.free,
                       law.damping, law.joint);
  }
  std::optional<std::string> operator()(const Tendon& law) const {
    if (axis_ >= 0 || quantity_ != kForceColumn) return std::nullopt;
    std::string length, rate;
    for (const Tendon::Term& term : law.terms) {
      const Joint* joint = mechanism_.joint(term.joint);
      if (joint == nullptr) return std::nullopt;
      const char* coordinate = has_angle(mechanism_, *joint) ? "angle" : "displacement";
      length += fmt::format(" + {:.17g}*{}.{}", term.coefficient, term.joint, coordinate);
      rate += fmt::format("{}{:.17g}*{}.rate", rate.empty() ? "" : " + ", term.coefficient, term.joint);
    }
    return fmt::format("{:.17g} + {:.17g}*({:.17g}{}) + {:.17g}*({})", law.preload, law.stiffness, -law.free,
                       length, law.damping, rate);
  }
  std::optional<std::string> operator()(const JointFriction& law) const {
    if (!is_of(law.joint)) return std::nullopt;
    return fmt::format("-({:.17g}*tanh({}.rate/{:.17g}) + {:.17g}*{}.rate)", law.coulomb, law.joint,
                       law.transition, law.viscous, law.joint);
  }
  // Its effort is that of a constraint while it sticks.
  std::optional<std::string> operator()(const DryFriction&) const { return std::nullopt; }
  std::optional<std::string> operator()(const Motor& law) const {
    if (axis_ >= 0 || quantity_ != (law.turns ? kTorqueColumn : kForceColumn)) return std::nullopt;
    return law.law;
  }
  std::optional<std::string> operator()(const AppliedForce& law) const {
    return quantity_ == kForceColumn ? component_of(law.components, axis_) : std::nullopt;
  }
  std::optional<std::string> operator()(const AppliedTorque& law) const {
    const int k = mechanism_.is_planar ? (axis_ == 2 ? 0 : -1) : axis_;
    return quantity_ == kTorqueColumn ? component_of(law.components, k) : std::nullopt;
  }
  std::optional<std::string> operator()(const Bushing&) const { return std::nullopt; }
  std::optional<std::string> operator()(const ElasticBelt& law) const {
    if (axis_ >= 0) return std::nullopt;
    if (quantity_ == "tension") return law.law;
    const bool rate = quantity_ == "rate";
    if (rate || quantity_ == "stretch") return stretch_text(name_, law.pulleys, rate);
    return std::nullopt;
  }
  std::optional<std::string> operator()(const UserForcePtr&) const { return std::nullopt; }

 private:
  bool is_of(const std::string& joint) const {
    const Joint* of = mechanism_.joint(joint);
    return axis_ < 0 && of != nullptr &&
           quantity_ == (has_angle(mechanism_, *of) ? kTorqueColumn : kForceColumn);
  }
  static std::optional<std::string> component_of(const std::vector<std::string>& all, int k) {
    if (k < 0 || static_cast<std::size_t>(k) >= all.size()) return std::nullopt;
    return all[static_cast<std::size_t>(k)].empty() ? "0" : all[static_cast<std::size_t>(k)];
  }

  const Mechanism& mechanism_;
  std::string name_, quantity_;
  int axis_ = -1;  // −1: none, 3: no axis
};

// ω and α in world axes of what a body shows: ½ Σ e_k × ė_k, and with ë_k; of a rod e × ė.
std::string turning_text(const std::string& body, int axes, int axis, char derivative) {
  const char *i = kComponentNames[static_cast<std::size_t>((axis + 1) % 3)],
             *j = kComponentNames[static_cast<std::size_t>((axis + 2) % 3)];
  std::string text;
  for (int k = 0; k < axes; ++k) {
    const std::string e = body + ".e" + kComponentNames[static_cast<std::size_t>(k)];
    text += fmt::format("{}{}.{}*{}.{}{} - {}.{}*{}.{}{}", k == 0 ? "" : " + ", e, i, e, derivative, j, e, j,
                        e, derivative, i);
  }
  return axes == 1 ? text : "0.5*(" + text + ")";
}

}  // namespace

std::optional<std::string> expand_signal(const Mechanism& mechanism, const std::string& name) {
  const std::size_t first = name.find('.');
  if (first == std::string::npos) return std::nullopt;
  const std::string object = name.substr(0, first), rest = name.substr(first + 1);
  const std::size_t second = rest.find('.');
  const std::string quantity = rest.substr(0, second),
                    component = second == std::string::npos ? "" : rest.substr(second + 1);
  for (const Force& force : mechanism.forces)
    if (force.name == object) return std::visit(LawText(mechanism, force, quantity, component), force.law);
  const Body* body = mechanism.body(object);
  if (body == nullptr || (quantity != "omega" && quantity != "alpha")) return std::nullopt;
  const int axes = shown_axes(mechanism, *body);
  if (mechanism.is_planar)
    return axes > 0 && quantity == "omega" && component.empty() ? std::optional(object + ".rate")
                                                                : std::nullopt;
  const auto axis = std::ranges::find(kComponentNames, component);
  if (axes == 0 || axis == kComponentNames.end()) return std::nullopt;
  return turning_text(object, axes, static_cast<int>(axis - kComponentNames.begin()),
                      quantity == "omega" ? 'v' : 'a');
}

}  // namespace trammel::mechanism
