// Words that the summary of a run and the check of a model share.
#pragma once

#include <string>

#include "trammel/mechanism.h"

namespace trammel::results {

// "1 step", "2 steps".
std::string plural(long n, const std::string& word);

// A line of a summary: label, then what is said of it.
std::string summary_line(const std::string& label, const std::string& text);

// The degrees of freedom, which do not count what drivers prescribe.
std::string freedom_text(const Mechanism& mechanism, const std::string& freedom);

}  // namespace trammel::results
