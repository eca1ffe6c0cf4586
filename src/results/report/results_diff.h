// How two results differ, column by column: `trammel diff`.
//
// Rows are compared at the times that both have. A difference is told in the column's unit, as a part of the
// column's range (largest minus smallest value), and as a part of the sum of the errors that both runs state.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trammel/trajectory.h"

namespace trammel::results {

struct ResultsTable {
  std::string name;         // of the file
  Trajectory rows, errors;  // errors: no rows where none are known
};

struct ColumnDifference {
  std::string name, unit;
  double largest = 0;           // |a − b|
  double at = 0;                // s, where it is largest
  double first = 0;             // s, of the first row that differs by more than allowed
  double of_range = 0;          // largest / range; infinite where the range is 0
  double of_errors = 0;         // the largest |a − b| / (error of a + error of b); NaN: none are known
  bool missing_in_one = false;  // a row has a value in one file only
  bool is_same = true;
};

struct ResultsDifference {
  std::string a, b;
  std::size_t rows = 0;                     // at times that both have
  std::size_t rows_a = 0, rows_b = 0;       // in all
  std::vector<ColumnDifference> columns;    // that both have
  std::vector<std::string> only_a, only_b;  // names of columns
  bool is_same() const;
};

// What counts as the same.
struct DiffTolerance {
  double of_range = 0;         // so large a part of the column's range
  bool within_errors = false;  // where both runs state errors: their sum
};

// Throws std::invalid_argument where the files have no time in common.
ResultsDifference difference(const ResultsTable& a, const ResultsTable& b, const DiffTolerance& allowed);

std::string difference_text(const ResultsDifference& found);
nlohmann::ordered_json difference_json(const ResultsDifference& found);

}  // namespace trammel::results
