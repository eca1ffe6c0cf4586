// Entries with a wrong indentation, which YAML reads as something else: each block is reported once and put
// where it belongs, so that it makes no other errors.
//
//   bodies:          bodies:                       bodies:
//   crank: {…}         crank:                        crank: {…}
//                      mass: 1 kg                    joints:
//                                                      shaft: {…}
#pragma once

#include "model/reader/context.h"

namespace trammel::model {

void mend_layout(ModelContext& context, YamlNode& root);

}  // namespace trammel::model
