// Four-bars: loops of four links and four revolute joints in the plane, and their transmission angle.
//
//   μ = angle between coupler and output link, at the joint B that both share
//
// With crank a, coupler b, output c and frame d: cos μ = (b² + c² − a² − d² + 2 a d cos θ)/(2 b c).
// Forces pass well where μ is near 90°, and not at all where it is 0 or 180°.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::analysis {

struct FourBar {
  // Bodies frame, input, coupler, output; joints[k] is between body k and body k + 1, the last one closes.
  std::array<std::string, 4> bodies, joints;
};

// Loops with a driven joint or body beside the frame, which is ground where ground is a link of the loop.
std::vector<FourBar> four_bars(const Mechanism& mechanism);

// The place of one of its joints on a body, in the axes of the body.
Vec3 place_on(const Mechanism& mechanism, const std::string& joint, const std::string& body);

}  // namespace trammel::analysis
