// Pulls: springs by which a person holds the mechanism, beside the model itself.
//
//   f = k (target − x) − c ẋ    at a point x of a body
//
// k = m ω² and c = 2 m ω unless given, with m the body's mass and a tenth of the mechanism's, so that a light
// link can move what hangs on it; ω is limited by the step, for explicit rules. The target is three inputs:
// moving it changes the State, not the System.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::live {

struct Pull {
  std::string name;  // as whoever holds it calls it
  std::string key;   // its point, force and, with an axis, inputs
  std::string body;
  Vec3 at = Vec3::Zero();      // body axes
  Vec3 target = Vec3::Zero();  // world
  double stiffness = 0, damping = 0;
};

// Stiffness and damping that suit a body and a step; stiffer for one that is to hold.
void choose_stiffness(const Mechanism& model, double step, bool hold, Pull& pull);

// The model with its pulls, as it runs.
Mechanism with_pulls(const Mechanism& model, const std::vector<Pull>& pulls);

// The first input of a pull in that mechanism.
std::size_t first_input(const Mechanism& model, std::size_t pull);

}  // namespace trammel::live
