#include "reproduce/figures.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/reader/keys.h"
#include "simulation/plan_check.h"

namespace trammel::reproduce {
namespace {

namespace fs = std::filesystem;

// A YAML file with its name, for messages.
class Document {
 public:
  explicit Document(fs::path path) : path_(std::move(path)) {
    try {
      root_ = YAML::LoadFile(path_.string());
    } catch (const YAML::Exception& error) {
      throw std::runtime_error(fmt::format("{}: {}", path_.string(), error.what()));
    }
  }
  const YAML::Node& root() const { return root_; }

  [[noreturn]] void fail(const YAML::Node& at, const std::string& sentence) const {
    throw std::runtime_error(fmt::format("{}:{}: {}", path_.string(), at.Mark().line + 1, sentence));
  }
  void allow(const YAML::Node& map, const std::vector<std::string>& keys) const {
    if (!map.IsMap()) fail(map, "a list of keys and values is expected here");
    for (const auto& entry : map) {
      const auto key = entry.first.as<std::string>();
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        fail(entry.first, fmt::format("there is no key '{}' here", key));
    }
  }
  std::string text(const YAML::Node& map, const char* key, bool required = false) const {
    const YAML::Node node = map[key];
    if (node && node.IsScalar()) return node.as<std::string>();
    if (node || required) fail(map, fmt::format("'{}' must be a text", key));
    return {};
  }
  std::vector<std::string> texts(const YAML::Node& map, const char* key) const {
    const YAML::Node node = map[key];
    if (!node) return {};
    if (!node.IsSequence()) fail(node, fmt::format("'{}' must be a list", key));
    return node.as<std::vector<std::string>>();
  }

 private:
  fs::path path_;
  YAML::Node root_;
};

Row read_row(const Document& doc, const YAML::Node& node, const std::string& key, const Row& common) {
  Row row = common;
  row.key = key;
  row.label = key;
  if (node.IsScalar()) {
    row.published = node.as<std::string>();
    return row;
  }
  doc.allow(node,
            {"label", "published", "bound", "unit", "noise", "why", "note", "fitted", "sensitive", "needs"});
  if (node["bound"] && (node["published"] || node["noise"]))
    doc.fail(node, "a check has a 'bound' and nothing 'published', and no 'noise'");
  if (node["bound"])
    row.bound = node["bound"].as<double>();
  else
    row.published = doc.text(node, "published", true);
  if (node["label"]) row.label = doc.text(node, "label");
  if (node["unit"]) row.unit = doc.text(node, "unit");
  if (node["why"]) row.why = doc.text(node, "why");
  if (node["note"]) row.note = doc.text(node, "note");
  if (node["fitted"]) row.fitted = doc.text(node, "fitted");
  if (node["sensitive"]) row.sensitive = doc.text(node, "sensitive");
  if (node["noise"]) row.noise = node["noise"].as<double>();
  row.needs = doc.texts(node, "needs");
  if (row.noise > 0 && row.why.empty()) doc.fail(node, "a 'noise' needs its reason: 'why'");
  if (node["bound"] && !row.is_check()) doc.fail(node, "a 'bound' must be above zero");
  if (row.is_check() && row.why.empty()) doc.fail(node, "a 'bound' needs its reason: 'why'");
  return row;
}

// A row of several figures: a list with one for each column, or {values: […], label: …, noise: …}.
void read_columns(const Document& doc, const YAML::Node& node, const std::string& key, Item& item) {
  Row common;
  std::string label = key;
  const YAML::Node values = node.IsMap() ? node["values"] : node;
  if (node.IsMap()) {
    doc.allow(node, {"values", "label", "unit", "noise", "why", "note", "fitted", "sensitive"});
    if (node["label"]) label = doc.text(node, "label");
    common.unit = doc.text(node, "unit");
    common.why = doc.text(node, "why");
    common.note = doc.text(node, "note");
    common.fitted = doc.text(node, "fitted");
    common.sensitive = doc.text(node, "sensitive");
    if (node["noise"]) common.noise = node["noise"].as<double>();
    if (common.noise > 0 && common.why.empty()) doc.fail(node, "a 'noise' needs its reason: 'why'");
  }
  if (!values || !values.IsSequence() || values.size() != item.columns.size())
    doc.fail(node, fmt::format("row '{}' needs {} values, one for each column", key, item.columns.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].IsNull()) continue;
    Row row = read_row(doc, values[i], key + "/" + item.columns[i], common);
    row.label = label;
    item.rows.push_back(std::move(row));
  }
}

RunSettings read_run(const Document& doc, const YAML::Node& node) {
  if (node.IsSequence()) return {"", node.as<std::vector<std::string>>()};
  doc.allow(node, {"model", "settings"});
  return {doc.text(node, "model"), doc.texts(node, "settings")};
}

Item read_item(const Document& doc, const YAML::Node& node, const std::string& paper,
               const std::string& name) {
  doc.allow(node, {"where", "title", "remark", "model", "settings", "runs", "stated", "assumed", "needs",
                   "columns", "rows"});
  Item item;
  item.paper = paper;
  item.name = name;
  item.where = doc.text(node, "where", true);
  item.title = doc.text(node, "title", true);
  item.remark = doc.text(node, "remark");
  item.model = doc.text(node, "model");
  item.settings = doc.texts(node, "settings");
  item.stated = doc.texts(node, "stated");
  item.needs = doc.texts(node, "needs");
  item.columns = doc.texts(node, "columns");
  for (const auto& run : node["runs"]) item.runs[run.first.as<std::string>()] = read_run(doc, run.second);
  for (const YAML::Node& assumption : node["assumed"]) {
    doc.allow(assumption, {"what", "why"});
    item.assumed.push_back({doc.text(assumption, "what", true), doc.text(assumption, "why", true)});
  }
  if (!node["rows"] || !node["rows"].IsMap() || node["rows"].size() == 0)
    doc.fail(node, fmt::format("item '{}' has no rows", name));
  for (const auto& row : node["rows"]) {
    const auto key = row.first.as<std::string>();
    if (item.columns.empty())
      item.rows.push_back(read_row(doc, row.second, key, {}));
    else
      read_columns(doc, row.second, key, item);
  }
  return item;
}

std::map<std::string, std::string> read_recorded(const fs::path& path) {
  if (!fs::exists(path)) return {};
  std::ifstream file(path);
  try {
    return nlohmann::json::parse(file).get<std::map<std::string, std::string>>();
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

Paper read_paper(const Library& library, const std::string& name) {
  const Document doc(library.papers / name / "figures.yaml");
  const YAML::Node& root = doc.root();
  doc.allow(root, {"title", "authors", "source", "about", "items"});
  Paper paper{name,
              doc.text(root, "title", true),
              doc.text(root, "authors", true),
              doc.text(root, "source"),
              doc.text(root, "about"),
              {},
              read_recorded(library.papers / name / "verdicts.json")};
  for (const auto& item : root["items"]) {
    paper.items.push_back(read_item(doc, item.second, name, item.first.as<std::string>()));
    paper.items.back().library = library;
  }
  return paper;
}

}  // namespace

const std::string& Item::published(const std::string& key) const {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.key == key; });
  if (row == rows.end()) throw std::logic_error(fmt::format("{} has no row '{}'", id(), key));
  return row->published;
}

