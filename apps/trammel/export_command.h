// trammel export kernel: source code that makes the steps of one mechanism.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "trammel/kernel.h"
#include "trammel/sweep.h"

namespace trammel::app {

struct ExportCommand {
  ModelOptions model;
  std::string target = "cpp", out, instances;
  SweepSpec runs;

  CLI::App* add_options(CLI::App& app);
  int run() const;

 private:
  int make() const;
  KernelTarget kernel_target() const;
  std::vector<KernelInstance> make_instances(const Sweep& sweep, std::vector<Mechanism> others,
                                             std::optional<Kernel>& kernel) const;
  int write_instances(const Kernel& kernel, const Sweep& sweep,
                      const std::vector<KernelInstance>& made) const;
};

}  // namespace trammel::app
