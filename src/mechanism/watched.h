// What a System is asked to evaluate beside what acts: where events may come from.
#pragma once

#include <string>

namespace trammel::mechanism {

struct Watched {
  std::string text;  // an expression
  // −1: its own value; else w of the so-manieth of its crossings (Tape::Crossing), in units of its `unit`.
  int crossing = -1;
  // Where it acts, it takes the branch of the w that the State remembers (system/decisions.h).
  bool decides = false;
};

}  // namespace trammel::mechanism
