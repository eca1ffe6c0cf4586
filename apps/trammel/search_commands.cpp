#include "search_commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "command_options.h"
#include "model_source.h"
#include "output_files.h"
#include "sweep/search_report.h"
#include "sweep_command.h"
#include "trammel/thread_pool.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

volatile std::sig_atomic_t stop_search = 0;

void hear_search_stop() {
  for (const int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int number) {
      stop_search = 1;
      std::signal(number, SIG_DFL);
    });
}

// A line on a terminal that tells how far a search is; false: Ctrl-C was heard.
bool show_search(long runs, double cost, const char* what) {
  static long shown = -1;
  if (isatty(STDERR_FILENO) != 0 && runs != shown)
    fmt::print(stderr, "\r{} runs, {} {:.6g}   ", runs, what, cost);
  shown = runs;
  return stop_search == 0;
}

Mechanism read_mechanism(const ModelOptions& options, fs::path& folder) {
  ModelSource source = read_source(options);
  if (!source.input) {
    std::string all;
    for (const InputError& error : source.input.errors) all += (all.empty() ? "" : "\n") + to_string(error);
    throw std::invalid_argument(all);
  }
  folder = source.folder;
  return std::move(source.input.mechanism);
}

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json fit_json(const FitResult& found) {
  Json parameters = Json::array(), columns = Json::array();
  for (const FittedParameter& one : found.parameters)
    parameters.push_back({{"name", one.name},
                          {"unit", one.unit},
                          {"start", one.start},
                          {"value", one.value},
                          {"error", number(one.error)},
                          {"low", number(one.low)},
                          {"high", number(one.high)},
                          {"at_bound", one.at_bound}});
  for (const FitColumn& one : found.columns)
    columns.push_back(
        {{"name", one.name}, {"text", one.text}, {"unit", one.unit}, {"deviation", one.deviation}});
  return {{"converged", found.converged},
          {"message", found.message},
          {"parameters", parameters},
          {"columns", columns},
          {"cost", found.cost},
          {"measurements", found.measurements},
          {"confidence", found.confidence},
          {"joint", found.joint},
          {"runs", found.runs},
          {"resumed", found.resumed}};
}

int tell_stopped(const std::string& command, const ModelOptions& model, const std::string& out) {
  fmt::print(stderr,
             "Stopped. What was computed is kept in '{}'; 'trammel {} {} … --out {} --resume' goes on.\n",
             out, command, model.path, out);
  return kNumbersFailed;
}

}  // namespace

CLI::App* FitCommand::add_options(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("fit", "Fit parameters of a model to measurements, with confidence intervals");
  add_model_options(*command, model_);
  add_step_options(*command, model_);
  command
      ->add_option("data", spec_.data,
                   "CSV file: t in s, then measured columns, named like columns of the results")
      ->required();
  command
      ->add_option("--parameters", parameters_,
                   "Parameters to fit: m,k,c; with start and bounds: 'm=1:0.5:2,k'")
      ->required();
  command
      ->add_option("--compare", spec_.compare,
                   "What a column of the data measures: 'x=1000*a.x' (may be given again)")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--confidence", spec_.confidence, "Confidence of the intervals (default 0.95)")
      ->check(CLI::Range(0.5, 0.9999));
  command->add_flag("--joint", spec_.joint,
                    "Wider intervals, which hold all values together with that confidence");
  command->add_option("--threads", threads_, "Runs side by side (default: one for each processor)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--out", out_, "Folder for the results (default: results/<model file's name>-fit)");
  command->add_flag("--resume", resume_, "Continue a fit that was stopped or killed");
  command->add_flag("--json", json_, "Print JSON instead of a table");
  command->footer(
      "Least squares by the Levenberg-Marquardt method. Writes fit.json, fitted.yaml (the model with the "
      "values found) and\n"
      "report.html. Columns are weighted by the standard deviation of their residuals.\n"
      "Example:\n  trammel fit governor.yaml measured.csv --parameters ball,k,c");
  return command;
}

