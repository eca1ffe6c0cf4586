// Parameters may use each other in any order; a circle is an error that names it.
#include "model/reader/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "expressions/builtins.h"
#include "expressions/units.h"
#include "mechanism/functions.h"
#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/sampled_function.h"
#include "model/reader/values.h"

namespace trammel::model {
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else {
      if (is_identifier(word)) names.push_back(word);
      word.clear();
    }
  }
  return names;
}

namespace {

// Parameters that need each other one after the other: more than a person writes, less than the stack holds.
constexpr std::size_t kMaxChain = 500;

class ParameterReader {
 public:
  ParameterReader(ModelContext& context, const YamlNode& section) : context_(context) {
    for (std::size_t i = 0; i < section.entries(); ++i) {
      const YamlNode& key = section.key(i);
      if (!context.declare(key, key.text, "parameter")) continue;
      names_.push_back(key.text);
      waiting_.emplace(key.text, &section.value(i));
    }
  }

  void run() {
    for (const std::string& name : names_) {
      if (const auto found = waiting_.find(name); found != waiting_.end()) evaluate(name, *found->second);
    }
  }

 private:
  // A parameter, after all those it uses. path_ holds the ones being evaluated.
  void evaluate(const std::string& name, const YamlNode& node) {
    if (path_.size() > kMaxChain) {
      context_.error(node,
                     fmt::format("{}: more than {} parameters need each other in a row", name, kMaxChain),
                     "give some of them as numbers");
      keep(name, 1);
      return;
    }
    path_.push_back(name);
    for (const std::string& used : names_in(node.text)) {
      const auto start = std::find(path_.begin(), path_.end(), used);
      if (start != path_.end() && waiting_.count(used) > 0) {
        report_circle(node, {start, path_.end()});
        keep(used, 1);
      } else if (const auto other = waiting_.find(used); other != waiting_.end()) {
        evaluate(used, *other->second);
      }
    }
    path_.pop_back();
    if (waiting_.count(name) == 0) return;
    keep(name, read(name, node).value_or(1));
    if (const auto quantity = expressions::parse_quantity(node.text)) {
      const auto* given = std::get_if<expressions::Quantity>(&*quantity);
      if (given != nullptr && given->dimension) context_.parameter_dimensions[name] = *given->dimension;
    }
  }

  // Where the text has an unknown name, the message offers every parameter that may be used here, also those
  // that are not evaluated yet.
  std::optional<double> read(const std::string& name, const YamlNode& node) {
    if (!has_unknown_name(node.text)) return read_number(context_, node, name, "");
    const expressions::Symbols evaluated = context_.constants;
    for (const auto& [other, text] : waiting_)
      if (std::set<std::string> seen; !needs(other, name, seen)) context_.constants.constant(other, 1);
    const std::optional<double> value = read_number(context_, node, name, "");
    context_.constants = evaluated;
    return value;
  }

  // Whether a parameter is another one, or uses it, directly or through others.
  bool needs(const std::string& name, const std::string& other, std::set<std::string>& seen) const {
    if (name == other || seen.size() > kMaxChain) return true;
    const auto found = waiting_.find(name);
    if (found == waiting_.end() || !seen.insert(name).second) return false;
    return std::ranges::any_of(names_in(found->second->text),
                               [&](const std::string& used) { return needs(used, other, seen); });
  }

  bool has_unknown_name(const std::string& text) const {
    return std::ranges::any_of(names_in(text), [&](const std::string& word) {
      return !context_.constants.find_constant(word) && expressions::find_builtin(word) == nullptr;
    });
  }

  void report_circle(const YamlNode& node, std::vector<std::string> circle) {
    circle.push_back(circle.front());
    context_.error(node,
                   fmt::format("these parameters need each other in a circle: {}", fmt::join(circle, " → ")),
                   "give one of them as a number");
  }

  void keep(const std::string& name, double value) {
    context_.mechanism.parameters[name] = value;
    context_.constants.constant(name, value);
    waiting_.erase(name);
  }

