#include "system/natural/shared_flows.h"

#include <Eigen/Dense>
#include <algorithm>

namespace trammel {

SharedFlows share_flows(const SharedPlace& place) {
  SharedFlows result;
  for (const auto& meeting : place.meetings)
    for (int body : meeting.bodies) {
      result.flows.push_back({meeting.joint, body});
      if (body != kGroundBody && std::ranges::count(result.bodies, body) == 0) result.bodies.push_back(body);
    }
  const auto bodies = static_cast<Eigen::Index>(result.bodies.size());
  const auto joints = static_cast<Eigen::Index>(place.meetings.size());
  const auto flows = static_cast<Eigen::Index>(result.flows.size());
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(bodies + joints, flows);
  for (Eigen::Index k = 0; k < flows; ++k) {
    const SharedFlows::Flow& flow = result.flows[static_cast<std::size_t>(k)];
    const auto body = std::ranges::find(result.bodies, flow.body);
    if (body != result.bodies.end()) sums(body - result.bodies.begin(), k) = 1;
    const auto joint = std::ranges::find(place.meetings, flow.joint, &SharedPlace::Meeting::joint);
    sums(bodies + (joint - place.meetings.begin()), k) = 1;
  }
  result.shortest = sums.completeOrthogonalDecomposition().pseudoInverse().leftCols(bodies);
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(sums);
  result.free = lu.rank() < flows ? Eigen::MatrixXd(lu.kernel()) : Eigen::MatrixXd(flows, 0);
  return result;
}

}  // namespace trammel
