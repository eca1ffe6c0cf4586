// Edits: changes of the model, each a JSON value {"do": "remove-joint", "name": "B"} (docs/live-protocol.md).
#pragma once

#include "live/draft.h"
#include "live/json_fields.h"

namespace trammel::live {

// Whether it changes the model itself, as against how it is held or run.
bool is_model_edit(const std::string& what);

// Applies a model edit to the draft. Throws std::invalid_argument, with a message for a person. What remains
// of the model is not validated here.
void apply_edit(const Json& edit, Draft& draft);

// A few words for a list of edits: "remove-joint B".
std::string describe_edit(const Json& edit);

// Changes the plan by any of coordinates, formulation, integrator, step, tolerance; what it leaves open is
// chosen.
void change_plan(const JsonFields& fields, Plan& plan);

}  // namespace trammel::live
