#include "analysis/state_rows.h"

#include "formulations/index3/augmented_lagrangian_index3.h"

namespace trammel::analysis {
namespace {

// The reader takes multipliers as they are.
ResolvedPlan as_they_are() {
  ResolvedPlan plan;
  plan.reactions = "projections";
  return plan;
}

}  // namespace

StateRows::StateRows(const std::shared_ptr<const system::System>& system, const Mechanism& mechanism,
                     const State& start, Layout layout)
    : mechanism_(mechanism),
      layout_(std::move(layout)),
      plan_(as_they_are()),
      reader_(system, mechanism, plan_),
      recorder_((reader_.leave_idle(layout_.idle), mechanism), layout_.axes, reader_, start) {
  for (const Channel& channel : recorder_.channels()) {
    kept_.push_back(keeps(channel));
    if (kept_.back()) table.channels.push_back(channel);
  }
  table.channels.front() = layout_.first;
  table.channels.insert(table.channels.end(), layout_.more.begin(), layout_.more.end());
}

bool StateRows::keeps(const Channel& channel) const {
  if (channel.name == "t") return true;
  // A State that no step led to has no violation of one either, but along a motion it is told.
  if (channel.group == "violation") return layout_.first.name == "t";
  if (layout_.columns == Columns::all) return channel.group != "solver" && channel.name != "energy.work";
  const bool of_a_part = channel.group.starts_with("bodies/") || channel.group.starts_with("points/") ||
                         channel.group.starts_with("joints/");
  return of_a_part && (channel.unit == "m" || channel.unit == "rad" || channel.dataset == "orientation");
}

void StateRows::add(const State& s, const Violation& violation, double first,
                    const std::vector<double>& more) {
  add(reader_, s, violation, first, more);
}

void StateRows::add(const std::shared_ptr<const system::System>& system, const State& s,
                    const Violation& violation, double first, const std::vector<double>& more) {
  simulation::StateReader reader(system, mechanism_, plan_);
  add(reader, s, violation, first, more);
}

void StateRows::add(simulation::StateReader& reader, State s, const Violation& violation, double first,
                    const std::vector<double>& more) {
  s.remember(formulations::kProjectionMultipliers, 0) = s.lambda;
  StepResult step;
  step.violation = violation;
  const std::span<const double> row = recorder_.row(reader, s, step);
  table.values.push_back(first);
  for (std::size_t c = 1; c < row.size(); ++c)
    if (kept_[c]) table.values.push_back(row[c]);
  table.values.insert(table.values.end(), more.begin(), more.end());
}

}  // namespace trammel::analysis
