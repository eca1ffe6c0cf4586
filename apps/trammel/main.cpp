// The command line: arguments only.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include "command.h"
#include "command_options.h"
#include "commands.h"
#include "describe.h"
#include "export_command.h"
#include "expressions/nearest_name.h"
#include "import_command.h"
#include "search_commands.h"
#include "solve.h"
#include "sweep_command.h"
#include "trammel/version.h"

namespace {

using trammel::app::add_keys;
using trammel::app::add_model;
using trammel::app::add_model_options;
using trammel::app::add_step_options;
using trammel::app::add_time_options;

// The command that was given, as far as it was recognized, and its words.
const CLI::App* given_command(const CLI::App& app, std::string& called) {
  const CLI::App* command = &app;
  called = "trammel";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    called += " " + command->get_name();
  }
  return command;
}

// Something is missing: which, and how the command is called. A command without its subcommand, or none at
// all, gets its help.
int refuse_missing(const CLI::App& app, const CLI::RequiredError& error) {
  std::string called;
  const CLI::App* command = given_command(app, called);
  const CLI::Formatter formatter;
  if (command->get_subcommands({}).empty())
    fmt::print(stderr, "{}: {}\n{}{}'{} --help' tells more.\n", called, error.what(),
               formatter.make_usage(command, called), formatter.make_positionals(command), called);
  else
    fmt::print(stderr, "{}", app.help());
  return trammel::app::kBadInput;
}

// Words that no option takes: the first is named, with the option that may have been meant.
int refuse_extras(const CLI::App& app) {
  std::string called;
  const CLI::App* command = given_command(app, called);
  std::vector<std::string> words = app.remaining(true), options;
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  const auto is_option = [](const std::string& word) { return word.starts_with("-"); };
  const auto unknown = std::find_if(words.begin(), words.end(), is_option);
  if (unknown == words.end()) {
    fmt::print(stderr, "'{}' is one word too many; '{} --help' tells what can be given\n",
               words.empty() ? "" : words.front(), called);
    return trammel::app::kBadInput;
  }
  const std::string word = unknown->substr(0, unknown->find('=')),
                    near = trammel::expressions::nearest_name(word, options);
  fmt::print(
      stderr, "there is no option '{}'; {}\n", word,
      near.empty() ? fmt::format("'{} --help' lists them", called) : fmt::format("did you mean '{}'?", near));
  return trammel::app::kBadInput;
}

// 'trammel solve' without an analysis, or with one that is not there: names them; true: it was so.
bool lacks_analysis(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "solve") return false;
  const std::string_view word = argc > 2 ? argv[2] : "";
  if (word.starts_with('-')) return false;
  for (const auto& analysis : trammel::app::analyses())
    if (word == analysis->name()) return false;
  fmt::print(stderr, "trammel solve: {}; the analyses are: {}\n",
             word.empty() ? "name an analysis" : fmt::format("there is no analysis '{}'", word),
             trammel::app::analysis_names());
  return true;
}

// trammel solve: one subcommand for each analysis.
CLI::App* add_solve(CLI::App& app, const std::vector<std::unique_ptr<trammel::app::Analysis>>& analyses) {
  CLI::App* solve = app.add_subcommand("solve", "Analyses of a model that need no simulation");
  solve->require_subcommand(1);
  for (const auto& analysis : analyses)
    analysis->add_options(*solve->add_subcommand(analysis->name(), analysis->help()));
  solve->footer("See 'trammel solve modes --help' and so on for each analysis.");
  return solve;
}

CLI::App* add_formulations(CLI::App& app, trammel::app::FormulationsOptions& options) {
  CLI::App* command = app.add_subcommand(
      "formulations",
      "List coordinates, formulations and integrators for a model, and why others do not work");
  add_model(*command, options.model)->description("The model file (default: every kind of mechanism)");
  CLI::Option* json = command->add_flag("--json", options.json, "Print JSON instead of text");
  command->add_flag("--markdown", options.markdown, "Print tables, as in docs/formulations.md")
      ->excludes(json);
  command->footer("Example:\n  trammel formulations models/bricard.yaml");
  return command;
}

CLI::App* add_describe(CLI::App& app, trammel::app::DescribeOptions& options) {
  CLI::App* command = app.add_subcommand("describe", "Describe joints, forces, options and methods");
  std::string topics = "The topic (default: lists the topics). One of:";
  for (const trammel::app::DescribeTopic& topic : trammel::app::describe_topics())
    topics += fmt::format(" {} ({}){}", topic.name, topic.meaning,
                          &topic == &trammel::app::describe_topics().back() ? "" : ",");
  command->add_option("topic", options.topic, topics);
  CLI::Option* markdown = command->add_flag("--markdown", options.markdown, "Print tables, as in docs/");
  command->add_flag("--schema", options.schema, "Print definitions of docs/trammel.schema.json")
      ->excludes(markdown);
  command->footer("Example:\n  trammel describe options");
  return command;
}

