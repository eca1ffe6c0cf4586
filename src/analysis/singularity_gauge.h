// Singularity gauge: how near a position is to one in which the joints hold less, from 0 to 1.
//
// Each joint by itself allows some relative motions of its bodies, W y = 0, where y holds, joint by joint,
// the twists of its bodies less their common part. Bodies that hold together have y = C x. The gauge is the
// sine of the smallest angle between the two spaces beyond the motions that they share: with W and U
// orthonormal,
//
//   gauge = σ_r(W U),   range U = range C,   U = C Λ^(−1/2),   Λ = CᵀC
//
// Λ is the Laplacian of the graph of bodies: a joint of m bodies adds δ_ij − 1/m. σ_r is the r-th singular
// value, r the rank in a position nearby. It is 0 in a singular position and 1 in an open chain, which has
// none; it depends neither on units nor on coordinates, nor on where loops are cut. Twists are those of
// joint_equations.h: lengths count by the size of the mechanism.
#pragma once

#include <optional>

#include "analysis/joint_equations.h"

namespace trammel::analysis {

struct SingularityGauge {
  double value = 1;
  std::string weakest;  // the joint or driver with the largest part in that direction
};

// `rank`: of the equations in a position nearby.
SingularityGauge singularity_gauge(const JointEquations& equations, const State& at, int rank);

// A singular position on the way of a mechanism with one freedom, drivers apart.
struct NearestSingular {
  std::string coordinate, unit;  // "hinge.angle", "rad": of the driver, or the one that moves most
  double value = 0;              // there
  double distance = 0;           // to there; negative: backwards
};

struct SingularWay {
  bool followed = false;  // false: more than one freedom, or too large
  bool whole = false;     // the whole way was seen, both ways: it ends or closes
  double least = 1;       // the smallest gauge on it
  std::optional<NearestSingular> nearest;
};

SingularWay singular_way(const JointEquations& equations, int rank);

}  // namespace trammel::analysis
