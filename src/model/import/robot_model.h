// The model file of a Robot.
#pragma once

#include "model/import/foreign_reader.h"
#include "model/import/robot.h"
#include "trammel/model_builder.h"

namespace trammel::model {

// Writes the model, and into the notes of the XML what elements became; lines: which line of the foreign file
// is behind each entry, by its name "bodies.arm".
struct RobotModel {
  ModelBuilder builder;
  std::map<std::string, int> lines;
};
RobotModel robot_model(Robot& robot, const std::string& remark);

}  // namespace trammel::model
