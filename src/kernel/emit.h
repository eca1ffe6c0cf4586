// Writes recorded formulas as the body of a function: one line for each operation that a result needs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel/graph.h"

namespace trammel::kernel {

// A number as C++ and CUDA read it, to the last bit.
std::string literal(double value);

// results: what each is written to, as "delta[3]". Inputs are read as entries of their arrays.
std::string emit(const Graph& graph, const std::vector<std::pair<std::string, Recorded>>& results);

}  // namespace trammel::kernel
