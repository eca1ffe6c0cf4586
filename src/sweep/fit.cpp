// fit(): parameters of a model from measurements.
//
// The deviations σ of the columns are not known: they are found together with the parameters
// (least_squares.h). Intervals are those of the linearized model, with rows divided by σ: x ± t √(JᵀJ)⁻¹ₖₖ.
#include "trammel/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "sweep/chunk_file.h"
#include "sweep/distribution.h"
#include "sweep/evaluation_log.h"
#include "sweep/fit_data.h"
#include "sweep/least_squares.h"
#include "sweep/run_table.h"
#include "sweep/values_in_text.h"
#include "trammel/version.h"

namespace trammel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sweep::Measured;
using sweep::Wanted;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of a central difference: its own error is about 1e-8, that of runs whose rounding is 1e-12 the same.
constexpr double kDifference = 1e-4;
// The least ratio of singular values: below, differences of runs have no digits left.
constexpr double kDetermined = 1e-6;

// Rows where the measurements are, if these are evenly spaced; the run ends with the last.
Mechanism observed_at(Mechanism mechanism, const std::vector<double>& t) {
  if (mechanism.plan.duration < t.back() || mechanism.plan.duration > t.back())
    mechanism.plan.duration = t.back();
  const double interval = t.size() > 1 ? t[1] - t[0] : t[0];
  const bool even = std::ranges::all_of(t, [&](double x) {
    const double turns = x / interval;
    return std::abs(turns - std::round(turns)) < 1e-9 * std::max(1.0, turns);
  });
  if (even && interval > 0) mechanism.plan.output_interval = interval;
  return mechanism;
}

class Fit {
 public:
  Fit(const Mechanism& mechanism, const FitSpec& spec, const SearchOptions& options)
      : given_(mechanism),
        spec_(spec),
        options_(options),
        measured_(sweep::read_measured(spec)),
        wanted_(read_all_wanted(spec)),
        variants_(observed_at(mechanism, measured_.t), names_of(wanted_), false, errors_) {
    if (errors_.empty()) read_start();
    std::vector<std::string> observed;
    for (std::size_t k = 0; k < measured_.names.size(); ++k)
      observed.push_back(fmt::format("{}=curve({})", fmt::format("column{}", k), measured_.texts[k]));
    if (errors_.empty()) variants_.observe(observed, 0, {}, measured_.t, errors_);
    if (!errors_.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(errors_, "\n")));
    log_.emplace(options.folder, description(), options.resume);
    log_->stops = [this] {
      return options_.progress && !options_.progress(log_->computed() + log_->known(), least_);
    };
  }

  FitResult run();

 private:
  static std::vector<Wanted> read_all_wanted(const FitSpec& spec) {
    std::vector<Wanted> all;
    for (const std::string& text : spec.parameters) all.push_back(sweep::read_wanted(text));
    if (all.empty()) throw std::invalid_argument("no parameter is to be fitted; give --parameters m,k");
    return all;
  }
  static std::vector<std::string> names_of(const std::vector<Wanted>& wanted) {
    std::vector<std::string> names;
    for (const Wanted& one : wanted) names.push_back(one.name);
    return names;
  }
  void read_start();
  std::string description() const;
  std::vector<double> values_at(const VectorXd& x) const { return {x.data(), x.data() + x.size()}; }
  bool residuals_of(const SweepRow& row, VectorXd& r);
  bool residuals(const VectorXd& x, VectorXd& r);
  std::string jacobian(const VectorXd& x, const VectorXd& r, MatrixXd& J);
  void divide_by_deviations(sweep::LeastSquaresResult& found);
  void tell_parameters(const sweep::LeastSquaresResult& found, FitResult& result) const;
  void tell_columns(const VectorXd& x, FitResult& result);

  Mechanism given_;
  FitSpec spec_;
  SearchOptions options_;
  std::vector<std::string> errors_;
  Measured measured_;
  std::vector<Wanted> wanted_;
  sweep::Variants variants_;
  VectorXd start_, low_, high_;
  std::vector<double> spread_;      // of the measurements of a column about their mean
  std::vector<double> deviations_;  // of measurements from the model, by column
  std::optional<sweep::EvaluationLog> log_;
  std::string last_failure_;
  double least_ = kInfinity;
};

