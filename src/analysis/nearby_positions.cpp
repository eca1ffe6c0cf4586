#include "analysis/nearby_positions.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/held_freedoms.h"
#include "formulations/projection/assembly.h"

namespace trammel::analysis {
namespace {

// How far, as a part of the length scale or in rad, and how often it looks.
constexpr double kWay = 0.02;
constexpr int kLooks = 3;
// A singular position that is found again is known to about 1e-4 only.
constexpr double kCameBack = 1e-3;

}  // namespace

bool NearbyPositions::stands_alone() const { return distance < kCameBack; }

NearbyPositions nearby_positions(const JointEquations& equations) {
  NearbyPositions found;
  const system::System& system = equations.undriven();
  const State& start = equations.start();
  const Eigen::MatrixXd R = allowed_velocities(system, start);
  if (R.cols() == 0) return found;
  const Eigen::Map<const Eigen::VectorXd> scale(system.coordinate_scale().data(), R.rows());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(-1, 1);
  for (int look = 0; look < kLooks; ++look) {
    Eigen::VectorXd move = Eigen::VectorXd::Zero(R.rows());
    for (Eigen::Index k = 0; k < R.cols(); ++k) move += part(random) * R.col(k);
    move *= kWay / move.cwiseQuotient(scale).cwiseAbs().maxCoeff();
    State aside = start;
    system.retract(aside.q, {move.data(), static_cast<std::size_t>(move.size())});
    found.open.push_back(aside);
    const AssemblyReport closed = formulations::assemble_positions(system, aside);
    if (!closed.report.accepted() || !closed.open.empty()) continue;
    std::vector<double> way(aside.v.size());
    system.difference(start.q, aside.q, way);
    for (std::size_t k = 0; k < way.size(); ++k)
      found.distance = std::max(found.distance, std::abs(way[k]) / system.coordinate_scale()[k]);
    found.states.push_back(std::move(aside));
  }
  return found;
}

}  // namespace trammel::analysis
