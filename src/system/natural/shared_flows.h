// SharedFlows: how the joints that meet in one shared point or vector divide what its bodies receive there.
//
// The flows f_jb from joint j to body b obey Σ_j f_jb = R_b for every moving body b and Σ_b f_jb = 0 for
// every joint j; ground takes what is left. The shortest solution is taken; where joints form loops there are
// others.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "system/natural/basis.h"

namespace trammel {

struct SharedFlows {
  struct Flow {
    int joint, body;
  };
  std::vector<Flow> flows;
  std::vector<int> bodies;   // moving ones, in order of the columns of `shortest`
  Eigen::MatrixXd shortest;  // flows of given R, one row per flow
  Eigen::MatrixXd free;      // one column per independent way to change flows with R = 0
};

SharedFlows share_flows(const SharedPlace& place);

}  // namespace trammel