  ModelContext& context_;
  std::vector<std::string> names_;
  std::map<std::string, const YamlNode*> waiting_;
  std::vector<std::string> path_;
};

// [[x, y], …] with x increasing
void read_data(ModelContext& context, const YamlNode& data, const std::string& label,
               TableFunction& function) {
  if (!data.is_sequence() || data.children.size() < 2) {
    context.error(data,
                  fmt::format("{}: expected at least two points [x, y], found {}", label, describe(data)),
                  fmt::format("write {}: [[0, 0], [1, 2]]", label));
    return;
  }
  for (const YamlNode& item : data.children) {
    const auto pair = read_numbers(context, item, label, 2, {""});
    if (!pair) continue;
    if (!function.x.empty() && (*pair)[0] <= function.x.back()) {
      context.error(
          item, fmt::format("{}: x = {} does not come after x = {}", label, (*pair)[0], function.x.back()),
          "order the points by x, each x once");
      continue;
    }
    function.x.push_back((*pair)[0]);
    function.y.push_back((*pair)[1]);
  }
}

// Two columns of a file, in the units given, through a filter.
void read_sampled(ModelContext& context, const Fields& fields, TableFunction& function) {
  const YamlNode& node = *fields.find("file");
  const auto name = read_word(context, node, "file");
  std::vector<std::string> columns = {"1", "2"};
  if (const YamlNode* given = fields.find("columns"))
    if (const auto words = read_words(context, *given, "columns", 2)) columns = *words;
  std::vector<double> units = {1, 1};
  if (const YamlNode* given = fields.find("units"))
    if (const auto words = read_words(context, *given, "units", 2))
      for (std::size_t k = 0; k < 2; ++k) {
        const auto parsed = expressions::parse_quantity("1 " + (*words)[k]);
        const auto* quantity = parsed ? std::get_if<expressions::Quantity>(&*parsed) : nullptr;
        if (quantity != nullptr)
          units[k] = quantity->value;
        else
          context.error(given->children[k], fmt::format("units: '{}' is no unit", (*words)[k]),
                        "write units: [s, deg]");
      }
  const double cut_off = fields.number("filter", "1/s", 0);
  if (!name) return;
  // Beside the model, or where the program runs.
  const std::filesystem::path beside = context.folder() / *name;
  auto read = read_samples(std::filesystem::exists(beside) ? beside.string() : *name, columns[0], columns[1]);
  if (const auto* wrong = std::get_if<SamplesError>(&read))
    return context.error(node, fmt::format("file: '{}': {}", *name, wrong->message), wrong->remedy);
  auto& samples = std::get<Samples>(read);
  for (double& x : samples.x) x *= units[0];
  for (double& y : samples.y) y *= units[1];
  if (fields.has("filter")) {
    if (const std::string why = why_no_filter(samples, cut_off); !why.empty())
      return context.error(*fields.find("filter"), fmt::format("filter: {}", why),
                           "resample the file evenly, or give another frequency");
    filter(samples, cut_off);
  }
  function.x = std::move(samples.x);
  function.y = std::move(samples.y);
}

// How a spline ends and bends; what it cannot have makes it natural.
void read_shape(ModelContext& context, const Fields& fields, TableFunction& function) {
  std::vector<std::string> names;
  for (const mechanism::SplineShape& shape : mechanism::kSplineShapes) names.emplace_back(shape.name);
  if (const YamlNode* node = fields.find("shape")) {
    const auto chosen = read_choice(context, *node, "shape", names);
    for (const mechanism::SplineShape& shape : mechanism::kSplineShapes)
      if (chosen == shape.name) function.kind = shape.kind;
  }
  if (function.kind != TableFunction::Kind::clamped) {
    fields.refuse("slopes", "only a clamped spline has slopes of its own", "write shape: clamped");
  } else if (const YamlNode* node = fields.need("slopes", "give the slopes at both ends: [0, 0]")) {
    if (const auto slopes = read_numbers(context, *node, "slopes", 2, {""})) {
      function.first_slope = (*slopes)[0];
      function.last_slope = (*slopes)[1];
    }
  }
  if (function.kind != TableFunction::Kind::periodic || function.x.size() < 2) return;
  const YamlNode& data = *(fields.has("spline") ? fields.find("spline") : fields.find("file"));
  if (function.x.size() < 3)
    context.error(data, "spline: a period needs three points or more", "give the points of a whole period");
  else if (function.y.front() != function.y.back())
    context.error(
        data,
        fmt::format("spline: the period ends at {} but begins at {}", function.y.back(), function.y.front()),
        "give the same y at both ends");
  else
    return;
  function.kind = TableFunction::Kind::natural;
}

}  // namespace

void read_definitions(ModelContext& context, const YamlNode& root) {
  for_each_entry(context, root, "define", [&](const YamlNode& key, const YamlNode& value) {
    if (!context.declare(key, key.text, "definition")) return;
    const std::size_t before = context.expressions.size();
    Definition definition{key.text,
                          read_expression(context, value, key.text, "", mechanism::Scope::outputs),
                          {key.line, key.column}};
    if (context.expressions.size() > before) context.expressions.back().definition = key.text;
    context.mechanism.definitions.push_back(std::move(definition));
  });
}

void read_parameters(ModelContext& context, const YamlNode& root) {
  const YamlNode* section = root.find("parameters");
  if (section == nullptr || section->is_null()) return;
  if (!section->is_map()) {
    context.error(*section, fmt::format("parameters: expected named numbers, found {}", describe(*section)),
                  "write parameters: {L: 0.3 m}");
    return;
  }
  ParameterReader(context, *section).run();
}

void read_functions(ModelContext& context, const YamlNode& root) {
  for_each_entry(context, root, "functions", [&](const YamlNode& key, const YamlNode& value) {
    if (!context.declare(key, key.text, "function")) return;
    TableFunction function;
    function.name = key.text;
    function.where = {key.line, key.column};
    const Fields fields(context, key, value, "function");
    const std::string kind = fields.has("table") ? "table" : fields.has("file") ? "file" : "spline";
    if (kind == "file") fields.refuse("spline", "a function has one kind", "keep spline: or file:");
    if (kind != "file")
      for (const char* other : {"columns", "units", "filter"})
        fields.refuse(other, "it belongs to `file:`", "leave it out");
    if (kind == "table") {
      function.kind = TableFunction::Kind::table;
      for (const char* other : {"spline", "file", "shape", "slopes"})
        fields.refuse(other, "a function has one kind", "keep one of spline:, table: and file:");
    }
    if (kind == "spline" && !fields.has("spline")) {
      if (value.is_map()) fields.need("spline", "give spline: or table: with points [x, y]");
    } else if (kind == "file") {
      read_sampled(context, fields, function);
      read_shape(context, fields, function);
    } else {
      read_data(context, *fields.find(kind), kind, function);
      if (kind == "spline") read_shape(context, fields, function);
    }
    // a name with broken data still counts as known
    if (function.x.size() < 2) function.x = {0, 1}, function.y = {0, 0};
    context.constants.function(key.text, mechanism::function_of(function));
    context.mechanism.functions.push_back(std::move(function));
  });
}

}  // namespace trammel::model
