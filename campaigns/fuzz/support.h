// What fuzz targets have in common: a claim that must hold for every input, and limits that keep one input
// short.
//
// A target is LLVMFuzzerTestOneInput() of libFuzzer. The preset `fuzz` links it with libFuzzer; other builds
// link it with run_files.cpp, which feeds it the inputs that are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "trammel/simulation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace trammel::fuzz {

// Whether libFuzzer makes the inputs, millions of them: then each is kept short. Those that are kept are
// tried in full.
#ifdef TRAMMEL_FUZZ
constexpr bool kMakesInputs = true;
#else
constexpr bool kMakesInputs = false;
#endif

// Whether what takes long is to be done with this input too: with one in so many, always the same ones; with
// every one that is kept.
bool is_drawn(const std::string& input, std::uint64_t one_in);

// Prints what does not hold and aborts, so that the input is kept.
void require(bool holds, const std::string& claim);

// Whether reading, writing and a few steps of it are short: few parts, no long list.
bool is_small(const Mechanism& mechanism);
// Whether a model text asks for few repeated entries: no range of `for:` ends beyond a small number.
bool repeats_little(const std::string& text);
// A plan may ask for as many iterations as it likes, and then takes its time: here they are few.
Plan made_short(Plan plan);

// Whether two texts are the same but for rounding of the numbers in them.
bool same_but_rounding(const std::string& a, const std::string& b);

void require_finite(const State& state, const std::string& when);

// Assembles the mechanism and takes a few steps, which may be refused; nothing may throw, and an accepted
// state is finite. Null: it cannot be simulated or assembled.
std::unique_ptr<Simulation> few_steps(const Mechanism& mechanism);

}  // namespace trammel::fuzz
