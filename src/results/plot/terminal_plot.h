// A plot as text: dots of Braille characters, eight to a character, with axes and a legend.
#pragma once

#include <string>

#include "results/plot/svg_plot.h"

namespace trammel::results {

struct TerminalPlot {
  int columns = 80, rows = 16;  // characters, axes included; at least 40 × 6
  bool colours = false;         // ANSI escapes: a colour for each curve
};

// Bands are left out: they are thinner than a dot as a rule.
std::string terminal_plot(const Plot& plot, const TerminalPlot& size);

}  // namespace trammel::results
