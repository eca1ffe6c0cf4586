// Numbers: every number and every formula of a Mechanism, by path, as "bodies.crank.mass".
//
// One list serves the page that shows and changes numbers, and parameters: what changes when the model is
// built with another value of a parameter is what depends on it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

struct NumberPlace {
  std::string path;
  const char* unit = "";
  bool shown = true;  // to a person; else it follows from others, or places bodies at the start
};

// Visits them in a fixed order; the values may be changed in place.
void for_each_number(Mechanism&, const std::function<void(const NumberPlace&, double&)>&);
void for_each_formula(Mechanism&, const std::function<void(const std::string& path, std::string&)>&);

// The unit of a number that a person sees or may give at this path; nothing for a formula, or no such path.
std::optional<std::string> unit_of(Mechanism&, const std::string& path);

// Velocities at the start that the model may say and does not: their paths, and their units.
struct FreeStart {
  std::string path;
  const char* unit = "";
};
std::vector<FreeStart> free_starts(const Mechanism&);
// Whether a number at this path counts at the start of the motion only.
bool is_start(const std::string& path);

// Sets one by path; a velocity at the start that was not said is said from then on. A rod that becomes longer
// takes what is on it along in proportion. Throws std::invalid_argument, with a message for a person.
void set_value(Mechanism&, const std::string& path, const std::variant<double, std::string>& value);

// Takes over every number and formula that differs between two readings of one model file. Throws
// std::invalid_argument when they do not have the same parts.
void adopt_differences(Mechanism&, Mechanism before, Mechanism after);

}  // namespace trammel::mechanism
