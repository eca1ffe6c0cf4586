#include "commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "model/reader/model_reader.h"
#include "model/reader/settings.h"
#include "reproduce/report.h"
#include "results/files/results_csv.h"
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
#include "trammel/run.h"

namespace trammel {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t interrupted = 0;

void print_errors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) fmt::print(stderr, "{}\n", error);
}

// The model with the command line's changes, ready to be assembled; or what is wrong with it.
std::optional<Simulation> load(const ModelOptions& options, std::vector<std::string>& errors,
                               bool strict = false) {
  const std::vector<std::string> settings = options.settings();
  ModelInput input = read_model(options.path, settings);
  for (const InputError& error : input.errors) errors.push_back(to_string(error));
  if (!errors.empty()) return std::nullopt;
  Plan& plan = input.mechanism.plan;
  if (is_set(settings, "simulate.tolerance") && plan.step > 0 && !controls_error(plan))
    errors.push_back(fmt::format(
        "a tolerance does not go with {}, which takes steps of one size: leave it out, or name neither "
        "formulation nor integrator",
        stepping_rule(plan)));
  plan.strict = plan.strict || strict;
  for (const std::string& problem : check_plan(plan))
    errors.push_back(fmt::format("{}: {}", options.path, problem));
  if (!errors.empty()) return std::nullopt;
  if (input.mechanism.name.empty()) input.mechanism.name = fs::path(options.path).stem().string();
  try {
    return std::optional<Simulation>(std::in_place, input.mechanism, plan);
  } catch (const std::invalid_argument& error) {
    errors.push_back(fmt::format("{}: {}", options.path, error.what()));
    return std::nullopt;
  }
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

void write_results(const fs::path& folder, const LogContents& contents, bool csv) {
  write_hdf5((folder / "results.h5").string(), contents);
  if (csv) write_csv((folder / "results.csv").string(), contents.trajectory);
}

// A line that is rewritten in place, on a terminal only.
class ProgressBar {
 public:
  ProgressBar(double duration, bool quiet) : duration_(duration), shown_(!quiet && isatty(STDERR_FILENO)) {}
  ~ProgressBar() {
    if (drawn_) fmt::print(stderr, "\r{:60}\r", "");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void show(double t) {
    const int percent = static_cast<int>(100 * t / duration_);
    if (!shown_ || percent == percent_) return;
    percent_ = percent;
    drawn_ = true;
    fmt::print(stderr, "\r[{:<40}] {:3}%  t = {:.4g} s ",
               std::string(static_cast<std::size_t>(percent * 2 / 5), '#'), percent, t);
  }

 private:
  double duration_;
  bool shown_, drawn_ = false;
  int percent_ = -1;
};

}  // namespace

int run_command(const RunOptions& options) {
  std::vector<std::string> errors;
  std::optional<Simulation> simulation = load(options.model, errors, options.strict);
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
  const Mobility m = mobility(simulation->system(), simulation->state());

  const fs::path folder =
      options.out.empty() ? fs::path("results") / fs::path(options.model.path).stem() : fs::path(options.out);
  std::error_code made;
  fs::create_directories(folder, made);
  if (made)
    throw std::runtime_error(fmt::format("cannot make the folder '{}': {}", folder.string(), made.message()));
  const fs::path log_path = folder / "results.log";
  RunSummary summary;
  {
    ResultsLog log(log_path.string(), {simulation->mechanism().text, plan_json(plan),
                                       channels_of(*simulation), TRAMMEL_VERSION, nlohmann::json::object()});
    // What an earlier run left here is no longer true.
    for (const char* name : {"results.h5", "results.csv", "summary.json", "report.html"})
      fs::remove(folder / name);
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::signal(SIGTERM, [](int) { interrupted = 1; });
    ProgressBar bar(plan.duration, options.quiet);
    summary = run(*simulation, log, [&](double t) {
      bar.show(t);
      return interrupted == 0;
    });
    summary.assembly = assembly;
    log.finish(summary_json(*simulation, m, summary));
  }
  const LogContents contents = read_log(log_path.string());
  write_results(folder, contents, options.csv);
  write_text(folder / "summary.json", summary_json(*simulation, m, summary).dump(2) + "\n");
  if (!report_page().empty())
    write_text(folder / "report.html", report_html(report_page(), simulation->mechanism(), contents));

  if (!options.quiet) {
    fmt::print("{}", summary_text(*simulation, m, summary));
    fmt::print("  {:<22}{}\n", "results", (folder / "results.h5").string());
    fmt::print("  {:<22}{}\n", "report",
               report_page().empty() ? "none: this program was built without its pages (docs/viewer.md)"
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
    fmt::print(stderr,
               "{}: {} of {} steps met only the weaker criterion; see "
               "marked_steps in '{}'\n",
               options.model.path, summary.marked_steps.size(), summary.steps,
               (folder / "summary.json").string());
  return kDone;
}

int check_command(const CheckOptions& options) {
  const auto fail = [&](const std::vector<std::string>& errors, int status) {
    if (options.json) {
      nlohmann::ordered_json j = mobility_json({});
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
  const Mobility m = mobility(simulation->system(), simulation->state());
  const ReactionCheck reactions = check_reactions(*simulation);
  if (options.json)
    fmt::print("{}\n", mobility_json(m, reactions).dump(2));
  else
    fmt::print("{}", mobility_text(simulation->mechanism(), m, reactions));
  return kDone;
}

int compare_command(const CompareOptions& options) {
  std::vector<std::string> errors;
  std::optional<Simulation> simulation = load(options.model, errors);
  const auto check_names = [&](const char* what, const std::vector<std::string>& names,
                               const std::vector<std::string>& known) {
    for (const std::string& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end())
        errors.push_back(fmt::format("there is no {} '{}'; {}", what, name, choice_advice(name, known)));
  };
  check_names("integrator", options.integrators, known_integrators());
  std::vector<std::string> formulations = known_formulations();
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
  const Comparisons compared = compare(mechanism, plan, {options.formulations, options.integrators}, next);
  const std::vector<Comparison>& rows = compared.rows;
  std::optional<WorkPrecision> measured;
  if (options.precision || !options.report.empty()) measured = work_precision(mechanism, compared, next);
  if (shown) fmt::print(stderr, "\r{:78}\r", "");
  const WorkPrecision* curves = measured ? &*measured : nullptr;
  if (!options.report.empty()) write_text(options.report, comparison_page(mechanism, plan, rows, *measured));
  fmt::print("{}",
             options.json ? comparison_json(compared, curves).dump(2) + "\n" : comparison_text(compared));
  if (!options.report.empty() && !options.json) fmt::print("Report: {}\n", options.report);
  const bool any = std::any_of(rows.begin(), rows.end(), [](const Comparison& c) { return c.steps > 0; });
  return any ? kDone : kNumbersFailed;
}

int stability_command(const StabilityOptions& options) {
  std::vector<ModelOptions> each(std::max<std::size_t>(options.steps.size(), 1), options.model);
  for (std::size_t k = 0; k < options.steps.size(); ++k)
    each[k].simulate.push_back("--step=" + options.steps[k]);
  Plan plan;
  std::vector<Stability> results;
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
    plan = simulation->plan();
    results.push_back(stability(simulation->mechanism(), plan));
    const Report& report = results.back().report;
    if (report.accepted()) continue;
    status = report.outcome == Outcome::refused ? kBadInput : kNumbersFailed;
    if (!options.json) fmt::print(stderr, "{}: {}\n", options.model.path, stability_failure(results.back()));
  }
  fmt::print("{}",
             options.json ? stability_json(plan, results).dump(2) + "\n" : stability_text(plan, results));
  return status;
}

int formulations_command(const FormulationsOptions& options) {
  std::vector<Accepted> subjects;
  if (options.model.path.empty()) {
    for (const MechanismKind& kind : mechanism_kinds())
      subjects.push_back({kind.name, kind.meaning, acceptance(kind.example, kind.example.plan)});
  } else {
    const ModelInput input = read_model(options.model.path, options.model.settings());
    for (const InputError& error : input.errors) fmt::print(stderr, "{}\n", to_string(error));
    if (!input.errors.empty()) return kBadInput;
    const std::string& name = input.mechanism.name;
    subjects.push_back({name.empty() ? fs::path(options.model.path).stem().string() : name, "",
                        acceptance(input.mechanism, input.mechanism.plan)});
  }
  fmt::print("{}", options.json       ? acceptance_json(subjects).dump(2) + "\n"
                   : options.markdown ? acceptance_markdown(subjects)
                                      : acceptance_text(subjects));
  return kDone;
}

namespace {

void list_items(const std::vector<Paper>& papers) {
  for (const Paper& paper : papers) {
    fmt::print("{}: {}\n", paper.name, paper.authors);
    for (const Item& item : paper.items)
      fmt::print("  {:<44} {:3} figures   {} ({})\n", item.id(), item.rows.size(), item.title, item.where);
  }
}

// A figure that failed has no verdict that could be recorded.
void record_verdicts(const Library& library, const std::vector<PaperResult>& results) {
  for (const PaperResult& paper : results) {
    std::map<std::string, std::string> verdicts = paper.paper.recorded;
    // What was recorded of a row that is no more goes.
    std::erase_if(verdicts, [&](const auto& recorded) {
      return std::ranges::any_of(paper.items, [&](const ItemResult& item) {
        const std::string start = item.item.name + "/";
        return recorded.first.starts_with(start) &&
               std::ranges::none_of(
                   item.rows, [&](const RowResult& row) { return start + row.row.key == recorded.first; });
      });
    });
    for (const ItemResult& item : paper.items)
      for (const RowResult& row : item.rows)
        if (row.judgement.verdict != Verdict::failed)
          verdicts[item.item.name + "/" + row.row.key] = row.verdict;
    write_recorded(library, paper.paper.name, verdicts);
  }
}

// Where the page goes: docs/ beside papers/ for a complete run, else only where it is asked for.
fs::path page_path(const ReproduceOptions& options, const Library& library) {
  if (!options.out.empty()) return options.out;
  return options.wanted.empty() ? library.papers.parent_path() / "docs" / "validation.html" : fs::path();
}

}  // namespace

int reproduce_command(const ReproduceOptions& options) {
  const Library library = find_library(options.papers, fs::canonical("/proc/self/exe"));
  const std::vector<Paper> papers = selected(read_papers(library), options.wanted);
  if (options.list) {
    list_items(papers);
    return kDone;
  }
  const fs::path page = page_path(options, library);
  if (!page.empty()) require_writable(page);
  const bool shown = isatty(STDERR_FILENO);
  const std::vector<PaperResult> results =
      reproduce(papers, read_optional_features(library), [&](const std::string& item) {
        if (shown) fmt::print(stderr, "\r{:78}\r{} … ", "", item);
      });
  if (shown) fmt::print(stderr, "\r{:78}\r", "");
  if (!page.empty()) write_text(page, validation_page(results));
  fmt::print("{}", options.json ? reproduction_json(results).dump(2) + "\n" : reproduction_text(results));
  if (!page.empty() && !options.json) fmt::print("Page: {}\n", page.string());
  std::vector<std::string> worse = regressions(results);
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

int recover_command(const std::string& folder, bool csv) {
  const fs::path log_path = fs::path(folder) / "results.log";
  const LogContents contents = read_log(log_path.string());
  write_results(folder, contents, csv);
  const Trajectory& rows = contents.trajectory;
  const nlohmann::ordered_json killed = {
      {"status", "killed"},
      {"rows", rows.rows()},
      {"simulated_seconds", rows.rows() > 0 ? rows.row(rows.rows() - 1)[0] : 0.0}};
  write_text(fs::path(folder) / "summary.json",
             (contents.summary ? nlohmann::ordered_json(*contents.summary) : killed).dump(2) + "\n");
  fmt::print("{} rows recovered into '{}'\n", contents.trajectory.rows(),
             (fs::path(folder) / "results.h5").string());
  if (!contents.damage.empty())
    fmt::print(stderr, "{}: {} ({} bytes at the end could not be read)\n", log_path.string(), contents.damage,
               contents.discarded_bytes);
  return kDone;
}

}  // namespace trammel
