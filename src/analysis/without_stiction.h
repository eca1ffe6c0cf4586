// Analyses that know neither stiction nor end-stops: what of a mechanism they would have to leave out.
#pragma once

#include <string>

#include "trammel/mechanism.h"

namespace trammel::analysis {

// Takes away dry frictions and clutches, for analyses in which no force matters.
void remove_dry_friction(Mechanism& mechanism);
// End-stops that no position reaches. One that the start presses on would hold its joint from both sides.
[[nodiscard]] Mechanism with_far_stops(Mechanism mechanism);
// Why an analysis of forces refuses the mechanism; empty: it has no dry friction.
std::string stiction_refusal(const Mechanism& mechanism, const std::string& analysis);

}  // namespace trammel::analysis
