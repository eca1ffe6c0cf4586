#include "trammel/model_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/reader/built_model.h"
#include "model/yaml/yaml_flow.h"

namespace trammel {
namespace {

std::string number(double value) { return fmt::format("{}", value); }

// The file line by line, each with the entry that it holds: "bodies.crank".
struct Lines {
  std::vector<std::string> text, entry;

  void add(std::string line, std::string path) {
    text.push_back(std::move(line));
    entry.push_back(std::move(path));
  }
};

std::string flow(const ModelNode& node) {
  if (!node.value.empty()) return node.value;
  std::string out;
  for (const auto& [key, child] : node.entries)
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", model::yaml_text(key), flow(child));
  return "{" + out + "}";
}

// A comment ends with its line.
std::string comment(const std::string& text, const char* before) {
  std::string one = text;
  std::ranges::replace(one, '\n', ' ');
  return one.empty() ? "" : before + one;
}

Lines lines_of(const ModelNode& root) {
  Lines lines;
  if (!root.remark.empty()) lines.add(comment(root.remark, "# "), "model");
  lines.add("trammel: 1", "model");
  for (const auto& [key, node] : root.entries) {
    if (!node.value.empty()) {
      lines.add(fmt::format("{}: {}", model::yaml_text(key), node.value), key);
      continue;
    }
    lines.add(model::yaml_text(key) + ":", key);
    for (const auto& [name, entry] : node.entries)
      lines.add(fmt::format("  {}: {}{}", model::yaml_text(name), flow(entry), comment(entry.remark, "  # ")),
                key + "." + name);
  }
  return lines;
}

std::string joined(const Lines& lines) {
  std::string all;
  for (const std::string& line : lines.text) all += line + "\n";
  return all;
}

}  // namespace

Value::Value(double value) : yaml_(number(value)) {}
Value::Value(const char* text) : yaml_(model::yaml_text(text)) {}
Value::Value(const std::string& text) : yaml_(model::yaml_text(text)) {}
Value::Value(const Eigen::Vector2d& v) : Value{v.x(), v.y()} {}
Value::Value(const Eigen::Vector3d& v) : Value{v.x(), v.y(), v.z()} {}
Value::Value(const Map& map) : yaml_(map.yaml()) {}

Value::Value(std::initializer_list<Value> list) {
  for (const Value& item : list) yaml_ += (yaml_.empty() ? "" : ", ") + item.yaml_;
  yaml_ = "[" + yaml_ + "]";
}

Value Value::list(const std::vector<Value>& items) {
  Value all("");
  all.yaml_.clear();
  for (const Value& item : items) all.yaml_ += (all.yaml_.empty() ? "" : ", ") + item.yaml_;
  all.yaml_ = "[" + all.yaml_ + "]";
  return all;
}

Map::Map(std::initializer_list<std::pair<std::string, Value>> entries) {
  for (const auto& [key, value] : entries) set(key, value);
}

Map& Map::set(const std::string& key, const Value& value) {
  yaml_ += fmt::format("{}{}: {}", yaml_.empty() ? "" : ", ", model::yaml_text(key), value.yaml());
  return *this;
}

ModelNode& ModelNode::at(const std::string& key) {
  value.clear();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == key; });
  return found != entries.end() ? found->second : entries.emplace_back(key, ModelNode()).second;
}

ModelBuilder::ModelBuilder(const std::string& name) {
  if (!name.empty()) set("name", name);
}

ModelBuilder& ModelBuilder::set(const std::string& key, const Value& value) {
  root_.at(key).value = value.yaml();
  return *this;
}

ModelBuilder& ModelBuilder::parameter(const std::string& name, const Value& value) {
  in("parameters", name).value = value.yaml();
  return *this;
}

ModelBuilder& ModelBuilder::define(const std::string& name, const Value& expression) {
  in("define", name).value = expression.yaml();
  return *this;
}

ModelBuilder& ModelBuilder::input(const std::string& name, const Value& value) {
  in("inputs", name).value = value.yaml();
  return *this;
}

ModelBuilder& ModelBuilder::state(const std::string& name, const Value& derivative, const Value& initial) {
  AnyEntry(in("states", name)).set("derivative", derivative).set("initial", initial);
  return *this;
}

ModelBuilder& ModelBuilder::output(const std::string& name, const Value& expression) {
  AnyEntry(in("outputs", "columns")).set(name, expression);
  return *this;
}

PointEntry ModelBuilder::point(const std::string& name, const Value& at) {
  return PointEntry(in("points", name)).at(at);
}

ModelBuilder& ModelBuilder::force(const std::string& name, UserForcePtr law) {
  own_.forces.push_back({name, std::move(law), {}});
  return *this;
}

ModelBuilder& ModelBuilder::constraint(const std::string& name, UserConstraintPtr law) {
  own_.constraints.push_back({name, std::move(law)});
  return *this;
}

ModelBuilder& ModelBuilder::remark(const std::string& text) {
  root_.remark = text;
  return *this;
}

ModelBuilder& ModelBuilder::remark(const std::string& section, const std::string& name,
                                   const std::string& text) {
  in(section, name).remark = text;
  return *this;
}

std::vector<std::string> ModelBuilder::entry_of_line() const { return lines_of(root_).entry; }

std::string ModelBuilder::text() const {
  if (!own_.forces.empty() || !own_.constraints.empty())
    throw std::runtime_error("a model file cannot say forces and constraints written in C++; use build()");
  return joined(lines_of(root_));
}

ModelInput ModelBuilder::build() const {
  const Lines lines = lines_of(root_);
  std::vector<model::LineOrigin> origins;
  for (const std::string& entry : lines.entry) origins.push_back({entry, 0});
  return model::read_made_model(joined(lines), "model", std::move(origins), {}, UnreadOptions::refused, own_);
}

}  // namespace trammel
