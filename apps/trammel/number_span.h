// Values of the command line that span a range: FROM:TO or FROM:TO:COUNT, also after NAME=. Numbers are in SI
// units, or have a unit: 0:360deg.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trammel::app {

struct NumberSpan {
  std::string name;  // empty: none was given
  double from = 0, to = 0;
  int count = 0;
};

// Nothing where the text is not of that form. `count` is taken where the text has none.
std::optional<NumberSpan> read_span(std::string_view text, int count);
// With a name; `parameters.` before it may be left out.
std::optional<NumberSpan> read_named_span(std::string_view text, int count);

}  // namespace trammel::app
