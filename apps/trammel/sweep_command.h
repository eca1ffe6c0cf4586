// trammel sweep: many runs of one model.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "commands.h"
#include "trammel/sweep.h"

namespace trammel::app {

// Which chunks this process computes.
struct SweepPart {
  std::uint64_t part = 0, parts = 1;
};

// "2/8": part 2 of 8, from 0. Nothing if the text is no such thing.
std::optional<SweepPart> read_part(const std::string& text);

// Those that this process may use.
int processors();

// What a launcher of several processes says of this one: srun, mpirun of OpenMPI, MPICH and Intel MPI.
// Nothing where there is one process only.
std::optional<SweepPart> part_of_launcher();

// The options that make a plan of runs, from --vary to --seed.
void add_run_plan(CLI::App& command, SweepSpec& given);

class SweepCommand {
 public:
  CLI::App* add_options(CLI::App& app);
  // The exit status.
  int run();

 private:
  Sweep make_sweep();
  void take_options(SweepSpec& spec) const;
  SweepOptions sweep_options(std::optional<SweepPart> launched) const;
  int tell(const Sweep& sweep, const SweepSummary& summary, double seconds, std::uint64_t own_runs) const;
  int submit(const Sweep& sweep) const;

  CLI::App* command_ = nullptr;
  ModelOptions model_;
  SweepSpec given_;
  std::string out_, part_, slurm_options_;
  std::uint64_t threads_ = 0, slurm_ = 0;
  bool resume_ = false, json_ = false, quiet_ = false, no_report_ = false;
};

// The scripts of a Slurm job array, and of the job after it that computes what is missing and merges. Returns
// the exit status. Both are written to the folder; where there is no sbatch, that is told.
int submit_to_slurm(const std::filesystem::path& folder, std::uint64_t tasks, const std::string& options,
                    bool json);

}  // namespace trammel::app
