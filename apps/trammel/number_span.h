// Values of the command line that span a range: FROM:TO or FROM:TO:COUNT, also after NAME=. Numbers are in SI
// units, or have a unit: 0:360deg.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "expressions/units.h"
#include "trammel/mechanism.h"

namespace trammel::app {

struct NumberSpan {
  std::string name;  // empty: none was given
  double from = 0, to = 0;
  int count = 0;
  std::string error;  // why the text is no span; empty: it is one

  // What is wrong with the unit of a number where this one is expected; empty: nothing.
  std::string unit_error(const expressions::Dimension& expected, const char* name_of_unit) const;

  // The same where they are values of a parameter: with the unit that it has in the model, or plain numbers.
  std::string parameter_error(const Mechanism& mechanism) const;

  std::optional<expressions::Dimension> from_unit, to_unit;  // none: plain numbers
};

// The text may have no COUNT.
inline constexpr int kNoCount = 0;

// `count` is taken where the text has none.
NumberSpan read_span(std::string_view text, int count);
// With a name; `parameters.` before it may be left out.
NumberSpan read_named_span(std::string_view text, int count);
// The same of a parameter: both values have the same unit.
NumberSpan read_parameter_span(std::string_view text, int count);

}  // namespace trammel::app
