#include "references.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "code.h"
#include "tests/source_dir.h"
#include "trammel/simulation.h"

namespace trammel::bench {
namespace {

constexpr double kTolerance = 1e-13, kAgreement = 1e-8;

std::vector<Vec3> motion(const Problem& problem, const Mechanism& mechanism, const std::string& coordinates,
                         const std::string& formulation, double interval) {
  Plan plan = mechanism.plan;
  plan.coordinates = coordinates;
  plan.formulation = formulation;
  plan.integrator = "dopri5";
  plan.tolerance = kTolerance;
  plan.step = 0;
  plan.project_positions = plan.project_velocities = true;
  Simulation simulation(mechanism, plan);
  std::vector<Vec3> points;
  std::size_t body = 0;
  while (mechanism.bodies[body].name != problem.body) ++body;
  bool good = simulation.assemble().report.accepted();
  for (int k = 0; good; ++k) {
    const Pose pose = simulation.system().poses(simulation.state())[body];
    points.push_back(pose.position + pose.axes * (problem.point - mechanism.bodies[body].com));
    if (k == std::lround(problem.duration / interval)) break;
    good = simulation.step((k + 1) * interval - simulation.state().t).report.accepted();
  }
  if (!good) points.clear();
  return points;
}

}  // namespace

int make_references() {
  constexpr double kInterval = 0.05;
  int status = 0;
  for (const Problem& problem : judged_problems()) {
    if (!problem.reference.starts_with("bench/")) continue;
    const Mechanism mechanism = mechanism_of(problem);
    const auto first = motion(problem, mechanism, "relative", "lagrange", kInterval);
    const auto second = motion(problem, mechanism, "natural", "augmented-lagrangian", kInterval);
    double difference = first.empty() || first.size() != second.size() ? INFINITY : 0;
    for (std::size_t k = 0; std::isfinite(difference) && k < first.size(); ++k)
      difference = std::max(difference, (first[k] - second[k]).norm());
    fmt::print("{}: the two agree to {:.1g} m\n", problem.name, difference);
    if (!(difference < kAgreement)) {
      status = 3;
      continue;
    }
    std::ofstream file(std::string(kSourceDir) + "/" + problem.reference);
    file << fmt::format(
        "# {}: {} of body {}; relative coordinates with Lagrange's multipliers and natural ones with the "
        "index-1\n"
        "# augmented Lagrangian, both by dopri5 at {:.0e} with projections, agree to {:.1g} m\nt,x,y,z\n",
        problem.model,
        fmt::format("point ({}, {}, {})", problem.point[0], problem.point[1], problem.point[2]), problem.body,
        kTolerance, difference);
    for (std::size_t k = 0; k < first.size(); ++k)
      file << fmt::format("{:.17g},{:.17g},{:.17g},{:.17g}\n", static_cast<double>(k) * kInterval,
                          first[k][0], first[k][1], first[k][2]);
  }
  return status;
}

}  // namespace trammel::bench
