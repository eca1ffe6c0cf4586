#include "commands.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "model/writer/plan_json.h"
#include "model_source.h"
#include "reproduce/report.h"
#include "results/files/results_hdf5.h"
#include "results/files/results_log.h"
#include "results/report/acceptance_report.h"
#include "results/report/compare_report.h"
#include "results/report/mechanism_kinds.h"
#include "results/report/page.h"
#include "results/report/report.h"
#include "results/report/stability_report.h"
#include "results/report/summary.h"
#include "simulation/plan_check.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/thread_pool.h"
#include "trammel/version.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t interrupted = 0;

void print_errors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) fmt::print(stderr, "{}\n", error);
}

// The model with the command line's changes, ready to be assembled; or what is wrong with it.
std::optional<Simulation> load(const ModelOptions& options, const ModelSource& source,
                               std::vector<std::string>& errors) {
  for (const InputError& error : source.input.errors) errors.push_back(to_string(error));
  if (!errors.empty()) return std::nullopt;
  const Mechanism& mechanism = source.input.mechanism;
  for (const std::string& problem : check_plan(mechanism.plan))
    errors.push_back(fmt::format("{}: {}", options.path, problem));
  if (!errors.empty()) return std::nullopt;
  try {
    return std::optional<Simulation>(std::in_place, mechanism, mechanism.plan, make_executor(mechanism.plan));
  } catch (const std::invalid_argument& error) {
    errors.push_back(fmt::format("{}: {}", options.path, error.what()));
    return std::nullopt;
  }
}

std::optional<Simulation> load(const ModelOptions& options, std::vector<std::string>& errors,
                               UnreadOptions unread = UnreadOptions::refused) {
  return load(options, read_source(options, unread), errors);
}

// When and how a run was made, for its results.
nlohmann::json creation_of(const RunOptions& options, const ModelSource& source) {
  const std::time_t now = std::time(nullptr);
  return {{"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
          {"command", options.command},
          {"settings", options.model.settings()},
          {"model_file", source.file}};
}

void write_text(const fs::path& path, const std::string& text) {
  const fs::path partial = path.string() + ".partial";
  std::ofstream file(partial);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("cannot write '{}'", path.string()));
  fs::rename(partial, path);
}

// Before long work, not after it.
void require_writable(const fs::path& path) {
  const fs::path partial = path.string() + ".partial";
  const bool opened = !fs::is_directory(path) && std::ofstream(partial).is_open();
  if (!opened)
    throw std::runtime_error(fmt::format(
        "cannot write '{}'; give a file in a folder that exists and can be written to", path.string()));
  fs::remove(partial);
}

void write_results(const fs::path& folder, const results::LogContents& contents, bool csv) {
  results::write_hdf5((folder / "results.h5").string(), contents);
  if (!csv) return;
  write_csv((folder / "results.csv").string(), contents.trajectory);
  if (contents.errors.rows() > 0) write_csv((folder / "errors.csv").string(), contents.errors);
}

// A line that is rewritten in place, on a terminal only.
class ProgressBar {
 public:
  ProgressBar(double duration, bool quiet) : duration_(duration), shown_(!quiet && isatty(STDERR_FILENO)) {}
  ~ProgressBar() {
    if (drawn_) fmt::print(stderr, "\r{:76}\r", "");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void show(double t) {
    const int percent = static_cast<int>(100 * t / duration_);
    if (!shown_ || percent == percent_) return;
    percent_ = percent;
    drawn_ = true;
    fmt::print(stderr, "\r[{:<40}] {:3}%  {:<24}",
               std::string(static_cast<std::size_t>(percent * 2 / 5), '#'), percent,
               percent < 100 ? fmt::format("t = {:.4g} s", t) : "checking by the second run");
  }

 private:
  double duration_;
  bool shown_, drawn_ = false;
  int percent_ = -1;
};

}  // namespace

