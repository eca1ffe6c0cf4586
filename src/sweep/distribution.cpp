#include "sweep/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "expressions/nearest_name.h"

namespace trammel::sweep {
namespace {

using Arguments = std::vector<double>;

double polynomial(std::span<const double> c, double x) {
  double sum = 0;
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * x + c[k];
  return sum;
}

// Coefficients of AS 241, in order of the powers: |u − ½| ≤ 0.425, then r = √(−ln u) up to 5, then above.
constexpr double kA[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                         1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                         3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr double kB[] = {1.0,
                         4.2313330701600911252e+1,
                         6.8718700749205790830e+2,
                         5.3941960214247511077e+3,
                         2.1213794301586595867e+4,
                         3.9307895800092710610e+4,
                         2.8729085735721942674e+4,
                         5.2264952788528545610e+3};
constexpr double kC[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                         3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                         2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double kD[] = {1.0,
                         2.05319162663775882187e0,
                         1.67638483018380384940e0,
                         6.89767334985100004550e-1,
                         1.48103976427480074590e-1,
                         1.51986665636164571966e-2,
                         5.47593808499534494600e-4,
                         1.05075007164441684324e-9};
constexpr double kE[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                         2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                         2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double kF[] = {1.0,
                         5.99832206555887937690e-1,
                         1.36929880922735805310e-1,
                         1.48753612908506148525e-2,
                         7.86869131145613259100e-4,
                         1.84631831751005468180e-5,
                         1.42151175831644588870e-7,
                         2.04426310338993978564e-15};

double uniform(const Arguments& a, double u) { return a[0] + u * (a[1] - a[0]); }
double log_uniform(const Arguments& a, double u) { return a[0] * std::exp(u * std::log(a[1] / a[0])); }

// mean, deviation, and perhaps bounds: the part of the distribution between them.
double normal(const Arguments& a, double u) {
  if (a.size() == 2) return a[0] + a[1] * normal_quantile(u);
  const double low = normal_probability((a[2] - a[0]) / a[1]),
               high = normal_probability((a[3] - a[0]) / a[1]);
  return std::clamp(a[0] + a[1] * normal_quantile(low + u * (high - low)), a[2], a[3]);
}
double log_normal(const Arguments& a, double u) { return std::exp(a[0] + a[1] * normal_quantile(u)); }

double triangular(const Arguments& a, double u) {
  const double left = a[1] - a[0], right = a[2] - a[1], width = a[2] - a[0];
  return u < left / width ? a[0] + std::sqrt(u * width * left) : a[2] - std::sqrt((1 - u) * width * right);
}
double exponential(const Arguments& a, double u) { return -a[0] * std::log1p(-u); }
double weibull(const Arguments& a, double u) { return a[0] * std::pow(-std::log1p(-u), 1 / a[1]); }
double choice(const Arguments& a, double u) {
  return a[std::min(a.size() - 1, static_cast<std::size_t>(u * static_cast<double>(a.size())))];
}

constexpr std::size_t kAll = 1000;  // arguments, which is more than a person writes

struct Known {
  const char* name;
  const char* usage;
  const char* meaning;
  std::size_t least, most;  // arguments
  std::size_t with_unit;    // so many have the unit of the parameter; those after them are pure numbers
  double (*quantile)(const Arguments&, double);
  // What is wrong with the arguments; empty: nothing.
  std::string (*check)(const Arguments&);
};

std::string need(bool holds, const char* what) { return holds ? "" : what; }

const Known kKnown[] = {
    {"uniform", "uniform(low, high)", "every value between low and high is equally likely", 2, 2, kAll,
     uniform, [](const Arguments& a) { return need(a[0] < a[1], "low must be below high"); }},
    {"normal", "normal(mean, deviation) or normal(mean, deviation, low, high)",
     "normal with a standard deviation; with low and high the part between them (truncated)", 2, 4, kAll,
     normal,
     [](const Arguments& a) {
       if (a.size() == 3) return std::string("give both low and high, or neither");
       if (a[1] <= 0) return std::string("the deviation must be positive");
       if (a.size() < 4) return std::string();
       if (a[2] >= a[3]) return std::string("low must be below high");
       const double inside =
           normal_probability((a[3] - a[0]) / a[1]) - normal_probability((a[2] - a[0]) / a[1]);
       // Below it the difference of two probabilities has no digits left.
       return need(inside > 1e-12, "low and high are too far from the mean: nothing of it lies between them");
     }},
    {"lognormal", "lognormal(mu, sigma)",
     "its natural logarithm is normal with mean mu and deviation sigma (pure numbers; the value in SI units)",
     2, 2, 0, log_normal, [](const Arguments& a) { return need(a[1] > 0, "sigma must be positive"); }},
    {"loguniform", "loguniform(low, high)", "its logarithm is uniform", 2, 2, kAll, log_uniform,
     [](const Arguments& a) { return need(a[0] > 0 && a[0] < a[1], "low must be positive and below high"); }},
    {"triangular", "triangular(low, mode, high)", "the density rises from low to mode and falls to high", 3,
     3, kAll, triangular,
     [](const Arguments& a) {
       return need(a[0] <= a[1] && a[1] <= a[2] && a[0] < a[2],
                   "the order must be low ≤ mode ≤ high, with low below high");
     }},
    {"exponential", "exponential(mean)", "exponential with that mean", 1, 1, kAll, exponential,
     [](const Arguments& a) { return need(a[0] > 0, "the mean must be positive"); }},
    {"weibull", "weibull(scale, shape)", "Weibull's distribution; shape is a pure number", 2, 2, 1, weibull,
     [](const Arguments& a) { return need(a[0] > 0 && a[1] > 0, "scale and shape must be positive"); }},
    {"choice", "choice(a, b, ...)", "one of the values, equally likely", 1, kAll, kAll, choice,
     [](const Arguments&) { return std::string(); }},
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

const Known& find_known(const std::string& name) {
  std::vector<std::string> names;
  for (const Known& one : kKnown) {
    if (one.name == name) return one;
    names.emplace_back(one.name);
  }
  throw std::invalid_argument(
      fmt::format("there is no distribution '{}'; {}", name, expressions::choice_advice(name, names)));
}

}  // namespace

double normal_probability(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double normal_quantile(double u) {
  const double q = u - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kA, r) / polynomial(kB, r);
  }
  double r = std::sqrt(-std::log(q < 0 ? u : 1 - u));
  const double x = r <= 5 ? polynomial(kC, r - 1.6) / polynomial(kD, r - 1.6)
                          : polynomial(kE, r - 5) / polynomial(kF, r - 5);
  return q < 0 ? -x : x;
}

double Distribution::quantile(double u) const { return quantile_(arguments_, u); }

double read_quantity(std::string_view text, const std::optional<expressions::Dimension>& unit) {
  const auto parsed = expressions::parse_quantity(trimmed(text));
  if (!parsed)
    throw std::invalid_argument(
        fmt::format("'{}' is not a number; give numbers, in SI units or with a unit (0.3 m)", trimmed(text)));
  if (const auto* wrong = std::get_if<expressions::ExpressionError>(&*parsed))
    throw std::invalid_argument(fmt::format("'{}': {}", trimmed(text), wrong->message));
  const auto& quantity = std::get<expressions::Quantity>(*parsed);
  if (!std::isfinite(quantity.value))
    throw std::invalid_argument(fmt::format("'{}' is not finite; give a finite number", trimmed(text)));
  if (quantity.dimension && unit && !expressions::compatible(*quantity.dimension, *unit))
    throw std::invalid_argument(fmt::format(
        "'{}' is in {}, but the model has this parameter in {}; give it in that unit", trimmed(text),
        expressions::to_string(*quantity.dimension), expressions::to_string(*unit)));
  return quantity.value;
}

Distribution read_distribution(std::string_view text, const std::optional<expressions::Dimension>& unit) {
  text = trimmed(text);
  const std::size_t open = text.find('(');
  const std::string name(trimmed(text.substr(0, open)));
  const Known& known = find_known(name);
  if (open == std::string_view::npos || !text.ends_with(')'))
    throw std::invalid_argument(fmt::format("'{}' lacks its parentheses; write {}", text, known.usage));
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  Distribution made;
  made.text_ = text;
  made.quantile_ = known.quantile;
  const std::optional<expressions::Dimension> pure = expressions::Dimension{};
  while (!trimmed(rest).empty()) {
    const std::size_t comma = rest.find(',');
    const bool of_unit = made.arguments_.size() < known.with_unit;
    made.arguments_.push_back(read_quantity(rest.substr(0, comma), of_unit ? unit : pure));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (made.arguments_.size() < known.least || made.arguments_.size() > known.most)
    throw std::invalid_argument(
        fmt::format("'{}' has {} arguments; write {}", text, made.arguments_.size(), known.usage));
  if (const std::string wrong = known.check(made.arguments_); !wrong.empty())
    throw std::invalid_argument(fmt::format("'{}': {}; write {}", text, wrong, known.usage));
  return made;
}

std::vector<DistributionInfo> distributions() {
  std::vector<DistributionInfo> all;
  for (const Known& one : kKnown) all.push_back({one.usage, one.meaning});
  return all;
}

}  // namespace trammel::sweep
