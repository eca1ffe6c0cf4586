#include "sweep/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "sweep/counter_random.h"
#include "sweep/permutation.h"

namespace trammel::sweep {
namespace {

constexpr std::uint64_t kMostRuns = 1'000'000'000;
constexpr double kMostPoints = 1e6;  // of one axis, whose values are kept in memory

std::string_view without_spaces(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "L=…" or "m~…": the name, and what follows. `parameters.` before the name may be left out.
struct Assignment {
  std::string name;
  std::string_view value;
};

Assignment split(std::string_view text, char sign) {
  const std::size_t at = text.find(sign);
  if (at == std::string_view::npos)
    throw std::invalid_argument(
        fmt::format("there is no '{0}' after a parameter's name; write {1}", sign,
                    sign == '=' ? "NAME=FROM:TO:COUNT or NAME=VALUE,VALUE,…" : "NAME~DISTRIBUTION(…)"));
  std::string name(without_spaces(text.substr(0, at)));
  if (name.starts_with("parameters.")) name.erase(0, std::string_view("parameters.").size());
  if (name.empty())
    throw std::invalid_argument(fmt::format("there is no name before '{}'; name a parameter", sign));
  return {name, text.substr(at + 1)};
}

std::optional<expressions::Dimension> unit_of(const ParameterUnits& units, const std::string& name) {
  const auto at = units.find(name);
  return at == units.end() ? std::nullopt : std::optional(at->second);
}

std::vector<double> read_range(std::string_view text, const std::optional<expressions::Dimension>& unit) {
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (second == std::string_view::npos)
    throw std::invalid_argument(fmt::format("'{}' has no number of values; write FROM:TO:COUNT", text));
  const double from = read_quantity(text.substr(0, first), unit),
               to = read_quantity(text.substr(first + 1, second - first - 1), unit),
               count = read_quantity(text.substr(second + 1), expressions::Dimension{});
  if (count != std::floor(count) || count < 2 || count > kMostPoints)
    throw std::invalid_argument(fmt::format("the number of values is '{}'; give a whole number from 2 to {}",
                                            without_spaces(text.substr(second + 1)), kMostPoints));
  if (from == to)
    throw std::invalid_argument(
        fmt::format("'{}' begins and ends at the same value; give two different ones", text));
  std::vector<double> values;
  for (double k = 0; k < count; ++k)
    values.push_back(k + 1 == count ? to : from + k * ((to - from) / (count - 1)));
  return values;
}

const std::map<std::string, Design> kDesigns = {{"random", Design::random},
                                                {"lhs", Design::lhs},
                                                {"sobol", Design::sobol},
                                                {"saltelli", Design::saltelli}};

}  // namespace

std::vector<double> read_axis(std::string_view text, const std::optional<expressions::Dimension>& unit) {
  text = without_spaces(text);
  if (text.find(':') != std::string_view::npos) return read_range(text, unit);
  std::vector<double> values;
  for (;;) {
    const std::size_t comma = text.find(',');
    values.push_back(read_quantity(text.substr(0, comma), unit));
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

void RunPlan::add_axis(const std::string& label, GridAxis axis, std::vector<std::string>& errors) {
  for (const std::string& name : axis.names) {
    if (std::ranges::count(names_, name) > 0)
      errors.push_back(fmt::format("{}: '{}' has values already; give each parameter once", label, name));
    names_.push_back(name);
  }
  if (axis.points() > kMostRuns / points_)
    errors.push_back(
        fmt::format("{}: the grid has more than {} points; give fewer values", label, kMostRuns));
  else
    points_ *= axis.points();
  axes_.push_back(std::move(axis));
}

void RunPlan::read_vary(const SweepSpec& spec, const ParameterUnits& units,
                        std::vector<std::string>& errors) {
  for (const std::string& text : spec.vary) {
    const std::string label = fmt::format("vary '{}'", text);
    try {
      const Assignment given = split(text, '=');
      add_axis(label, {{given.name}, read_axis(given.value, unit_of(units, given.name))}, errors);
    } catch (const std::invalid_argument& error) {
      errors.push_back(fmt::format("{}: {}", label, error.what()));
    }
  }
}

void RunPlan::read_sample(const SweepSpec& spec, const ParameterUnits& units,
                          std::vector<std::string>& errors) {
  for (const std::string& text : spec.sample) {
    const std::string label = fmt::format("sample '{}'", text);
    try {
      const Assignment given = split(text, '~');
      if (std::ranges::count(names_, given.name) > 0)
        errors.push_back(
            fmt::format("{}: '{}' has values already; give each parameter once", label, given.name));
      sampled_.push_back({given.name, read_distribution(given.value, unit_of(units, given.name))});
      names_.push_back(given.name);
    } catch (const std::invalid_argument& error) {
      errors.push_back(fmt::format("{}: {}", label, error.what()));
    }
  }
}

void RunPlan::read_draws(const SweepSpec& spec, std::vector<std::string>& errors) {
  const auto design = kDesigns.find(spec.design);
  if (design == kDesigns.end())
    errors.push_back(
        fmt::format("there is no design '{}'; {}", spec.design,
                    expressions::choice_advice(spec.design, {"random", "lhs", "sobol", "saltelli"})));
  else
    design_ = design->second;
  if (spec.sample.empty()) {
    if (spec.runs > 0)
      errors.emplace_back(
          "runs: a grid has as many runs as points; give --sample NAME~DISTRIBUTION(…) with a number of "
          "runs, "
          "or leave the number out");
    return;
  }
  if (spec.runs == 0) {
    errors.emplace_back("runs: a sample needs a number of runs; give --runs 1000, say");
    return;
  }
  draws_ = spec.runs;
  if (design_ == Design::saltelli) {
    const std::uint64_t block = sampled_.size() + 2;
    if (spec.runs % block != 0)
      errors.push_back(fmt::format(
          "runs: with {} parameters the design saltelli has blocks of {} runs; give a multiple, as {}",
          sampled_.size(), block, (spec.runs / block + 1) * block));
  }
  if (draws_ > kMostRuns / points_)
    errors.push_back(fmt::format("runs: {} points of the grid × {} are more than {} runs; give fewer",
                                 points_, draws_, kMostRuns));
}

RunPlan::RunPlan(const SweepSpec& spec, const std::string& table, const std::vector<std::string>& known,
                 const ParameterUnits& units, std::vector<std::string>& errors)
    : seed_(spec.seed) {
  read_vary(spec, units, errors);
  if (!spec.table.empty()) {
    try {
      RunTable read = read_run_table(table, spec.table);
      add_axis(spec.table, {std::move(read.names), std::move(read.values)}, errors);
    } catch (const std::invalid_argument& error) {
      errors.emplace_back(error.what());
    }
  }
  read_sample(spec, units, errors);
  read_draws(spec, errors);
  if (spec.vary.empty() && spec.sample.empty() && spec.table.empty())
    errors.emplace_back(
        "nothing varies; give --vary NAME=FROM:TO:COUNT, --sample NAME~DISTRIBUTION(…) or --table RUNS.csv, "
        "or a section `sweep:` in the model");
  for (const std::string& name : names_)
    if (std::ranges::count(known, name) == 0)
      errors.push_back(fmt::format("there is no parameter '{}'; {}", name,
                                   known.empty() ? "the model has none: add it under `parameters:`"
                                                 : expressions::choice_advice(name, known)));
  const auto dimensions = static_cast<int>(sampled_.size()) * (design_ == Design::saltelli ? 2 : 1);
  if (dimensions > SobolSequence::kDimensions)
    errors.push_back(fmt::format(
        "sample: the design {} has at most {} parameters, not {}; choose lhs or random", spec.design,
        SobolSequence::kDimensions / (design_ == Design::saltelli ? 2 : 1), sampled_.size()));
  if (errors.empty() && dimensions > 0 && (design_ == Design::sobol || design_ == Design::saltelli))
    sobol_.emplace(dimensions, seed_);
}

// Coordinate of a draw in the unit cube.
double RunPlan::unit_point(std::uint64_t draw, std::size_t dimension) const {
  const auto d = static_cast<std::uint32_t>(dimension);
  switch (design_) {
    case Design::random:
      break;
    case Design::lhs: {
      // One draw in each of n equal parts; which, a permutation says.
      const double within = unit_number(random_bits(seed_, Stream::stratum, draw, d));
      return (static_cast<double>(permuted(draw, draws_, seed_, d)) + within) / static_cast<double>(draws_);
    }
    case Design::sobol:
      return sobol_->at(draw, static_cast<int>(dimension));
    case Design::saltelli: {
      // Block of a, b, and a with one value of b: a and b are two halves of one point.
      const std::uint64_t block = sampled_.size() + 2, row = draw % block;
      const bool of_b = row == 1 || (row >= 2 && row - 2 == dimension);
      return sobol_->at(draw / block, static_cast<int>(of_b ? sampled_.size() + dimension : dimension));
    }
  }
  return unit_number(random_bits(seed_, Stream::sample, draw, d));
}

std::vector<double> RunPlan::values(std::uint64_t run) const {
  std::vector<double> values(names_.size());
  std::uint64_t point = run / draws_;
  std::size_t end = names_.size() - sampled_.size();
  for (std::size_t k = axes_.size(); k-- > 0;) {
    const GridAxis& axis = axes_[k];
    const std::size_t row = point % axis.points();
    point /= axis.points();
    end -= axis.names.size();
    for (std::size_t j = 0; j < axis.names.size(); ++j)
      values[end + j] = axis.values[row * axis.names.size() + j];
  }
  for (std::size_t k = 0; k < sampled_.size(); ++k)
    values[names_.size() - sampled_.size() + k] =
        sampled_[k].distribution.quantile(unit_point(run % draws_, k));
  return values;
}

}  // namespace trammel::sweep
