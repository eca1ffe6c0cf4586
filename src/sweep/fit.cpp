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
#include <numeric>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "sweep/chunk_file.h"
#include "sweep/differences.h"
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
// Steps of differences, relative to the parameter. Of the first, the error of the formula is about 1e-8, that
// of runs whose rounding is 1e-12 the same. The second is for runs with larger errors: its own is about 1e-4.
// The third serves to estimate the error of the first.
constexpr double kDifference = 1e-4, kLargeDifference = 1e-2, kOtherDifference = 1e-3;
// The least ratio of singular values: below, differences of runs have no digits left.
constexpr double kDetermined = 1e-6;
// A singular value is known to be other than zero if it is so many times its error.
constexpr double kClear = 3;

class Fit {
 public:
  Fit(const Mechanism& mechanism, const FitSpec& spec, const SearchOptions& options)
      : given_(mechanism),
        spec_(spec),
        options_(options),
        measured_(sweep::read_measured(spec)),
        wanted_(read_all_wanted(spec)),
        variants_(sweep::observed_at(mechanism, measured_.t), names_of(wanted_), false, errors_) {
    if (errors_.empty()) read_start();
    if (errors_.empty()) observe_columns();
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
  void observe_columns();
  std::string description() const;
  std::vector<double> values_at(const VectorXd& x) const { return {x.data(), x.data() + x.size()}; }
  bool residuals_of(const SweepRow& row, VectorXd& r);
  bool residuals(const VectorXd& x, VectorXd& r);
  std::string jacobian(const VectorXd& x, const VectorXd& r, MatrixXd& J);
  std::string differences(const VectorXd& x, const VectorXd& r, double relative,
                          std::vector<Eigen::Index>& unseen, MatrixXd& J);
  void divide_by_deviations(sweep::LeastSquaresResult& found);
  double error_of_singular_values(const sweep::LeastSquaresResult& found, const VectorXd& scale,
                                  double least);
  void tell_parameters(const sweep::LeastSquaresResult& found, FitResult& result);
  void tell_columns(const VectorXd& x, FitResult& result);

  Mechanism given_;
  FitSpec spec_;
  SearchOptions options_;
  std::vector<std::string> errors_;
  Measured measured_;
  std::vector<Wanted> wanted_;
  sweep::Variants variants_;
  VectorXd start_, low_, high_;
  MatrixXd doubt_;                  // of the last derivatives: differences.h
  double freedoms_ = 0;             // of the residuals
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
          fmt::format("parameter '{}' starts at 0, which has no scale; write NAME=START:LOW:HIGH", one.name));
    if (!(low_[k] < high_[k]) || start_[k] < low_[k] || start_[k] > high_[k])
      errors_.push_back(fmt::format("parameter '{}': the start {} is not within its bounds {} and {}",
                                    one.name, start_[k], low_[k], high_[k]));
  }
}

