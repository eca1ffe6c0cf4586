// trammel run, resume and recover: a run, its log, and the files that are made of the log.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "analysis/mobility.h"
#include "commands.h"
#include "model/writer/plan_json.h"
#include "model_source.h"
#include "output_files.h"
#include "progress.h"
#include "results/files/results_log.h"
#include "results/report/page.h"
#include "results/report/summary.h"
#include "results/results_source.h"
#include "results/run_folder.h"
#include "simulation/resolve.h"
#include "trammel/model.h"
#include "trammel/results.h"
#include "trammel/run.h"
#include "trammel/version.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;
using results::RunFolder, results::RunKeeper;

volatile std::sig_atomic_t interrupted = 0;

// Ctrl-C is heard between two steps. A step, or the last work of the second run, may take long: after so many
// seconds the program ends as if it were killed: the run can be resumed (docs/results.md#resume).
constexpr unsigned kHeardWithin = 1, kDoneWithin = 10;

// Where the run can be resumed, for the handler of the alarm, which may not make words.
std::string last_words;

void hear_interrupts(const fs::path& folder) {
  last_words = fmt::format(
      "\nStopped within a long step: 'trammel resume {0}' goes on, 'trammel recover {0}' makes results of "
      "the "
      "rows that are there.\n",
      folder.string());
  std::signal(SIGALRM, [](int) {
    static_cast<void>(write(STDERR_FILENO, last_words.data(), last_words.size()) < 0);
    _exit(kNumbersFailed);
  });
  for (const int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int) {
      interrupted = 1;
      alarm(kHeardWithin);
    });
}

// No person has stopped the run.
bool goes_on() { return interrupted == 0; }

