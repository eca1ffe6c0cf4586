// Search: the cheapest setting of a code that meets each accuracy.
//
// Each rule of the code's list starts coarse and is made finer by two (steps that divide the reference's
// interval) or by ten (tolerances) until both accuracies are met, or until the trend of its errors says that
// one run would take longer than anybody waits, or until another rule is cheaper anyway. The last factor is
// then halved twice. A run counts that meets the accuracy: the same for every code.
#pragma once

#include "isolated.h"
#include "judge.h"

namespace trammel::bench {

struct Patience {
  double run = 5;       // s of the processor for one run
  double code = 60;     // s for all runs of a code on a problem
  double repeat = 0.4;  // s for the repetitions of the one that is timed
};

double processor_seconds();

// A judged run; the seconds of its steps alone.
struct Trial {
  Judgement judgement;
  double seconds = 0;
  long steps = 0;
};
Trial try_run(const Code& code, const Subject& subject, const Setting& setting, double patience);

// One row per accuracy, met or with a note, in a process of its own.
std::vector<Row> search(const Code& code, const Subject& subject, const Patience& patience);

// Time of that setting without looking at the motion: the least of several runs.
void time_row(const Code& code, const Subject& subject, Row& row, double patience);

}  // namespace trammel::bench
