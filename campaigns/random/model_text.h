// The YAML model of a Specification (docs/model-format.md).
#pragma once

#include "specification.h"

namespace trammel::campaigns::random {

std::string model_text(const Specification& spec);

// The key of a kind of joint in a model file.
const char* key_of(JointSpec::Kind kind);
const char* key_of(ForceSpec::Kind kind);
const char* key_of(DriverSpec::Kind kind);

}  // namespace trammel::campaigns::random
