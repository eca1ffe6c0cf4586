// Trajectory: what a run computed, as a table with one row per output time and one column per channel.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

// One column of the results.
struct Channel {
  std::string group;            // HDF5 group: "bodies/crank", "joints/A", "energy"; empty for time
  std::string dataset;          // "time", "position", "force", "kinetic", …
  std::string component;        // "x", "y", "z", …; empty for a scalar dataset
  std::string unit;             // "m", "N.m"; empty for none
  std::string name;             // the CSV's dotted name: "crank.x", "A.force.x"
  bool may_be_missing = false;  // a quiet NaN then says "no value here", as for an undefined reaction

  bool operator==(const Channel&) const = default;
};

// Times and values. channels[0] is time: {"", "time", "", "s", "t"}.
struct Trajectory {
  std::vector<Channel> channels;
  std::vector<double> values;  // row-major, rows × channels.size()

  std::size_t rows() const { return channels.empty() ? 0 : values.size() / channels.size(); }

  std::span<const double> row(std::size_t i) const {
    return std::span(values).subspan(i * channels.size(), channels.size());
  }

  // The column of that dotted name, −1 if there is none.
  int find(std::string_view name) const {
    for (std::size_t i = 0; i < channels.size(); ++i) {
      if (channels[i].name == name) return static_cast<int>(i);
    }
    return -1;
  }

  // All values of that column. Throws std::invalid_argument, with the nearest name, if there is none.
  std::vector<double> column(const std::string& name) const;
};

// Receives a run's rows one by one, in order of time.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual void write(std::span<const double> row) = 0;
  // Whether the sink reads a column. What none of the columns that it reads needs is not computed, and is NaN
  // in the rows; the summary then knows nothing of it: peak reaction, which reactions are unique, missing
  // values. Where errors are estimated all columns are computed.
  virtual bool reads(const Channel&) const { return true; }
  // After the last row. Where errors are estimated the second run may still be going on, on another thread:
  // what needs the rows alone can be done meanwhile.
  virtual void end_of_rows() {}
  // Then, where errors are estimated, once for each row, in the same order: the time, and the estimated error
  // of each value; NaN where there is none.
  virtual void write_errors(std::span<const double>) {}
  // All rows so far, those of the record that a run was resumed from among them, if the sink keeps them: the
  // run then does without a copy of its own.
  virtual const Trajectory* kept() const { return nullptr; }

  // A sink that keeps a run for resume() (trammel/run.h) gets checkpoints between the rows, at most one in so
  // many seconds of wall time; 0: before every step.
  virtual double checkpoint_interval() const { return std::numeric_limits<double>::infinity(); }
  virtual void checkpoint(std::string_view) {}
  // Where rows and checkpoints of the second run go, which computes errors, perhaps on another thread; null:
  // nowhere. An exception of it ends nothing: the second run goes on without it.
  virtual ResultSink* second() { return nullptr; }
};

// What a sink has received of a run.
struct RunRecord {
  Trajectory rows;
  std::vector<std::string> checkpoints;  // in order
};

}  // namespace trammel
