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

Lines lines_of(const ModelNode& root) {
  Lines lines;
  lines.add("trammel: 1", "model");
  for (const auto& [key, node] : root.entries) {
    if (!node.value.empty()) {
      lines.add(fmt::format("{}: {}", model::yaml_text(key), node.value), key);
      continue;
    }
    lines.add(model::yaml_text(key) + ":", key);
    for (const auto& [name, entry] : node.entries)
      lines.add(fmt::format("  {}: {}", model::yaml_text(name), flow(entry)), key + "." + name);
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

Map::Map(std::initializer_list<std::pair<std::string, Value>> entries) {
  for (const auto& [key, value] : entries)
    yaml_ += fmt::format("{}{}: {}", yaml_.empty() ? "" : ", ", model::yaml_text(key), value.yaml());
  yaml_ = "{" + yaml_ + "}";
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

std::string ModelBuilder::text() const {
  if (!own_.forces.empty() || !own_.constraints.empty())
    throw std::runtime_error("a model file cannot say forces and constraints written in C++; use build()");
  return joined(lines_of(root_));
}

ModelInput ModelBuilder::build() const {
  Lines lines = lines_of(root_);
  const std::string text = joined(lines);
  return model::read_built_model(text, std::move(lines.entry), own_);
}

}  // namespace trammel
