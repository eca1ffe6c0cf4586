// Motions that are known in closed form for all times.
//
//   a pendulum that is released at rest from the horizontal, as a point and as a rod: elliptic functions
//   the double four-bar, whose cranks turn for ever: likewise
//   a wheel that rolls on at constant speed: way and turns
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::campaigns {

// A column, and what it must be.
struct Exact {
  std::string column;
  std::function<double(double t)> at;
};

struct ClosedMotion {
  std::string name;
  Mechanism mechanism;
  std::vector<Exact> exact;
};

ClosedMotion point_pendulum();
ClosedMotion rod_pendulum();
ClosedMotion double_four_bar();
ClosedMotion rolling_wheel();

}  // namespace trammel::campaigns
