// The analyses of 'trammel solve'. A new one is a class and one line in analyses().
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "trammel/model.h"
#include "trammel/results.h"
#include "trammel/simulation.h"

namespace trammel::app {

class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual const char* name() const = 0;
  virtual const char* help() const = 0;
  // Options and examples of its subcommand.
  virtual void add_options(CLI::App& command) = 0;
  // The exit status.
  virtual int run() = 0;
};

// One of trammel/analyses.h: reads the model, solves, writes files and prints.
class ModelAnalysis : public Analysis {
 public:
  int run() final;

 protected:
  // What there is to tell, if there is; and what became of it.
  struct Answer {
    Report outcome;
    std::optional<AnalysisReport> told;
    std::string notes = {};  // below the text
  };
  // std::invalid_argument is told as what is wrong with the model or a name.
  virtual Answer solve(const Mechanism& mechanism) = 0;
  // What is wrong with options, before the model is read; empty: nothing.
  virtual std::string check_options() { return {}; }

  // The answer of a result: told where its report is accepted.
  template <class Found>
  static Answer answer(const Mechanism& mechanism, const Found& found) {
    if (!found.report.accepted()) return {found.report, std::nullopt};
    return {found.report, AnalysisReport(mechanism, found)};
  }

  // The model, --coordinates, --out, --report and --json.
  void add_common(CLI::App& command);
  // --duration and --rows.
  void add_rows(CLI::App& command, long& rows);

  ModelOptions model_;

 private:
  void write_files(const AnalysisReport& told) const;

  std::string out_, report_;
  bool json_ = false;
};

std::unique_ptr<Analysis> make_stability();
std::unique_ptr<Analysis> make_equilibrium();
std::unique_ptr<Analysis> make_modes();
std::unique_ptr<Analysis> make_inverse();
std::unique_ptr<Analysis> make_kinematics();
std::unique_ptr<Analysis> make_positions();
std::unique_ptr<Analysis> make_workspace();

std::vector<std::unique_ptr<Analysis>> analyses();
// "positions, kinematics, …"
std::string analysis_names();

// Assembles what load() returned. Where there is none, or its joints cannot be closed, prints why; the exit
// status.
int assemble_or_tell(const ModelOptions& options, std::optional<Simulation>& simulation,
                     const std::vector<std::string>& errors);

}  // namespace trammel::app
