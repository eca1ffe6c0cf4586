// What a Sweep is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/run_plan.h"
#include "sweep/variants.h"
#include "trammel/sweep.h"

namespace trammel {

struct Sweep::Parts {
  Parts(const Mechanism& given, SweepSpec wanted, std::string table_text);

  SweepSpec spec;
  std::string table;  // what the CSV file of runs holds
  std::vector<std::string> errors;
  sweep::Variants variants;
  std::optional<sweep::RunPlan> plan;
  std::uint64_t chunk_size = 1;
  std::string description;

 private:
  void describe();
};

namespace sweep {

// What differs between two descriptions, in words; empty: nothing.
std::string differences(const std::string& there, const std::string& here);

}  // namespace sweep
}  // namespace trammel
