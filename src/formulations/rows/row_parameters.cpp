#include "formulations/rows/row_parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trammel::formulations {

std::vector<double> by_row(const system::Dynamics& system, double common,
                           const std::map<std::string, double>& of_owner) {
  std::vector<double> values;
  for (const system::RowOwner& row : system.rows()) {
    const auto own = of_owner.find(row.name);
    values.push_back(own == of_owner.end() ? common : own->second);
  }
  return values;
}

bool owns_row(const system::Dynamics& system, const std::string& name) {
  return std::any_of(system.rows().begin(), system.rows().end(),
                     [&](const system::RowOwner& row) { return row.name == name; });
}

std::string name_an_owner(const system::Dynamics& system) {
  constexpr std::size_t kMostNames = 12;  // a line or two
  std::vector<std::string> owners;
  for (const system::RowOwner& row : system.rows()) {
    if (std::find(owners.begin(), owners.end(), row.name) != owners.end()) continue;
    owners.push_back(owners.size() < kMostNames ? row.name : "…");
    if (owners.size() > kMostNames) break;
  }
  if (owners.empty()) return "this mechanism has no constraint equations at all";
  return fmt::format("name one that has: {}", fmt::join(owners, ", "));
}

}  // namespace trammel::formulations
