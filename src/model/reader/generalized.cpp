// A person's own coordinates: `coordinates:`, `mass:`, `applied:`, `potential:`, `constraints:`.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/sections.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

const std::vector<std::string> kOwnSections = {"mass", "applied", "potential", "constraints"};
const std::vector<std::string> kBodySections = {"plane",  "gravity", "points", "bodies",
                                                "joints", "drivers", "forces", "initial"};

class GeneralizedReader {
 public:
  GeneralizedReader(ModelContext& context, const YamlNode& root)
      : context_(context), root_(root), model_(context.mechanism.generalized.emplace()) {}

  void read() {
    for_each_entry(context_, root_, "coordinates",
                   [&](const YamlNode& key, const YamlNode& value) { read_coordinate(key, value); });
    for_each_entry(context_, root_, "mass",
                   [&](const YamlNode& key, const YamlNode& value) { read_mass(key, value); });
    for_each_entry(context_, root_, "applied", [&](const YamlNode& key, const YamlNode& value) {
      if (!is_coordinate(key, key.text)) return;
      model_.applied.push_back({key.text, read_formula(key, value, "applied force"), {key.line, key.column}});
    });
    if (const YamlNode* potential = root_.find("potential"))
      model_.potential = read_expression(context_, *potential, "potential", "J");
    for_each_entry(context_, root_, "constraints", [&](const YamlNode& key, const YamlNode& value) {
      if (!context_.declare(key, key.text, "constraint")) return;
      model_.constraints.push_back(
          {key.text, read_formula(key, value, "constraint"), {key.line, key.column}});
    });
  }

 private:
  void read_coordinate(const YamlNode& key, const YamlNode& value) {
    if (!context_.declare(key, key.text, "coordinate")) return;
    GeneralizedModel::Coordinate q;
    q.name = key.text;
    q.where = {key.line, key.column};
    if (value.is_scalar()) {
      q.start = read_number(context_, value, key.text, "").value_or(0);
    } else {
      const Fields fields(context_, key, value, "coordinate");
      q.start = fields.number("start", "", 0);
      if (fields.has("rate")) q.rate = fields.number("rate", "", 0);
    }
    known_.emplace(q.name, model_.coordinates.size());
    model_.coordinates.push_back(std::move(q));
  }

  // `x: m` on the diagonal, `x y: m` between two
  void read_mass(const YamlNode& key, const YamlNode& value) {
    std::istringstream words(key.text);
    std::vector<std::string> names;
    for (std::string word; words >> word;) names.push_back(word);
    if (names.empty() || names.size() > 2) {
      context_.error(key, fmt::format("mass: '{}' is not one coordinate or two", key.text),
                     "write `x: m`, or `x y: m` for the entry between two");
      return;
    }
    bool is_known = is_coordinate(key, names.front());
    if (names.back() != names.front()) is_known = is_coordinate(key, names.back()) && is_known;
    const std::string formula = read_formula(key, value, "mass entry");
    if (is_known) model_.mass.push_back({names.front(), names.back(), formula, {key.line, key.column}});
  }

  bool is_coordinate(const YamlNode& at, const std::string& name) {
    if (known_.count(name) > 0) return true;
    context_.report_unknown(at, "coordinate", name, known_, "declare it under `coordinates:`");
    return false;
  }

  // The expression alone, or with `for:` beside it.
  std::string read_formula(const YamlNode& key, const YamlNode& value, const std::string& group) {
    if (value.is_scalar()) return read_expression(context_, value, key.text, "");
    const Fields fields(context_, key, value, group);
    const YamlNode* node = value.is_map() ? fields.need("value") : nullptr;
    return node == nullptr ? "0" : read_expression(context_, *node, "value", "");
  }

  ModelContext& context_;
  const YamlNode& root_;
  GeneralizedModel& model_;
  NameIndex known_;
};

void refuse(ModelContext& context, const YamlNode& root, const std::vector<std::string>& sections,
            const std::string& message, const std::string& remedy) {
  for (std::size_t i = 0; i < root.entries(); ++i) {
    const YamlNode& key = root.key(i);
    if (std::find(sections.begin(), sections.end(), key.text) == sections.end()) continue;
    context.error(key, fmt::format("'{}' {}", key.text, message), remedy);
  }
}

}  // namespace

bool read_generalized(ModelContext& context, const YamlNode& root) {
  if (root.find("coordinates") == nullptr) {
    refuse(context, root, kOwnSections, "belongs to a model with coordinates of its own",
           "declare them under `coordinates:`, or describe bodies, joints and forces");
    return false;
  }
  refuse(
      context, root, kBodySections, "does not fit a model with coordinates of its own",
      "remove it: such a model has mass, applied, potential and constraints, and its starting speeds under "
      "`coordinates:`");
  GeneralizedReader(context, root).read();
  return true;
}

}  // namespace trammel::model