int run_command(const RunOptions& options) {
  std::vector<std::string> errors;
  const ModelSource source = read_source(options.model);
  std::optional<Simulation> simulation = load(options.model, source, errors);
  if (!simulation) {
    print_errors(errors);
    return kBadInput;
  }
  const Plan& plan = simulation->plan();
  const AssemblyReport assembly = simulation->assemble();
  if (!assembly.report.accepted()) {
    fmt::print(stderr, "{}: {}\n", options.model.path, explain(assembly, *simulation));
    return assembly.report.outcome == Outcome::refused ? kBadInput : kNumbersFailed;
  }
  const analysis::Mobility m = analysis::mobility(simulation->system(), simulation->state());

  const nlohmann::json creation = creation_of(options, source);
  const fs::path folder = options.out.empty() ? source.folder : fs::path(options.out);
  std::error_code made;
  fs::create_directories(folder, made);
  if (made)
    throw std::runtime_error(fmt::format("cannot make the folder '{}': {}", folder.string(), made.message()));
  const fs::path log_path = folder / "results.log";
  RunSummary summary;
  {
    results::ResultsLog log(log_path.string(),
                            {source.input.mechanism.text, model::plan_json(plan, simulation->resolved()),
                             channels_of(*simulation), TRAMMEL_VERSION, creation});
    // What an earlier run left here is no longer true.
    for (const char* name : {"results.h5", "results.csv", "errors.csv", "summary.json", "report.html"})
      fs::remove(folder / name);
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::signal(SIGTERM, [](int) { interrupted = 1; });
    ProgressBar bar(plan.duration, options.quiet);
    summary = run(*simulation, log, [&](double t) {
      bar.show(t);
      return interrupted == 0;
    });
    summary.assembly = assembly;
    log.finish(results::summary_json(*simulation, m, summary, creation));
  }
  const results::LogContents contents = results::read_log(log_path.string());
  write_results(folder, contents, options.csv);
  write_text(folder / "summary.json",
             results::summary_json(*simulation, m, summary, creation).dump(2) + "\n");
  if (!results::report_page().empty())
    write_text(folder / "report.html",
               results::report_html(results::report_page(), simulation->mechanism(), contents));

  if (!options.quiet) {
    fmt::print("{}", results::summary_text(*simulation, m, summary));
    fmt::print("  {:<22}{}\n", "results", (folder / "results.h5").string());
    fmt::print("  {:<22}{}\n", "report",
               results::report_page().empty()
                   ? "none: this program was built without its pages (docs/viewer.md)"
                   : (folder / "report.html").string());
  }
  if (summary.status == RunStatus::failed || summary.status == RunStatus::stopped) {
    fmt::print(stderr, "{}: {}\n", options.model.path, summary.message);
    fmt::print(stderr, "Everything up to t = {:.6g} s is in '{}'.\n", summary.time, folder.string());
    return kNumbersFailed;
  }
  for (const std::string& warning : summary.warnings)
    fmt::print(stderr, "{}: {}\n", options.model.path, warning);
  if (!summary.marked_steps.empty())
    fmt::print(stderr, "{}: {} met only the weaker criterion; see marked_steps in '{}'\n", options.model.path,
               results::marked_text(summary), (folder / "summary.json").string());
  return kDone;
}

int check_command(const CheckOptions& options) {
  const auto fail = [&](const std::vector<std::string>& errors, int status) {
    if (options.json) {
      nlohmann::ordered_json j = results::mobility_json({});
      j["errors"] = errors;
      fmt::print("{}\n", j.dump(2));
    } else {
      print_errors(errors);
    }
    return status;
  };
  std::vector<std::string> errors;
  std::optional<Simulation> simulation = load(options.model, errors);
  if (!simulation) return fail(errors, kBadInput);
  const AssemblyReport assembly = simulation->assemble();
  if (!assembly.report.accepted())
    return fail({fmt::format("{}: {}", options.model.path, explain(assembly, *simulation))}, kNumbersFailed);
  const analysis::Mobility m = analysis::mobility(simulation->system(), simulation->state());
  const simulation::ReactionCheck reactions = simulation::check_reactions(*simulation);
  if (options.json)
    fmt::print("{}\n", results::mobility_json(m, reactions).dump(2));
  else
    fmt::print("{}", results::mobility_text(simulation->mechanism(), m, reactions));
  return kDone;
}

