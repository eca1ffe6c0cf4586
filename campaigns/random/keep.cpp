#include "keep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model_text.h"

namespace trammel::campaigns::random {
namespace {

// Reactions that redundant constraints can change by more than this are nobody's figure.
constexpr double kUnique = 1e-10;

// Kinds of parts by how often they occur, and what the mechanism is like as a whole; each about one.
std::vector<double> features(const Specification& spec) {
  std::vector<double> out(20 + 5 + 8, 0);
  const auto count = [&](std::size_t at) { out[at] = out[at] == 0 ? 1 : std::min(out[at] + 0.3, 2.0); };
  for (const JointSpec& j : spec.joints) count(static_cast<std::size_t>(j.kind));
  for (const DriverSpec& d : spec.drivers) count(20 + static_cast<std::size_t>(d.kind));
  for (const ForceSpec& f : spec.forces) count(25 + static_cast<std::size_t>(f.kind));
  double light = INFINITY, heavy = 0, given = 0;
  for (const BodySpec& b : spec.bodies) {
    light = std::min(light, b.mass), heavy = std::max(heavy, b.mass);
    given += b.given ? 1 : 0;
  }
  const Equations equations(spec);
  const Mobility ranks = mobility(equations, equations.start());
  const int rows = static_cast<int>(equations.rows().size());
  const auto n = static_cast<double>(spec.bodies.size());
  out.insert(out.end(),
             {spec.planar ? 1.5 : 0.0, n / 4, std::log10(spec.size) / 3, std::log10(heavy) / 4,
              std::log10(heavy / light) / 3, rows > ranks.rank ? 1.0 : 0.0,
              (equations.unknowns() - ranks.rank) / 4.0, ranks.rank > ranks.position_rank ? 1.0 : 0.0,
              static_cast<double>(spec.joints.size()) - n, given / n, spec.gravity.norm() > 0 ? 0.5 : 0.0});
  return out;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

// Names, and values in the middle and at the end.
nlohmann::json figures(const ReferenceTable& table) {
  nlohmann::json columns = nlohmann::json::object();
  const std::size_t middle = table.times.size() / 2, end = table.times.size() - 1;
  const auto rounded = [](double x) { return std::stod(fmt::format("{:.10g}", x)); };
  for (const auto& [name, column] : table.columns)
    if (column.freedom < kUnique)
      columns[name] = {rounded(column.values[0]), rounded(column.values[middle]),
                       rounded(column.values[end])};
  return {{"rows", {0, middle, end}},
          {"freedoms", table.freedoms},
          {"redundant", table.redundant},
          {"columns", columns}};
}

}  // namespace

std::vector<std::size_t> most_different(const std::vector<Specification>& all, std::size_t count) {
  std::vector<std::vector<double>> points;
  points.reserve(all.size());
  for (const Specification& spec : all) points.push_back(features(spec));
  std::vector<double> apart(all.size(), INFINITY);
  std::vector<std::size_t> chosen;
  while (chosen.size() < std::min(count, all.size())) {
    const auto next = static_cast<std::size_t>(std::max_element(apart.begin(), apart.end()) - apart.begin());
    chosen.push_back(next);
    for (std::size_t k = 0; k < all.size(); ++k)
      apart[k] = std::min(apart[k], distance(points[k], points[next]));
  }
  return chosen;
}

void write_kept(const std::vector<Specification>& kept, const std::string& folder) {
  std::filesystem::create_directories(folder);
  nlohmann::json all = nlohmann::json::object();
  for (Specification spec : kept) {
    const std::optional<ReferenceTable> table = settle_duration(spec);
    if (!table) continue;
    const std::string name = fmt::format("random-{:05}", spec.seed);
    all[name] = figures(*table);
    std::ofstream(folder + "/" + name + ".yaml") << model_text(spec);
  }
  // One line for each mechanism.
  std::ofstream file(folder + "/figures.json");
  file << "{\n";
  for (auto at = all.begin(); at != all.end(); ++at)
    file << fmt::format("{}: {}{}\n", nlohmann::json(at.key()).dump(), at.value().dump(),
                        std::next(at) == all.end() ? "" : ",");
  file << "}\n";
}

}  // namespace trammel::campaigns::random