// When and how a run was made, for its results.
nlohmann::json creation_of(const RunOptions& options, const ModelSource& source) {
  const std::time_t now = std::time(nullptr);
  return {{"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
          {"command", options.command},
          {"settings", options.model.settings()},
          {"model_file", source.file}};
}

// How far the run is, and how long it will take.
class ProgressBar {
 public:
  ProgressBar(double duration, bool quiet) : duration_(duration), line_(quiet) {}
  void show(double t) {
    double since = 0;
    if (!line_.is_due(t / duration_, since)) return;
    // The pace of the last second or so, which says more than that of the whole run.
    const double pace = (t - t_) / since;
    t_ = t;
    line_.show(t / duration_, t < duration_ ? fmt::format("t = {:.5g} s{}", t, left(duration_ - t, pace))
                                            : "checking by the second run");
  }

 private:
  // ", 3 h left"; empty where that is less than a minute, or not known.
  static std::string left(double time, double pace) {
    const double seconds = pace > 0 ? time / pace : 0;
    if (seconds < 60) return "";
    if (seconds > 100 * 86400.0) return ", months left";
    return seconds < 3600    ? fmt::format(", {:.0f} min left", seconds / 60)
           : seconds < 86400 ? fmt::format(", {:.0f} h left", seconds / 3600)
                             : fmt::format(", {:.0f} days left", seconds / 86400);
  }

  double duration_;
  ProgressLine line_;
  double t_ = 0;
};

// A simulation at its assembled start.
struct Start {
  Simulation& simulation;
  AssemblyReport assembly;
  analysis::Mobility mobility;
  nlohmann::json creation;
};

// The run, the log's end, and the files that are made of it.
RunSummary simulate(const Start& start, const RunFolder& folder, RunKeeper& keeper, const RunRecord& first,
                    const RunRecord& second, const RunOptions& options) {
  hear_interrupts(folder.path);
  keeper.keep_checkpoints(options.checkpoint);
  RunSummary summary;
  {
    ProgressBar bar(start.simulation.plan().duration, options.quiet);
    summary = resume(start.simulation, keeper, first, second, [&](double t) {
      bar.show(t);
      if (interrupted != 0) alarm(kDoneWithin);
      return goes_on();
    });
  }
  alarm(0);
  summary.assembly = start.assembly;
  keeper.finish(results::summary_json(start.simulation, start.mobility, summary, start.creation));
  // A person may have stopped the second run alone, too.
  if (interrupted == 0) fs::remove(folder.second_log());
  keeper.write_files(options.no_report ? nullptr : &start.simulation.mechanism(), options.csv,
                     start.simulation.executor().get());
  return summary;
}

// What a person reads at the end; the exit status.
int tell(const Start& start, const RunSummary& summary, const RunFolder& folder, const RunOptions& options) {
  const std::string shown = folder.path.string();
  if (!options.quiet) {
    fmt::print("{}", results::summary_text(start.simulation, start.mobility, summary));
    fmt::print("  {:<22}{}\n", "results", folder.hdf5().string());
    if (!options.no_report)
      fmt::print("  {:<22}{}\n", "report",
                 results::report_page().empty()
                     ? "none: this program was built without its pages (docs/viewer.md)"
                     : (folder.path / "report.html").string());
  }
  if (summary.status == RunStatus::failed || summary.status == RunStatus::stopped) {
    fmt::print(stderr, "{}: {}\n",
               place_of(options.model.path, start.simulation.mechanism(), summary.message), summary.message);
    fmt::print(stderr, "Everything up to t = {:.6g} s is in '{}'.\n", summary.time, shown);
    if (summary.status == RunStatus::stopped) fmt::print(stderr, "'trammel resume {}' goes on.\n", shown);
    return kNumbersFailed;
  }
  if (interrupted != 0)
    fmt::print(stderr, "The second run was stopped, which tells the errors: 'trammel resume {}' goes on.\n",
               shown);
  for (const std::string& remark : remarks(start.simulation, summary))
    fmt::print(stderr, "{}: {}\n", options.model.path, remark);
  return kDone;
}

// A disk that became full, say, in the middle of a run.
int tell_what_is_kept(const results::WriteError& error, const RunFolder& folder) {
  const Trajectory rows = results::read_log(folder.log()).trajectory;
  fmt::print(stderr, "trammel: {}\n", error.what());
  fmt::print(stderr,
             "The {} rows up to t = {:.6g} s are kept. When '{}' can be written to, 'trammel resume {}' goes "
             "on.\n",
             rows.rows(), rows.rows() > 0 ? rows.row(rows.rows() - 1)[0] : 0.0, folder.path.string(),
             folder.path.string());
  return kNumbersFailed;
}

// Assembles the mechanism; where that fails, says why and returns the exit status in `status`.
std::optional<Start> assembled(Simulation& simulation, nlohmann::json creation, const RunOptions& options,
                               int& status) {
  AssemblyReport assembly = simulation.assemble();
  if (!assembly.report.accepted()) {
    const std::string why = explain(assembly, simulation);
    fmt::print(stderr, "{}: {}\n", place_of(options.model.path, simulation.mechanism(), why), why);
    status = assembly.report.outcome == Outcome::refused ? kBadInput : kNumbersFailed;
    return std::nullopt;
  }
  analysis::Mobility mobility = analysis::mobility(simulation);
  return Start{simulation, std::move(assembly), std::move(mobility), std::move(creation)};
}

// A run that does not begin leaves the folder as it is. A person must not take what is there for its results.
int refused(int status, const RunFolder& folder) {
  if (folder.has_results())
    fmt::print(stderr, "Nothing was run: '{}' still holds the results of an earlier run.\n",
               folder.path.string());
  return status;
}

// The mechanism as the run left it, as a model of its own.
void save_end(const Simulation& simulation, const RunOptions& options) {
  Mechanism model = simulation.mechanism();
  model.plan = simulation::without_unread(model.plan);
  write_text(options.save_end,
             write_model(moving_as(model, simulation),
                         fmt::format("As '{}' stood and moved at t = {:.6g} s, which is time 0 here.",
                                     options.model.path, simulation.state().t)));
  if (!options.quiet) fmt::print("  {:<22}{}\n", "end state", options.save_end);
}

int run_and_tell(const Start& start, const RunFolder& folder, std::optional<RunKeeper>& keeper,
                 const RunRecord& first, const RunRecord& second, const RunOptions& options) {
  RunSummary summary;
  try {
    summary = simulate(start, folder, *keeper, first, second, options);
  } catch (const results::WriteError& error) {
    keeper.reset();  // what can still be written is
    return tell_what_is_kept(error, folder);
  }
  const int status = tell(start, summary, folder, options);
  const bool complete = status == kDone && interrupted == 0;
  if (complete && options.no_log) {
    keeper.reset();
    fs::remove(folder.log());
  }
  if (complete && !options.save_end.empty()) save_end(start.simulation, options);
  return status;
}

}  // namespace

