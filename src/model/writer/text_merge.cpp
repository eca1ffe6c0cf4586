#include "model/writer/text_merge.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/writer/model_writer.h"
#include "model/yaml/yaml_change.h"
#include "simulation/resolve.h"

namespace trammel::model {
namespace {

using Json = nlohmann::ordered_json;
using Changes = std::vector<YamlChange>;

// Numbers that are read from a text differ from those written by rounding.
constexpr double kSameNumber = 1e-9;

Mechanism for_file(Mechanism m) {
  m.plan = simulation::without_unread(m.plan);
  return m;
}

void find_changes(const Json& before, const Json& after, std::vector<std::string>& path, Changes& out) {
  if (before == after) return;
  if (before.is_object() && after.is_object()) {
    for (const auto& item : before.items()) {
      path.push_back(item.key());
      if (!after.contains(item.key())) out.push_back({path, std::nullopt});
      path.pop_back();
    }
    for (const auto& item : after.items()) {
      path.push_back(item.key());
      if (before.contains(item.key()))
        find_changes(before[item.key()], item.value(), path, out);
      else
        out.push_back({path, item.value()});
      path.pop_back();
    }
    return;
  }
  if (before.is_array() && after.is_array() && before.size() == after.size()) {
    for (std::size_t k = 0; k < after.size(); ++k) {
      path.push_back(std::to_string(k));
      find_changes(before[k], after[k], path, out);
      path.pop_back();
    }
    return;
  }
  out.push_back({path, after});
}

bool try_change(std::string& text, const YamlChange& change) {
  try {
    text = change_yaml(text, change);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// A person may write an entry in another way than write_model(): a point as [x, y]; then the whole entry is
// written.
bool apply_change(std::string& text, const YamlChange& change, const Json& after) {
  if (try_change(text, change)) return true;
  if (!change.value && change.path.size() <= 2) return true;  // a name that only write_model() gives
  if (change.path.size() < 2) return false;
  if (change.path[0] == "points" && change.path.size() > 2 && change.path[2] == "at") {
    YamlChange bare = change;
    bare.path.erase(bare.path.begin() + 2);
    if (try_change(text, bare)) return true;
  }
  const std::string &section = change.path[0], &entry = change.path[1];
  if (!after.contains(section) || !after[section].contains(entry)) return false;
  return try_change(text, {{section, entry}, after[section][entry]});
}

bool same_value(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>(), y = b.get<double>();
    return std::abs(x - y) <= kSameNumber * std::max({std::abs(x), std::abs(y), kSameNumber});
  }
  if (a.is_array() && b.is_array()) return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_value);
  if (!a.is_object() || !b.is_object()) return a == b;
  if (a.size() != b.size()) return false;
  return std::ranges::all_of(a.items(), [&](const auto& item) {
    return b.contains(item.key()) && same_value(item.value(), b[item.key()]);
  });
}

// The name is left out: a model without one is called after its file.
Json compared(const Mechanism& m) {
  Json all = model_json(m, Expressions::values);
  all.erase("name");
  return all;
}

}  // namespace

MergedText merged_text(const std::string& text, const std::string& file, const Mechanism& before,
                       const Mechanism& after) {
  const Mechanism was = for_file(before), is = for_file(after);
  const Json wanted = model_json(is);
  Changes changes;
  std::vector<std::string> path;
  find_changes(model_json(was), wanted, path, changes);
  std::string merged = text;
  const bool done = std::ranges::all_of(
      changes, [&](const YamlChange& change) { return apply_change(merged, change, wanted); });
  if (done) {
    const ModelInput read = read_model_text(merged, file, {}, UnreadOptions::allowed);
    if (read && same_value(compared(for_file(read.mechanism)), compared(is))) return {merged, false};
  }
  return {write_model(is), true};
}

}  // namespace trammel::model
