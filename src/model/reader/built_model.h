// Reading a text that nobody has written: one that a ModelBuilder makes, or the model of an imported file.
// Errors name what is behind its lines, also those of a parameter that changes later.
#pragma once

#include <string>
#include <vector>

#include "trammel/model.h"

namespace trammel::model {

// Of a ModelBuilder the entry, "bodies.crank", and no line; of an imported file the file and its line.
struct LineOrigin {
  std::string file;
  int line = 0;
};

// The origin of each line of the text, from the first line on.
ModelInput read_made_model(const std::string& text, const std::string& file, std::vector<LineOrigin> origins,
                           const std::vector<std::string>& settings, UnreadOptions unread,
                           const OwnParts& own);

}  // namespace trammel::model
