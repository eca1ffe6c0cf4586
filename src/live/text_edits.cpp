#include "live/text_edits.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <unordered_set>

#include "mechanism/validate.h"
#include "model/yaml/yaml_change.h"
#include "model/yaml/yaml_tree.h"

namespace trammel::live {
namespace {

using Ordered = nlohmann::ordered_json;

std::string joined_lines(const std::vector<InputError>& errors) {
  std::string all;
  for (const InputError& error : errors) all += (all.empty() ? "" : "\n") + to_string(error);
  return all;
}

Ordered scalar_of(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return text;
  if (value == static_cast<double>(static_cast<long>(value)) &&
      text.find_first_of(".eE") == std::string::npos)
    return static_cast<long>(value);
  return value;
}

// A value is told as YAML, so that its keys keep their order.
Ordered value_of(const model::YamlNode& node) {
  if (node.is_null()) return nullptr;
  if (node.is_scalar()) return scalar_of(node.text);
  Ordered out = node.is_map() ? Ordered::object() : Ordered::array();
  for (std::size_t i = 0; node.is_map() && i < node.entries(); ++i)
    out[node.key(i).text] = value_of(node.value(i));
  for (std::size_t i = 0; node.is_sequence() && i < node.children.size(); ++i)
    out.push_back(value_of(node.children[i]));
  return out;
}

model::YamlChange change_from(const Json& json) {
  const JsonFields fields(json, "change", {"path", "value"});
  model::YamlChange change{fields.texts("path"), std::nullopt};
  if (change.path.empty()) fields.refuse("path", "a list of keys");
  if (!fields.has("value")) return change;
  const model::YamlDocument document = model::parse_yaml(fields.text("value"));
  if (!document.is_complete || !document.errors.empty()) fields.refuse("value", "one value in YAML");
  change.value = value_of(document.root);
  return change;
}

std::string with_free_marks(std::string text, const std::string& file) {
  const Mechanism m = read_model_text(text, file, {}, UnreadOptions::allowed).mechanism;
  const std::unordered_set<std::string> connected = mechanism::connected_bodies(m);
  for (const Body& body : m.bodies) {
    const bool alone = m.bodies.size() > 1 && !connected.contains(body.name);
    if (alone == body.free) continue;
    try {
      text = model::change_yaml(
          text, {{"bodies", body.name, "free"}, alone ? std::optional<Ordered>(true) : std::nullopt});
    } catch (const std::invalid_argument&) {
      // a body that `for` repeats has no entry of its own: the reader says what is missing
    }
  }
  return text;
}

}  // namespace

TextRefused::TextRefused(std::vector<InputError> all)
    : std::invalid_argument(joined_lines(all)), errors(std::move(all)) {}

bool is_text_edit(const std::string& what) { return what == "set-text" || what == "change-text"; }

std::string edited_text(const Json& edit, std::string text, const std::string& file) {
  if (edit["do"] == "set-text") return JsonFields(edit, "set-text", {"do", "text"}).text("text");
  const JsonFields fields(edit, "change-text", {"do", "changes", "name"});
  const Json& changes = fields.need("changes");
  if (!changes.is_array() || changes.empty()) fields.refuse("changes", "a list of changes");
  for (const Json& change : changes) text = model::change_yaml(std::move(text), change_from(change));
  return with_free_marks(std::move(text), file);
}

Mechanism read_live_text(const std::string& text, const std::string& file,
                         const std::vector<std::string>& settings) {
  ModelInput input = read_model_text(text, file, settings, UnreadOptions::allowed);
  if (!input) throw TextRefused(std::move(input.errors));
  Mechanism& m = input.mechanism;
  if (m.name.empty()) m.name = std::filesystem::path(file).stem().string();
  return std::move(m);
}

}  // namespace trammel::live
