// Moves a robot along the coordinates of its joints until its loops close.
//
// Files place the bodies of a robot where all coordinates are zero, and there loops may be open by half a
// turn: too far for assembly, which starts from places that are nearly right, and whose equations of parallel
// axes hold for opposite axes too.
#pragma once

#include <string>
#include <vector>

#include "model/import/robot.h"

namespace trammel::model {

struct LoopClosing {
  double largest_move = 0;                // m, of the bodies' frames
  std::string failure;                    // the loop that stays open, and how far; empty: none
  std::vector<std::string> without_stop;  // joints whose limits are in the way, where no ledger entry says so
};

// Where no position is found, the robot is as it was, and assembly tries.
LoopClosing close_loops(Robot& robot);

}  // namespace trammel::model