CLI::App* add_view(CLI::App& app, trammel::app::ViewOptions& options) {
  CLI::App* view = app.add_subcommand(
      "view", "Run a model live, or draw one: watch it, pull it, change it, in the browser");
  add_model_options(*view, options.model);
  view->get_option("model")->required(false)->description(
      "The model file; without it, or with a folder: shows the folder's models, and an empty model to draw");
  add_step_options(*view, options.model);
  view->add_option("--port", options.port, "Port on this machine (default: any free one)")
      ->check(CLI::Range(0, 65535));
  view->add_option(
      "--journal", options.journal,
      "File for the edits (default: results/<model file's name>/journal.jsonl); an existing file "
      "is renamed to journal.old.jsonl");
  view->add_flag("--no-browser", options.no_browser, "Only print the address");
  view->add_flag("--share", options.share,
                 "Let others on this network watch, but not edit, with a separate address and token");
  view->add_flag("--measure", options.measure, "Only measure the cost of a frame of this model");
  view->footer(
      "Only this machine can connect, and only with the token in the address; --share lets others watch.\n"
      "Examples:\n  trammel view\n  trammel view models/double-pendulum.yaml");
  return view;
}

CLI::App* add_replay(CLI::App& app, trammel::app::ReplayOptions& options) {
  CLI::App* replay = app.add_subcommand("replay", "Repeat the journal of 'trammel view', to the same bits");
  replay->add_option("journal", options.journal, "The journal")->required();
  replay->add_option("--save", options.save, "Write the edited model to this file");
  replay->add_flag("--json", options.json, "Print JSON instead of a line");
  replay->footer("Example:\n  trammel replay results/double-pendulum/journal.jsonl --save edited.yaml");
  return replay;
}

CLI::App* add_reproduce(CLI::App& app, trammel::app::ReproduceOptions& options) {
  CLI::App* command = app.add_subcommand(
      "reproduce", "Recompute published figures and benchmark problems: published, ours, verdict");
  command->add_option("what", options.wanted, "PAPER or PAPER/ITEM, as in --list (default: everything)");
  command->add_option("--papers", options.papers, "The folder papers/ (default: the one above the program)");
  command->add_option("--out", options.out, "Also write a page, to this file");
  CLI::Option* list = command->add_flag("--list", options.list, "Only list papers and items");
  command->add_flag("--json", options.json, "Print JSON instead of tables");
  command->add_flag("--record", options.record, "Record the verdicts; later runs must not be worse")
      ->excludes(list);
  command->footer(
      "Exit status 3 if a verdict is worse than the recorded one.\n"
      "Examples:\n"
      "  trammel reproduce --list\n"
      "  trammel reproduce welch/table-1\n"
      "  trammel reproduce --json --out validation.html");
  return command;
}

CLI::App* add_bench(CLI::App& app, trammel::app::BenchOptions& options) {
  CLI::App* bench = app.add_subcommand(
      "bench", "Compare the speed with hand-written kernels and other programs, at equal accuracy");
  bench->add_option("problem", options.problems, "Problems to measure (default: all, ten minutes)");
  bench->add_flag("--json", options.json, "Print JSON instead of tables");
  bench->add_flag("--quick", options.quick, "Shorter time limits, no instruction counts: under a minute");
  bench->add_option("--write", options.page, "Also write the page docs/performance.md to this file");
  bench->footer(
      "'make bench' builds everything that it needs, including the other programs.\n"
      "Example:\n  trammel bench double-four-bar bricard --quick");
  return bench;
}

void add_run_files(CLI::App& command, trammel::app::RunOptions& options) {
  command.add_flag("--csv", options.csv, "Also write results.csv, and errors.csv");
  command.add_flag("--no-report", options.no_report, "Leave out report.html");
  command.add_flag("--no-log", options.no_log, "Remove results.log once results.h5 is written");
  command.add_flag("--quiet", options.quiet, "Print nothing but errors");
  command
      .add_option("--checkpoint", options.checkpoint,
                  "Shortest time in seconds between two checkpoints, from which 'trammel resume' continues "
                  "(default 1; 0: before every step)")
      ->check(
          [](const std::string& value) {
            double seconds = 0;
            return CLI::detail::lexical_cast(value, seconds) && seconds >= 0
                       ? ""
                       : fmt::format("'{}' is not a number of seconds, 0 or more", value);
          },
          "");
}

