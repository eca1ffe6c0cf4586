// The plan of a sweep: which values the parameters of run k have.
//
//   run k = point g of the grid, draw i of the sample:  k = g·n + i
//
// The grid is the product of its axes, the last one fastest. Each point has the same n draws (common random
// numbers), so that differences between points are not those of chance. With Saltelli's design the draws are
// blocks of d + 2 runs: a, b, and for each parameter a with that value of b (Saltelli et al., 2010).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "expressions/units.h"
#include "sweep/distribution.h"
#include "sweep/run_table.h"
#include "sweep/sobol_sequence.h"
#include "trammel/sweep.h"

namespace trammel::sweep {

enum class Design { random, lhs, sobol, saltelli };

// One axis of the grid. A table of runs has several parameters.
struct GridAxis {
  std::vector<std::string> names;
  std::vector<double> values;  // row-major, points × names

  std::size_t points() const { return values.size() / names.size(); }
};

struct SampledParameter {
  std::string name;
  Distribution distribution;
};

// Units of the parameters that the model gives with one.
using ParameterUnits = std::map<std::string, expressions::Dimension>;

class RunPlan {
 public:
  // `table` is what the spec's CSV file holds. Mistakes are added to `errors`; the plan is then useless.
  RunPlan(const SweepSpec& spec, const std::string& table, const std::vector<std::string>& known,
          const ParameterUnits& units, std::vector<std::string>& errors);

  const std::vector<std::string>& names() const { return names_; }
  std::uint64_t runs() const { return points_ * draws_; }
  std::vector<double> values(std::uint64_t run) const;

  // For reports.
  const std::vector<GridAxis>& axes() const { return axes_; }
  const std::vector<SampledParameter>& sampled() const { return sampled_; }
  Design design() const { return design_; }
  std::uint64_t points() const { return points_; }  // of the grid
  std::uint64_t draws() const { return draws_; }

 private:
  double unit_point(std::uint64_t draw, std::size_t dimension) const;
  void read_vary(const SweepSpec& spec, const ParameterUnits& units, std::vector<std::string>& errors);
  void read_sample(const SweepSpec& spec, const ParameterUnits& units, std::vector<std::string>& errors);
  void read_draws(const SweepSpec& spec, std::vector<std::string>& errors);
  void add_axis(const std::string& label, GridAxis axis, std::vector<std::string>& errors);

  std::vector<GridAxis> axes_;
  std::vector<SampledParameter> sampled_;
  std::vector<std::string> names_;
  Design design_ = Design::random;
  std::uint64_t seed_ = 1, points_ = 1, draws_ = 1;
  std::optional<SobolSequence> sobol_;
};

// The axis of "0.2:0.4:50" or "0.2, 0.3, 0.5". Throws std::invalid_argument.
std::vector<double> read_axis(std::string_view text, const std::optional<expressions::Dimension>& unit);

}  // namespace trammel::sweep
