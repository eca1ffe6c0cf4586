#include "results/report/modes_report.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"
#include "results/report/state_json.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;
using analysis::VibrationMode;

Json mode_json(const Mechanism& mechanism, const VibrationMode& mode) {
  Json shape = Json::object(), quadrature = Json::object();
  for (std::size_t b = 0; b < mode.shape.size(); ++b) {
    Json re = Json::array(), im = Json::array();
    for (const std::complex<double>& x : mode.shape[b]) re.push_back(x.real()), im.push_back(x.imag());
    shape[mechanism.bodies[b].name] = std::move(re);
    quadrature[mechanism.bodies[b].name] = std::move(im);
  }
  return {{"frequency_hz", mode.frequency()},
          {"damping_ratio", mode.damping_ratio()},
          {"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}},
          {"uncertainty", mode.uncertainty},
          {"multiplicity", mode.multiplicity},
          {"free", mode.is_free()},
          {"grows", mode.grows()},
          {"shape", std::move(shape)},
          {"shape_imaginary", std::move(quadrature)}};
}

Json modes_of(const Mechanism& mechanism, const analysis::Vibration& vibration) {
  Json modes = Json::array();
  for (const VibrationMode& mode : vibration.modes) modes.push_back(mode_json(mechanism, mode));
  return modes;
}

Json matrix_json(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (const auto& row : matrix.rowwise()) rows.push_back(std::vector<double>(row.begin(), row.end()));
  return rows;
}

// The body that moves most, and how.
std::string largest_part(const Mechanism& mechanism, const VibrationMode& mode) {
  static constexpr const char* kParts[] = {"x", "y", "z", "about x", "about y", "about z"};
  double most = 0;
  std::string text;
  for (std::size_t b = 0; b < mode.shape.size(); ++b)
    for (int k = 0; k < 6; ++k)
      if (const double size = std::abs(mode.shape[b][k]); size > most * (1 + 1e-6)) {
        most = size;
        text = fmt::format("{}, {}", mechanism.bodies[b].name, kParts[k]);
      }
  return text;
}

std::string mode_kind(const VibrationMode& mode) {
  if (mode.is_free()) return "free motion";
  if (mode.grows()) return mode.eigenvalue.imag() != 0 ? "grows (flutter)" : "grows (divergence)";
  return mode.eigenvalue.imag() != 0 ? "oscillates" : "decays";
}

// What is below the uncertainty is zero to a person.
double shown(double value, const VibrationMode& mode) {
  return std::abs(value) <= mode.uncertainty ? 0 : value;
}
double shown_damping(const VibrationMode& mode) {
  return shown(mode.eigenvalue.real(), mode) == 0 ? 0 : mode.damping_ratio();
}

std::string table(const Mechanism& mechanism, const analysis::Vibration& vibration) {
  std::string text = fmt::format("{:>4} {:>13} {:>12} {:>26}   {:<19} {}\n", "", "frequency Hz", "damping",
                                 "eigenvalue 1/s", "", "largest in");
  for (std::size_t k = 0; k < vibration.modes.size(); ++k) {
    const VibrationMode& mode = vibration.modes[k];
    const std::string value =
        mode.is_free() ? "0"
        : mode.eigenvalue.imag() != 0
            ? fmt::format("{:.6g} ± {:.6g}i", shown(mode.eigenvalue.real(), mode), mode.eigenvalue.imag())
            : fmt::format("{:.6g}", mode.eigenvalue.real());
    text += fmt::format("{:>4} {:>13.6g} {:>12.4g} {:>26}   {:<19} {}\n", k + 1,
                        mode.is_free() ? 0.0 : mode.frequency(), shown_damping(mode), value, mode_kind(mode),
                        largest_part(mechanism, mode));
  }
  return text;
}

constexpr const char* kPageStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:1080px;margin:2rem auto;padding:0 1rem;"
    "background:var(--page);color:var(--ink)}table{border-collapse:collapse;margin:1rem 0}"
    "td,th{padding:.3rem .8rem;text-align:right;border-bottom:1px solid var(--grid)}"
    "td:last-child,th:last-child{text-align:left}svg{max-width:100%;height:auto}";

std::string page_table(const Mechanism& mechanism, const analysis::Vibration& vibration) {
  std::string out =
      "<table><tr><th>mode</th><th>frequency, Hz</th><th>damping ratio</th><th>eigenvalue, 1/s</th>"
      "<th>largest in</th></tr>\n";
  for (std::size_t k = 0; k < vibration.modes.size(); ++k) {
    const VibrationMode& mode = vibration.modes[k];
    out +=
        fmt::format("<tr><td>{}</td><td>{:.6g}</td><td>{:.4g}</td><td>{:.6g} {}</td><td>{}: {}</td></tr>\n",
                    k + 1, mode.frequency(), shown_damping(mode), shown(mode.eigenvalue.real(), mode),
                    mode.eigenvalue.imag() != 0 ? fmt::format("± {:.6g}i", mode.eigenvalue.imag()) : "",
                    mode_kind(mode), escaped(largest_part(mechanism, mode)));
  }
  return out + "</table>\n";
}

// Frequencies over the parameter, and eigenvalues in the complex plane.
std::string varied_plots(const ModesResult& result) {
  Plot campbell{"Frequencies over " + result.parameter, {result.parameter}, {"frequency, Hz"}, {}, {}};
  Plot locus{"Eigenvalues over " + result.parameter, {"real part, 1/s"}, {"imaginary part, rad/s"}, {}, {}};
  PlotCurve frequencies{"modes", {}, true, false, 0, 0}, stable{"decays", {}, true, false, 0, 0},
      unstable{"grows", {}, true, false, 1, 0};
  for (const VariedModes& at : result.varied)
    for (const VibrationMode& mode : at.modes.vibration.modes) {
      const std::string title = fmt::format("{} = {:.6g}: {:.6g} {:+.6g}i 1/s", result.parameter, at.value,
                                            mode.eigenvalue.real(), mode.eigenvalue.imag());
      if (mode.eigenvalue.imag() > 0) frequencies.points.push_back({at.value, mode.frequency(), title});
      (mode.grows() ? unstable : stable)
          .points.push_back({mode.eigenvalue.real(), mode.eigenvalue.imag(), title});
    }
  campbell.curves.push_back(std::move(frequencies));
  locus.curves = {std::move(stable), std::move(unstable)};
  return "<h2>Frequencies over " + escaped(result.parameter) + "</h2>\n" + svg(campbell) +
         "<h2>Eigenvalues over " + escaped(result.parameter) + "</h2>\n" + svg(locus);
}

std::string bode_plots(const ModesResult& result) {
  const analysis::Linearization& linear = result.modes.vibration.linear;
  Plot gain{"Gain of the frequency response", {"frequency, Hz", true}, {"gain", true}, {}, {}};
  Plot phase{"Phase of the frequency response", {"frequency, Hz", true}, {"phase, degrees"}, {}, {}};
  std::size_t style = 0;
  for (Eigen::Index o = 0; o < linear.C.rows(); ++o)
    for (Eigen::Index i = 0; i < linear.B.cols(); ++i, ++style) {
      const std::string name =
          linear.inputs[static_cast<std::size_t>(i)] + " → " + linear.outputs[static_cast<std::size_t>(o)];
      PlotCurve of_gain{name, {}, false, true, style, 0}, of_phase{name, {}, false, true, style, 0};
      double last = 0;
      for (std::size_t k = 0; k < result.omega.size(); ++k) {
        const std::complex<double> G = result.response[k](o, i);
        const double hertz = result.omega[k] / (2 * std::numbers::pi);
        double angle = std::arg(G) * 180 / std::numbers::pi;
        if (k > 0) angle += 360 * std::round((last - angle) / 360);  // without jumps
        last = angle;
        of_gain.points.push_back({hertz, std::abs(G), ""});
        of_phase.points.push_back({hertz, angle, ""});
      }
      gain.curves.push_back(std::move(of_gain));
      phase.curves.push_back(std::move(of_phase));
    }
  return "<h2>Frequency response</h2>\n" + svg(gain) + svg(phase);
}

}  // namespace

