// From the file to a valid mechanism, step by step.
//
// The steps: text → YamlNode tree (bounded) → settings of the command line written into the tree → parameters
// → sections, in an order that lets each refer to those before → expressions checked → validate().
#include "trammel/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "expressions/units.h"
#include "mechanism/signals.h"
#include "mechanism/validate.h"
#include "model/reader/bodies.h"
#include "model/reader/built_model.h"
#include "model/reader/context.h"
#include "model/reader/drawn.h"
#include "model/reader/fields.h"
#include "model/reader/joints.h"
#include "model/reader/layout.h"
#include "model/reader/model_file.h"
#include "model/reader/parameters.h"
#include "model/reader/sections.h"
#include "model/reader/settings.h"
#include "model/reader/values.h"
#include "model/yaml/yaml_flow.h"
#include "model/yaml/yaml_tree.h"
#include "trammel/import.h"

namespace trammel {
namespace {

constexpr int kFormatVersion = 1;

void read_header(model::ModelContext& context, const model::YamlNode& root) {
  const model::Fields fields(context, root, root, "model");
  const model::YamlNode* version = root.find("trammel");
  if (version == nullptr) {
    context.error(root.line, root.column, "the key 'trammel' is missing: the version of the format",
                  fmt::format("write `trammel: {}` at the top", kFormatVersion));
  } else if (version->text != std::to_string(kFormatVersion)) {
    context.error(*version,
                  fmt::format("trammel: this program reads version {}, not {}", kFormatVersion,
                              model::describe(*version)),
                  fmt::format("write `trammel: {}`", kFormatVersion));
  }
  if (const model::YamlNode* name = fields.find("name"))
    context.mechanism.name = model::read_word(context, *name, "name").value_or("");
  if (const model::YamlNode* plane = fields.find("plane")) {
    context.mechanism.is_planar = true;
    model::read_choice(context, *plane, "plane", {"xy"});
  }
}

void read_bodies_and_joints(model::ModelContext& context, const model::YamlNode& root) {
  if (const model::YamlNode* gravity = root.find("gravity")) {
    context.mechanism.gravity =
        model::read_vector(context, *gravity, "gravity", "m/s^2").value_or(Vec3::Zero());
  }
  model::read_points(context, root);
  model::read_bodies(context, root);
  model::read_ground(context, root);
  model::finish_points(context);
  model::read_joints(context, root);
  model::read_drivers(context, root);
  model::read_forces(context, root);
  model::read_initial(context, root);
}

// What its values say is for trammel sweep; that its keys exist is for every reader.
void read_sweep_keys(model::ModelContext& context, const model::YamlNode& root) {
  const model::YamlNode* section = root.find("sweep");
  if (section == nullptr) return;
  if (section->is_map())
    static_cast<void>(model::Fields(context, *section, *section, "sweep"));
  else
    context.error(*section, "sweep is no map of keys",
                  "write sweep: {vary: {L: 0.2:0.4:50}, observe: [peak(A.force)]}");
}

void read_sections(model::ModelContext& context, const model::YamlNode& root) {
  // Another file, by mistake: one error says more than one for each of its keys.
  if (root.find("trammel") == nullptr && root.find("bodies") == nullptr && root.find("mass") == nullptr) {
    context.error(root.line, root.column, "this is not a model: it has neither the key 'trammel' nor bodies",
                  fmt::format("give a model file, which begins with `trammel: {}`", kFormatVersion));
    return;
  }
  read_header(context, root);
  model::read_parameters(context, root);
  model::read_functions(context, root);
  model::read_definitions(context, root);
  if (!model::read_generalized(context, root)) read_bodies_and_joints(context, root);
  model::read_stops(context, root);
  model::read_subsystems(context, root);
  model::read_states(context, root);
  model::read_inputs(context, root);
  model::read_simulate(context, root);
  model::read_outputs(context, root);
  read_sweep_keys(context, root);
}

void check_expression(model::ModelContext& context, const model::PendingExpression& pending,
                      const expressions::Symbols& symbols) {
  const auto parsed = expressions::Expression::parse(pending.text, symbols, pending.definition);
  context.entry = pending.entry;
  context.instance = pending.instance;
  if (const auto* error = std::get_if<expressions::ExpressionError>(&parsed)) {
    if (mechanism::is_reported_elsewhere(*error, pending.definition)) return;
    context.error(pending.where, pending.is_literal, pending.label, *error);
    return;
  }
  for (const std::string& name : mechanism::names_outside(pending.scope, context.mechanism, symbols,
                                                          std::get<expressions::Expression>(parsed))) {
    context.error(pending.where.line, pending.where.column,
                  fmt::format("{}: {} cannot depend on '{}'", pending.label,
                              mechanism::scope_owner(pending.scope), name),
                  mechanism::scope_remedy(pending.scope));
  }
}

void check_expressions(model::ModelContext& context) {
  const auto symbols = mechanism::make_symbols(context.mechanism);
  for (const model::PendingExpression& pending : context.expressions)
    check_expression(context, pending, *symbols);
  context.entry = {};
  context.instance = 0;
}

// The value of a key of the entry whose key stands at a place: where an issue about it belongs.
const model::YamlNode* find_field(const model::YamlNode& root, const Source& entry,
                                  const std::string& field) {
  if (entry.line == 0) return root.find(field);
  for (std::size_t i = 0; i < root.entries(); ++i) {
    const model::YamlNode& section = root.value(i);
    for (std::size_t k = 0; section.is_map() && k < section.entries(); ++k) {
      const model::YamlNode& key = section.key(k);
      if (key.line == entry.line && key.column == entry.column) return section.value(k).find(field);
    }
  }
  return nullptr;
}

void check_mechanism(model::ModelContext& context, const model::YamlNode& root) {
  const bool is_clean = context.error_count() == 0;
  for (const Issue& issue : validate(context.mechanism)) {
    const model::YamlNode* field = issue.field.empty() ? nullptr : find_field(root, issue.where, issue.field);
    // an entry with an error of its own has been left incomplete: only fields that were read count
    const bool is_read = field != nullptr && !context.has_error(*field);
    const bool is_known = issue.where.line == 0 || context.has_error(issue.where);
    // what names a part that could not be read is incomplete too
    const bool is_incomplete = is_known || context.names_are_incomplete;
    if (!is_clean && (issue.of_whole || (is_incomplete && !is_read))) continue;
    Source at = field != nullptr ? Source{field->line, field->column} : issue.where;
    if (at.line == 0) at = {root.line, root.column};
    // one instance of a repeated entry speaks for all
    context.instance = find_field(root, issue.where, "for") != nullptr ? 1 : 0;
    context.error(at.line, at.column, issue.message, issue.remedy);
  }
  context.instance = 0;
}

// The file as a tree, with the settings written into it: what every value of the parameters is built from.
class Document final : public MechanismSource, public std::enable_shared_from_this<Document> {
 public:
  Document(std::string text, std::string file, std::vector<std::string> settings, OwnParts own,
           std::vector<model::LineOrigin> origins = {})
      : text_(std::move(text)),
        file_(std::move(file)),
        settings_(std::move(settings)),
        own_(std::move(own)),
        origins_(std::move(origins)) {}

