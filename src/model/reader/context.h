// What all parts of the model reader share: the mechanism being built, where things are by name, the errors.
//
// An entry with an error is still added to the mechanism, with what could be read, so that one error does not
// make others. Errors about a repeated entry are reported once, not once per instance.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expressions/expression.h"
#include "expressions/units.h"
#include "mechanism/signals.h"
#include "model/reader/drawn_meshes.h"
#include "model/yaml/yaml_tree.h"
#include "trammel/mechanism.h"
#include "trammel/model.h"

namespace trammel::model {

// A text that must parse once the whole mechanism is known.
struct PendingExpression {
  Source entry;            // the entry it stands in
  Source where;            // of the text's first character
  bool is_literal;         // as in the file: columns in the text are columns in the file
  std::size_t instance;    // of a repeated entry
  mechanism::Scope scope;  // what it may depend on
  std::string label;       // of the field
  std::string text;
  std::string definition;  // the name that it defines; empty: none
};

// Names of one kind → their index in the mechanism's list.
using NameIndex = std::unordered_map<std::string, std::size_t>;

class ModelContext {
 public:
  ModelContext(std::string file, const std::vector<std::string>& settings);

  Mechanism mechanism;
  NameIndex bodies, points, joints;
  std::map<std::string, expressions::Dimension> parameter_dimensions;  // of those given with a unit
  expressions::Symbols constants;                                      // parameters and functions
  std::vector<PendingExpression> expressions;
  std::vector<std::string> notes;  // "file:line:column: …": values that may be a mistake
  // Pairs of bodies that a joint of `joints:` already holds together at a shared point, by the point's name.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> joined_at;

  // Meshes that are drawn, kept where the model is built again with other parameters.
  std::shared_ptr<DrawnMeshes> meshes = std::make_shared<DrawnMeshes>();

  // The instance of a repeated entry being read: its loop variables and which instance it is.
  std::vector<std::pair<std::string, double>> loop;
  std::size_t instance = 0;
  std::size_t instances = 0;  // of all repeated entries so far
  Source entry;               // the entry being read: where its key stands

  void error(int line, int column, std::string message, std::string remedy);
  // What is wrong with an expression that starts at a place; is_literal: as it stands in the file, so that
  // columns in it are columns of the file. Its message ends with the remedy after a colon.
  void error(const Source& start, bool is_literal, const std::string& label,
             const expressions::ExpressionError& wrong);
  void error(const YamlNode& at, std::string message, std::string remedy) {
    error(at.line, at.column, std::move(message), std::move(remedy));
  }
  // Says once that a value may be a mistake, which is no error.
  void note(const YamlNode& at, const std::string& message, const std::string& remedy);
  std::size_t error_count() const { return errors_.size(); }
  // Whether an entry, by the position of its key, has an error already.
  bool has_error(const Source& at) const { return broken_.count({at.line, at.column}) > 0; }
  // Whether a value has an error already.
  bool has_error(const YamlNode& value) const;
  // All errors in order of position.
  std::vector<InputError> take_errors();

  // Where the model file is; files that it names stand beside it.
  std::filesystem::path folder() const { return std::filesystem::path(file_).parent_path(); }

  // Takes a name for a new thing ("body", "point", …); an error and false if it is no name or taken.
  bool declare(const YamlNode& at, const std::string& name, const std::string& what);
  // What a name stands for; empty: nothing.
  std::string meaning(const std::string& name) const;

  // Set when a `for:` could not be expanded: then a name that is missing may be one of its.
  bool names_are_incomplete = false;
  // "there is no point 'x'", with what else x is or the remedy.
  void report_unknown(const YamlNode& at, const std::string& what, const std::string& name,
                      const NameIndex& known, const std::string& remedy);

  // A person's own body, or ground. The find_ functions report an unknown name, with the nearest.
  bool is_body(const std::string& name) const { return name == kGround || bodies.count(name) > 0; }
  bool find_body(const YamlNode& at, const std::string& name);
  Frame placement(const std::string& body) const;
  Marker marker_at(const std::string& body, const Frame& world) const;
  Joint* find_joint(const YamlNode& at, const std::string& name);
  Point* find_point(const YamlNode& at, const std::string& name);

 private:
  InputError place_of(int line, int column) const;

  std::string file_;
  std::vector<std::string> settings_;
  std::vector<InputError> errors_;
  std::set<std::pair<int, int>> broken_;
  std::unordered_map<std::string, std::string> meanings_;
};

// "did you mean 'x'?", else the alternative.
std::string suggest(const std::string& unknown, const std::vector<std::string>& known,
                    const std::string& otherwise);
std::string suggest(const std::string& unknown, const NameIndex& known, const std::string& otherwise);
bool is_identifier(const std::string& text);
// Whether a name has a meaning in expressions or models, so that no part can have it.
bool is_reserved(const std::string& name);

}  // namespace trammel::model
