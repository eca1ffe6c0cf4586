// Recordings: what a kernel reads of a model, and Constants: which of its numbers an instance may have
// otherwise.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/equations.h"
#include "kernel/step_source.h"
#include "trammel/mechanism.h"
#include "trammel/state.h"

namespace trammel::kernel {

struct Recordings {
  std::vector<double> numbers;  // all that the equations and the step are made of, in order, and their sizes
  KernelEquations equations;
  StepNumbers step;
  std::vector<double> angles;  // of the start, if one is given
  std::vector<int> kept;       // by angle: its place among those that a State keeps; −1: it keeps it not
  std::string refusal;         // what has no recorded form
};

// constant: by number, its place among the constants of an instance; null: the numbers alone are read, with a
// graph that is not kept.
Recordings record(const Mechanism& mechanism, const State& start, bool all_angles, Graph& graph,
                  const std::vector<int>* constant);

// One constant for all numbers that are equal in each of some models.
class Constants {
 public:
  // What differs among the models. Throws std::invalid_argument where more than numbers does.
  Constants(const Mechanism& mechanism, const std::vector<Mechanism>& others, bool all_angles);

  std::size_t size() const { return first_.size(); }
  // By number; −1: it is the same in all models.
  const std::vector<int>& of_number() const { return constant_; }
  std::vector<double> of_model() const { return of(of_model_); }
  std::vector<double> of(const std::vector<double>& numbers) const;
  // Whether a model with these numbers differs in these constants alone.
  bool describe(const std::vector<double>& numbers) const;

 private:
  std::vector<double> of_model_;
  std::vector<int> constant_;
  std::vector<std::size_t> first_;  // by constant: the first number that it is
};

}  // namespace trammel::kernel
