#include "mechanism/joint_names.h"

namespace trammel {

std::string to_string(Joint::Kind kind) {
  static constexpr const char* kNames[] = {
      "pin",        "revolute",       "prismatic",     "cylindrical",    "universal", "spherical", "planar",
      "fixed",      "distance",       "point-on-line", "point-on-plane", "gear",      "screw",     "rack",
      "knife-edge", "velocity-along", "rolling",       "rolling-disk",   "pursuit",   "velocity"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace trammel
