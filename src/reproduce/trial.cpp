#include "reproduce/trial.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "simulation/plan_check.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/thread_pool.h"

namespace trammel::reproduce {
namespace {

namespace fs = std::filesystem;

constexpr const char* kObserved = "observed";

fs::path model_path(const Item& item, const std::string& name) {
  const fs::path own = item.library.papers / item.paper / "models" / (name + ".yaml");
  return fs::exists(own) ? own : item.library.models / (name + ".yaml");
}

Mechanism with_outputs(Mechanism mechanism, const std::vector<std::string>& observed) {
  for (std::size_t i = 0; i < observed.size(); ++i)
    mechanism.outputs[kObserved + std::to_string(i)] = observed[i];
  return mechanism;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

Mechanism mechanism_of(const Item& item, const std::string& run, const std::vector<std::string>& further) {
  std::string model = item.model;
  std::vector<std::string> settings = item.settings;
  if (!run.empty()) {
    const auto found = item.runs.find(run);
    if (found == item.runs.end())
      throw std::runtime_error(fmt::format("{}: figures.yaml has no run '{}'", item.id(), run));
    if (!found->second.model.empty()) model = found->second.model;
    settings.insert(settings.end(), found->second.settings.begin(), found->second.settings.end());
  }
  settings.insert(settings.end(), further.begin(), further.end());
  // The runs of an item share settings, of which each formulation reads its own.
  ModelInput input = read_model(model_path(item, model).string(), settings, UnreadOptions::allowed);
  if (!input.errors.empty()) throw std::runtime_error(item.id() + ": " + to_string(input.errors.front()));
  return std::move(input.mechanism);
}

Trial::Trial(Mechanism mechanism, const std::vector<std::string>& observed) : observed_(observed.size()) {
  const Plan plan = mechanism.plan;
  for (const std::string& problem : check_plan(plan)) throw TrialFailed(problem);
  try {
    simulation_ =
        std::make_unique<Simulation>(with_outputs(std::move(mechanism), observed), plan, make_executor(plan));
  } catch (const std::invalid_argument& error) {
    throw TrialFailed(error.what());
  }
  const AssemblyReport assembly = simulation_->assemble();
  if (!assembly.report.accepted()) throw TrialFailed(explain(assembly, *simulation_));
  landings_.emplace(*simulation_, simulation::landing_interval(simulation_->plan()),
                    std::numeric_limits<double>::infinity(), simulation::controls_error(simulation_->plan()));
}

Trial::Trial(const Item& item, const std::string& run, const std::vector<std::string>& further,
             const std::vector<std::string>& observed)
    : Trial(mechanism_of(item, run, further), observed) {}

void Trial::step() {
  const StepResult result = landings_->next();
  if (!result.report.accepted())
    throw TrialFailed(fmt::format("t = {:.4g} s: {}", t(), explain(result.report, *simulation_)));
  ++steps_;
  iterations_ += result.iterations;
  if (result.report.outcome == Outcome::marked)
    ++marked_;
  else
    worst_.take_larger(result.violation);
}

void Trial::advance_to(double end) {
  const long until = std::lround(end / simulation::landing_interval(plan()));
  while (steps_ < until) step();
}

void Trial::watch(double until, const std::function<void()>& look) {
  const long steps = std::lround(until / simulation::landing_interval(plan()));
  look();
  while (steps_ < steps) {
    step();
    look();
  }
}

std::vector<double> Trial::values() const {
  system::Terms terms = simulation_->system().make_terms();
  std::vector<double> out(observed_);
  for (const system::Reading& r : simulation_->system().readings(state(), terms))
    if (r.object.empty() && r.quantity.starts_with(kObserved))
      out.at(std::stoul(r.quantity.substr(std::string(kObserved).size()))) = r.value;
  return out;
}

std::vector<double> Trial::constraints() const {
  system::Terms terms = simulation_->system().make_terms();
  simulation_->system().evaluate(state(), system::kAskPosition, terms);
  return std::move(terms.Phi);
}

double Trial::constraint_norm() const {
  double sum = 0;
  for (const double phi : constraints()) sum += phi * phi;
  return std::sqrt(sum);
}

Violation Trial::violations() const {
  const system::System& system = simulation_->system();
  system::Terms terms = system.make_terms();
  system.evaluate(state(), system::kAskPosition | system::kAskGamma, terms);
  const system::RowPattern& pattern = system.jacobian();
  Violation out;
  for (std::size_t r = 0; r < terms.Phi.size(); ++r) {
    double rate = terms.Phi_t[r], second = terms.gamma[r];
    for (auto k = static_cast<std::size_t>(pattern.start[r]);
         k < static_cast<std::size_t>(pattern.start[r + 1]); ++k) {
      const auto column = static_cast<std::size_t>(pattern.column[k]);
      rate += terms.Phi_v[k] * state().v[column];
      second += terms.Phi_v[k] * state().a[column];
    }
    out.take_larger({std::abs(terms.Phi[r]), std::abs(rate), std::abs(second)});
  }
  return out;
}

std::vector<double> Trial::multipliers() const {
  Report report;
  State s = simulation_->with_reactions(report);
  if (!report.accepted()) throw TrialFailed("multipliers: " + report.message);
  return std::move(s.lambda);
}

Vec3 Trial::joint_force(const std::string& joint) const {
  Report report;
  const State s = simulation_->with_reactions(report);
  if (!report.accepted()) throw TrialFailed("reactions: " + report.message);
  system::Terms terms = simulation_->system().make_terms();
  for (const system::Wrench& wrench : simulation_->system().reactions(s, terms))
    if (wrench.joint == joint) return wrench.force;
  throw std::logic_error("the model has no joint " + joint);
}

std::size_t ReferenceTable::column(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) throw std::logic_error("the reference has no column " + name);
  return static_cast<std::size_t>(found - columns.begin());
}

double ReferenceTable::at(double t, const std::string& name) const {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const std::vector<double>& row) {
    return std::abs(row[0] - t) < 1e-9 * std::max(1.0, std::abs(t));
  });
  if (found == rows.end()) throw std::logic_error(fmt::format("the reference has no row at t = {}", t));
  return (*found)[column(name)];
}

ReferenceTable read_reference(const Item& item, const std::string& name,
                              const std::vector<std::string>& columns) {
  const fs::path path = item.library.references / (name + ".csv");
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("cannot read '{}'", path.string()));
  ReferenceTable table;
  table.columns = columns;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (std::isalpha(static_cast<unsigned char>(cells.front().front())) != 0) {
      table.columns = cells;
      continue;
    }
    table.rows.emplace_back();
    for (const std::string& cell : cells) table.rows.back().push_back(std::stod(cell));
  }
  if (table.rows.empty() || table.columns.size() != table.rows.front().size())
    throw std::runtime_error(fmt::format("'{}' has no table with {} columns", path.string(), columns.size()));
  return table;
}

double cpu_seconds(const std::function<void()>& work, int repeats) {
  double least = 0;
  for (int i = 0; i < repeats; ++i) {
    timespec before{}, after{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    work();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    const double seconds = static_cast<double>(after.tv_sec - before.tv_sec) +
                           1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
    if (i == 0 || seconds < least) least = seconds;
  }
  return least;
}

}  // namespace trammel::reproduce
