// From the file to a valid mechanism, step by step.
#include "model/reader/model_reader.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "mechanism/signals.h"
#include "mechanism/validate.h"
#include "model/reader/bodies.h"
#include "model/reader/context.h"
#include "model/reader/fields.h"
#include "model/reader/joints.h"
#include "model/reader/parameters.h"
#include "model/reader/sections.h"
#include "model/reader/settings.h"
#include "model/reader/values.h"
#include "model/yaml/yaml_tree.h"

namespace trammel {
namespace {

constexpr int kFormatVersion = 1;

void read_header(ModelContext& context, const YamlNode& root) {
  const Fields fields(context, root, root, "model");
  const YamlNode* version = root.find("trammel");
  if (version == nullptr) {
    context.error(root.line, root.column, "the key 'trammel' is missing: the version of the format",
                  fmt::format("write `trammel: {}` at the top", kFormatVersion));
  } else if (version->text != std::to_string(kFormatVersion)) {
    context.error(
        *version,
        fmt::format("trammel: this program reads version {}, not {}", kFormatVersion, describe(*version)),
        fmt::format("write `trammel: {}`", kFormatVersion));
  }
  if (const YamlNode* name = fields.find("name"))
    context.mechanism.name = read_word(context, *name, "name").value_or("");
  if (const YamlNode* plane = fields.find("plane")) {
    context.mechanism.is_planar = true;
    read_choice(context, *plane, "plane", {"xy"});
  }
}

void read_bodies_and_joints(ModelContext& context, const YamlNode& root) {
  if (const YamlNode* gravity = root.find("gravity")) {
    context.mechanism.gravity = read_vector(context, *gravity, "gravity", "m/s^2").value_or(Vec3::Zero());
  }
  read_points(context, root);
  read_bodies(context, root);
  finish_points(context);
  read_joints(context, root);
  read_drivers(context, root);
  read_forces(context, root);
  read_initial(context, root);
}

void read_sections(ModelContext& context, const YamlNode& root) {
  read_header(context, root);
  read_parameters(context, root);
  read_functions(context, root);
  if (!read_generalized(context, root)) read_bodies_and_joints(context, root);
  read_stops(context, root);
  read_subsystems(context, root);
  read_states(context, root);
  read_inputs(context, root);
  read_simulate(context, root);
  read_outputs(context, root);
}

void check_expression(ModelContext& context, const PendingExpression& pending, const Symbols& symbols) {
  const auto parsed = Expression::parse(pending.text, symbols);
  context.entry = pending.entry;
  context.instance = pending.instance;
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    context.error(pending.where, pending.is_literal, pending.label, *error);
    return;
  }
  for (const std::string& name :
       names_outside(pending.scope, context.mechanism, symbols, std::get<Expression>(parsed))) {
    context.error(
        pending.where.line, pending.where.column,
        fmt::format("{}: {} cannot depend on '{}'", pending.label, scope_owner(pending.scope), name),
        scope_remedy(pending.scope));
  }
}

void check_expressions(ModelContext& context) {
  const auto symbols = make_symbols(context.mechanism);
  for (const PendingExpression& pending : context.expressions) check_expression(context, pending, *symbols);
  context.entry = {};
  context.instance = 0;
}

// The value of a key of the entry whose key stands at a place: where an issue about it belongs.
const YamlNode* find_field(const YamlNode& root, const Source& entry, const std::string& field) {
  if (entry.line == 0) return root.find(field);
  for (std::size_t i = 0; i < root.entries(); ++i) {
    const YamlNode& section = root.value(i);
    for (std::size_t k = 0; section.is_map() && k < section.entries(); ++k) {
      const YamlNode& key = section.key(k);
      if (key.line == entry.line && key.column == entry.column) return section.value(k).find(field);
    }
  }
  return nullptr;
}

void check_mechanism(ModelContext& context, const YamlNode& root) {
  const bool is_clean = context.error_count() == 0;
  for (const Issue& issue : validate(context.mechanism)) {
    const YamlNode* field = issue.field.empty() ? nullptr : find_field(root, issue.where, issue.field);
    // an entry with an error of its own has been left incomplete: only fields that were read count
    const bool is_read = field != nullptr && !context.has_error(*field);
    const bool is_known = issue.where.line == 0 || context.has_error(issue.where);
    if (!is_clean && (issue.of_whole || (is_known && !is_read))) continue;
    Source at = field != nullptr ? Source{field->line, field->column} : issue.where;
    if (at.line == 0) at = {root.line, root.column};
    // one instance of a repeated entry speaks for all
    context.instance = find_field(root, issue.where, "for") != nullptr ? 1 : 0;
    context.error(at.line, at.column, issue.message, issue.remedy);
  }
  context.instance = 0;
}

InputError file_error(const std::string& path, const std::string& message, const std::string& remedy) {
  return {path, 0, 0, message, remedy};
}

}  // namespace

ModelInput read_model_text(const std::string& text, const std::string& file_name,
                           const std::vector<std::string>& settings) {
  ModelContext context(file_name, settings);
  context.mechanism.text = text;
  YamlDocument document = parse_yaml(text);
  for (const YamlError& error : document.errors)
    context.error(error.line, error.column, error.message, error.remedy);
  if (document.is_complete && !document.root.is_map()) {
    context.error(1, 1, document.root.is_null() ? "the file is empty" : "the file is not a map of keys",
                  "start with `trammel: 1`");
  } else if (document.is_complete) {
    apply_settings(context, document.root, settings);
    read_sections(context, document.root);
    check_expressions(context);
    check_mechanism(context, document.root);
    if (context.error_count() == 0) check_constraint_owners(context, document.root);
  }
  std::vector<InputError> errors = context.take_errors();
  return {std::move(context.mechanism), std::move(errors)};
}

ModelInput read_model(const std::string& path, const std::vector<std::string>& settings) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) {
    return {{}, {file_error(path, "there is no such file", "check the name and the folder")}};
  }
  if (std::filesystem::is_directory(status)) {
    return {{}, {file_error(path, "this is a folder", "name the model file in it")}};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const std::string why = std::strerror(errno);
    return {{}, {file_error(path, fmt::format("cannot read the file: {}", why), "check its permissions")}};
  }
  // one byte more than allowed, for parse_yaml to refuse: a device may never end
  std::string text;
  std::vector<char> chunk(1U << 16);
  while (text.size() <= kMaxModelBytes &&
         (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), file.gcount() > 0)) {
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
  }
  return read_model_text(text, path, settings);
}

}  // namespace trammel
