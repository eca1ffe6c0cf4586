// What a TableFunction is in expressions, and how model files call its kinds.
#pragma once

#include <array>

#include "expressions/function1.h"
#include "trammel/mechanism.h"

namespace trammel::mechanism {

// Splines by the name of their shape.
struct SplineShape {
  const char* name;
  TableFunction::Kind kind;
};
inline constexpr std::array kSplineShapes = {SplineShape{"natural", TableFunction::Kind::natural},
                                             SplineShape{"clamped", TableFunction::Kind::clamped},
                                             SplineShape{"periodic", TableFunction::Kind::periodic},
                                             SplineShape{"monotone", TableFunction::Kind::monotone}};

// Throws std::invalid_argument, with what is wrong and the remedy after a colon.
inline expressions::Function1 function_of(const TableFunction& f) {
  switch (f.kind) {
    case TableFunction::Kind::table:
      return expressions::Function1::table(f.x, f.y);
    case TableFunction::Kind::clamped:
      return expressions::Function1::clamped(f.x, f.y, f.first_slope, f.last_slope);
    case TableFunction::Kind::periodic:
      return expressions::Function1::periodic(f.x, f.y);
    case TableFunction::Kind::monotone:
      return expressions::Function1::monotone(f.x, f.y);
    case TableFunction::Kind::natural:
      break;
  }
  return expressions::Function1::spline(f.x, f.y);
}

}  // namespace trammel::mechanism
