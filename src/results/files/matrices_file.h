// A, B, C and D of a linearization as a file for other programs: MATLAB's .mat (version 5), HDF5 (.h5) or
// text (.csv).
//
// Matrices have their names. The names of states, inputs and outputs are `states`, `inputs` and `outputs`: in
// .mat and .h5 texts with one name in a line, in .csv comments.
#pragma once

#include <filesystem>

#include "analysis/linearization.h"

namespace trammel::results {

// By the ending of the path. Throws std::runtime_error for another ending, or where the file cannot be
// written.
void write_matrices(const std::filesystem::path& path, const analysis::Linearization& linear);

}  // namespace trammel::results
