#include "export_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "command_options.h"
#include "model_source.h"
#include "output_files.h"
#include "sweep_command.h"
#include "trammel/thread_pool.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;

// Runs whose models tell which numbers are inputs: the first, the last, and some between.
std::vector<Mechanism> some_models(const Sweep& sweep) {
  constexpr std::uint64_t kMost = 16;
  const std::uint64_t count = std::min(kMost, sweep.runs());
  std::vector<Mechanism> models;
  for (std::uint64_t k = 0; k < count; ++k)
    models.push_back(sweep.model(count == 1 ? 0 : k * (sweep.runs() - 1) / (count - 1)));
  return models;
}

std::string line_of(const std::vector<double>& parameters, const KernelInstance& instance) {
  std::string line;
  for (const auto* part : {&parameters, &instance.constants, &instance.state})
    for (const double value : *part) line += fmt::format("{}{:.17g}", line.empty() ? "" : ",", value);
  return line + "\n";
}

}  // namespace

CLI::App* ExportCommand::add_options(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export", "Write a model in another form");
  command->require_subcommand(1);
  CLI::App* kernel = command->add_subcommand(
      "kernel", "Generate source code for the steps of this mechanism, in C++ or CUDA");
  add_model(*kernel, model);
  add_keys(*kernel, model, {"step"});
  kernel
      ->add_option("--target", target,
                   "cpp: C++ with several instances side by side in SIMD lanes; cuda: one instance a thread")
      ->check(CLI::IsMember({"cpp", "cuda"}));
  kernel->add_option("--out", out, "File for the source (default: standard output)");
  add_run_plan(*kernel, runs);
  kernel->add_option("--instances", instances,
                     "CSV file for the constants and the start of each run (default: beside --out, "
                     "as four_bar.instances.csv)");
  kernel->footer(
      "With a plan of runs (--vary, --sample, --table), what these runs change in the model is an input of "
      "each instance.\n"
      "Examples:\n  trammel export kernel models/double-four-bar.yaml --out four_bar.cpp\n"
      "  trammel export kernel models/four-bar.yaml --step 1e-3 --target cuda --out four_bar.cu\n"
      "  trammel export kernel models/slider-crank.yaml --step 1e-3 --vary 'L=0.9:1.1:1000' --out crank.cpp");
  return command;
}

// What an instance of each run is given. A run that differs from the kernel in more than its inputs makes
// another kernel.
std::vector<KernelInstance> ExportCommand::make_instances(const Sweep& sweep, std::vector<Mechanism> others,
                                                          std::optional<Kernel>& kernel) const {
  ThreadPool threads(processors());
  std::vector<KernelInstance> made(sweep.runs());
  for (;;) {
    threads.run(made.size(), [&](std::size_t k) { made[k] = kernel->instance(sweep.model(k)); });
    const auto other =
        std::ranges::find_if(made, [](const KernelInstance& instance) { return instance.differs; });
    if (other == made.end()) return made;
    others.push_back(sweep.model(static_cast<std::uint64_t>(other - made.begin())));
    kernel.emplace(sweep.mechanism(), sweep.mechanism().plan, KernelOptions{kernel_target(), others});
    if (!kernel->refusal().empty()) return {};
  }
}

KernelTarget ExportCommand::kernel_target() const {
  return target == "cuda" ? KernelTarget::cuda : KernelTarget::cpp;
}

int ExportCommand::run() const {
  try {
    return make();
  } catch (const std::invalid_argument& refused) {
    print_errors({fmt::format("{}: {}", model.path, refused.what())});
    return kBadInput;
  }
}

// Throws std::invalid_argument for mistakes in the plan of runs.
int ExportCommand::make() const {
  const ModelSource source = read_source(model);
  std::vector<std::string> errors;
  for (const InputError& error : source.input.errors) errors.push_back(to_string(error));
  const bool planned = !runs.vary.empty() || !runs.sample.empty() || !runs.table.empty();
  if (planned && out.empty() && instances.empty())
    errors.emplace_back("a kernel with runs writes two files; give --out FILE.cpp");
  if (!planned && !instances.empty())
    errors.emplace_back("--instances has no runs to describe; give --vary, --sample or --table");
  if (!errors.empty()) return print_errors(errors), kBadInput;

  const Mechanism& mechanism = source.input.mechanism;
  std::optional<Sweep> sweep;
  if (planned) {
    SweepSpec spec = runs;
    spec.observe = {"final(energy.kinetic)"};  // something has to be observed
    sweep.emplace(mechanism, spec);
  }
  const std::vector<Mechanism> others = sweep ? some_models(*sweep) : std::vector<Mechanism>();
  std::optional<Kernel> kernel(std::in_place, mechanism, mechanism.plan,
                               KernelOptions{kernel_target(), others});
  std::vector<KernelInstance> made;
  if (sweep && kernel->refusal().empty()) made = make_instances(*sweep, others, kernel);
  if (!kernel->refusal().empty()) {
    print_errors({fmt::format("{}: no kernel can be made of this model: {}", model.path, kernel->refusal())});
    return kBadInput;
  }
  if (out.empty()) {
    fmt::print("{}", kernel->text());
  } else {
    write_text(out, kernel->text());
    fmt::print("{}: {} operations in one iteration and both projections\n", out, kernel->operations());
  }
  return sweep ? write_instances(*kernel, *sweep, made) : kDone;
}

// A run that cannot be assembled has no line.
int ExportCommand::write_instances(const Kernel& kernel, const Sweep& sweep,
                                   const std::vector<KernelInstance>& made) const {
  const std::string path =
      !instances.empty() ? instances : fs::path(out).replace_extension(".instances.csv").string();
  std::string text;
  for (const std::string& name : sweep.parameters()) text += (text.empty() ? "" : ",") + name;
  for (int k = 0; k < kernel.constants(); ++k) text += fmt::format(",constant {}", k);
  const auto first = std::ranges::find_if(made, [](const auto& one) { return one.refusal.empty(); });
  const std::size_t doubles = first == made.end() ? 0 : first->state.size();
  for (std::size_t k = 0; k < doubles; ++k) text += fmt::format(",state {}", k);
  text += "\n";
  std::vector<std::string> refused;
  for (std::size_t k = 0; k < made.size(); ++k) {
    if (made[k].refusal.empty())
      text += line_of(sweep.values(k), made[k]);
    else
      refused.push_back(fmt::format("run {} has no instance: {}", k, made[k].refusal));
  }
  write_text(path, text);
  fmt::print("{}: {} instances, each with {} constants and a start of {} numbers\n", path,
             made.size() - refused.size(), kernel.constants(), doubles);
  constexpr std::size_t kMostTold = 5;
  if (refused.size() > kMostTold) {
    const std::size_t more = refused.size() - kMostTold;
    refused.resize(kMostTold);
    refused.push_back(fmt::format("and {} more", more));
  }
  print_errors(refused);
  return refused.size() == made.size() ? kBadInput : kDone;
}

}  // namespace trammel::app