// Start and bounds of each parameter. A positive value stays positive unless bounds say otherwise.
void Fit::read_start() {
  const auto units = variants_.units();
  const auto known = variants_.known_names();
  const auto count = static_cast<Eigen::Index>(wanted_.size());
  start_.resize(count), low_.resize(count), high_.resize(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Wanted& one = wanted_[static_cast<std::size_t>(k)];
    const std::string& id = variants_.id(static_cast<std::size_t>(k));
    if (!variants_.mechanism().parameters.contains(id)) {
      errors_.push_back(fmt::format("there is no parameter '{}'; {}", one.name,
                                    known.empty() ? "the model has none: add it under `parameters:`"
                                                  : expressions::choice_advice(one.name, known)));
      continue;
    }
    const auto unit = units.find(one.name);
    const auto read = [&](const std::string& text, double otherwise) {
      return text.empty() ? otherwise
                          : sweep::read_quantity(
                                text, unit == units.end() ? std::nullopt : std::optional(unit->second));
    };
    try {
      start_[k] = read(one.start, variants_.mechanism().parameters.at(id));
      low_[k] = read(one.low, start_[k] > 0 ? 1e-9 * start_[k] : -kInfinity);
      high_[k] = read(one.high, start_[k] < 0 ? 1e-9 * start_[k] : kInfinity);
    } catch (const std::invalid_argument& error) {
      errors_.push_back(fmt::format("parameter '{}': {}", one.name, error.what()));
      continue;
    }
    if (start_[k] == 0 && one.low.empty())
      errors_.push_back(
          fmt::format("parameter '{0}' starts at 0, which has no scale; write {0}=START:LOW:HIGH", one.name));
    if (!(low_[k] < high_[k]) || start_[k] < low_[k] || start_[k] > high_[k])
      errors_.push_back(fmt::format("parameter '{}': the start {} is not within its bounds {} and {}",
                                    one.name, start_[k], low_[k], high_[k]));
  }
}

std::string Fit::description() const {
  const nlohmann::ordered_json told = {{"format", 1},
                                       {"trammel_version", TRAMMEL_VERSION},
                                       {"spec", {{"fit", spec_.parameters}, {"compare", spec_.compare}}},
                                       {"table_hash", sweep::fingerprint(sweep::read_text_file(spec_.data))},
                                       {"model", variants_.text()}};
  return told.dump(1) + "\n";
}

bool Fit::residuals_of(const SweepRow& row, VectorXd& r) {
  const std::size_t rows = measured_.t.size();
  r.resize(static_cast<Eigen::Index>(rows * measured_.names.size()));
  for (std::size_t c = 0; c < measured_.names.size(); ++c)
    for (std::size_t k = 0; k < rows; ++k) {
      const double computed = row.values[c * rows + k];
      if (std::isnan(computed)) {
        last_failure_ = row.message.empty()
                            ? fmt::format("'{}' has no value at t = {} s", measured_.texts[c], measured_.t[k])
                            : row.message;
        return false;
      }
      r[static_cast<Eigen::Index>(c * rows + k)] = (computed - measured_.values[c][k]) / spread_[c];
    }
  return true;
}

bool Fit::residuals(const VectorXd& x, VectorXd& r) {
  const bool there = residuals_of(log_->row(variants_, values_at(x)), r);
  if (there) least_ = std::min(least_, r.squaredNorm() / 2);
  return there;
}

// Central differences, all runs side by side; at a bound, or where a run fails, one-sided ones.
std::string Fit::jacobian(const VectorXd& x, const VectorXd& r, MatrixXd& J) {
  std::vector<std::vector<double>> places;
  std::vector<double> steps;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const double step = kDifference * std::max(std::abs(x[k]), 1e-3 * std::abs(start_[k]) + 1e-12);
    for (const double side : {step, -step}) {
      VectorXd moved = x;
      moved[k] = std::clamp(x[k] + side, low_[k], high_[k]);
      places.push_back(values_at(moved));
      steps.push_back(moved[k] - x[k]);
    }
  }
  const std::vector<SweepRow> rows = log_->rows(variants_, places, options_.executor);
  J.resize(r.size(), x.size());
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    VectorXd above = r, below = r;
    const auto at = static_cast<std::size_t>(2 * k);
    double width = 0;
    if (steps[at] != 0 && residuals_of(rows[at], above))
      width += steps[at];
    else
      above = r;
    if (steps[at + 1] != 0 && residuals_of(rows[at + 1], below))
      width -= steps[at + 1];
    else
      below = r;
    if (width == 0)
      return fmt::format("no run beside {} = {:.6g} succeeds: {}", wanted_[static_cast<std::size_t>(k)].name,
                         x[k], last_failure_);
    J.col(k) = (above - below) / width;
  }
  return {};
}

// From residuals in units of the spread to such in units of their own deviation; n − p freedoms of n are
// left.
void Fit::divide_by_deviations(sweep::LeastSquaresResult& found) {
  const auto rows = static_cast<Eigen::Index>(measured_.t.size());
  const auto n = static_cast<double>(found.r.size());
  const auto columns = static_cast<Eigen::Index>(measured_.names.size());
  const VectorXd own =
      sweep::deviations(found.r, columns) * std::sqrt(n / (n - static_cast<double>(start_.size())));
  for (Eigen::Index c = 0; c < columns; ++c) {
    found.r.segment(c * rows, rows) /= own[c];
    found.J.middleRows(c * rows, rows) /= own[c];
    deviations_.push_back(spread_[static_cast<std::size_t>(c)] * own[c]);
  }
}

