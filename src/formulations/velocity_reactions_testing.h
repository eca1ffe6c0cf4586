// Schemes of index 3 for constraints of velocities: reactions carried or as published, by either route, in
// either metric, by every rule.
#pragma once

#include "formulations/velocity_constraints_testing.h"
#include "model/models_testing.h"

namespace trammel::tests {

struct Scheme {
  const char* reactions = "carried";
  const char* route = "accelerations";
  const char* metric = "tangent";
  const char* integrator = "trapezoidal";
};
inline std::string name_of(const Scheme& s) {
  return std::string(s.reactions) + " by " + s.route + ", " + s.metric + ", " + s.integrator;
}
inline std::vector<Scheme> schemes(std::vector<const char*> integrators = {"trapezoidal"},
                                   std::vector<const char*> reactions = {"carried", "published"}) {
  std::vector<Scheme> all;
  for (const char* integrator : integrators)
    for (const char* reaction : reactions)
      for (const char* route : {"accelerations", "velocities"})
        for (const char* metric : {"tangent", "mass"}) all.push_back({reaction, route, metric, integrator});
  return all;
}
inline const std::vector<const char*> kRules = {"trapezoidal", "newmark", "hht", "generalized-alpha"};

inline Plan plan_with(const Scheme& scheme, double h, const std::string& coordinates = "generalized") {
  Plan plan;
  plan.coordinates = coordinates;
  plan.projection_reactions = scheme.reactions;
  plan.projection_route = scheme.route;
  plan.projection_metric = scheme.metric;
  plan.integrator = scheme.integrator;
  plan.reactions = "projections";
  plan.step = h;
  return plan;
}

struct Errors {
  double position = 0, force = 0;
};

}  // namespace trammel::tests
