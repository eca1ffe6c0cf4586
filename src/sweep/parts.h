// What a Sweep is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/observations.h"
#include "sweep/run_plan.h"
#include "sweep/section.h"
#include "trammel/sweep.h"

namespace trammel {

struct Sweep::Parts {
  Parts(const Mechanism& given, SweepSpec wanted, std::string table_text);

  Mechanism model(std::uint64_t run) const;
  SweepRow compute(std::uint64_t run, const Progress& progress) const;

  SweepSpec spec;
  std::string table;  // what the CSV file of runs holds
  sweep::PathParameters paths;
  std::vector<std::string> errors;
  std::string model_text;  // as given, without the parameters that paths become
  Mechanism mechanism;
  std::optional<sweep::RunPlan> plan;
  std::vector<std::string> ids;    // parameters of the model, by name of the plan
  std::vector<std::string> known;  // names that observations may use: those of the plan, then the model's own
  std::optional<sweep::Observations> observations;
  bool as_read = false;  // the mechanism is what its source makes
  std::uint64_t chunk_size = 1;
  std::string description;

 private:
  void find_columns();
  void describe();
  std::vector<double> known_values(const Mechanism& model, const std::vector<double>& values) const;
};

namespace sweep {

// What differs between two descriptions, in words; empty: nothing.
std::string differences(const std::string& there, const std::string& here);

}  // namespace sweep
}  // namespace trammel
