#include "export_command.h"

#include <fmt/format.h>

#include "command_options.h"
#include "model_source.h"
#include "output_files.h"
#include "trammel/kernel.h"

namespace trammel::app {

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
  kernel->footer(
      "Examples:\n  trammel export kernel models/double-four-bar.yaml --out four_bar.cpp\n"
      "  trammel export kernel models/four-bar.yaml --step 1e-3 --target cuda --out four_bar.cu");
  return command;
}

int ExportCommand::run() const {
  const ModelSource source = read_source(model);
  std::vector<std::string> errors;
  for (const InputError& error : source.input.errors) errors.push_back(to_string(error));
  if (errors.empty()) {
    const KernelTarget wanted = target == "cuda" ? KernelTarget::cuda : KernelTarget::cpp;
    const KernelSource kernel = export_kernel(source.input.mechanism, source.input.mechanism.plan, wanted);
    if (kernel.refusal.empty()) {
      if (out.empty()) return fmt::print("{}", kernel.text), kDone;
      write_text(out, kernel.text);
      fmt::print("{}: {} operations in one iteration and both projections\n", out, kernel.operations);
      return kDone;
    }
    errors.push_back(fmt::format("{}: no kernel can be made of this model: {}", model.path, kernel.refusal));
  }
  print_errors(errors);
  return kBadInput;
}

}  // namespace trammel::app
