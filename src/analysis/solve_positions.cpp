// solve_positions(): the start with everything held that nothing drives, and the branches from there.
#include "analysis/asking.h"
#include "analysis/assembly_branches.h"
#include "analysis/driven_start.h"
#include "analysis/state_rows.h"
#include "trammel/analyses.h"

namespace trammel {

Positions solve_positions(const Mechanism& mechanism, const PositionsOptions& options) {
  Positions out;
  const analysis::DrivenStart start = analysis::driven_start(analysis::with_masses(mechanism), mechanism.plan,
                                                             analysis::Undriven::held, true);
  out.report = start.report;
  if (!out.report.accepted()) return out;
  out.held = start.held;
  out.largest_move = start.largest_move;
  analysis::BranchSearch found =
      analysis::find_branches(*start.simulation, options.starts, options.seed, options.go_on);
  if (found.interrupted) {
    out.report = analysis::Asking::interrupted();
    return out;
  }
  analysis::StateRows rows(start.simulation->shared_system(), start.simulation->mechanism(),
                           start.simulation->state(),
                           {.columns = analysis::StateRows::Columns::places,
                            .first = {"", "branch", "", "", "branch"},
                            .more = {{"branches", "residual", "", "", "branch.residual"},
                                     {"branches", "hits", "", "", "branch.hits"},
                                     {"branches", "distance", "m", "", "branch.distance"}}});
  for (analysis::AssemblyBranch& one : found.branches) {
    out.branches.push_back({std::move(one.poses), one.residual, one.hits, one.distance});
    rows.add(one.state, {}, static_cast<double>(out.branches.size()),
             {one.residual, static_cast<double>(one.hits), one.distance});
  }
  out.table = std::move(rows.table);
  out.starts = found.starts;
  out.closed = found.closed;
  out.unseen = found.unseen;
  return out;
}

}  // namespace trammel
