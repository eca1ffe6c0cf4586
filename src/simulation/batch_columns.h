// What the runs of a batch share, whatever computes their steps.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "trammel/batch.h"

namespace trammel::simulation {

// −1: there is none of that name.
int index_of(const std::string& name, const std::vector<Channel>& channels);

// Puts the observed columns of one run where they belong. The last row of a run that ends early is at none of
// the times.
class BatchColumns final : public ResultSink {
 public:
  // channels: of the run.
  BatchColumns(BatchResult& result, std::size_t run, const std::vector<Channel>& channels);

  void write(std::span<const double> row) override;
  void write_errors(std::span<const double> row) override { put(row, errors_++, result_.errors); }
  bool reads(const Channel& channel) const override { return index_of(channel.name, result_.channels) >= 0; }
  // Names the observed columns that the run does not have.
  void tell_missing(RunSummary& summary) const;

 private:
  void put(std::span<const double> row, std::size_t k, std::vector<double>& to) const;

  BatchResult& result_;
  std::size_t run_;
  std::vector<int> from_;  // by observed column: that of the run; −1: it has none
  std::size_t rows_ = 0, errors_ = 0;
};

// Counts finished runs and asks whether to go on, for several threads.
class FinishedRuns {
 public:
  explicit FinishedRuns(const BatchProgress& progress) : progress_(progress) {}
  bool go_on() { return add(0); }
  bool add(std::size_t runs);

 private:
  const BatchProgress& progress_;
  std::mutex mutex_;
  std::size_t finished_ = 0;
  bool goes_on_ = true;
};

void stop_before(RunSummary& summary);

}  // namespace trammel::simulation
