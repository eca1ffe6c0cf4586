// Place: a point or vector fixed to a body, and how coordinates see it.
//
//   x = x(q),   ẋ = Σ J_k v[k],   ẍ = Σ J_k v̇[k] + bias,   a force f there is Q[k] += J_k·f
//
// All that a mechanism outside a System needs of it to be joined to one of its bodies.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"
#include "trammel/state.h"

namespace trammel::system {

struct Place {
  std::string body;
  bool is_point = true;       // else a vector
  Vec3 local = Vec3::Zero();  // body axes
};

struct PlaceMotion {
  Vec3 x = Vec3::Zero(), v = Vec3::Zero(), bias = Vec3::Zero();
  std::vector<Vec3> J;  // by column of the view
};

class PlaceView {
 public:
  virtual ~PlaceView() = default;
  // The velocities that move it.
  const std::vector<int>& columns() const { return columns_; }
  // At the positions and velocities of a state.
  virtual void see(const State& state, PlaceMotion& motion) const = 0;

 protected:
  std::vector<int> columns_;
};

}  // namespace trammel::system
