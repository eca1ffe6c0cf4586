#include "simulation/over_driven.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <stdexcept>

#include "formulations/matrices/dense_terms.h"
#include "formulations/projection/assembly.h"
#include "linalg/rank.h"
#include "simulation/resolve.h"
#include "system/system.h"

namespace trammel::simulation {
namespace {

constexpr int kDenseRows = 500;  // a rank of more takes too long for a message

// Degrees of freedom without the drivers; none: the joints do not close, or there are too many.
std::optional<int> freedoms_undriven(const Simulation& simulation) {
  Mechanism undriven = simulation.mechanism();
  undriven.drivers.clear();
  std::shared_ptr<const system::System> system;
  try {
    system = system::compile(undriven, system::coordinates_of(simulation.resolved()));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  if (system->sizes().rows > kDenseRows) return std::nullopt;
  State state = system->initial_state();
  if (!formulations::assemble_positions(*system, state).report.accepted()) return std::nullopt;
  system::Terms terms = system->make_terms();
  system->evaluate(state, system::kAskPosition, terms);
  const Eigen::MatrixXd rows = formulations::scaled_rows(*system, terms);
  if (!rows.allFinite()) return std::nullopt;
  const int rank = rows.rows() == 0 ? 0 : linalg::rank_of_rows(rows, formulations::kRankTolerance).rank;
  return system->sizes().v - static_cast<int>(system->idle_columns().size()) - rank;
}

}  // namespace

std::string over_driven(const Simulation& simulation) {
  int driven = 0;
  for (const system::RowOwner& row : simulation.system().rows())
    if (row.kind == system::RowOwner::Kind::driver) ++driven;
  if (driven == 0) return {};
  const std::optional<int> freedoms = freedoms_undriven(simulation);
  if (!freedoms || driven <= *freedoms) return {};
  std::vector<std::string> names;
  for (const Driver& driver : simulation.mechanism().drivers) names.push_back("'" + driver.name + "'");
  if (*freedoms == 0)
    return fmt::format(
        "{} cannot move anything: the mechanism has no degree of freedom; look at 'trammel check', which "
        "names the joints that hold too much",
        fmt::join(names, ", "));
  const std::string remove = names.size() == 1         ? std::string("drive fewer of them")
                             : driven - *freedoms == 1 ? std::string("remove one of them")
                                                       : fmt::format("remove {} of them", driven - *freedoms);
  return fmt::format("{} {} prescribe{} {} coordinates of a mechanism with {} degree{} of freedom; {}",
                     names.size() == 1 ? "the driver" : "the drivers", fmt::join(names, ", "),
                     names.size() == 1 ? "s" : "", driven, *freedoms, *freedoms == 1 ? "" : "s", remove);
}

}  // namespace trammel::simulation