int FitCommand::run() {
  try {
    fs::path folder;
    const Mechanism mechanism = read_mechanism(model_, folder);
    if (out_.empty()) out_ = folder.string() + "-fit";
    for (std::size_t from = 0; from <= parameters_.size();) {
      const std::size_t to = std::min(parameters_.find(',', from), parameters_.size());
      spec_.parameters.push_back(parameters_.substr(from, to - from));
      from = to + 1;
    }
    hear_search_stop();
    ThreadPool threads(threads_ > 0 ? threads_ : processors());
    SearchOptions options{&threads, out_, resume_,
                          [](long runs, double cost) { return show_search(runs, cost, "cost"); }};
    const FitResult found = fit(mechanism, spec_, options);
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r{:60}\r", "");
    if (stop_search != 0) return tell_stopped("fit", model_, out_);
    const fs::path place = out_;
    write_text(place / "fit.json", fit_json(found).dump(2) + "\n");
    if (!found.model.empty()) write_text(place / "fitted.yaml", found.model);
    if (found.converged) write_text(place / "report.html", sweep::fit_page(mechanism.name, found));
    if (json_)
      fmt::print("{}\n", fit_json(found).dump(2));
    else if (found.converged)
      fmt::print("{}  {:<10}{}\n  {:<10}{}\n", sweep::fit_text(found), "model",
                 (place / "fitted.yaml").string(), "report", (place / "report.html").string());
    if (!found.message.empty()) fmt::print(stderr, "{}: {}\n", model_.path, found.message);
    return found.converged ? kDone : kNumbersFailed;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}: {}\n", model_.path, error.what());
    return kBadInput;
  }
}

CLI::App* OptimizeCommand::add_options(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("optimize", "Find parameters that minimize or maximize an observation");
  add_model_options(*command, model_);
  add_time_options(*command, model_);
  command->add_option("--minimize", spec_.minimize, "An observation: 'peak(A.force)' (docs/sweeps.md)");
  command->add_option("--maximize", spec_.maximize, "The same, to be maximized");
  command->add_option("--over", spec_.over, "A parameter with its bounds: 'L=0.2:0.4' (may be given again)")
      ->take_all()
      ->allow_extra_args(false)
      ->required();
  command
      ->add_option("--subject-to", spec_.subject_to,
                   "A condition: 'peak(A.force) < 100' (may be given again)")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option(
      "--method", spec_.method,
      "global (the default): searches everywhere, then locally; local: from the model's values");
  command
      ->add_option("--evaluations", spec_.evaluations,
                   "Largest number of runs (default: 200 for each parameter)")
      ->check(CLI::Range(1, 100000000));
  command
      ->add_option("--accuracy", spec_.accuracy,
                   "Tolerance of the parameters, relative to the width of their bounds (default 1e-6)")
      ->check(CLI::Range(1e-12, 0.1));
  command->add_option("--seed", spec_.seed, "Seed of the random numbers (default 1)");
  command->add_option("--out", out_, "Folder for the results (default: results/<model file's name>-optimum)");
  command->add_flag("--resume", resume_, "Continue a search that was stopped or killed");
  command->add_flag("--json", json_, "Print JSON instead of a table");
  command->footer(
      "Uses NLopt. Writes optimum.json, optimum.yaml (the model with the values found) and report.html.\n"
      "Example:\n  trammel optimize pendulum.yaml --minimize 'peak(A.force)' --over 'L=0.2:0.4' --over "
      "'m=0.5:2'");
  return command;
}

int OptimizeCommand::run() {
  try {
    fs::path folder;
    const Mechanism mechanism = read_mechanism(model_, folder);
    if (out_.empty()) out_ = folder.string() + "-optimum";
    hear_search_stop();
    SearchOptions options{nullptr, out_, resume_,
                          [](long runs, double cost) { return show_search(runs, cost, "best"); }};
    const OptimizeResult found = optimize(mechanism, spec_, options);
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r{:60}\r", "");
    if (stop_search != 0) return tell_stopped("optimize", model_, out_);
    Json values = Json::object();
    for (std::size_t k = 0; k < found.values.size(); ++k) values[found.names[k]] = found.values[k];
    const Json told = {{"converged", found.converged},
                       {"message", found.message},
                       {"objective", number(found.objective)},
                       {"values", values},
                       {"constraints", found.constraints},
                       {"runs", found.runs},
                       {"resumed", found.resumed},
                       {"failed", found.failed}};
    const fs::path place = out_;
    write_text(place / "optimum.json", told.dump(2) + "\n");
    if (!found.values.empty()) {
      write_text(place / "optimum.yaml", found.model);
      write_text(place / "report.html", sweep::optimum_page(mechanism.name, spec_, found));
    }
    if (json_)
      fmt::print("{}\n", told.dump(2));
    else if (!found.values.empty())
      fmt::print("{}  {:<10}{}\n", sweep::optimum_text(spec_, found), "model",
                 (place / "optimum.yaml").string());
    if (!found.message.empty()) fmt::print(stderr, "{}: {}\n", model_.path, found.message);
    return found.values.empty() ? kNumbersFailed : kDone;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}: {}\n", model_.path, error.what());
    return kBadInput;
  }
}

}  // namespace trammel::app
