#include "analysis/linearization.h"

#include <cmath>

#include "analysis/differences.h"

namespace trammel::analysis {
namespace {

// ẏ, then the outputs.
class Response {
 public:
  Response(LocalMotion& motion, const Mechanism& mechanism)
      : motion_(motion), terms_(motion.system().make_terms()) {
    const std::vector<system::Reading> readings = motion.system().readings(motion.about(), terms_);
    for (const auto& [name, text] : mechanism.outputs)
      for (std::size_t k = 0; k < readings.size(); ++k)
        if (readings[k].object.empty() && readings[k].quantity == name) outputs_.push_back(k);
  }

  // At y and inputs.
  Report at(const Eigen::VectorXd& y, const std::vector<double>& inputs, Eigen::VectorXd& value) {
    State s = motion_.about();
    s.inputs = inputs;
    Eigen::VectorXd rate;
    Report report = motion_.rate(y, s, rate);
    if (!report.accepted()) return report;
    value.resize(rate.size() + static_cast<Eigen::Index>(outputs_.size()));
    value.head(rate.size()) = rate;
    const std::vector<system::Reading> readings = motion_.system().readings(s, terms_);
    for (std::size_t k = 0; k < outputs_.size(); ++k)
      value[rate.size() + static_cast<Eigen::Index>(k)] = readings[outputs_[k]].value;
    if (!value.allFinite()) report.outcome = Outcome::not_finite;
    return report;
  }

 private:
  LocalMotion& motion_;
  std::vector<std::size_t> outputs_;  // among the readings
  system::Terms terms_;
};

}  // namespace

Linearization linearize(LocalMotion& motion, const Mechanism& mechanism) {
  Linearization out;
  out.report = motion.report();
  if (!out.report.accepted()) return out;
  Response response(motion, mechanism);
  const Eigen::Index n = motion.size();
  const auto inputs = static_cast<Eigen::Index>(mechanism.inputs.size());
  Eigen::VectorXd here;
  out.report = response.at(motion.origin(), motion.about().inputs, here);
  if (!out.report.accepted()) return out;

  // In units of what counts as one, so that one size of perturbation serves all.
  const Eigen::VectorXd unit = motion.unit();
  const auto input_unit = [&](std::size_t k) { return std::max(1.0, std::abs(motion.about().inputs[k])); };
  const double rate = motion.velocities() > 0 ? unit[motion.positions()] : 1;
  Eigen::VectorXd of_rate = unit * rate;
  out.drift = n > 0 ? here.head(n).cwiseQuotient(of_rate).cwiseAbs().maxCoeff() : 0;
  const AlongArgument along = [&](Eigen::Index j, double distance, Eigen::VectorXd& value, Report& report) {
    Eigen::VectorXd y = motion.origin();
    std::vector<double> values = motion.about().inputs;
    if (j < n)
      y[j] += distance * unit[j];
    else
      values[static_cast<std::size_t>(j - n)] += distance * input_unit(static_cast<std::size_t>(j - n));
    report = response.at(y, values, value);
    if (!report.accepted()) return false;
    value.head(n).array() /= of_rate.array();
    return true;
  };
  Jacobian jacobian = differentiate(along, n + inputs);
  out.report = std::move(jacobian.report);
  if (!out.report.accepted()) return out;

  const Eigen::VectorXd scale = motion.scale();
  Eigen::VectorXd columns(n + inputs), rows = Eigen::VectorXd::Ones(here.size());
  columns.head(n) = unit.cwiseProduct(scale);
  for (Eigen::Index k = 0; k < inputs; ++k) columns[n + k] = input_unit(static_cast<std::size_t>(k));
  rows.head(n) = of_rate.cwiseProduct(scale);
  const auto in_units = [&](const Eigen::MatrixXd& matrix) -> Eigen::MatrixXd {
    return rows.asDiagonal() * matrix * columns.cwiseInverse().asDiagonal();
  };
  const Eigen::MatrixXd all = in_units(jacobian.values), error = in_units(jacobian.error);
  const Eigen::Index outputs = here.size() - n;
  out.A = all.topLeftCorner(n, n);
  out.error = error.topLeftCorner(n, n);
  out.B = all.topRightCorner(n, inputs);
  out.C = all.bottomLeftCorner(outputs, n);
  out.D = all.bottomRightCorner(outputs, inputs);
  out.states = motion.names(mechanism);
  for (const Input& input : mechanism.inputs) out.inputs.push_back(input.name);
  for (const auto& [name, text] : mechanism.outputs) out.outputs.push_back(name);
  out.positions = motion.positions();
  out.velocities = motion.velocities();
  return out;
}

}  // namespace trammel::analysis
