// Observations: expressions of reductions of columns, "peak(A.force)/mean(B.force.x)".
//
// A reduction is found by its name and parentheses; its text is replaced by a name of its own, so that the
// expression parser reads what is left. Reductions may stand in the columns of others: rms(x - mean(x)). A
// name that has components but is no column, as A.force, is the magnitude of the vector.
#pragma once

#include <string>
#include <vector>

#include "expressions/expression.h"
#include "sweep/reductions.h"
#include "trammel/sweep.h"

namespace trammel::sweep {

// Rows of the columns that observations need: the time, then the columns, row by row.
struct ObservedRows {
  std::size_t width = 1;
  std::vector<double> values;

  std::size_t rows() const { return values.size() / width; }
};

class Observations {
 public:
  // Of a run with these columns and output times. `parameters` are those whose values evaluate() gets.
  // Mistakes are added to `errors`.
  Observations(const std::vector<std::string>& texts, const std::vector<Channel>& channels,
               const std::vector<std::string>& parameters, const std::vector<double>& output_times,
               std::vector<std::string>& errors);

  Observations(const Observations&) = delete;
  Observations& operator=(const Observations&) = delete;

  const std::vector<SweepColumn>& columns() const { return columns_; }
  // Names of the columns of a run that they read, without the time.
  const std::vector<std::string>& needed() const { return needed_; }
  std::size_t size() const { return size_; }  // of all values

  void evaluate(const ObservedRows& rows, const std::vector<double>& parameters,
                std::vector<double>& out) const;

 private:
  // One value at a time: a column, a parameter, or what an earlier reduction gave.
  struct Slot {
    enum class Of { column, parameter, reduction } of;
    std::size_t index;
  };
  struct Reduction {
    const Reducer* reducer;
    expressions::Expression column;  // of a condition "a > b", a − b
    std::vector<expressions::Expression> arguments;
    enum class Passage { none, at_least, above, by_row } passage = Passage::none;
  };
  struct Observation {
    expressions::Expression whole;
    int curve = -1;  // the reduction that is all of it
  };
  struct Call;

  void add(const std::string& given, std::vector<std::string>& errors);
  std::string extract(const std::string& text, std::size_t offset);
  std::string reduce(const Call& call, const std::string& text, std::size_t offset);
  Reduction read_condition(const Reducer& reducer, const std::string& text, std::size_t offset);
  expressions::Expression parse(const std::string& text, std::size_t offset);
  bool has_columns(const expressions::Expression& expression) const;
  void find_points(const Reduction& reduction, SweepColumn& column) const;
  std::string unit_of(const expressions::Expression& expression) const;
  std::vector<double> series_of(const expressions::Expression& expression, const ObservedRows& rows,
                                std::vector<double>& x, std::vector<double>& times) const;
  double reduce_to_number(const Reduction& reduction, Series series, std::vector<double>& x) const;

  std::vector<Channel> channels_;
  std::vector<double> output_times_;
  std::vector<std::string> units_;  // by needed column
  std::vector<std::string> parameters_;
  expressions::Symbols symbols_;
  std::vector<Slot> slots_;
  std::vector<Reduction> reductions_;
  std::vector<std::string> reduction_units_;
  std::vector<Observation> observations_;
  std::vector<SweepColumn> columns_;
  std::vector<std::string> needed_;
  std::size_t size_ = 0;
};

}  // namespace trammel::sweep