int compare_command(const CompareOptions& options) {
  std::vector<std::string> errors;
  std::optional<Simulation> simulation = load(options.model, errors, UnreadOptions::allowed);
  const auto check_names = [&](const char* what, const std::vector<std::string>& names,
                               const std::vector<std::string>& known) {
    for (const std::string& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end())
        errors.push_back(
            fmt::format("there is no {} '{}'; {}", what, name, expressions::choice_advice(name, known)));
  };
  check_names("integrator", options.integrators, simulation::known_integrators());
  std::vector<std::string> formulations = simulation::known_formulations();
  formulations.emplace_back(kAutomatic);
  check_names("formulation", options.formulations, formulations);
  if (!errors.empty()) {
    print_errors(errors);
    return kBadInput;
  }
  if (!options.report.empty()) require_writable(options.report);
  const Mechanism& mechanism = simulation->mechanism();
  const Plan& plan = mechanism.plan;
  const bool shown = isatty(STDERR_FILENO);
  const auto next = [&](const std::string& what) {
    if (shown) fmt::print(stderr, "\r{:78}\r{} … ", "", what);
  };
  const analysis::Comparisons compared =
      analysis::compare(mechanism, plan, {options.formulations, options.integrators}, next);
  const std::vector<analysis::Comparison>& rows = compared.rows;
  std::optional<analysis::WorkPrecision> measured;
  if (options.precision || !options.report.empty())
    measured = analysis::work_precision(mechanism, compared, next);
  if (shown) fmt::print(stderr, "\r{:78}\r", "");
  const analysis::WorkPrecision* curves = measured ? &*measured : nullptr;
  if (!options.report.empty())
    write_text(options.report, results::comparison_page(mechanism, plan, rows, *measured));
  fmt::print("{}", options.json ? results::comparison_json(compared, curves).dump(2) + "\n"
                                : results::comparison_text(compared));
  if (!options.report.empty() && !options.json) fmt::print("Report: {}\n", options.report);
  const bool any =
      std::any_of(rows.begin(), rows.end(), [](const analysis::Comparison& c) { return c.steps > 0; });
  return any ? kDone : kNumbersFailed;
}

int stability_command(const StabilityOptions& options) {
  std::vector<ModelOptions> each(std::max<std::size_t>(options.steps.size(), 1), options.model);
  for (std::size_t k = 0; k < options.steps.size(); ++k)
    each[k].simulate.push_back("--step=" + options.steps[k]);
  ResolvedPlan plan;
  std::vector<analysis::Stability> results;
  int status = kDone;
  for (const ModelOptions& one : each) {
    std::vector<std::string> errors;
    std::optional<Simulation> simulation = load(one, errors);
    if (!simulation) {
      print_errors(errors);
      return kBadInput;
    }
    const AssemblyReport assembly = simulation->assemble();
    if (!assembly.report.accepted()) {
      fmt::print(stderr, "{}: {}\n", options.model.path, explain(assembly, *simulation));
      return assembly.report.outcome == Outcome::refused ? kBadInput : kNumbersFailed;
    }
    plan = simulation->resolved();
    results.push_back(analysis::stability(simulation->mechanism(), simulation->plan()));
    const Report& report = results.back().report;
    if (report.accepted()) continue;
    status = report.outcome == Outcome::refused ? kBadInput : kNumbersFailed;
    if (!options.json)
      fmt::print(stderr, "{}: {}\n", options.model.path, results::stability_failure(results.back()));
  }
  fmt::print("{}", options.json ? results::stability_json(plan, results).dump(2) + "\n"
                                : results::stability_text(plan, results));
  return status;
}

int formulations_command(const FormulationsOptions& options) {
  std::vector<results::Accepted> subjects;
  if (options.model.path.empty()) {
    for (const results::MechanismKind& kind : results::mechanism_kinds())
      subjects.push_back({kind.name, kind.meaning, analysis::acceptance(kind.example, kind.example.plan)});
  } else {
    const ModelInput input = read_source(options.model, UnreadOptions::allowed).input;
    for (const InputError& error : input.errors) fmt::print(stderr, "{}\n", to_string(error));
    if (!input.errors.empty()) return kBadInput;
    subjects.push_back(
        {input.mechanism.name, "", analysis::acceptance(input.mechanism, input.mechanism.plan)});
  }
  fmt::print("{}", options.json       ? results::acceptance_json(subjects).dump(2) + "\n"
                   : options.markdown ? results::acceptance_markdown(subjects)
                                      : results::acceptance_text(subjects));
  return kDone;
}

