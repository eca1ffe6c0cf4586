// A CSV file of runs: a line of names of parameters, then one line of numbers for each run.
//
// Numbers are in SI units, or a name has a unit: "L [mm]". Empty lines and lines that begin with # are left
// out.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "expressions/units.h"

namespace trammel::sweep {

struct RunTable {
  std::vector<std::string> names;
  std::vector<double> values;  // row-major, SI

  std::size_t rows() const { return names.empty() ? 0 : values.size() / names.size(); }
};

// Text of a file; messages call it `shown`, with the line. Throws std::invalid_argument.
RunTable read_run_table(const std::string& text, const std::string& shown);

// Throws std::runtime_error where the file cannot be read.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace trammel::sweep
