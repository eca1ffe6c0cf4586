// Analyses that know no stiction: which of a mechanism's forces they would have to leave out.
#pragma once

#include <string>

#include "trammel/mechanism.h"

namespace trammel::analysis {

// Takes away dry frictions and clutches, for analyses in which no force matters.
void remove_dry_friction(Mechanism& mechanism);
// Why an analysis of forces refuses the mechanism; empty: it has no dry friction.
std::string stiction_refusal(const Mechanism& mechanism, const std::string& analysis);

}  // namespace trammel::analysis
