// Variants of one model that differ in values of its parameters, and what is observed of their runs: what
// sweeps, fits and optimizations have in common.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep/observations.h"
#include "sweep/section.h"
#include "trammel/sweep.h"

namespace trammel::sweep {

class Variants {
 public:
  // `names` are parameters, or paths of values, which become parameters. Mistakes are added to `errors`.
  Variants(const Mechanism& given, std::vector<std::string> names, bool verify,
           std::vector<std::string>& errors);

  // What compute() observes. Columns are those of the model as it stands, or of the first of so many variants
  // that can be assembled. `times` are those of curves without times of their own; none: the output times.
  void observe(const std::vector<std::string>& texts, std::uint64_t tried,
               const std::function<std::vector<double>(std::uint64_t)>& values,
               const std::vector<double>& times, std::vector<std::string>& errors);

  const Mechanism& mechanism() const { return mechanism_; }
  const std::vector<std::string>& names() const { return names_; }
  // The parameter of the model that a name stands for.
  const std::string& id(std::size_t name) const { return ids_[name]; }
  // All names that may be varied: parameters, and the paths among `names`; and units of those that have one.
  std::vector<std::string> known_names() const;
  ParameterUnits units() const;
  const Observations& observations() const { return *observations_; }
  // The text of the model as given, without the parameters that paths became; empty: no file can say it.
  const std::string& text() const { return text_; }

  // The model file with these values, and with the plan that the file has.
  std::string text_of(const std::vector<double>& values) const;
  // Throws std::invalid_argument where the model cannot have these values.
  Mechanism model(const std::vector<double>& values) const;
  SweepRow compute(const std::vector<double>& values, const Progress& progress) const;

 private:
  std::map<std::string, double> parameters_of(const std::vector<double>& values) const;
  std::vector<double> observed_values(const Mechanism& model, const std::vector<double>& values) const;

  std::vector<std::string> names_;
  std::string text_;
  PathParameters paths_;
  Mechanism mechanism_;
  bool verify_, as_read_;  // as_read_: the mechanism is what its source makes
  std::vector<std::string> ids_,
      known_;  // by name; those that observations may use: names, then the model's own
  std::optional<Observations> observations_;
};

}  // namespace trammel::sweep
