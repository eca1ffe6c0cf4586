// Model files: YAML to a Mechanism and back. docs/model-format.md is the format's reference.
//
//   const ModelInput model = read_model("crank.yaml");
//   if (!model) for (const InputError& error : model.errors) std::cerr << to_string(error) << "\n";
//   Simulation simulation(model.mechanism, model.mechanism.plan);
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"
#include "trammel/simulation.h"

namespace trammel {

// One thing wrong with a model: where, what, and what to do about it.
struct InputError {
  std::string file;
  int line = 0;  // from 1; 0: the file as a whole, or a setting of the command line
  int column = 0;
  std::string message;
  std::string remedy;
};

// "file:line:column: message; remedy"
std::string to_string(const InputError& error);

struct ModelInput {
  Mechanism mechanism;             // usable only if errors is empty
  std::vector<InputError> errors;  // all of them, in order of position
  // What a person should know: values that may be a mistake, meshes that are not there; of a foreign file
  // what was left out and matters.
  std::vector<std::string> notes = {};

  explicit operator bool() const { return errors.empty(); }
  // The mechanism; throws std::invalid_argument, with all errors, if there are any.
  const Mechanism& value() const&;
  Mechanism value() &&;
};

// The file's plan is one method's: an option that it does not read is an error. Whoever runs the model by
// other methods too (compare, view) allows such options; then each run uses those that it reads.
enum class UnreadOptions { refused, allowed };

// settings change values of the file: "bodies.crank.mass=2", as given to --set, or "--step=0.01", an option
// of the command line, which is a key of `simulate:`.
// Files that are XML are imported (trammel/import.h).
ModelInput read_model(const std::string& path, const std::vector<std::string>& settings = {},
                      UnreadOptions unread = UnreadOptions::refused);

// Forces and constraints of a person's own, which no file can say.
struct OwnParts {
  std::vector<Force> forces;
  std::vector<CustomConstraint> constraints;
};
ModelInput read_model_text(const std::string& text, const std::string& file_name,
                           const std::vector<std::string>& settings = {},
                           UnreadOptions unread = UnreadOptions::refused, const OwnParts& own = {});

// The model file of a Mechanism: what read_model() makes of it moves in the same way. Fields that were
// expressions of parameters stay so if they still have that value; repetition is gone. Places that joints and
// forces need become points and vectors of their bodies. The remark becomes a comment at the head of the
// file. Throws std::runtime_error for what a file cannot say: forces and constraints of a person's own, and
// bushings whose bodies are not placed as they stand when it has no force.
std::string write_model(const Mechanism& mechanism, const std::string& remark = "");

// The same mechanism with its bodies placed where a simulation of it has them; and also moving as there, with
// t + T for t in every formula, where T is the simulation's time: what begins there goes on.
// Throws std::runtime_error when the joints cannot be closed from there.
Mechanism placed_as(const Mechanism& mechanism, const Simulation& simulation);
Mechanism moving_as(const Mechanism& mechanism, const Simulation& simulation);

}  // namespace trammel