int run_command(const RunOptions& options) {
  std::vector<std::string> errors;
  const ModelSource source = read_source(options.model);
  const RunFolder folder{options.out.empty() ? source.folder : fs::path(options.out)};
  std::optional<Simulation> simulation = load(options.model, source, errors);
  if (!simulation) {
    print_errors(errors);
    return refused(kBadInput, folder);
  }
  int status = kDone;
  const std::optional<Start> start = assembled(*simulation, creation_of(options, source), options, status);
  if (!start) return refused(status, folder);
  if (!options.save_end.empty()) require_writable(options.save_end);
  std::error_code made;
  fs::create_directories(folder.path, made);
  if (made)
    throw std::runtime_error(
        fmt::format("cannot make the folder '{}': {}", folder.path.string(), made.message()));
  const results::LogHeader header{source.input.mechanism.text,
                                  model::plan_json(simulation->plan(), simulation->resolved()),
                                  channels_of(*simulation), TRAMMEL_VERSION, start->creation};
  std::optional<RunKeeper> keeper(std::in_place, folder, header, goes_on);
  folder.remove_results();
  if (simulation->plan().verify)
    keeper->keep_second(header);
  else
    fs::remove(folder.second_log());
  return run_and_tell(*start, folder, keeper, {}, {}, options);
}

namespace {

int finished_already(const RunFolder& folder, const results::LogContents& contents, bool csv) {
  const bool missing = folder.lacks_results(csv);
  if (missing) results::write_files(folder, contents, csv);
  fmt::print("The run in '{}' has come to its end: there is nothing to resume.{}\n", folder.path.string(),
             missing ? " Its files were missing, and have been made of the log." : "");
  return kDone;
}

}  // namespace

int resume_command(const RunOptions& given) {
  RunOptions options = given;
  const RunFolder folder = results::folder_of(options.model.path);
  const std::string shown = folder.path.string();
  if (!fs::exists(folder.log()))
    throw std::runtime_error(
        fmt::format("there is no results.log in '{}'; name the folder that a run has written to", shown));
  results::LogContents contents = results::read_log(folder.log());
  options.csv = options.csv || results::asked_for("--csv", contents.header);
  options.no_report = options.no_report || results::asked_for("--no-report", contents.header);
  options.no_log = options.no_log || results::asked_for("--no-log", contents.header);
  const std::string instead = fmt::format(
      "'trammel recover {0}' makes results of the rows that are there, 'trammel run {0}' runs the model "
      "again "
      "from the start",
      shown);
  if (const std::string reason = results::not_resumable(contents, instead); !reason.empty())
    throw std::runtime_error(fmt::format("cannot resume '{}': {}", shown, reason));
  if (results::has_ended(folder, contents)) return finished_already(folder, contents, options.csv);

  std::vector<std::string> errors;
  const ModelSource source = source_in(contents.header, folder.log(), {}, UnreadOptions::allowed);
  std::optional<Simulation> simulation = load(options.model, source, errors);
  if (!simulation) {
    print_errors(errors);
    return kBadInput;
  }
  int status = kDone;
  const std::optional<Start> start = assembled(*simulation, contents.header.creation, options, status);
  if (!start) return status;
  const std::string from_start = no_checkpoints(simulation->resolved());
  if (!from_start.empty() && !options.quiet)
    fmt::print(stderr, "{}: {}: the run is computed again from the start, to the same rows\n", shown,
               from_start);

  std::optional<RunKeeper> keeper(std::in_place, folder, contents, goes_on);
  const bool verify = simulation->plan().verify;
  const results::RunRecords records = take_up(folder, std::move(contents), verify, *keeper);
  return run_and_tell(*start, folder, keeper, records.first, records.second, options);
}

int recover_command(const std::string& given, bool csv) {
  const RunFolder folder = results::folder_of(given);
  const fs::path log_path = fs::is_regular_file(given) ? fs::path(given) : folder.log();
  results::LogContents contents = results::read_log(log_path);
  const Trajectory& rows = contents.trajectory;
  results::say_killed(contents);
  results::write_files(folder, contents, csv);
  fmt::print("{} rows recovered into '{}'\n", rows.rows(), folder.hdf5().string());
  if (!contents.damage.empty())
    fmt::print(stderr, "{}: {} ({} bytes at the end could not be read)\n", log_path.string(), contents.damage,
               contents.discarded_bytes);
  return kDone;
}

}  // namespace trammel::app