// What the model computes of each column; what is wrong with it is told of the column.
void Fit::observe_columns() {
  std::vector<std::string> observed;
  for (std::size_t k = 0; k < measured_.texts.size(); ++k)
    observed.push_back(fmt::format("column{}=curve({})", k, measured_.texts[k]));
  variants_.observe(observed, 0, {}, measured_.t, errors_);
  for (std::string& error : errors_)
    for (std::size_t k = 0; k < observed.size(); ++k) {
      const std::string before = fmt::format("observe '{}': ", observed[k]);
      if (!error.starts_with(before)) continue;
      error.erase(0, before.size());
      if (error.starts_with("character ")) error.erase(0, error.find(": ") + 2);
      error = fmt::format(
          "column '{}' of the data{}: {}; name it as a column of the results, or say what it measures: "
          "--compare COLUMN=EXPRESSION",
          measured_.names[k],
          measured_.texts[k] == measured_.names[k] ? "" : fmt::format(", '{}'", measured_.texts[k]), error);
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

// All runs side by side. A derivative that cannot be told from the errors of the runs is computed again with
// larger steps. If it still cannot, the measurements do not show this parameter, and its column is zero.
std::string Fit::jacobian(const VectorXd& x, const VectorXd& r, MatrixXd& J) {
  J.resize(r.size(), x.size());
  doubt_.resize(r.size(), x.size());
  std::vector<Eigen::Index> unseen(static_cast<std::size_t>(x.size()));
  std::iota(unseen.begin(), unseen.end(), 0);
  for (const double step : {kDifference, kLargeDifference})
    if (std::string failure = unseen.empty() ? "" : differences(x, r, step, unseen, J); !failure.empty())
      return failure;
  for (const Eigen::Index k : unseen) J.col(k).setZero();
  return {};
}

// The columns of these parameters; those that are visible are removed from the list. Where one run of two
// fails, the other gives a one-sided difference.
std::string Fit::differences(const VectorXd& x, const VectorXd& r, double relative,
                             std::vector<Eigen::Index>& unseen, MatrixXd& J) {
  std::vector<std::vector<double>> places;
  std::vector<std::pair<double, double>> steps;
  for (const Eigen::Index k : unseen) {
    const double step = relative * std::max(std::abs(x[k]), 1e-3 * std::abs(start_[k]) + 1e-12);
    steps.push_back(sweep::difference_steps(x[k], step, low_[k], high_[k]));
    for (const double move : {steps.back().first, steps.back().second}) {
      VectorXd moved = x;
      moved[k] += move;
      places.push_back(values_at(moved));
    }
  }
  const std::vector<SweepRow> rows = log_->rows(variants_, places, options_.executor);
  std::vector<Eigen::Index> left;
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    const Eigen::Index k = unseen[i];
    const auto [u, w] = steps[i];
    VectorXd at_u, at_w;
    const bool has_u = residuals_of(rows[2 * i], at_u), has_w = residuals_of(rows[2 * i + 1], at_w);
    if (!has_u && !has_w)
      return fmt::format("no run beside {} = {:.6g} succeeds: {}", wanted_[static_cast<std::size_t>(k)].name,
                         x[k], last_failure_);
    sweep::Difference found{has_u ? (at_u - r) / u : (at_w - r) / w, VectorXd::Zero(r.size())};
    if (has_u && has_w) found = sweep::difference(r, at_u, u, at_w, w);
    J.col(k) = found.slope, doubt_.col(k) = found.doubt;
    if (!sweep::is_visible(found, static_cast<Eigen::Index>(measured_.names.size()))) left.push_back(k);
  }
  unseen = std::move(left);
  return {};
}

// From residuals in units of the spread to such in units of their own deviation; n − p freedoms of n are
// left by p parameters that show in the residuals.
void Fit::divide_by_deviations(sweep::LeastSquaresResult& found) {
  const auto rows = static_cast<Eigen::Index>(measured_.t.size());
  const auto columns = static_cast<Eigen::Index>(measured_.names.size());
  freedoms_ = static_cast<double>(found.r.size() - (found.J.colwise().squaredNorm().array() > 0).count());
  const VectorXd own =
      sweep::deviations(found.r, columns) * std::sqrt(static_cast<double>(found.r.size()) / freedoms_);
  for (Eigen::Index c = 0; c < columns; ++c) {
    found.r.segment(c * rows, rows) /= own[c];
    found.J.middleRows(c * rows, rows) /= own[c];
    doubt_.middleRows(c * rows, rows) /= own[c];
    deviations_.push_back(spread_[static_cast<std::size_t>(c)] * own[c]);
  }
}

// Of columns of length one, by how much errors of the runs may change a singular value: the norm of the
// columns' errors. Their doubts bound them; differences with other steps tell more, where these are needed.
double Fit::error_of_singular_values(const sweep::LeastSquaresResult& found, const VectorXd& scale,
                                     double least) {
  // Errors of three runs make the doubt of a central difference √12 times that of its slope.
  const double kOfDoubt = 1 / std::sqrt(12.0);
  VectorXd errors = kOfDoubt * doubt_.colwise().norm().transpose();
  const double bound = errors.cwiseQuotient(scale).norm();
  if (least > kClear * bound) return bound;
  MatrixXd other(found.J.rows(), found.J.cols());
  const MatrixXd doubt = doubt_;
  std::vector<Eigen::Index> all(static_cast<std::size_t>(found.x.size()));
  std::iota(all.begin(), all.end(), 0);
  VectorXd r;
  const bool computed =
      residuals(found.x, r) && differences(found.x, r, kOtherDifference, all, other).empty();
  doubt_ = doubt;
  if (!computed) return bound;
  const auto rows = static_cast<Eigen::Index>(measured_.t.size());
  for (std::size_t c = 0; c < deviations_.size(); ++c)
    other.middleRows(static_cast<Eigen::Index>(c) * rows, rows) *= spread_[c] / deviations_[c];
  for (Eigen::Index k = 0; k < errors.size(); ++k)
    errors[k] =
        found.J.col(k).squaredNorm() > 0 ? std::min(errors[k], (found.J.col(k) - other.col(k)).norm()) : 0;
  return errors.cwiseQuotient(scale).norm();
}

void Fit::tell_parameters(const sweep::LeastSquaresResult& found, FitResult& result) {
  const Eigen::Index n = found.x.size();
  // Columns of one length, so that units do not count.
  const VectorXd scale = found.J.colwise().norm().transpose().cwiseMax(1e-300);
  const Eigen::JacobiSVD<MatrixXd> svd(found.J * scale.cwiseInverse().asDiagonal(), Eigen::ComputeThinV);
  const VectorXd& values = svd.singularValues();
  const double error = error_of_singular_values(found, scale, values[n - 1]);
  const auto known = (values.array() > std::max(kDetermined * values[0], kClear * error)).count();
  const MatrixXd shown = svd.matrixV().leftCols(known), hidden = svd.matrixV().rightCols(n - known);
  const MatrixXd inverse =
      shown * values.head(known).cwiseInverse().cwiseAbs2().asDiagonal() * shown.transpose();
  const double outside = (1 - spec_.confidence) / (spec_.joint ? static_cast<double>(n) : 1),
               t = sweep::student_quantile(1 - outside / 2, freedoms_);
  result.confidence = spec_.confidence, result.joint = spec_.joint;
  const auto units = variants_.units();
  std::string together;
  std::vector<bool> lost;
  for (Eigen::Index k = 0; k < n; ++k) {
    const std::string& name = wanted_[static_cast<std::size_t>(k)].name;
    lost.push_back(hidden.row(k).norm() > 0.1);
    const double deviation = lost.back() ? kInfinity : std::sqrt(inverse(k, k)) / scale[k];
    if (lost.back()) together += (together.empty() ? "" : ", ") + name;
    result.parameters.push_back({name, units.contains(name) ? expressions::to_string(units.at(name)) : "",
                                 start_[k], found.x[k], deviation, found.x[k] - t * deviation,
                                 found.x[k] + t * deviation,
                                 found.x[k] <= low_[k] || found.x[k] >= high_[k]});
  }
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < n; ++k)
      result.correlation.push_back(lost[static_cast<std::size_t>(i)] || lost[static_cast<std::size_t>(k)]
                                       ? std::numeric_limits<double>::quiet_NaN()
                                       : inverse(i, k) / std::sqrt(inverse(i, i) * inverse(k, k)));
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
