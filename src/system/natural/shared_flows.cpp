#include "system/natural/shared_flows.h"

#include <algorithm>

#include "math/index.h"

namespace trammel::system {
namespace {

using math::at;

}  // namespace

SharedFlows::SharedFlows(const SharedPlace& place) {
  for (const auto& meeting : place.meetings)
    for (const int body : meeting.bodies) {
      flows_.push_back({meeting.joint, body});
      if (body != kGroundBody) bodies_.push_back(body);
    }
  std::ranges::sort(bodies_);
  bodies_.erase(std::unique(bodies_.begin(), bodies_.end()), bodies_.end());
  span_tree(place);

  const auto count = static_cast<Eigen::Index>(flows_.size());
  free_ = Eigen::MatrixXd::Zero(count, static_cast<Eigen::Index>(loops_.size()));
  const Eigen::MatrixXd nothing = Eigen::MatrixXd::Zero(1, static_cast<Eigen::Index>(bodies_.size()));
  for (std::size_t k = 0; k < loops_.size(); ++k) {
    Eigen::MatrixXd around = Eigen::MatrixXd::Zero(1, count);
    around(0, loops_[k]) = 1;
    follow_tree(nothing, around);
    free_.col(static_cast<Eigen::Index>(k)) = around.transpose();
  }
  if (!loops_.empty()) qr_.compute(free_);
}

void SharedFlows::span_tree(const SharedPlace& place) {
  // Bodies first, then joints; ground is not a node: its flows lead to the root.
  nodes_.resize(bodies_.size() + place.meetings.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) nodes_[b].body = static_cast<int>(b);
  std::vector<std::pair<int, int>> ends;  // of each flow: body or −1, joint
  int joint = static_cast<int>(bodies_.size());
  std::vector<int> outwards, waiting;
  std::vector<bool> reached(nodes_.size(), false), used(flows_.size(), false);
  for (const auto& meeting : place.meetings) {
    for (const int body : meeting.bodies) {
      const int flow = static_cast<int>(ends.size());
      const bool grounded = body == kGroundBody;
      const int b =
          grounded ? -1 : static_cast<int>(std::ranges::lower_bound(bodies_, body) - bodies_.begin());
      ends.emplace_back(b, joint);
      nodes_[at(joint)].flows.push_back(flow);
      if (!grounded) nodes_[at(b)].flows.push_back(flow);
      if (!grounded || reached[at(joint)]) continue;
      reached[at(joint)] = used[at(flow)] = true;
      nodes_[at(joint)].up = flow;
      waiting.push_back(joint);
    }
    ++joint;
  }
  for (int root = 0; root <= static_cast<int>(nodes_.size()); ++root) {
    for (std::size_t next = 0; next < waiting.size(); ++next) {
      const int node = waiting[next];
      outwards.push_back(node);
      for (const int flow : nodes_[at(node)].flows) {
        const auto [b, j] = ends[at(flow)];
        const int other = b == node ? j : b;
        if (other < 0 || reached[at(other)]) continue;
        reached[at(other)] = used[at(flow)] = true;
        nodes_[at(other)].up = flow;
        waiting.push_back(other);
      }
    }
    waiting.clear();
    if (root == static_cast<int>(nodes_.size()) || reached[at(root)]) continue;
    reached[at(root)] = true;
    waiting.push_back(root);
  }
  inwards_.assign(outwards.rbegin(), outwards.rend());
  for (std::size_t flow = 0; flow < used.size(); ++flow)
    if (!used[flow]) loops_.push_back(static_cast<int>(flow));
}

void SharedFlows::follow_tree(const Eigen::MatrixXd& R, Eigen::MatrixXd& flows) const {
  for (const int n : inwards_) {
    const Node& node = nodes_[at(n)];
    if (node.up < 0) continue;
    for (Eigen::Index i = 0; i < flows.rows(); ++i) {
      double rest = node.body >= 0 ? R(i, node.body) : 0;
      for (const int flow : node.flows)
        if (flow != node.up) rest -= flows(i, flow);
      flows(i, node.up) = rest;
    }
  }
}

Eigen::MatrixXd SharedFlows::divide(const Eigen::MatrixXd& R) const {
  Eigen::MatrixXd flows = Eigen::MatrixXd::Zero(R.rows(), static_cast<Eigen::Index>(flows_.size()));
  follow_tree(R, flows);
  if (loops_.empty()) return flows;
  // Less what runs around the loops: the shortest is perpendicular to all of them.
  const Eigen::MatrixXd around = qr_.solve(flows.transpose());
  return flows - (free_ * around).transpose();
}

}  // namespace trammel::system
