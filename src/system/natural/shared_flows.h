// SharedFlows: how the joints that meet in one shared point or vector divide what its bodies receive there.
//
// The flows f_jb from joint j to body b obey Σ_j f_jb = R_b for every moving body b and Σ_b f_jb = 0 for
// every joint j; ground takes what is left. Joints and bodies are the nodes of a graph, flows its edges. On a
// tree each flow follows from those beyond it; every further edge closes a loop around which any flow may
// run. Of all solutions the shortest is taken.
#pragma once

#include <Eigen/Core>
#include <Eigen/QR>
#include <vector>

#include "linalg/dense.h"
#include "system/natural/basis.h"

namespace trammel::system {

class SharedFlows {
 public:
  explicit SharedFlows(const SharedPlace& place);

  struct Flow {
    int joint, body;
  };
  const std::vector<Flow>& flows() const { return flows_; }
  const std::vector<int>& bodies() const { return bodies_; }  // moving ones, ascending
  // Flows (one column each) of given R, one column per body.
  Eigen::MatrixXd divide(const Eigen::MatrixXd& R) const;
  // One column per independent way to change flows with R = 0.
  const Eigen::MatrixXd& free() const { return free_; }

 private:
  void span_tree(const SharedPlace& place);
  // Completes the flows of the loops to all flows.
  void follow_tree(const Eigen::MatrixXd& R, Eigen::MatrixXd& flows) const;

  // A joint or a moving body, and the flow that leads towards the root of its tree.
  struct Node {
    int body = -1;  // column of R; −1: a joint
    int up = -1;    // −1: a root
    std::vector<int> flows;
  };
  std::vector<Flow> flows_;
  std::vector<int> bodies_;
  std::vector<Node> nodes_;
  std::vector<int> inwards_;  // nodes from the leaves to the roots
  std::vector<int> loops_;    // flows that close a loop
  Eigen::MatrixXd free_;
  Eigen::HouseholderQR<Eigen::MatrixXd> qr_;  // of free
};

}  // namespace trammel::system
