// Source code made for one mechanism: a step written out line by line, for a C++ compiler or for CUDA.
//
//   const Kernel kernel(mechanism, plan, {.others = {longer, heavier}});
//   write(kernel.text());
//   const KernelInstance one = kernel.instance(longer);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/batch.h"
#include "trammel/simulation.h"

namespace trammel {

enum class KernelTarget { cpp, cuda };

struct KernelOptions {
  KernelTarget target = KernelTarget::cpp;
  // Models that differ from the mechanism in numbers alone, as by parameters. What differs among all of them
  // is an input of each instance.
  std::vector<Mechanism> others = {};
  // Whether angles that nothing acts on keep their turns too, for a reader of columns.
  bool all_angles = false;
};

// What an instance of a kernel is given.
struct KernelInstance {
  std::vector<double> constants;  // numbers of its model that are inputs of the source
  std::vector<double> state;      // its assembled start
  std::string refusal;            // why it cannot be had; empty: it can
  bool differs = false;           // because its model differs in more than the inputs
};

// A step of the index-3 augmented Lagrangian by the trapezoidal rule, in natural coordinates. Initial values
// are inputs of each instance, and so are the numbers in which some models differ; all other numbers are
// written into the source. docs/kernels.md describes what the source offers.
class Kernel {
 public:
  Kernel(const Mechanism& mechanism, const Plan& plan, const KernelOptions& options = {});
  ~Kernel();
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(Kernel&&) noexcept;

  const std::string& text() const;     // the source; empty if it was refused
  const std::string& refusal() const;  // why, and what to do
  int operations() const;              // of one Newton iteration and both projections
  int constants() const;               // numbers that are inputs

  // Of a model that differs from the mechanism in these inputs alone.
  KernelInstance instance(const Mechanism& mechanism) const;
  // The same from where an assembled simulation of it stands.
  KernelInstance instance(const Simulation& simulation) const;
  // What the source calls a state, as a State of the table-driven engine.
  void read(std::span<const double> numbers, State& state) const;

 private:
  class Made;
  std::unique_ptr<Made> made_;
};

// The runs of a batch by a kernel that the system's C++ compiler compiles, several in the SIMD lanes of each
// processor. A run has the same bits whatever runs beside it, and agrees with that of Batch::run() to the
// rounding that its motion amplifies. Where no kernel can be made, Batch::run() computes the runs, and
// BatchResult::engine says why. A kernel is compiled once and kept in the user's cache.
BatchResult run_compiled(const Batch& batch, Executor* executor = nullptr,
                         const BatchProgress& progress = {});

}  // namespace trammel
