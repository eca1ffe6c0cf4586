// Draft: a copy of the model that an edit works on, and where its bodies stand now.
#pragma once

#include <string>
#include <vector>

#include "system/system.h"
#include "trammel/mechanism.h"

namespace trammel::live {

struct Draft {
  Mechanism model;
  const Mechanism& running;  // what the poses belong to
  const std::vector<Pose>& poses;
  double t = 0;
  std::vector<system::Reading> readings;  // joint coordinates now
  std::string name;                       // that was chosen for a new part
  std::vector<std::string> notes;

  // The frame of a body now: identity for ground. Throws when there is no such body.
  Frame frame(const std::string& body) const;
  Vec3 world(const Marker& marker) const;
  // A name that nothing has yet.
  std::string free_name(const std::string& stem) const;
  bool is_taken(const std::string& name) const;
};

}  // namespace trammel::live
