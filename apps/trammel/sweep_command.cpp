#include "sweep_command.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "command_options.h"
#include "model_source.h"
#include "sweep_progress.h"
#include "trammel/thread_pool.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t stop_sweep = 0;

// The second Ctrl-C ends the program at once; what is finished is kept then too.
void hear_stop() {
  for (const int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int number) {
      stop_sweep = 1;
      std::signal(number, SIG_DFL);
    });
}

std::optional<std::uint64_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return {};
  std::uint64_t value = 0;
  const std::string_view all(text);
  const auto read = std::from_chars(all.data(), all.data() + all.size(), value);
  if (read.ec != std::errc() || read.ptr != all.data() + all.size()) return {};
  return value;
}

// An option that may stand several times.
void add_many(CLI::App& command, const char* name, std::vector<std::string>& to, const char* help) {
  command.add_option(name, to, help)->take_all()->allow_extra_args(false);
}

}  // namespace

int processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

std::optional<SweepPart> read_part(const std::string& text) {
  const std::size_t slash = text.find('/');
  SweepPart part;
  const auto read = [&](std::size_t from, std::size_t to, std::uint64_t& value) {
    const auto result = std::from_chars(text.data() + from, text.data() + to, value);
    return result.ec == std::errc() && result.ptr == text.data() + to;
  };
  if (slash == std::string::npos || !read(0, slash, part.part) || !read(slash + 1, text.size(), part.parts) ||
      part.part >= part.parts)
    return {};
  return part;
}

