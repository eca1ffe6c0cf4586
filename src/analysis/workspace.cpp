// Positions are sampled (analysis/reach.h); in the plane the boundary of what the point reaches is refined
// (analysis/boundary.h).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/boundary.h"
#include "analysis/driven_start.h"
#include "trammel/analyses.h"
#include "trammel/run.h"

namespace trammel::analysis {
namespace {

// By freedoms: some thousand samples over whole turns of each.
double usual_spacing(Eigen::Index freedoms) {
  return freedoms <= 1 ? 0.01 : freedoms == 2 ? 0.15 : freedoms == 3 ? 0.4 : 0.8;
}

}  // namespace
}  // namespace trammel::analysis

namespace trammel {

std::string usual_point(const Mechanism& mechanism) {
  std::string usual = mechanism.bodies.empty() ? "" : mechanism.bodies.back().name + ".com";
  for (const Point& point : mechanism.points) {
    bool moves = !point.on.empty();
    for (const Marker& marker : point.on) moves = moves && marker.body != kGround;
    if (moves) usual = point.name;
  }
  return usual;
}

Workspace solve_workspace(const Mechanism& mechanism, const WorkspaceOptions& options) {
  using namespace analysis;
  if (options.most < 1) throw std::invalid_argument("samples: give one position at least");
  Workspace out;
  out.point = options.point.empty() ? usual_point(mechanism) : options.point;
  if (mechanism.generalized) {
    out.report.outcome = Outcome::refused;
    out.report.message = "the model has coordinates of its own and no points";
    return out;
  }
  Mechanism free = with_masses(mechanism);
  free.drivers.clear();
  const std::unique_ptr<Simulation> simulation = bare_simulation(free, mechanism.plan);
  const AssemblyReport assembly = simulation->assemble();
  out.report = assembly.report;
  if (!out.report.accepted()) {
    out.report.message = explain(assembly, *simulation);
    return out;
  }
  Reach reach(*simulation, mechanism.stops, out.point);
  out.freedoms = static_cast<int>(reach.freedoms());
  for (const EndStop& stop : mechanism.stops) {
    const double value = simulation->coordinate(stop.joint);
    if (value >= stop.lower.value_or(value) - 1e-9 && value <= stop.upper.value_or(value) + 1e-9) continue;
    out.report.outcome = Outcome::refused;
    out.report.message =
        fmt::format("the start is beyond the limit '{}' of joint '{}'", stop.name, stop.joint);
    return out;
  }
  if (out.freedoms == 0) {
    out.report.outcome = Outcome::refused;
    out.report.message = "the mechanism cannot move: its point reaches one place only";
    return out;
  }
  // Coarser samples leave gaps that the search for the boundary does not close.
  const double coarsest = std::max(0.5, usual_spacing(out.freedoms));
  if (!(options.spacing >= 0 && options.spacing <= coarsest))
    throw std::invalid_argument(
        fmt::format("a spacing of {:.6g} is not between 0 and {}: coarser samples miss the boundary",
                    options.spacing, coarsest));
  out.spacing = options.spacing > 0 ? options.spacing : usual_spacing(out.freedoms);
  reach.explore(out.spacing, options.most, options.starts, options.seed, options.go_on);
  out.interrupted = reach.interrupted();
  out.branches = reach.parts();
  out.covered = reach.covered();
  for (const Sample& sample : reach.samples()) out.points.push_back({sample.at, sample.part});
  if (!mechanism.is_planar || out.interrupted) return out;
  if (out.freedoms > 1) {
    Boundary boundary = find_boundary(reach, options.cells);
    out.boundary = std::move(boundary.loops);
    out.refined = boundary.refined;
    out.rough = boundary.rough;
    out.grid = boundary.grid;
    out.area_error = boundary.error;
    // A point that two freedoms move along one curve has an area of rounding.
    if (out.covered) out.area = std::max(0.0, boundary.area);
  } else if (out.covered) {
    out.area = 0;  // a curve
  }
  return out;
}

}  // namespace trammel
