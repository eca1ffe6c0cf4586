#include "trammel/live.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "live/live_run.h"
#include "results/files/bounded_json.h"

namespace trammel {

LiveSimulation::LiveSimulation(std::unique_ptr<live::LiveRun> run) : run_(std::move(run)) {}

LiveSimulation::LiveSimulation(const std::string& text, const std::vector<std::string>& settings)
    : LiveSimulation(std::make_unique<live::LiveRun>(live::LiveSource{"model", text, settings})) {}

LiveSimulation LiveSimulation::open(const std::string& path, const std::vector<std::string>& settings) {
  return LiveSimulation(std::make_unique<live::LiveRun>(live::LiveRun::read_source(path, settings)));
}

LiveSimulation::~LiveSimulation() = default;
LiveSimulation::LiveSimulation(LiveSimulation&&) noexcept = default;
LiveSimulation& LiveSimulation::operator=(LiveSimulation&&) noexcept = default;

EditReply LiveSimulation::apply(const std::string& edit) {
  const live::Json json = results::parse_json(edit);
  if (!json.is_discarded()) return run_->apply(json);
  EditReply refused;
  refused.ok = false;
  refused.error = "the edit is not valid JSON; write {\"do\": \"remove-joint\", \"name\": \"B\"}, say";
  return refused;
}

StepResult LiveSimulation::step() { return run_->step(); }

StepResult LiveSimulation::advance_to(double t) {
  if (!std::isfinite(t)) throw std::invalid_argument(fmt::format("there is no time {} s to advance to", t));
  StepResult all;
  all.steps = 0;
  // A step that ends within rounding of t has reached it.
  const double reached = t - 1e-9 * run_->step_size();
  while (simulation().state().t < reached) {
    const StepResult part = step();
    all.take(part);
    if (!part.report.accepted() || part.ended) break;
  }
  return all;
}

const Simulation& LiveSimulation::simulation() const { return run_->simulation(); }
std::string LiveSimulation::model(bool now) const { return run_->yaml(now); }
std::string LiveSimulation::journal() const { return run_->journal().text(); }

}  // namespace trammel
