// Quantities with units, "0.3 m" or "5 N.m/rad", read into SI.
//
//   quantity = number [unit],  unit = factor { (. | * | · | /) factor },  factor = name [^ integer] | ( unit
//   ) m mm cm km um in ft | kg g mg t lb | s ms us min h | rad deg rev turn | rpm Hz | N kN mN J W Pa kPa MPa
//   GPa
//
// rpm is an angular velocity (rad/s), Hz is 1/s. A product after a quotient (N/m.s) is ambiguous and refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "expressions/expression_error.h"

namespace trammel::expressions {

struct Dimension {
  int length = 0, mass = 0, time = 0, angle = 0;  // exponents of m, kg, s, rad
  bool operator==(const Dimension&) const = default;
};

struct Quantity {
  double value = 0;                    // SI
  std::optional<Dimension> dimension;  // nullopt: a plain number, no unit given
};

// nullopt when the text is not a number or a number followed by a unit: then it is an expression ("2*L").
std::optional<std::variant<Quantity, ExpressionError>> parse_quantity(std::string_view text);

// The longest start of a text that is a number with a unit; empty if there is none.
std::string_view leading_quantity(std::string_view text);
// What is said of a number with a unit inside an expression.
std::string mixed_units(std::string_view quantity);

// Equal but for the angle: the radian counts as a number.
bool compatible(const Dimension& a, const Dimension& b);

// "N.m/rad", "kg.m^2"; "1" for a pure number
std::string to_string(const Dimension& dimension);

}  // namespace trammel::expressions
