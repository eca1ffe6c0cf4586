// Trial: one run of an item, step by step, with whatever is to be observed on the way.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "reproduce/figures.h"
#include "simulation/landings.h"
#include "system/system.h"
#include "trammel/simulation.h"

namespace trammel::reproduce {

// A run that could not go on; the message says where and why.
struct TrialFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The mechanism of a run of the item, "" for that of its settings alone; further settings come last.
Mechanism mechanism_of(const Item& item, const std::string& run = {},
                       const std::vector<std::string>& further = {});

class Trial {
 public:
  // observed: expressions of the model, read by values().
  explicit Trial(Mechanism mechanism, const std::vector<std::string>& observed = {});
  Trial(const Item& item, const std::string& run, const std::vector<std::string>& further = {},
        const std::vector<std::string>& observed = {});

  // Throws TrialFailed. A step that was only marked is counted.
  void step();
  void advance_to(double t);
  // Calls `look` at t = 0 and after each step up to `until`.
  void watch(double until, const std::function<void()>& look);

  double t() const { return simulation_->state().t; }
  const State& state() const { return simulation_->state(); }
  Simulation& simulation() { return *simulation_; }
  const Plan& plan() const { return simulation_->plan(); }
  const system::System& system() const { return simulation_->system(); }
  const Mechanism& mechanism() const { return simulation_->mechanism(); }
  std::vector<double> values() const;
  double value() const { return values().at(0); }
  double energy() const { return simulation_->energy().balance(); }  // J
  std::vector<Pose> poses() const { return simulation_->system().poses(state()); }
  // The force that a joint exerts on its first body, world axes, N.
  Vec3 joint_force(const std::string& joint) const;
  std::vector<double> constraints() const;  // Φ, as the model scales it
  double constraint_norm() const;           // ‖Φ‖₂
  Violation violations() const;             // largest |Φ|, |Φ̇|, |Φ̈| in the units of the model
  // λ that belongs to the state, free of the iteration's rounding.
  std::vector<double> multipliers() const;

  Violation worst() const { return worst_; }
  long iterations() const { return iterations_; }
  long steps() const { return steps_; }
  int marked() const { return marked_; }

 private:
  std::unique_ptr<Simulation> simulation_;
  std::optional<simulation::Landings> landings_;
  std::size_t observed_ = 0;
  Violation worst_;
  long iterations_ = 0, steps_ = 0;
  int marked_ = 0;
};

// Rows of numbers with named columns, from the library's references. The first comment line may name them;
// files without a header line take the names given.
struct ReferenceTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;

  std::size_t column(const std::string& name) const;
  double at(double t, const std::string& name) const;  // of the row at that time
};
ReferenceTable read_reference(const Item& item, const std::string& name,
                              const std::vector<std::string>& columns = {});

// Seconds of the processor that `work` takes in this thread, the least of several runs.
double cpu_seconds(const std::function<void()>& work, int repeats = 3);

}  // namespace trammel::reproduce