  ModelInput read(UnreadOptions unread) {
    unread_ = unread;
    model::ModelContext context(file_, settings_);
    model::YamlDocument document = model::parse_yaml(text_);
    for (const model::YamlError& error : document.errors)
      context.error(error.line, error.column, error.message, error.remedy);
    context.mechanism.text = text_;
    if (!document.is_complete) return finished(context);
    if (!document.root.is_map()) {
      context.error(1, 1, document.root.is_null() ? "the file is empty" : "the file is not a map of keys",
                    "start with `trammel: 1`");
      return finished(context);
    }
    model::mend_layout(context, document.root);
    model::apply_settings(context, document.root, settings_);
    root_ = std::move(document.root);
    return build(context, root_, !settings_.empty());
  }

  Mechanism with(const std::map<std::string, double>& parameters) const override {
    model::ModelContext context(file_, settings_);
    model::YamlNode root = root_;
    if (model::YamlNode* section = root.find("parameters"))
      for (const auto& [name, value] : parameters)
        if (model::YamlNode* node = section->find(name)) node->text = fmt::format("{}", value);
    ModelInput input = build(context, root, !settings_.empty() || !parameters.empty());
    input.mechanism.changed_parameters = parameters;
    input.value();  // throws if there are errors
    return std::move(input.mechanism);
  }

  std::map<std::string, std::string> expressions() const override {
    std::map<std::string, std::string> found;
    collect_expressions(root_, "", found);
    return found;
  }

