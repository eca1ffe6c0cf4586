// A name is used once in a mechanism; only a shared point and its pin have one name.
#include <fmt/format.h>

#include <unordered_set>

#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

class NameCheck {
 public:
  explicit NameCheck(Issues& issues) : issues_(issues) {}

  void add(const std::string& name, const std::string& what, const Source& where) {
    if (name.empty() || name == kGround) {
      issues_.push_back({where, "", fmt::format("'{}' cannot name a {}", name, what), "choose another name"});
      return;
    }
    const auto [known, is_new] = names_.emplace(name, what);
    if (is_new) return;
    issues_.push_back({where, "", fmt::format("'{}' is already the name of a {}", name, known->second),
                       "use a name once in a model, so that expressions are clear"});
  }

 private:
  Issues& issues_;
  std::unordered_map<std::string, std::string> names_;
};

}  // namespace

void validate_names(const Mechanism& mechanism, Issues& issues) {
  NameCheck names(issues);
  for (const auto& [name, value] : mechanism.parameters) names.add(name, "parameter", {});
  for (const TableFunction& f : mechanism.functions) names.add(f.name, "function", f.where);
  for (const Definition& one : mechanism.definitions) names.add(one.name, "definition", one.where);
  for (const Point& point : mechanism.points) names.add(point.name, "point", point.where);
  for (const Body& body : mechanism.bodies) names.add(body.name, "body", body.where);
  std::unordered_set<std::string> points;
  for (const Point& point : mechanism.points) points.insert(point.name);
  for (const Joint& joint : mechanism.joints) {
    const bool is_points_own = joint.kind == Joint::Kind::pin && points.erase(joint.name) > 0;
    if (!is_points_own) names.add(joint.name, "joint", joint.where);
  }
  for (const Driver& driver : mechanism.drivers) names.add(driver.name, "driver", driver.where);
  for (const EndStop& stop : mechanism.stops) names.add(stop.name, "stop", stop.where);
  for (const Force& force : mechanism.forces) names.add(force.name, "force", force.where);
  for (const CustomConstraint& custom : mechanism.constraints) names.add(custom.name, "constraint", {});
  if (mechanism.generalized) {
    for (const auto& q : mechanism.generalized->coordinates) names.add(q.name, "coordinate", q.where);
    for (const auto& phi : mechanism.generalized->constraints) names.add(phi.name, "constraint", phi.where);
  }
  for (const AuxiliaryState& state : mechanism.states) names.add(state.name, "state", state.where);
  for (const Input& input : mechanism.inputs) names.add(input.name, "input", {});
}

}  // namespace trammel::mechanism
