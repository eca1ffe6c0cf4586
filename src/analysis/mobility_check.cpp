#include "analysis/mobility_check.h"

#include "analysis/nearby_positions.h"

namespace trammel::analysis {
namespace {

// The singular values of more equations would take longer than a person waits.
constexpr int kGaugedEquations = 600;

}  // namespace

MobilityCheck check_mobility(const Simulation& simulation) {
  MobilityCheck check;
  const JointEquations equations(simulation);
  const Mobility& m = check.mobility = mobility(simulation, equations);
  check.loops = independent_loops(equations, equations.start());
  if (!m.examined || equations.mechanism().generalized) return check;
  if (m.redundant_constraints > m.redundant_here) {
    std::vector<std::string> names;
    for (const Mobility::DependentSet& set : m.dependent_sets)
      if (set.redundant > set.redundant_here) names.insert(names.end(), set.joints.begin(), set.joints.end());
    const NearbyPositions nearby = nearby_positions(equations);
    const bool beside = !nearby.states.empty() && !nearby.stands_alone();
    check.remedies = joint_remedies(equations, names, beside ? &nearby.states.front() : nullptr);
  }
  if (m.joint_equations == 0 || m.joint_equations > kGaugedEquations) return check;
  const int rank = m.joint_equations - m.redundant_constraints + m.redundant_here;
  check.gauge = singularity_gauge(equations, equations.start(), rank);
  if (m.redundant_here == 0) check.way = singular_way(equations, rank);
  return check;
}

}  // namespace trammel::analysis
