#include "sweep/reductions.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace trammel::sweep {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Where a series has no value in a row its time is NaN too: such rows were left out before.
double extreme(Series series, double (*measure)(double)) {
  double best = kNone;
  for (const double x : series.x)
    if (std::isnan(best) || measure(x) > measure(best)) best = x;
  return best;
}

double integral_of(Series series, double (*f)(double, double)) {
  double sum = 0;
  for (std::size_t k = 1; k < series.t.size(); ++k)
    sum += (series.t[k] - series.t[k - 1]) * f(series.x[k - 1], series.x[k]);
  return sum;
}

double duration(Series series) { return series.t.empty() ? 0 : series.t.back() - series.t.front(); }

double trapezoid(double a, double b) { return (a + b) / 2; }
// Of the square of a straight line.
double square(double a, double b) { return (a * a + a * b + b * b) / 3; }

double peak(Series s, std::span<const double>) {
  return std::abs(extreme(s, [](double x) { return std::abs(x); }));
}
double largest(Series s, std::span<const double>) {
  return extreme(s, [](double x) { return x; });
}
double least(Series s, std::span<const double>) {
  return extreme(s, [](double x) { return -x; });
}
double peak_time(Series s, std::span<const double>) {
  const double value = extreme(s, [](double x) { return std::abs(x); });
  for (std::size_t k = 0; k < s.x.size(); ++k)
    if (s.x[k] == value) return s.t[k];
  return kNone;
}
double mean(Series s, std::span<const double>) {
  if (s.t.empty()) return kNone;
  return duration(s) > 0 ? integral_of(s, trapezoid) / duration(s) : s.x.back();
}
double rms(Series s, std::span<const double>) {
  if (s.t.empty()) return kNone;
  return duration(s) > 0 ? std::sqrt(integral_of(s, square) / duration(s)) : std::abs(s.x.back());
}
double integral(Series s, std::span<const double>) { return s.t.empty() ? kNone : integral_of(s, trapezoid); }
double final_value(Series s, std::span<const double>) { return s.t.empty() ? kNone : s.x.back(); }
double at(Series s, std::span<const double> arguments) { return value_at(s, arguments[0]); }

void curve(Series s, std::span<const double> points, std::span<double> out) {
  for (std::size_t k = 0; k < points.size(); ++k) out[k] = value_at(s, points[k]);
}
void spectrum(Series s, std::span<const double> points, std::span<double> out) {
  for (std::size_t k = 0; k < points.size(); ++k) out[k] = amplitude(s, points[k]);
}

constexpr Reducer kReducers[] = {
    {"peak", "peak(x)", "largest |x|", 1, 1, true, "", peak},
    {"max", "max(x)", "largest x", 1, 1, true, "", largest},
    {"min", "min(x)", "least x", 1, 1, true, "", least},
    {"mean", "mean(x)", "mean over time", 1, 1, true, "", mean},
    {"rms", "rms(x)", "root of the mean square over time", 1, 1, true, "", rms},
    {"integral", "integral(x)", "∫x dt", 1, 1, false, "", integral},
    {"final", "final(x)", "x in the last row", 1, 1, true, "", final_value},
    {"at", "at(x, time)", "x at that time; missing if the run ended before", 2, 2, true, "", at},
    {"peak_time", "peak_time(x)", "time of the largest |x|", 1, 1, false, "s", peak_time},
    {"first_time", "first_time(condition)",
     "first time at which the condition holds; missing if it never does", 1, 1, false, "s", nullptr},
    {"curve", "curve(x) or curve(x, from, to, count)",
     "x at every output time, or at so many times from one to another", 1, 4, true, "", nullptr, curve},
    {"spectrum", "spectrum(x, from, to, count)",
     "amplitude of x at so many frequencies in Hz, with Hann's window and without the mean", 4, 4, true, "",
     nullptr, spectrum},
};

}  // namespace

std::span<const Reducer> reducers() { return kReducers; }

const Reducer* find_reducer(std::string_view name) {
  const auto* found = std::ranges::find(kReducers, name, &Reducer::name);
  return found == std::end(kReducers) ? nullptr : found;
}

double value_at(Series series, double t) {
  if (series.t.empty() || !(t >= series.t.front()) || t > series.t.back()) return kNone;
  const auto next = static_cast<std::size_t>(std::ranges::lower_bound(series.t, t) - series.t.begin());
  if (series.t[next] == t) return series.x[next];
  const double t0 = series.t[next - 1], t1 = series.t[next], part = (t - t0) / (t1 - t0);
  return series.x[next - 1] + part * (series.x[next] - series.x[next - 1]);
}

double first_passage(Series difference, bool strict) {
  const auto holds = [strict](double d) { return strict ? d > 0 : d >= 0; };
  for (std::size_t k = 0; k < difference.t.size(); ++k) {
    const double d = difference.x[k];
    if (!holds(d)) continue;
    if (k == 0) return difference.t[0];
    const double before = difference.x[k - 1], step = difference.t[k] - difference.t[k - 1];
    return difference.t[k - 1] + step * (before / (before - d));
  }
  return kNone;
}

double first_row(Series condition) {
  for (std::size_t k = 0; k < condition.t.size(); ++k)
    if (condition.x[k] != 0) return condition.t[k];
  return kNone;
}

double amplitude(Series series, double frequency) {
  const double span = duration(series);
  if (series.t.size() < 2 || frequency < 0) return kNone;
  const double average = mean(series, {});
  if (frequency == 0) return std::abs(average);
  double widest = 0;
  for (std::size_t k = 1; k < series.t.size(); ++k) widest = std::max(widest, series.t[k] - series.t[k - 1]);
  if (frequency > 0.5 / widest * (1 + 1e-9)) return kNone;
  std::complex<double> sum = 0, before = 0;
  double window_sum = 0, window_before = 0;
  for (std::size_t k = 0; k < series.t.size(); ++k) {
    const double t = series.t[k] - series.t.front(), pi = std::numbers::pi;
    const double window = 0.5 - 0.5 * std::cos(2 * pi * t / span);
    const std::complex<double> value =
        window * (series.x[k] - average) * std::polar(1.0, -2 * pi * frequency * t);
    if (k > 0) {
      const double step = series.t[k] - series.t[k - 1];
      sum += step * (value + before) / 2.0;
      window_sum += step * (window + window_before) / 2;
    }
    before = value, window_before = window;
  }
  return 2 * std::abs(sum) / window_sum;
}

}  // namespace trammel::sweep