void Fit::tell_parameters(const sweep::LeastSquaresResult& found, FitResult& result) const {
  const Eigen::Index n = found.x.size();
  // Columns of one length, so that units do not count.
  const VectorXd scale = found.J.colwise().norm().transpose().cwiseMax(1e-300);
  const Eigen::JacobiSVD<MatrixXd> svd(found.J * scale.cwiseInverse().asDiagonal(), Eigen::ComputeThinV);
  const VectorXd& values = svd.singularValues();
  const bool determined = values[n - 1] > kDetermined * values[0];
  const MatrixXd inverse =
      svd.matrixV() * values.cwiseInverse().cwiseAbs2().asDiagonal() * svd.matrixV().transpose();
  const double freedoms = static_cast<double>(found.r.size() - n);
  const double outside = (1 - spec_.confidence) / (spec_.joint ? static_cast<double>(n) : 1),
               t = sweep::student_quantile(1 - outside / 2, freedoms);
  result.confidence = spec_.confidence, result.joint = spec_.joint;
  const auto units = variants_.units();
  std::string together;
  for (Eigen::Index k = 0; k < n; ++k) {
    const std::string& name = wanted_[static_cast<std::size_t>(k)].name;
    const bool lost = !determined && std::abs(svd.matrixV()(k, n - 1)) > 0.1;
    const double error = lost ? kInfinity : std::sqrt(inverse(k, k)) / scale[k];
    if (lost) together += (together.empty() ? "" : ", ") + name;
    result.parameters.push_back({name, units.contains(name) ? expressions::to_string(units.at(name)) : "",
                                 start_[k], found.x[k], error, found.x[k] - t * error, found.x[k] + t * error,
                                 found.x[k] <= low_[k] || found.x[k] >= high_[k]});
  }
  for (Eigen::Index k = 0; k < n * n; ++k)
    result.correlation.push_back(inverse(k / n, k % n) /
                                 std::sqrt(inverse(k / n, k / n) * inverse(k % n, k % n)));
  if (!together.empty())
    result.message = fmt::format(
        "the measurements do not determine {}: other values fit as well; fit fewer parameters, or measure "
        "another column",
        together);
}

void Fit::tell_columns(const VectorXd& x, FitResult& result) {
  const SweepRow row = log_->row(variants_, values_at(x));
  const std::size_t rows = measured_.t.size();
  for (std::size_t c = 0; c < measured_.names.size(); ++c)
    result.columns.push_back({measured_.names[c],
                              measured_.texts[c],
                              variants_.observations().columns()[c].unit,
                              deviations_[c],
                              measured_.t,
                              measured_.values[c],
                              {row.values.begin() + static_cast<std::ptrdiff_t>(c * rows),
                               row.values.begin() + static_cast<std::ptrdiff_t>((c + 1) * rows)}});
}

FitResult Fit::run() {
  for (const std::vector<double>& values : measured_.values) {
    double mean = 0, square = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    for (const double v : values) square += (v - mean) * (v - mean) / static_cast<double>(values.size());
    spread_.push_back(square > 0 ? std::sqrt(square) : 1);
  }
  FitResult result;
  result.measurements = static_cast<long>(measured_.t.size() * measured_.names.size());
  if (result.measurements <= start_.size())
    throw std::invalid_argument(
        fmt::format("{} measurements cannot determine {} parameters; measure more, or fit fewer",
                    result.measurements, start_.size()));
  sweep::LeastSquares problem;
  problem.residuals = [this](const VectorXd& x, VectorXd& r) { return residuals(x, r); };
  problem.jacobian = [this](const VectorXd& x, const VectorXd& r, MatrixXd& J) { return jacobian(x, r, J); };
  problem.low = low_, problem.high = high_;
  problem.columns = static_cast<Eigen::Index>(measured_.names.size());
  sweep::LeastSquaresResult found;
  try {
    found = sweep::solve(problem, start_);
    result.converged = found.converged;
    result.message =
        found.message + (found.message.empty() || last_failure_.empty() ? "" : ": " + last_failure_);
    if (found.converged) {
      result.cost = found.r.squaredNorm() / 2;
      divide_by_deviations(found);
      tell_parameters(found, result);
      tell_columns(found.x, result);
      result.model = sweep::text_with_values(given_, variants_, values_at(found.x));
    }
  } catch (const sweep::EvaluationLog::Stopped&) {
    result.message = "stopped";
  }
  result.runs = log_->computed(), result.resumed = log_->known();
  return result;
}

}  // namespace

FitResult fit(const Mechanism& mechanism, const FitSpec& spec, const SearchOptions& options) {
  return Fit(mechanism, spec, options).run();
}

}  // namespace trammel
