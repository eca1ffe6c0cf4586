// Reading the text that a ModelBuilder makes. A person who writes C++ has never seen it: errors name the
// entry, "bodies.crank", instead of file and line, also those of a parameter that changes later.
#pragma once

#include <string>
#include <vector>

#include "trammel/model.h"

namespace trammel::model {

// The entry that each line of the text holds, from the first line on.
ModelInput read_built_model(const std::string& text, std::vector<std::string> entry_of_line,
                            const OwnParts& own);

}  // namespace trammel::model
