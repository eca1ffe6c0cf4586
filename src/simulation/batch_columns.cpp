#include "simulation/batch_columns.h"

#include <algorithm>

#include "integrators/ode_step.h"

namespace trammel::simulation {

int index_of(const std::string& name, const std::vector<Channel>& channels) {
  const auto at = std::ranges::find(channels, name, &Channel::name);
  return at == channels.end() ? -1 : static_cast<int>(at - channels.begin());
}

BatchColumns::BatchColumns(BatchResult& result, std::size_t run, const std::vector<Channel>& channels)
    : result_(result), run_(run) {
  for (const Channel& channel : result.channels) from_.push_back(index_of(channel.name, channels));
}

void BatchColumns::write(std::span<const double> row) {
  put(row, rows_++, result_.values);
  for (std::size_t c = 0; c < from_.size(); ++c)
    if (from_[c] >= 0) result_.last[c * result_.runs.size() + run_] = row[static_cast<std::size_t>(from_[c])];
}

void BatchColumns::put(std::span<const double> row, std::size_t k, std::vector<double>& to) const {
  const std::size_t times = result_.times.size();
  if (k >= times || !integrators::same_time(row[0], result_.times[k])) return;
  for (std::size_t c = 0; c < from_.size(); ++c)
    if (from_[c] >= 0)
      to[(c * result_.runs.size() + run_) * times + k] = row[static_cast<std::size_t>(from_[c])];
}

void BatchColumns::tell_missing(RunSummary& summary) const {
  std::string lacks;
  for (std::size_t c = 0; c < from_.size(); ++c)
    if (from_[c] < 0)
      lacks +=
          (lacks.empty() ? "with these values the model has no column " : ", ") + result_.channels[c].name;
  if (!lacks.empty()) summary.message += (summary.message.empty() ? "" : "; ") + lacks;
}

bool FinishedRuns::add(std::size_t runs) {
  const std::lock_guard lock(mutex_);
  finished_ += runs;
  goes_on_ = goes_on_ && (!progress_ || progress_(finished_));
  return goes_on_;
}

void stop_before(RunSummary& summary) {
  summary.status = RunStatus::stopped;
  summary.message = "stopped before it began";
}

}  // namespace trammel::simulation
