// Verdict: what becomes of a published figure when it is computed again. Always computed, by these rules:
//
//   reproduced       the difference is at most half a unit of the last printed digit, plus the row's noise
//                    (what rounding of two programs does to a sensitive motion, or error control leaves,
//                    stated with its reason); a bound that is printed ("< 3e-6") holds; a power of ten that
//                    is printed ("~1e-14") is not exceeded
//   within x %       the next of 1, 2, 3, 5, 10 … up to 30 that the relative difference does not exceed
//   same behaviour   the order, growth law or ranking that the paper states holds, but not the figure; or the
//                    paper states no figure, and what it says holds; the most that a figure can be to
//                    which a setting was fitted
//   not reproduced   none of these
//   checked          not a published figure: agreement with equations derived by hand, within a bound of our
//                    own that says why it is so much; beyond it the row has failed
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reproduce/figures.h"

namespace trammel::reproduce {

enum class Verdict { reproduced, within, same_behaviour, not_reproduced, checked, not_run, failed };

// What was found for one row.
struct Measured {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::optional<bool> holds;  // what the paper says of order, growth law or ranking
  std::string text;           // shown instead of the value
  std::string repaired;       // the same with a defect of the published scheme repaired
  std::string failure;        // why this row alone could not be measured
  std::vector<std::pair<std::string, std::string>> beside;  // other readings, a repair: name and figure
};

struct Judgement {
  Verdict verdict = Verdict::not_reproduced;
  double percent = 0;                                            // of "within"
  double difference = std::numeric_limits<double>::quiet_NaN();  // relative, where there is a figure
};

// A printed number and half a unit of its last digit; empty when the text is no number.
struct Printed {
  double value = 0, half_unit = 0;
};
std::optional<Printed> parse_printed(const std::string& text);

// Throws std::logic_error when the row's kind of figure was not measured.
Judgement judge(const Row& row, const Measured& measured);

// "reproduced", "within 5 %", "same behaviour", "not reproduced", "checked", "not run", "failed".
std::string to_string(const Judgement& judgement);
// How bad a verdict is, from its text: larger is worse. Throws std::runtime_error for another text.
double badness(const std::string& verdict);

// A figure with as many digits as a printed one has, or four.
std::string shown(double value, const std::string& like = {});

}  // namespace trammel::reproduce