Library library_at(const fs::path& papers) {
  Library library{papers, papers.parent_path() / "models", papers.parent_path() / "tests" / "references"};
  if (!fs::exists(papers / "papers.yaml"))
    throw std::runtime_error(
        fmt::format("'{}' has no papers.yaml: give the folder papers/ of Trammel's sources with --papers",
                    papers.string()));
  for (const fs::path& folder : {library.models, library.references})
    if (!fs::is_directory(folder))
      throw std::runtime_error(
          fmt::format("'{}' is not there, which the figures in '{}' need: keep papers/, models/ and "
                      "tests/references/ side "
                      "by side, as in Trammel's sources",
                      folder.string(), papers.string()));
  return library;
}

Library find_library(const std::string& given, const fs::path& program) {
  if (!given.empty()) return library_at(fs::absolute(given).lexically_normal());
  for (fs::path folder = program.parent_path();; folder = folder.parent_path()) {
    if (fs::exists(folder / "papers" / "papers.yaml")) return library_at(folder / "papers");
    if (folder == folder.parent_path()) break;
  }
  throw std::runtime_error(
      "there is no folder papers/ above the program: give it with --papers DIR (it is part of Trammel's "
      "sources)");
}

std::vector<Paper> read_papers(const Library& library) {
  const Document doc(library.papers / "papers.yaml");
  doc.allow(doc.root(), {"papers", "optional"});
  std::vector<Paper> papers;
  for (const std::string& name : doc.texts(doc.root(), "papers")) papers.push_back(read_paper(library, name));
  return papers;
}

std::map<std::string, std::string> read_optional_features(const Library& library) {
  const Document doc(library.papers / "papers.yaml");
  std::map<std::string, std::string> features;
  for (const auto& entry : doc.root()["optional"])
    features[entry.first.as<std::string>()] = entry.second.as<std::string>();
  return features;
}

bool build_has(const std::string& feature) {
  const std::size_t space = feature.find(' ');
  const std::string kind = feature.substr(0, space), name = feature.substr(space + 1);
  const auto among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (kind == "coordinates") return among(simulation::known_coordinates());
  if (kind == "formulation") return among(simulation::known_formulations());
  if (kind == "integrator") return among(simulation::known_integrators());
  if (kind != "key") throw std::runtime_error(fmt::format("needs: '{}' names no kind of feature", feature));
  // "key simulate.gyroscopic"
  const std::size_t dot = name.find('.');
  const std::vector<std::string> keys = model::family_keys(name.substr(0, dot));
  return std::find(keys.begin(), keys.end(), name.substr(dot + 1)) != keys.end();
}

std::string first_missing(const std::vector<std::string>& features) {
  const auto missing = std::find_if_not(features.begin(), features.end(), build_has);
  return missing == features.end() ? std::string() : *missing;
}

void write_recorded(const Library& library, const std::string& paper,
                    const std::map<std::string, std::string>& verdicts) {
  const fs::path path = library.papers / paper / "verdicts.json";
  std::ofstream file(path);
  file << nlohmann::json(verdicts).dump(1) << "\n";
  file.close();
  if (!file) throw std::runtime_error(fmt::format("cannot write '{}'", path.string()));
}

}  // namespace trammel::reproduce