CLI::App* add_resume(CLI::App& app, trammel::app::RunOptions& options) {
  CLI::App* resume = app.add_subcommand("resume", "Continue a run that was killed or stopped");
  resume->add_option("folder", options.model.path, "The folder that the run wrote to")->required();
  add_run_files(*resume, options);
  resume->footer(
      "Results equal those of an uninterrupted run, to the bit. The run continues from the last checkpoint "
      "of\n"
      "results.log; methods of SUNDIALS (dae, cvode-*) have none, and are repeated from the start.\n"
      "Example:\n  trammel resume results/double-four-bar");
  return resume;
}

// An empty value is a variable that a script has not set.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_expected_max() > 0)
      option->check([](const std::string& value) { return value.empty() ? "needs a value" : ""; }, "");
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_values(*command);
}

int run(int argc, char** argv) {
  CLI::App app{
      "Trammel simulates constrained mechanical systems: it reads a model file and computes the motion and "
      "every reaction force.",
      "trammel"};
  app.set_version_flag("--version", TRAMMEL_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  trammel run models/double-four-bar.yaml\n"
      "  trammel run models/slider-crank.yaml --set bodies.crank.mass=2 --step 0.0005 --csv --out "
      "results/heavy\n"
      "  trammel check models/bricard.yaml\n"
      "Exit status: 0 done; 2 bad input, or a file that cannot be read or written; 3 the computation failed, "
      "the\n"
      "start could not be assembled, the run was stopped, or the disk is full (results up to then are "
      "kept).");

  trammel::app::RunOptions run_options;
  CLI::App* run_command = app.add_subcommand("run", "Simulate a model and write its results");
  add_model_options(*run_command, run_options.model);
  add_time_options(*run_command, run_options.model);
  add_keys(*run_command, run_options.model, {"verify", "accuracy"});
  run_command->add_option("--out", run_options.out,
                          "Folder for the results (default: results/<model file's name>)");
  add_run_files(*run_command, run_options);
  run_command->add_option("--save-end", run_options.save_end,
                          "Write the model with the state at the end of the run to this file");
  run_command->add_flag_callback(
      "--strict", [&] { run_options.model.simulate.emplace_back("--strict=true"); },
      "End the run if a step meets only the weaker criterion");
  run_command->footer(
      "Writes results.h5 (HDF5: motion, joint coordinates, reactions, energies), report.html (the motion "
      "and\n"
      "its curves, for a browser), summary.json and, while running, results.log. If the run is killed or\n"
      "stopped, 'trammel resume' continues it, and 'trammel recover' writes results.h5 from the log.\n"
      "Instead of a model file, give results.h5 or its folder to repeat the run, to the same bits.\n"
      "Examples:\n"
      "  trammel run models/double-four-bar.yaml --step 0.025\n"
      "  trammel run models/n-four-bar.yaml --set parameters.N=10 --integrator hht\n"
      "  trammel run models/four-bar.yaml --no-report --no-log --save-end later.yaml");

  trammel::app::CheckOptions check_options;
  CLI::App* check_command =
      app.add_subcommand("check", "Assemble a model and print its mobility and redundancy");
  add_model_options(*check_command, check_options.model);
  add_time_options(*check_command, check_options.model);
  check_command->add_flag("--json", check_options.json, "Print JSON instead of text");
  check_command->footer("Example:\n  trammel check models/bricard.yaml --json");

  trammel::app::CompareOptions compare_options;
  CLI::App* compare_command =
      app.add_subcommand("compare", "Compare several formulations on the same motion");
  add_model_options(*compare_command, compare_options.model, false);
  add_time_options(*compare_command, compare_options.model);
  compare_command
      ->add_option("--formulation", compare_options.formulations,
                   "A formulation to compare (may be given again)")
      ->take_all()
      ->allow_extra_args(false);
  compare_command
      ->add_option("--integrator", compare_options.integrators,
                   "An integrator for the formulations that can use it (may be given again)")
      ->take_all()
      ->allow_extra_args(false);
  bool all = false;
  compare_command->add_flag("--all", all, "Every formulation (the default)");
  compare_command->add_option("--report", compare_options.report,
                              "Write an HTML page with the table and a work-precision plot");
  compare_command->add_flag("--precision", compare_options.precision,
                            "Run each with several step sizes or tolerances: work_precision in --json");
  compare_command->add_flag("--json", compare_options.json, "Print JSON instead of a table");
  compare_command->footer(
      "Examples:\n"
      "  trammel compare models/double-pendulum.yaml --all --duration 2\n"
      "  trammel compare models/double-pendulum.yaml --integrator rk4 --integrator dopri5 --report "
      "pendulum.html");

  const std::vector<std::unique_ptr<trammel::app::Analysis>> analyses = trammel::app::analyses();
  CLI::App* solve_command = add_solve(app, analyses);

  trammel::app::ImportCommand import;
  CLI::App* import_command = import.add_options(app);
  trammel::app::ExportCommand export_kernel;
  CLI::App* export_command = export_kernel.add_options(app);

  trammel::app::SweepCommand sweep;
  CLI::App* sweep_command = sweep.add_options(app);
  trammel::app::FitCommand fit;
  CLI::App* fit_command = fit.add_options(app);
  trammel::app::OptimizeCommand optimize;
  CLI::App* optimize_command = optimize.add_options(app);

  trammel::app::FormulationsOptions formulations_options;
  CLI::App* formulations_command = add_formulations(app, formulations_options);
  trammel::app::DescribeOptions describe_options;
  CLI::App* describe_command = add_describe(app, describe_options);
  trammel::app::ViewOptions view_options;
  CLI::App* view_command = add_view(app, view_options);
  trammel::app::ReplayOptions replay_options;
  CLI::App* replay_command = add_replay(app, replay_options);

  trammel::app::ReproduceOptions reproduce_options;
  CLI::App* reproduce_command = add_reproduce(app, reproduce_options);

  trammel::app::BenchOptions bench_options;
  CLI::App* bench_command = add_bench(app, bench_options);

  trammel::app::RunOptions resume_options;
  CLI::App* resume_command = add_resume(app, resume_options);

  std::string folder;
  bool recover_csv = false;
  CLI::App* recover_command =
      app.add_subcommand("recover", "Write results.h5 and report.html from the log of a run that was killed");
  recover_command->add_option("folder", folder, "The folder that the run wrote to")->required();
  recover_command->add_flag("--csv", recover_csv, "Also write results.csv, and errors.csv");
  recover_command->footer("Example:\n  trammel recover results/double-four-bar --csv");

  const std::vector<std::unique_ptr<trammel::app::Command>> more = trammel::app::more_commands();
  std::vector<CLI::App*> more_subcommands;
  for (const auto& command : more) more_subcommands.push_back(command->add(app));

  refuse_empty_values(app);
  // The parser would take the next option for the value.
  for (int i = 1; i < argc; ++i)
    if (const std::string_view word = argv[i]; word.starts_with("--") && word.ends_with('=')) {
      fmt::print(stderr, "{}: needs a value\n", word.substr(0, word.size() - 1));
      return trammel::app::kBadInput;
    }
  const auto named = [&](CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(named).empty()) {
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
    const std::string near = trammel::expressions::nearest_name(argv[1], commands);
    fmt::print(stderr, "trammel: there is no command '{}'; {}\n", argv[1],
               near.empty() ? "'trammel --help' lists them" : fmt::format("did you mean '{}'?", near));
    return trammel::app::kBadInput;
  }
  if (lacks_analysis(argc, argv)) return trammel::app::kBadInput;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    return refuse_extras(app);
  } catch (const CLI::RequiredError& error) {
    return refuse_missing(app, error);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? trammel::app::kDone : trammel::app::kBadInput;
  }
  run_options.command.assign(argv, argv + argc);
  if (*run_command) return trammel::app::run_command(run_options);
  if (*resume_command) return trammel::app::resume_command(resume_options);
  if (*check_command) return trammel::app::check_command(check_options);
  if (*compare_command) return trammel::app::compare_command(compare_options);
  for (const auto& analysis : analyses)
    if (*solve_command && *solve_command->get_subcommand(analysis->name())) return analysis->run();
  for (std::size_t i = 0; i < more.size(); ++i)
    if (*more_subcommands[i]) return more[i]->run();
  if (*import_command) return import.run();
  if (*export_command) return export_kernel.run();
  if (*sweep_command) return sweep.run();
  if (*fit_command) return fit.run();
  if (*optimize_command) return optimize.run();
  if (*formulations_command) return trammel::app::formulations_command(formulations_options);
  if (*describe_command) return trammel::app::describe_command(describe_options);
  if (*view_command) return trammel::app::view_command(view_options);
  if (*replay_command) return trammel::app::replay_command(replay_options);
  if (*reproduce_command) return trammel::app::reproduce_command(reproduce_options);
  if (*bench_command) return trammel::app::bench_command(bench_options);
  return trammel::app::recover_command(folder, recover_csv);
}

}  // namespace

int main(int argc, char** argv) {
  // A limit of the size of files is then told as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::runtime_error& error) {
    // Files that cannot be read or written.
    std::cerr << "trammel: " << error.what() << "\n";
    return trammel::app::kBadInput;
  } catch (const std::exception& error) {
    std::cerr << "trammel: " << error.what() << " (this is a defect of the program; please report it)\n";
    return trammel::app::kNumbersFailed;
  }
}
