// PoseColumns: positions and velocities of bodies and places of points, as columns of results.
//
// Per body: position of the centre of mass, orientation (an angle in the plane, a quaternion w x y z in
// space), velocities. Per named point that moves: position.
#pragma once

#include <vector>

#include "system/readable.h"
#include "trammel/mechanism.h"
#include "trammel/trajectory.h"

namespace trammel::simulation {

// One column per letter of `components`, named NAME.c; NAME alone without components.
void add_channels(std::vector<Channel>& to, const std::string& group, const std::string& dataset,
                  const std::string& name, const std::string& unit, const std::string& components = "",
                  bool may_be_missing = false);

class PoseColumns {
 public:
  explicit PoseColumns(const Mechanism& mechanism);

  const std::vector<Channel>& channels() const { return channels_; }
  // One value per column.
  void append(const system::Readable& system, const State& state, std::vector<double>& row) const;

 private:
  bool planar_;
  std::vector<Channel> channels_;
  std::vector<bool> moving_point_;
};

}  // namespace trammel::simulation
