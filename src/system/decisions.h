// Decisions: an expression that jumps or has a kink takes the same branch throughout a step, that of the w
// which the State remembers. So a step is smooth, and where w leaves its branch is an event.
//
// Among the variables of expressions those of the decisions come last, one for each crossing that is watched.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "expressions/expression.h"
#include "mechanism/watched.h"
#include "trammel/state.h"

namespace trammel::system {

// By crossing, in the order in which they are watched: w, or a NaN for one that is not to be decided so.
inline constexpr MemorySlot kDecisions{"decisions", Lifetime::run};

// The expression of that text decides by the variables from a slot on.
inline void decide(std::span<const mechanism::Watched> watched, const std::string& text, int first_slot,
                   expressions::Expression& e) {
  for (const mechanism::Watched& one : watched) {
    if (one.crossing < 0) continue;
    if (one.decides && one.text == text) e.decide_by(one.crossing, first_slot);
    ++first_slot;
  }
}

inline void read_decisions(const State& s, std::span<double> variables) {
  if (variables.empty()) return;
  std::fill(variables.begin(), variables.end(), std::numeric_limits<double>::quiet_NaN());
  if (const std::vector<double>* w = s.recall(kDecisions))
    std::copy_n(w->begin(), std::min(w->size(), variables.size()), variables.begin());
}

// By pair of gears of which either flank may press: 1 where its multiplier is not negative, else −1. Only
// States whose reactions are read have it: the flank changes the forces of bearings that do not yield, not
// the motion.
inline constexpr MemorySlot kFlanks{"flanks", Lifetime::step};

inline void take_decisions(const State& from, State& to) {
  if (const std::vector<double>* w = from.recall(kDecisions)) to.remember(kDecisions, 0) = *w;
  if (const std::vector<double>* flanks = from.recall(kFlanks))
    to.remember(kFlanks, 0) = *flanks;
  else if (to.recall(kFlanks))
    to.remember(kFlanks, 0).clear();
}

}  // namespace trammel::system
