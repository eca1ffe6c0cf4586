#include "simulation/run_output.h"

#include <algorithm>
#include <cmath>

namespace trammel::simulation {
namespace {

// The largest reaction among rows that are not next to a marked step.
RunSummary::Peak peak_away(const std::vector<RunSummary::Peak>& peaks, const std::vector<MarkedStep>& marked,
                           double near) {
  RunSummary::Peak largest;
  for (const auto& peak : peaks) {
    const auto close = [&](const MarkedStep& m) { return std::abs(m.t - peak.t) <= near; };
    if (peak.force > largest.force && std::none_of(marked.begin(), marked.end(), close)) largest = peak;
  }
  return largest;
}

}  // namespace

void Rows::find_missing(std::span<const double> row) {
  const std::vector<Channel>& channels = recorder_.channels();
  for (std::size_t c = 0; c < row.size(); ++c) {
    // Whether a reaction is unique may be unknown: ReactionSummary::examined says so.
    if (std::isfinite(row[c]) || !recorder_.matters(c) || channels[c].dataset.ends_with("unique")) continue;
    MissingValues& one = missing_[c];
    if (one.rows++ == 0) {
      one.first = row[0];
      if (channels[c].group != "columns") one.reason = recorder_.why_unknown();
    }
    one.last = row[0];
  }
}

std::string Rows::write(const State& state, const StepResult& last) {
  const std::span<const double> row = recorder_.row(simulation_.reader(state), state, last);
  for (std::size_t c = 0; c < row.size(); ++c)
    if (const Channel& channel = recorder_.channels()[c];
        !std::isfinite(row[c]) && !channel.may_be_missing && recorder_.matters(c))
      return channel.name;
  find_missing(row);
  sink_.write(row);
  peaks_.push_back(recorder_.peak());
  return {};
}

void Rows::finish(RunSummary& summary, double near) const {
  summary.reactions = recorder_.reactions();
  summary.peak_reaction = peak_away(peaks_, summary.marked_steps, near);
  for (std::size_t c = 0; c < missing_.size(); ++c)
    if (missing_[c].rows > 0) {
      summary.missing.push_back(missing_[c]);
      summary.missing.back().column = recorder_.channels()[c].name;
    }
  if (summary.status == RunStatus::ok && !summary.missing.empty()) summary.status = RunStatus::limited;
}

std::string Motion::write(const State& state, const StepResult&) {
  seen_(state);
  energy_ = simulation_.reader(state).energy(state);
  return {};
}

}  // namespace trammel::simulation
