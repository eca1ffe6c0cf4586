#include "mechanism/validate.h"

#include <fmt/format.h>

#include <cmath>

#include "expressions/builtins.h"
#include "mechanism/functions.h"
#include "mechanism/validate_parts.h"

namespace trammel {
namespace {

void validate_model(const Mechanism& mechanism, mechanism::Issues& issues) {
  if (mechanism.bodies.empty() && !mechanism.generalized) {
    issues.push_back({{}, "bodies", "the mechanism has no bodies", "add one under `bodies:`", true});
  }
  if (!mechanism.gravity.allFinite()) {
    issues.push_back({{}, "gravity", "gravity is not finite", "give finite numbers"});
  }
  if (mechanism.is_planar && mechanism.gravity.z() != 0) {
    issues.push_back(
        {{}, "gravity", "gravity leaves the plane of the mechanism", "set its z component to zero"});
  }
  for (const auto& [name, value] : mechanism.parameters) {
    if (std::isfinite(value)) continue;
    issues.push_back({{}, name, fmt::format("parameter '{}' is not finite", name), "give a finite number"});
  }
}

// Whether all functions can be made, so that expressions can be checked.
bool validate_functions(const Mechanism& mechanism, mechanism::Issues& issues) {
  const std::size_t before = issues.size();
  for (const TableFunction& f : mechanism.functions) {
    if (expressions::find_builtin(f.name) != nullptr) {
      issues.push_back(
          {f.where, "", fmt::format("'{}' is a built-in function", f.name), "choose another name"});
    }
    bool is_ordered = f.x.size() >= 2 && f.x.size() == f.y.size();
    for (std::size_t i = 0; is_ordered && i < f.x.size(); ++i) {
      is_ordered = std::isfinite(f.x[i]) && std::isfinite(f.y[i]) && (i == 0 || f.x[i] > f.x[i - 1]);
    }
    if (is_ordered) {
      try {
        mechanism::function_of(f);
      } catch (const std::invalid_argument& wrong) {
        issues.push_back({f.where, "", fmt::format("function '{}': {}", f.name, wrong.what()), ""});
      }
      continue;
    }
    issues.push_back({f.where, "",
                      fmt::format("function '{}' needs two points or more, x increasing", f.name),
                      "order the points by x, each x once"});
  }
  return issues.size() == before;
}

}  // namespace

mechanism::MechanismIndex::MechanismIndex(const Mechanism& mechanism) {
  for (const Body& body : mechanism.bodies) bodies.emplace(body.name, &body);
  for (const Joint& joint : mechanism.joints) joints.emplace(joint.name, &joint);
}

std::vector<Issue> validate(const Mechanism& mechanism) {
  mechanism::Issues issues;
  const mechanism::MechanismIndex index(mechanism);
  validate_model(mechanism, issues);
  const bool functions_are_sound = validate_functions(mechanism, issues);
  mechanism::validate_names(mechanism, issues);
  mechanism::validate_bodies(mechanism, issues);
  mechanism::validate_joints(mechanism, index, issues);
  mechanism::validate_stops(mechanism, index, issues);
  mechanism::validate_subsystems(mechanism, index, issues);
  mechanism::validate_forces(mechanism, index, issues);
  mechanism::validate_own_constraints(mechanism, index, issues);
  if (functions_are_sound) mechanism::validate_expressions(mechanism, issues);
  mechanism::validate_connections(mechanism, issues);
  if (mechanism.generalized && functions_are_sound) mechanism::validate_generalized(mechanism, issues);
  return issues;
}

}  // namespace trammel
