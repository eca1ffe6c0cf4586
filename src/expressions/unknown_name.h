// UnknownName: a name that is not there. Bindings tell it from what else is wrong with a model.
#pragma once

#include <stdexcept>

namespace trammel::expressions {

class UnknownName : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace trammel::expressions