namespace {

void list_items(const std::vector<reproduce::Paper>& papers) {
  for (const reproduce::Paper& paper : papers) {
    fmt::print("{}: {}\n", paper.name, paper.authors);
    for (const reproduce::Item& item : paper.items)
      fmt::print("  {:<44} {:3} figures   {} ({})\n", item.id(), item.rows.size(), item.title, item.where);
  }
}

// A figure that failed has no verdict that could be recorded.
void record_verdicts(const reproduce::Library& library, const std::vector<reproduce::PaperResult>& results) {
  for (const reproduce::PaperResult& paper : results) {
    std::map<std::string, std::string> verdicts = paper.paper.recorded;
    // What was recorded of a row that is no more goes.
    std::erase_if(verdicts, [&](const auto& recorded) {
      return std::ranges::any_of(paper.items, [&](const reproduce::ItemResult& item) {
        const std::string start = item.item.name + "/";
        return recorded.first.starts_with(start) &&
               std::ranges::none_of(item.rows, [&](const reproduce::RowResult& row) {
                 return start + row.row.key == recorded.first;
               });
      });
    });
    for (const reproduce::ItemResult& item : paper.items)
      for (const reproduce::RowResult& row : item.rows)
        if (row.judgement.verdict != reproduce::Verdict::failed)
          verdicts[item.item.name + "/" + row.row.key] = row.verdict;
    reproduce::write_recorded(library, paper.paper.name, verdicts);
  }
}

}  // namespace

int reproduce_command(const ReproduceOptions& options) {
  const reproduce::Library library = reproduce::find_library(options.papers, fs::canonical("/proc/self/exe"));
  const std::vector<reproduce::Paper> papers =
      reproduce::selected(reproduce::read_papers(library), options.wanted);
  if (options.list) {
    list_items(papers);
    return kDone;
  }
  const fs::path page = options.out;
  if (!page.empty()) require_writable(page);
  const bool shown = isatty(STDERR_FILENO);
  const std::vector<reproduce::PaperResult> results =
      reproduce::reproduce(papers, reproduce::read_optional_features(library), [&](const std::string& item) {
        if (shown) fmt::print(stderr, "\r{:78}\r{} … ", "", item);
      });
  if (shown) fmt::print(stderr, "\r{:78}\r", "");
  if (!page.empty()) write_text(page, reproduce::validation_page(results));
  fmt::print("{}", options.json ? reproduce::reproduction_json(results).dump(2) + "\n"
                                : reproduce::reproduction_text(results));
  if (!page.empty() && !options.json) fmt::print("Page: {}\n", page.string());
  std::vector<std::string> worse = reproduce::regressions(results);
  if (options.record) {
    record_verdicts(library, results);
    std::erase_if(worse,
                  [](const std::string& line) { return line.find(": failed: ") == std::string::npos; });
  }
  if (worse.empty()) return kDone;
  fmt::print(
      stderr,
      "{} of the verdicts failed or are worse than recorded in '{}' (--record records these instead):\n",
      worse.size(), library.papers.string());
  print_errors(worse);
  return kNumbersFailed;
}

int recover_command(const std::string& given, bool csv) {
  // The log itself may be named instead of its folder.
  const fs::path folder = fs::is_regular_file(given) ? fs::absolute(given).parent_path() : fs::path(given);
  const fs::path log_path = fs::is_regular_file(given) ? fs::path(given) : folder / "results.log";
  results::LogContents contents = results::read_log(log_path.string());
  const Trajectory& rows = contents.trajectory;
  if (!contents.summary)
    contents.summary = {{"status", "killed"},
                        {"rows", rows.rows()},
                        {"simulated_seconds", rows.rows() > 0 ? rows.row(rows.rows() - 1)[0] : 0.0}};
  write_results(folder, contents, csv);
  write_text(fs::path(folder) / "summary.json", contents.summary->dump(2) + "\n");
  const ModelInput model = read_model_text(contents.header.model, "", {}, UnreadOptions::allowed);
  if (!results::report_page().empty() && model.errors.empty())
    write_text(fs::path(folder) / "report.html",
               results::report_html(results::report_page(), model.mechanism, contents));
  fmt::print("{} rows recovered into '{}'\n", contents.trajectory.rows(),
             (fs::path(folder) / "results.h5").string());
  if (!contents.damage.empty())
    fmt::print(stderr, "{}: {} ({} bytes at the end could not be read)\n", log_path.string(), contents.damage,
               contents.discarded_bytes);
  return kDone;
}

}  // namespace trammel::app