Json modes_json(const Mechanism& mechanism, const ModesResult& result) {
  const analysis::Linearization& linear = result.modes.vibration.linear;
  Json out = {{"about", result.modes.about},
              {"not_steady", result.modes.not_steady},
              {"bodies", bodies_json(mechanism, result.modes.poses)},
              {"modes", modes_of(mechanism, result.modes.vibration)},
              {"states", linear.states},
              {"inputs", linear.inputs},
              {"outputs", linear.outputs},
              {"A", matrix_json(linear.A)},
              {"B", matrix_json(linear.B)},
              {"C", matrix_json(linear.C)},
              {"D", matrix_json(linear.D)}};
  if (!result.parameter.empty()) {
    Json varied = Json::array();
    for (const VariedModes& at : result.varied) {
      Json entry = {{"value", at.value}};
      if (at.modes.report.accepted())
        entry["modes"] = modes_of(mechanism, at.modes.vibration);
      else
        entry["error"] = at.modes.report.message;
      varied.push_back(std::move(entry));
    }
    out["parameter"] = result.parameter;
    out["varied"] = std::move(varied);
  }
  if (!result.omega.empty()) {
    Json response = Json::array();
    for (Eigen::Index o = 0; o < linear.C.rows(); ++o)
      for (Eigen::Index i = 0; i < linear.B.cols(); ++i) {
        Json re = Json::array(), im = Json::array();
        for (const Eigen::MatrixXcd& G : result.response)
          re.push_back(G(o, i).real()), im.push_back(G(o, i).imag());
        response.push_back({{"input", linear.inputs[static_cast<std::size_t>(i)]},
                            {"output", linear.outputs[static_cast<std::size_t>(o)]},
                            {"real", std::move(re)},
                            {"imaginary", std::move(im)}});
      }
    std::vector<double> hertz;
    for (const double w : result.omega) hertz.push_back(w / (2 * std::numbers::pi));
    out["frequencies_hz"] = hertz;
    out["response"] = std::move(response);
  }
  return out;
}

std::string modes_text(const Mechanism& mechanism, const ModesResult& result) {
  std::string text = fmt::format("Modes about the {}\n", result.modes.about);
  if (result.modes.not_steady)
    text += "The motion from the start is not steady, so that the modes are those about rest.\n";
  text += result.modes.vibration.modes.empty() ? "The mechanism has no freedom to vibrate.\n"
                                               : table(mechanism, result.modes.vibration);
  for (const VariedModes& at : result.varied) {
    text += fmt::format("\n{} = {:.6g}\n", result.parameter, at.value);
    text += at.modes.report.accepted() ? table(mechanism, at.modes.vibration)
                                       : "  " + at.modes.report.message + "\n";
  }
  return text;
}

std::string modes_page(const Mechanism& mechanism, const ModesResult& result) {
  const std::string title = escaped("Modes of " + mechanism.name);
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  out +=
      "<title>" + title + "</title>\n<style>\n" + plot_style() + kPageStyle + "</style>\n</head>\n<body>\n";
  out += "<h1>" + title + "</h1>\n" + page_table(mechanism, result.modes.vibration);
  if (!result.omega.empty()) out += bode_plots(result);
  if (!result.varied.empty()) out += varied_plots(result);
  return out + "</body>\n</html>\n";
}

}  // namespace trammel::results
