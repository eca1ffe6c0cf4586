// The keys of each part of the model file.
#include "model/reader/keys.h"

#include <algorithm>
#include <stdexcept>

#include "mechanism/force_kinds.h"
#include "mechanism/joint_kinds.h"
#include "simulation/plan_options.h"

namespace trammel::model {

namespace {

// The keys of a kind of joint or force, from its table.
KeyGroup kind_group(const std::string& title, const std::string& family,
                    const std::vector<mechanism::KindField>& fields) {
  KeyGroup group{title, family, {}};
  for (const mechanism::KindField& field : fields) group.keys.emplace_back(field.key);
  group.keys.emplace_back("for");
  return group;
}

std::vector<KeyGroup> all_groups() {
  std::vector<KeyGroup> groups = {
      {"model", "model", {"trammel",     "name",    "plane",   "gravity",   "parameters",  "functions",
                          "define",      "points",  "bodies",  "joints",    "drivers",     "forces",
                          "coordinates", "mass",    "applied", "potential", "constraints", "states",
                          "inputs",      "initial", "stops",   "simulate",  "outputs",     "subsystems",
                          "sweep",       "ground"}},
      // Read by trammel sweep (src/sweep/section.cpp).
      {"sweep", "sweep", {"vary", "table", "sample", "runs", "design", "seed", "observe", "verify"}},
      {"function",
       "functions",
       {"spline", "table", "file", "columns", "units", "filter", "shape", "slopes", "for"}},
      {"point", "points", {"at", "on", "for"}},
      {"place", "place", {"body", "at"}},

      {"rod",
       "bodies",
       {"rod", "mass", "length", "points", "vectors", "carries", "free", "drawn", "colour", "for"}},
      {"point mass", "bodies", {"point", "mass", "free", "drawn", "colour", "for"}},
      {"rigid body", "bodies", {"mass",    "inertia", "com",   "shape", "size",      "radius",      "length",
                                "radii",   "from",    "to",    "width", "thickness", "file",        "density",
                                "scale",   "center",  "axis",  "at",    "angle",     "orientation", "points",
                                "vectors", "carries", "rotor", "free",  "drawn",     "colour",      "for"}},
      {"drawn shape",
       "drawn",
       {"shape", "size", "radius", "length", "radii", "from", "to", "width", "thickness", "file", "scale",
        "center", "axis", "angle", "orientation", "colour"}},
      {"ground", "ground", {"drawn"}},
      {"inertia", "inertia", {"xx", "yy", "zz", "xy", "xz", "yz"}},
      {"orientation", "orientation", {"axis", "angle", "euler-xyz", "quaternion", "x", "y"}},
      {"rotor", "rotor", {"axis", "inertia", "speed"}},

      {"angle driver", "drivers", {"angle", "equals", "for"}},
      {"joint driver", "drivers", {"joint", "equals", "for"}},
      {"distance driver", "drivers", {"distance", "equals", "for"}},
      {"position driver", "drivers", {"position", "equals", "for"}},
      {"speed driver", "drivers", {"speed", "equals", "for"}},

      {"subsystem", "subsystems", {"bodies", "coordinates", "formulation", "integrator", "substeps", "for"}},
      {"subsystem integrator", "subsystem integrator", {"newmark"}},

      {"stop", "stops", {"joint", "coordinate", "lower", "upper", "restitution", "for"}},

      {"coordinate", "coordinates", {"start", "rate", "for"}},
      {"mass entry", "mass", {"value", "for"}},
      {"applied force", "applied", {"value", "for"}},
      {"constraint", "constraints", {"value", "for"}},

      {"state", "states", {"derivative", "initial", "for"}},
      {"initial conditions",
       "initial",
       {"angle", "displacement", "velocity", "angular-velocity", "speed", "for"}},
  };
  for (const mechanism::JointInfo& kind : mechanism::joint_kinds())
    if (!kind.fields.empty()) groups.push_back(kind_group(kind.title(), "joints", kind.fields));
  for (const mechanism::ForceInfo& kind : mechanism::force_kinds())
    if (!kind.fields.empty()) groups.push_back(kind_group(kind.name, "forces", kind.fields));
  // those of the plan come from its options
  for (const std::string& group : simulation::option_groups())
    groups.push_back({group, group, simulation::option_keys(group)});
  return groups;
}

}  // namespace

const std::vector<KeyGroup>& key_groups() {
  static const std::vector<KeyGroup> kGroups = all_groups();
  return kGroups;
}

const KeyGroup& key_group(const std::string& name) {
  const auto& groups = key_groups();
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const KeyGroup& g) { return g.name == name; });
  if (found == groups.end()) throw std::logic_error("no key group " + name);
  return *found;
}

std::vector<std::string> family_keys(const std::string& family) {
  std::vector<std::string> keys;
  for (const KeyGroup& group : key_groups()) {
    if (group.family != family) continue;
    for (const std::string& key : group.keys) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace trammel::model
