// The kinds of mechanisms that formulations tell apart, each with a smallest example.
#pragma once

#include <vector>

#include "trammel/mechanism.h"

namespace trammel::results {

struct MechanismKind {
  std::string name;
  std::string meaning;  // what is particular about it
  Mechanism example;
};

std::vector<MechanismKind> mechanism_kinds();

}  // namespace trammel::results
