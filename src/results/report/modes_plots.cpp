#include "results/report/modes_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"

namespace trammel::results {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

// One input and one output.
struct Pair {
  Eigen::Index output, input;
  std::string name;  // "F → x"
};

std::vector<Pair> pairs_of(const StateSpace& linear) {
  std::vector<Pair> pairs;
  for (Eigen::Index o = 0; o < linear.C.rows(); ++o)
    for (Eigen::Index i = 0; i < linear.B.cols(); ++i)
      pairs.push_back(
          {o, i,
           linear.inputs[static_cast<std::size_t>(i)] + " → " + linear.outputs[static_cast<std::size_t>(o)]});
  return pairs;
}

// Phases in degrees, without jumps from one frequency to the next.
std::vector<double> phases(const Modes& found, const Pair& pair) {
  std::vector<double> all;
  for (const Eigen::MatrixXcd& G : found.response) {
    const double angle = std::arg(G(pair.output, pair.input)) * kDegrees;
    all.push_back(all.empty() ? angle : angle + 360 * std::round((all.back() - angle) / 360));
  }
  return all;
}

// The largest gain between two frequencies, by golden section on the logarithmic scale.
double peak_between(const StateSpace& linear, const Pair& pair, double low, double high) {
  constexpr double kGolden = 0.6180339887498949;
  constexpr int kNarrowings = 60;
  const auto gain = [&](double hertz) {
    return std::abs(frequency_response(linear, {hertz}).front()(pair.output, pair.input));
  };
  double a = std::log(low), b = std::log(high);
  for (int k = 0; k < kNarrowings; ++k) {
    const double c = b - kGolden * (b - a), d = a + kGolden * (b - a);
    (gain(std::exp(c)) > gain(std::exp(d)) ? b : a) = gain(std::exp(c)) > gain(std::exp(d)) ? d : c;
  }
  return std::exp((a + b) / 2);
}

// Frequencies in Hz on which resonances are searched, independent of those of the curve: evenly on the
// logarithmic scale, and around each oscillating mode at parts of its half-width |Re λ|.
std::vector<double> search_frequencies(const Modes& found) {
  constexpr int kEvenly = 201;
  // Of the frequency: the half-width of modes without damping.
  constexpr double kNarrowest = 1e-4;
  const double low = found.frequencies.front(), high = found.frequencies.back();
  std::vector<double> all = frequency_range(low, high, kEvenly);
  for (const VibrationMode& mode : found.modes) {
    const double width =
        std::max(std::abs(mode.eigenvalue.real()) / (2 * std::numbers::pi), kNarrowest * mode.frequency());
    for (const double part : {-4.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 4.0})
      if (const double f = mode.frequency() + part * width; mode.frequency() > 0 && f > low && f < high)
        all.push_back(f);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Where the gain is largest, of those frequencies at which it was searched.
std::vector<double> resonances(const Modes& found, const Pair& pair, const std::vector<double>& f,
                               const std::vector<Eigen::MatrixXcd>& response) {
  // A gain that does not depend on the frequency has peaks of rounding.
  constexpr double kFlat = 1e-9;
  const auto gain = [&](std::size_t k) { return std::abs(response[k](pair.output, pair.input)); };
  std::vector<double> peaks;
  for (std::size_t k = 1; k + 1 < f.size(); ++k)
    if (gain(k) > gain(k - 1) && gain(k) >= gain(k + 1) &&
        gain(k) > (1 + kFlat) * std::min(gain(k - 1), gain(k + 1)))
      peaks.push_back(peak_between(found.linear, pair, f[k - 1], f[k + 1]));
  return peaks;
}

// One mode over the parameter: its values there. Those that oscillate and those that do not are different
// ones.
struct ModePath {
  std::size_t number = 0;  // in the table of the first value at which it is there
  std::vector<std::pair<double, const VibrationMode*>> values;
};

// As the table of modes has it; where two begin with the same number, with the value at which it does.
std::string name_of(const ModePath& path, const Modes& found) {
  const double first = path.values.front().first;
  return first == found.varied.front().value
             ? fmt::format("mode {}", path.number)
             : fmt::format("mode {} at {} = {:.4g}", path.number, found.parameter, first);
}

// Modes at one value continue those at the value before whose eigenvalues are nearest, the nearest pairs
// first.
std::vector<ModePath> mode_paths(const Modes& found) {
  std::vector<ModePath> paths;
  std::vector<std::size_t> open;  // paths that came to the value before
  for (const Modes::Varied& at : found.varied) {
    struct Step {
      double way;
      std::size_t path, mode;
    };
    std::vector<Step> steps;
    for (const std::size_t p : open)
      for (std::size_t k = 0; k < at.modes.size(); ++k) {
        const std::complex<double> from = paths[p].values.back().second->eigenvalue,
                                   to = at.modes[k].eigenvalue;
        if ((from.imag() > 0) == (to.imag() > 0)) steps.push_back({std::abs(to - from), p, k});
      }
    std::ranges::sort(steps, {}, &Step::way);
    std::vector<std::size_t> next, of(at.modes.size(), paths.size());
    for (const Step& step : steps) {
      if (of[step.mode] < paths.size() || std::ranges::count(next, step.path) > 0) continue;
      of[step.mode] = step.path;
      next.push_back(step.path);
    }
    for (std::size_t k = 0; k < at.modes.size(); ++k) {
      if (of[k] >= paths.size()) {
        of[k] = paths.size();
        next.push_back(paths.size());
        paths.push_back({k + 1, {}});
        for (std::size_t l = k + 1; l < of.size(); ++l)
          if (of[l] == of[k]) of[l] = paths.size();
      }
      paths[of[k]].values.emplace_back(at.value, &at.modes[k]);
    }
    open = std::move(next);
  }
  return paths;
}

}  // namespace

std::string response_text(const Modes& found) {
  const std::vector<double>& f = found.frequencies;
  std::string text = fmt::format("\nFrequency response from {:.6g} to {:.6g} Hz\n", f.front(), f.back());
  text += fmt::format("{:<28} {:>14} {:>14} {:>14} {:>12}\n", "input → output", "", "frequency Hz", "gain",
                      "phase deg");
  const std::vector<double> searched = search_frequencies(found);
  const std::vector<Eigen::MatrixXcd> response = frequency_response(found.linear, searched);
  for (const Pair& pair : pairs_of(found.linear)) {
    const auto line = [&](const char* what, double hertz) {
      const std::complex<double> G =
          frequency_response(found.linear, {hertz}).front()(pair.output, pair.input);
      text += fmt::format("{:<28} {:>14} {:>14.6g} {:>14.6g} {:>12.4g}\n", pair.name, what, hertz,
                          std::abs(G), std::arg(G) * kDegrees);
    };
    line("lowest", f.front());
    for (const double peak : resonances(found, pair, searched, response)) line("resonance", peak);
    line("highest", f.back());
  }
  return text;
}

Trajectory response_table(const Modes& found) {
  Trajectory table;
  table.channels = {{"", "frequency", "", "Hz", "frequency"}};
  const std::vector<Pair> pairs = pairs_of(found.linear);
  std::vector<std::vector<double>> angles;
  for (const Pair& pair : pairs) {
    angles.push_back(phases(found, pair));
    for (const auto& [part, unit] : {std::pair{"real", ""}, std::pair{"imaginary", ""}, std::pair{"gain", ""},
                                     std::pair{"phase", "deg"}})
      table.channels.push_back({"responses/" + pair.name, part, "", unit, pair.name + "." + part});
  }
  for (std::size_t k = 0; k < found.frequencies.size(); ++k) {
    table.values.push_back(found.frequencies[k]);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const std::complex<double> G = found.response[k](pairs[p].output, pairs[p].input);
      table.values.insert(table.values.end(), {G.real(), G.imag(), std::abs(G), angles[p][k]});
    }
  }
  return table;
}

std::string bode_plots(const Modes& found) {
  Plot gain{"Gain of the frequency response",
            {"frequency [Hz]", true},
            {"gain [unit of the output / unit of the input]", true},
            {},
            {}};
  Plot phase{
      "Phase of the frequency response", {"frequency [Hz]", true}, {"phase [degrees]", false, true}, {}, {}};
  std::size_t style = 0;
  for (const Pair& pair : pairs_of(found.linear)) {
    PlotCurve of_gain{pair.name, {}, false, true, style, style / 8};
    PlotCurve of_phase{pair.name, {}, false, true, style, style / 8};
    const std::vector<double> angles = phases(found, pair);
    for (std::size_t k = 0; k < found.frequencies.size(); ++k) {
      of_gain.points.push_back(
          {found.frequencies[k], std::abs(found.response[k](pair.output, pair.input)), ""});
      of_phase.points.push_back({found.frequencies[k], angles[k], ""});
    }
    gain.curves.push_back(std::move(of_gain));
    phase.curves.push_back(std::move(of_phase));
    ++style;
  }
  return "<h2>Frequency response</h2>\n" + svg(gain) + svg(phase);
}

std::string varied_plots(const Modes& found, const std::string& unit) {
  const std::string parameter =
      unit.empty() ? found.parameter : fmt::format("{} [{}]", found.parameter, unit);
  Plot campbell{"Frequencies over " + found.parameter, {parameter}, {"frequency [Hz]"}, {}, {}};
  Plot locus{"Eigenvalues over " + found.parameter, {"real part [1/s]"}, {"imaginary part [rad/s]"}, {}, {}};
  Plot growth{"Real parts of eigenvalues over " + found.parameter,
              {parameter},
              {"real part [1/s]"},
              {},
              {{0, "above: unstable"}}};
  PlotCurve stable{"decays", {}, true, false, 0, 0}, unstable{"grows", {}, true, false, 1, 0},
      steady{"neither grows nor decays", {}, true, false, 3, 0};
  constexpr std::size_t kDoesNotOscillate = 7, kDashed = 1;
  bool named = false;
  std::size_t style = 0;
  for (const ModePath& path : mode_paths(found)) {
    PlotCurve frequencies{name_of(path, found), {}, true, true, style % 8, style / 8 % 4};
    PlotCurve way{"", {}, false, true, 2, 0}, rates = frequencies;
    for (const auto& [value, mode] : path.values) {
      const std::string title = fmt::format("{} = {:.6g}: {:.6g} {:+.6g}i 1/s", found.parameter, value,
                                            mode->eigenvalue.real(), mode->eigenvalue.imag());
      frequencies.points.push_back({value, mode->frequency(), title});
      rates.points.push_back({value, mode->eigenvalue.real(), title});
      way.points.push_back({mode->eigenvalue.real(), mode->eigenvalue.imag(), ""});
      const bool decays = mode->eigenvalue.real() < -mode->uncertainty;
      (mode->grows() ? unstable
       : decays      ? stable
                     : steady)
          .points.push_back({mode->eigenvalue.real(), mode->eigenvalue.imag(), title});
    }
    locus.curves.push_back(std::move(way));
    const VibrationMode& first = *path.values.front().second;
    const bool oscillates = first.eigenvalue.imag() > 0, is_free = first.is_free();
    if (!oscillates && !is_free) {
      rates.name = std::exchange(named, true) ? "" : "does not oscillate";
      rates.style = kDoesNotOscillate;
      rates.dashes = kDashed;
      rates.has_markers = false;
    }
    if (!is_free) growth.curves.push_back(std::move(rates));
    if (!oscillates) continue;
    campbell.curves.push_back(std::move(frequencies));
    ++style;
  }
  for (PlotCurve* curve : {&stable, &unstable, &steady})
    if (!curve->points.empty()) locus.curves.push_back(std::move(*curve));
  return "<h2>Frequencies over " + escaped(found.parameter) + "</h2>\n" + svg(campbell) +
         "<h2>Real parts of eigenvalues over " + escaped(found.parameter) + "</h2>\n" + svg(growth) +
         "<h2>Eigenvalues over " + escaped(found.parameter) + "</h2>\n" + svg(locus);
}

}  // namespace trammel::results
