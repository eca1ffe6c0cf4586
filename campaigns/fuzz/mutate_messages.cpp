#include "mutate_messages.h"

#include <sstream>

#include "mechanism/force_kinds.h"
#include "mechanism/joint_kinds.h"
#include "messages.h"
#include "mutate_model.h"
#include "trammel/methods.h"
#include "tree_mutator.h"

namespace trammel::fuzz {
namespace {

// One of each command of docs/live-protocol.md.
const char* const kCommands[] = {
    R"json({"do": "pull", "body": "outer", "at": [1, 0, 0], "target": [1, 1, 0]})json",
    R"json({"do": "pull", "name": "p", "body": "inner", "target": [0, 1, 0], "stiffness": 10, "damping": 1, "hold": true})json",
    R"json({"do": "release"})json",
    R"json({"do": "release", "name": "p"})json",
    R"json({"do": "add-joint", "joint": {"kind": "pin", "markers": [{"body": "outer", "at": [1, 0, 0]}, {"body": "ground", "at": [2, 0, 0], "world": true}]}})json",
    R"json({"do": "add-joint", "joint": {"name": "g", "kind": "gear", "of": ["axle", "A"], "value": 2}})json",
    R"json({"do": "add-joint", "joint": {"kind": "velocity", "of": ["axle.rate"], "law": ["1", "t"]}})json",
    R"json({"do": "remove-joint", "name": "A"})json",
    R"json({"do": "retype-joint", "name": "axle", "kind": "fixed", "axis": [0, 0, 1]})json",
    R"json({"do": "add-body", "body": {"name": "b", "kind": "rigid", "mass": 1, "inertia": 1, "at": [1, 1, 0], "points": {"tip": [1, 0, 0]}}})json",
    R"json({"do": "add-body", "body": {"kind": "rod", "length": 0.5, "mass": 1, "at": [0, 1, 0], "angle": 1, "velocity": [1, 0, 0]}})json",
    R"json({"do": "remove-body", "name": "outer"})json",
    R"json({"do": "add-force", "force": {"kind": "spring", "a": {"body": "inner"}, "b": {"body": "ground", "at": [0, 1, 0]}, "stiffness": 10}})json",
    R"json({"do": "add-force", "force": {"kind": "joint-spring", "joint": "A", "law": "A.angle^3"}})json",
    R"json({"do": "add-force", "force": {"kind": "friction", "joint": "axle", "coulomb": 1, "viscous": 1}})json",
    R"json({"do": "add-force", "force": {"kind": "bushing", "a": {"body": "inner"}, "b": {"body": "wheel"}, "stiffness": [1, 1, 1], "damping": [1, 1, 1]}})json",
    R"json({"do": "add-force", "force": {"kind": "torque", "body": "wheel", "components": ["sin(t)"], "body-fixed": true}
})json",
    R"json({"do": "remove-force", "name": "spring"})json",
    R"json({"do": "add-driver", "driver": {"kind": "joint", "of": "O", "equals": ["t"], "of-speed": true}})json",
    R"json({"do": "add-driver", "driver": {"kind": "distance", "markers": [{"body": "outer"}, {"body": "ground"}], "hold": true}})json",
    R"json({"do": "remove-driver", "name": "motor"})json",
    R"json({"do": "set-parameter", "name": "L", "value": 1.1})json",
    R"json({"do": "set-gravity", "value": [0, 9.81, 0]})json",
    R"json({"do": "set-step", "value": 0.001})json",
    R"json({"do": "set-plan", "formulation": "lagrange", "integrator": "rk4", "coordinates": "relative", "tolerance": 1e-4})json",
    R"json({"do": "set-value", "path": "bodies.inner.mass", "value": 2})json",
    R"json({"do": "set-value", "path": "drivers.motor.equals.0", "value": "sin(t)"
})json",
    R"json({"do": "set-value", "path": "stops.limit.upper", "value": 0.1})json",
    R"json({"do": "set-input", "name": "u", "value": 5})json",
    R"json({"do": "undo"})json",
    R"json({"do": "redo"})json",
    R"json({"do": "reset"})json",
    R"json({"do": "step", "count": 3})json",
    R"json({"do": "resume"})json",
    R"json({"do": "speed", "value": 2})json",
    R"json({"do": "subscribe", "signals": ["A.angle", "A.force.x", "energy.kinetic", "violation.position"]})json",
    R"json({"do": "frames", "rate": 60})json",
    R"json({"do": "save", "path": "saved.yaml", "now": true, "replace": true})json",
    R"json({"do": "journal"})json",
    R"json({"do": "open-model", "path": "saved.yaml"})json",
    R"json({"do": "describe"})json"};

Vocabulary message_vocabulary() {
  Vocabulary v;
  for (const char* command : kCommands) {
    v.parts.push_back(Tree::parse(command));
    std::vector<std::string> keys;
    for (const auto& [key, value] : v.parts.back().items()) {
      keys.push_back(key);
      if (key == "do") v.words.push_back(value);
      if (value.is_object()) {
        std::vector<std::string> inner;
        for (const auto& [field, any] : value.items()) inner.push_back(field);
        v.key_groups.push_back(inner);
      }
    }
    v.key_groups.push_back(keys);
  }
  for (const auto& kind : mechanism::joint_kinds()) v.words.emplace_back(kind.name);
  for (const auto& kind : mechanism::force_kinds()) v.words.emplace_back(kind.name);
  v.words.insert(v.words.end(), kFormulationNames.begin(), kFormulationNames.end());
  v.words.insert(v.words.end(), kIntegratorNames.begin(), kIntegratorNames.end());
  v.words.insert(v.words.end(), kCoordinatesNames.begin(), kCoordinatesNames.end());
  v.words.insert(v.words.end(), {"ground",
                                 "inner",
                                 "outer",
                                 "wheel",
                                 "axle",
                                 "A",
                                 "O",
                                 "motor",
                                 "spring",
                                 "push",
                                 "limit",
                                 "rigid",
                                 "rod",
                                 "point-mass",
                                 "body-angle",
                                 "position",
                                 "distance",
                                 "plan.step",
                                 "bodies.wheel.inertia.zz",
                                 "bodies.outer.length",
                                 "parameters.L",
                                 "joints.A.markers.0.at.x",
                                 "forces.push.components.0",
                                 "inputs.u.value",
                                 "gravity.y"});
  return v;
}

}  // namespace

std::string mutated_messages(const std::string& text, unsigned seed) try {
  static const Vocabulary kVocabulary = message_vocabulary();
  TreeMutator mutator(kVocabulary, seed);
  std::vector<std::string> lines = lines_of(text);
  const std::size_t k = mutator.below(lines.size());
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(k);
  const std::string command = kVocabulary.parts[mutator.below(kVocabulary.parts.size())].dump();
  if (lines.empty() || mutator.below(5) == 0) {
    lines.insert(place, command);
  } else if (mutator.below(10) == 0) {
    lines.erase(place);
  } else if (mutator.below(10) == 0) {
    std::swap(lines[k], lines[mutator.below(lines.size())]);
  } else if (Tree line = Tree::parse(lines[k], nullptr, false); !line.is_discarded()) {
    if (line.is_object() && line.contains("text") && line["text"].is_string() && mutator.below(2) == 0)
      line["text"] = mutated_model(line["text"], seed);
    else
      mutator.mutate(line);
    lines[k] = line.dump();
  } else {
    lines[k] = command;
  }
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
} catch (const Tree::exception&) {  // texts that JSON cannot say
  return text;
}

}  // namespace trammel::fuzz
