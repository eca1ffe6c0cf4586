// Results as comma-separated values (RFC 4180, lines ending in a line feed), for spreadsheets and scripts.
//
//   t [s],crank.x [m],A.force.x [N]
//   0,0.20000000000000001,
//
// 17 significant digits: every value is read back to the same bits. A missing value is an empty field.
#pragma once

#include <filesystem>

#include "trammel/trajectory.h"

namespace trammel {

// Throws std::runtime_error when the file cannot be written; there is then no file of that name, or
// still the one that was there before.
void write_csv(const std::filesystem::path& path, const Trajectory& trajectory);

}  // namespace trammel
