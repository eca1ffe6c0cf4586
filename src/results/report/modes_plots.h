// The frequency response and the modes over a parameter: plots, the table of the curve, its peaks in words.
#pragma once

#include <string>

#include "trammel/analyses.h"

namespace trammel::results {

// Of each input and output: gain at the lowest frequency, and each peak with its frequency, gain and phase.
std::string response_text(const Modes& found);
// Frequency, then real and imaginary part, gain and phase (degrees) of each input and output.
Trajectory response_table(const Modes& found);

// Gain and phase over the frequency.
std::string bode_plots(const Modes& found);
// Frequencies over the parameter, and eigenvalues in the complex plane; `unit` of the parameter.
std::string varied_plots(const Modes& found, const std::string& unit);

}  // namespace trammel::results
