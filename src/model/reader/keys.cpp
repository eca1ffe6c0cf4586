// The keys of each part of the model file.
#include "model/reader/keys.h"

#include <algorithm>
#include <stdexcept>

#include "simulation/plan_options.h"

namespace trammel {

namespace {

std::vector<KeyGroup> groups_of_mechanisms() {
  return {
      {"model", "model", {"trammel", "name",    "plane",     "gravity",     "parameters", "functions",
                          "points",  "bodies",  "joints",    "drivers",     "forces",     "coordinates",
                          "mass",    "applied", "potential", "constraints", "states",     "inputs",
                          "initial", "stops",   "simulate",  "outputs",     "subsystems"}},
      {"function", "functions", {"spline", "table", "for"}},
      {"point", "points", {"at", "on", "for"}},
      {"place", "place", {"body", "at"}},

      {"rod", "bodies", {"rod", "mass", "length", "points", "vectors", "carries", "free", "for"}},
      {"point mass", "bodies", {"point", "mass", "free", "for"}},
      {"rigid body",
       "bodies",
       {"mass", "inertia", "com", "at", "angle", "orientation", "points", "vectors", "carries", "rotor",
        "free", "for"}},
      {"inertia", "inertia", {"xx", "yy", "zz", "xy", "xz", "yz"}},
      {"orientation", "orientation", {"axis", "angle", "euler-xyz", "quaternion", "x", "y"}},
      {"rotor", "rotor", {"axis", "inertia", "speed"}},

      {"revolute joint", "joints", {"revolute", "at", "axis", "coordinate", "for"}},
      {"prismatic joint", "joints", {"prismatic", "at", "axis", "coordinate", "for"}},
      {"cylindrical joint", "joints", {"cylindrical", "at", "axis", "for"}},
      {"universal joint", "joints", {"universal", "at", "axes", "for"}},
      {"spherical joint", "joints", {"spherical", "at", "for"}},
      {"planar joint", "joints", {"planar", "at", "normal", "for"}},
      {"fixed joint", "joints", {"fixed", "at", "for"}},
      {"distance joint", "joints", {"distance", "length", "for"}},
      {"point-on-line joint", "joints", {"point-on-line", "through", "along", "of", "for"}},
      {"point-on-plane joint", "joints", {"point-on-plane", "through", "normal", "of", "for"}},
      {"gear", "joints", {"gear", "ratio", "for"}},
      {"screw", "joints", {"screw", "pitch", "for"}},
      {"rack", "joints", {"rack", "radius", "for"}},
      {"knife-edge joint", "joints", {"knife-edge", "at", "along", "across", "on", "for"}},
      {"rolling joint",
       "joints",
       {"rolling", "radius", "center", "axis", "on", "through", "normal", "along", "contact", "friction",
        "when-lost", "for"}},
      {"pursuit joint", "joints", {"pursuit", "for"}},
      {"velocity joint", "joints", {"velocity", "equals", "for"}},

      {"angle driver", "drivers", {"angle", "equals", "for"}},
      {"joint driver", "drivers", {"joint", "equals", "for"}},
      {"distance driver", "drivers", {"distance", "equals", "for"}},
      {"position driver", "drivers", {"position", "equals", "for"}},
      {"speed driver", "drivers", {"speed", "equals", "for"}},

      {"subsystem", "subsystems", {"bodies", "coordinates", "formulation", "integrator", "substeps", "for"}},
      {"subsystem integrator", "subsystem integrator", {"newmark"}},

      {"stop", "stops", {"joint", "coordinate", "lower", "upper", "restitution", "for"}},

      {"spring", "forces", {"spring", "stiffness", "length", "damping", "preload", "tension", "for"}},
      {"joint-spring",
       "forces",
       {"joint-spring", "stiffness", "free", "damping", "preload", "torque", "force", "for"}},
      {"friction", "forces", {"friction", "coulomb", "viscous", "transition", "for"}},
      {"force", "forces", {"force", "at", "axes", "for"}},
      {"torque", "forces", {"torque", "on", "axes", "for"}},
      {"bushing", "forces", {"bushing", "at", "stiffness", "damping", "for"}},

      {"coordinate", "coordinates", {"start", "rate", "for"}},
      {"mass entry", "mass", {"value", "for"}},
      {"applied force", "applied", {"value", "for"}},
      {"constraint", "constraints", {"value", "for"}},

      {"state", "states", {"derivative", "initial", "for"}},
      {"initial conditions", "initial", {"velocity", "angular-velocity", "speed", "for"}},
  };
}

}  // namespace

// Those of the plan come from its options.
const std::vector<KeyGroup>& key_groups() {
  static const std::vector<KeyGroup> kGroups = [] {
    std::vector<KeyGroup> all = groups_of_mechanisms();
    for (const std::string& group : option_groups()) all.push_back({group, group, option_keys(group)});
    return all;
  }();
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

}  // namespace trammel
