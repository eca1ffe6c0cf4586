// What the text of a model says of a sweep: its `sweep:` section, and values that are varied by their path in
// the file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweep/run_plan.h"
#include "trammel/mechanism.h"
#include "trammel/model.h"

namespace trammel::sweep {

// "bodies.crank.mass" → "bodies_crank_mass", a parameter that the model gets in its place.
using PathParameters = std::map<std::string, std::string>;

// The model with a parameter for each of these paths, which keeps the value that stands there. Names without
// a point are left alone. Mistakes are added to `errors`.
Mechanism with_path_parameters(const Mechanism& mechanism, const std::vector<std::string>& names,
                               PathParameters& paths, std::vector<std::string>& errors);

// Names that a spec varies or samples, in the order of the plan; a mistake in one is told by RunPlan.
std::vector<std::string> varied_names(const SweepSpec& spec, const std::string& table);

}  // namespace trammel::sweep