std::optional<SweepPart> part_of_launcher() {
  struct Launcher {
    const char *rank, *size;
  };
  // Of Slurm's the variables of a step: in the script of a job, before srun, there is one process.
  for (const Launcher& launcher :
       {Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Launcher{"PMI_RANK", "PMI_SIZE"},
        Launcher{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}) {
    const auto rank = number_in(launcher.rank), size = number_in(launcher.size);
    if (rank && size && *size > 1 && *rank < *size) return SweepPart{*rank, *size};
  }
  return {};
}

void add_run_plan(CLI::App& command, SweepSpec& given) {
  add_many(
      command, "--vary", given.vary,
      "Values of a parameter: 'L=0.2:0.4:50' (50 values) or 'L=0.2, 0.3, 0.5'; several make a grid. Instead "
      "of a "
      "parameter also a value by its path: 'bodies.crank.mass=1:2:5'");
  add_many(command, "--sample", given.sample,
           "Random values of a parameter: 'm~normal(1, 0.1)' (docs/sweeps.md lists distributions)");
  command.add_option("--table", given.table,
                     "A CSV file of runs: names of parameters, then a line for each run");
  command.add_option("--runs", given.runs, "Number of samples at each point of the grid");
  command.add_option("--design", given.design,
                     "Sampling design: random, lhs (Latin hypercube), sobol, saltelli (for sensitivity "
                     "indices)");
  command.add_option("--seed", given.seed, "Seed of the random numbers (default 1)");
}

CLI::App* SweepCommand::add_options(CLI::App& app) {
  command_ =
      app.add_subcommand("sweep", "Many runs of one model: grids, random samples, observations of each");
  add_model_options(*command_, model_);
  add_time_options(*command_, model_);
  add_run_plan(*command_, given_);
  add_many(
      *command_, "--observe", given_.observe,
      "A value to keep of each run: 'peak(A.force)', 'F=rms(A.force.x)', 'first_time(crank.angle > 1)', … "
      "(docs/sweeps.md)");
  command_->add_flag("--verify", given_.verify, "Estimate the errors of each run, which doubles its time");
  command_->add_option("--out", out_, "Folder for the results (default: results/<model file's name>-sweep)");
  command_->add_flag("--resume", resume_, "Continue the sweep in the folder: compute the missing runs");
  command_->add_option("--threads", threads_, "Runs side by side (default: one for each processor)")
      ->check(CLI::Range(1, 1024));
  command_->add_option("--part", part_,
                       "Compute only part K of N: '0/8' to '7/8', on machines that share the folder");
  command_->add_option("--slurm", slurm_, "Submit a Slurm array with this many tasks, and a job that merges")
      ->check(CLI::Range(1, 100000));
  command_->add_option("--slurm-options", slurm_options_,
                       "Options of sbatch: '--partition=long --time=2:00:00'");
  command_->add_flag("--no-report", no_report_, "Write no report.html, which reads all results into memory");
  command_->add_flag("--json", json_, "Print JSON instead of text");
  command_->add_flag("--quiet", quiet_, "Print nothing but errors");
  command_->footer(
      "Writes sweep.h5 (HDF5: parameters, observations, status and reason of every run) and report.html. "
      "The\n"
      "folder's chunks keep what is computed: Ctrl-C or a kill loses at most the runs under way. Started by "
      "srun\n"
      "or mpirun, each process computes its part. Instead of a model, --resume takes the folder of a sweep.\n"
      "Examples:\n"
      "  trammel sweep models/slider-crank.yaml --vary 'bodies.crank.mass=1:2:50' --observe 'peak(A.force)'\n"
      "  trammel sweep crank.yaml --sample 'L~normal(0.3, 0.001)' --design lhs --runs 1000 --observe "
      "'final(B.x)'\n"
      "  trammel sweep results/crank-sweep --resume");
  return command_;
}

// Options of the command line take the place of the section's keys.
void SweepCommand::take_options(SweepSpec& spec) const {
  const auto given = [this](const char* name) { return command_->count(name) > 0; };
  // Plans are taken as a whole: an axis of the file beside those of the command line would surprise.
  if (given("--vary") || given("--sample") || given("--table")) {
    spec.vary = given_.vary, spec.sample = given_.sample, spec.table = given_.table;
    if (given_.sample.empty()) spec.runs = 0;
  }
  if (given("--runs")) spec.runs = given_.runs;
  if (given("--design")) spec.design = given_.design;
  if (given("--seed")) spec.seed = given_.seed;
  if (given("--observe")) spec.observe = given_.observe;
  if (given("--verify")) spec.verify = given_.verify;
}

// Throws std::invalid_argument for mistakes in the model or the options.
Sweep SweepCommand::make_sweep() {
  if (fs::is_directory(model_.path) && fs::exists(fs::path(model_.path) / "sweep.json")) {
    if (!resume_)
      throw std::invalid_argument(
          "this is the folder of a sweep; --resume goes on with it, or give a model file");
    out_ = model_.path;
    return open_sweep(out_);
  }
  const ModelSource source = read_source(model_);
  if (!source.input) {
    std::string all;
    for (const InputError& error : source.input.errors) all += (all.empty() ? "" : "\n") + to_string(error);
    throw std::invalid_argument(all);
  }
  SweepSpec spec = sweep_section(source.input.mechanism);
  // A table that the file names stands beside it.
  if (!spec.table.empty() && fs::path(spec.table).is_relative())
    spec.table = (fs::path(source.file).parent_path() / spec.table).string();
  take_options(spec);
  if (out_.empty()) out_ = source.folder.string() + "-sweep";
  return Sweep(source.input.mechanism, spec);
}

SweepOptions SweepCommand::sweep_options(std::optional<SweepPart> launched) const {
  SweepOptions options;
  // Processes of one launcher find the folder made by the first of them.
  options.resume = resume_ || launched || !part_.empty();
  if (launched) options.part = launched->part, options.parts = launched->parts;
  return options;
}

int SweepCommand::tell(const Sweep& sweep, const SweepSummary& summary, double seconds,
                       std::uint64_t own_runs) const {
  const bool stopped = stop_sweep != 0 && !summary.merged;
  if (json_) {
    const nlohmann::ordered_json told = {{"runs", summary.runs},     {"done", summary.done},
                                         {"failed", summary.failed}, {"resumed", summary.resumed},
                                         {"seconds", seconds},       {"merged", summary.merged},
                                         {"chunks", sweep.chunks()}, {"folder", out_}};
    fmt::print("{}\n", told.dump(2));
  } else if (!quiet_) {
    fmt::print("{} of {} runs done", summary.done, summary.runs);
    if (summary.failed > 0) fmt::print(", {} failed", summary.failed);
    if (summary.resumed > 0) fmt::print(", {} of them computed before", summary.resumed);
    fmt::print(" ({:.3g} s)\n", seconds);
    if (summary.merged) fmt::print("  {:<10}{}\n", "results", (fs::path(out_) / "sweep.h5").string());
    if (summary.merged && !no_report_)
      fmt::print("  {:<10}{}\n", "report", (fs::path(out_) / "report.html").string());
  }
  if (stopped) {
    fmt::print(stderr, "Stopped. {} of {} runs are kept in '{}'; 'trammel sweep {} --resume' goes on.\n",
               summary.done + summary.failed, own_runs, out_, out_);
    return kNumbersFailed;
  }
  if (!summary.merged && !quiet_)
    fmt::print(stderr,
               "This part is done. The last part to finish writes '{}'; 'trammel sweep {} --resume' computes "
               "what is missing.\n",
               (fs::path(out_) / "sweep.h5").string(), out_);
  return kDone;
}

int SweepCommand::run() {
  std::optional<SweepPart> launched = part_of_launcher();
  if (!part_.empty()) {
    launched = read_part(part_);
    if (!launched) {
      fmt::print(stderr, "--part: '{}' is no part; write K/N with K from 0 to N − 1, as 0/8\n", part_);
      return kBadInput;
    }
  }
  try {
    const Sweep sweep = make_sweep();
    if (slurm_ > 0) return submit(sweep);
    SweepOptions options = sweep_options(launched);
    hear_stop();
    ThreadPool threads(threads_ > 0 ? static_cast<int>(threads_) : processors());
    options.executor = &threads;
    SweepBar bar(quiet_);
    std::uint64_t own_runs = 0;
    options.progress = [&](const SweepProgress& now) {
      own_runs = now.runs;
      bar.show(now);
      return stop_sweep == 0;
    };
    const auto begun = std::chrono::steady_clock::now();
    const SweepSummary summary = run_sweep(sweep, out_, options);
    bar.clear();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (summary.merged && !no_report_) report_sweep(sweep, out_);
    return tell(sweep, summary, seconds, own_runs);
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}{}\n", model_.path + ": ", error.what());
    return kBadInput;
  }
}

// The folder is made, with nothing computed, for the tasks to join.
int SweepCommand::submit(const Sweep& sweep) const {
  SweepOptions options;
  options.resume = resume_;
  options.progress = [](const SweepProgress&) { return false; };
  const SweepSummary summary = run_sweep(sweep, out_, options);
  if (summary.merged) {
    if (!quiet_) fmt::print("All {} runs are there already: '{}'\n", summary.runs, out_);
    return kDone;
  }
  return submit_to_slurm(out_, slurm_, slurm_options_, json_);
}

}  // namespace trammel::app