  std::string filter_of(const TableFunction& function) const override {
    const model::YamlNode* section = root_.find("functions");
    for (std::size_t i = 0; section != nullptr && i < section->entries(); ++i) {
      const model::YamlNode& key = section->key(i);
      if (key.line != function.where.line || key.column != function.where.column) continue;
      const model::YamlNode* filter = section->value(i).find("filter");
      if (filter == nullptr) return {};
      const auto parsed = expressions::parse_quantity(filter->text);
      const auto* number = parsed ? std::get_if<expressions::Quantity>(&*parsed) : nullptr;
      return number != nullptr && !number->dimension ? filter->text + " Hz" : filter->text;
    }
    return {};
  }

 private:
  ModelInput build(model::ModelContext& context, const model::YamlNode& root, bool changed) const {
    context.mechanism.forces = own_.forces;
    context.mechanism.constraints = own_.constraints;
    context.mechanism.source = shared_from_this();
    context.meshes = meshes_;
    // A text that leaves out what acts on the mechanism must not pass for it.
    const bool says_all = own_.forces.empty() && own_.constraints.empty();
    context.mechanism.text = !says_all ? "" : changed ? model::yaml_of(root) : text_;
    read_sections(context, root);
    check_expressions(context);
    check_mechanism(context, root);
    if (context.error_count() == 0) model::check_constraint_owners(context, root);
    if (context.error_count() == 0 && unread_ == UnreadOptions::refused)
      model::check_unread_options(context, root);
    return finished(context);
  }

  ModelInput finished(model::ModelContext& context) const {
    std::vector<InputError> errors = context.take_errors();
    if (!origins_.empty())
      for (InputError& error : errors) name_origin(error);
    ModelInput input{std::move(context.mechanism), std::move(errors), std::move(context.notes)};
    if (std::string missing = model::missing_meshes(input.mechanism); !missing.empty())
      input.notes.push_back(fmt::format("{}: {}", file_, missing));
    return input;
  }

  // Where it comes from, in place of a line that the person has not written.
  void name_origin(InputError& error) const {
    const auto line = static_cast<std::size_t>(error.line);
    error.column = 0;
    if (error.line <= 0) return;
    error.line = 0;
    if (line > origins_.size()) return;
    const model::LineOrigin& origin = origins_[line - 1];
    error.file = origin.file;
    error.line = origin.line;
    if (error.message.starts_with(error.file + ": ")) error.message.erase(0, error.file.size() + 2);
  }

  // Texts that name a parameter, by their path in the file.
  void collect_expressions(const model::YamlNode& node, const std::string& path,
                           std::map<std::string, std::string>& found) const {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (std::size_t i = 0; node.is_map() && i < node.entries(); ++i)
      collect_expressions(node.value(i), prefix + node.key(i).text, found);
    for (std::size_t i = 0; node.is_sequence() && i < node.children.size(); ++i)
      collect_expressions(node.children[i], prefix + std::to_string(i), found);
    if (!node.is_scalar()) return;
    const model::YamlNode* parameters = root_.find("parameters");
    const auto is_parameter = [&](const std::string& name) { return parameters->find(name) != nullptr; };
    if (parameters != nullptr && std::ranges::any_of(model::names_in(node.text), is_parameter))
      found[path] = node.text;
  }

  std::string text_, file_;
  std::vector<std::string> settings_;
  OwnParts own_;
  std::vector<model::LineOrigin> origins_;  // of a text that nobody has written; empty: a file
  UnreadOptions unread_ = UnreadOptions::refused;
  model::YamlNode root_;
  std::shared_ptr<model::DrawnMeshes> meshes_ = std::make_shared<model::DrawnMeshes>();
};

}  // namespace

ModelInput read_model_text(const std::string& text, const std::string& file_name,
                           const std::vector<std::string>& settings, UnreadOptions unread,
                           const OwnParts& own) {
  return std::make_shared<Document>(text, file_name, settings, own)->read(unread);
}

ModelInput model::read_made_model(const std::string& text, const std::string& file,
                                  std::vector<LineOrigin> origins, const std::vector<std::string>& settings,
                                  UnreadOptions unread, const OwnParts& own) {
  return std::make_shared<Document>(text, file, settings, own, std::move(origins))->read(unread);
}

ModelInput read_model(const std::string& path, const std::vector<std::string>& settings,
                      UnreadOptions unread) {
  const model::FileText file = model::read_model_file(path);
  if (file.error) return {{}, {*file.error}};
  if (is_foreign(file.text)) return read_imported(import_model(path), settings, unread);
  return read_model_text(file.text, path, settings, unread);
}

}  // namespace trammel
