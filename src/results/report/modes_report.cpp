// What 'trammel solve modes' tells: tables, and the shapes that the page swings. Plots: modes_plots.h.
#include <fmt/format.h>

#include <cmath>

#include "model/parameter_units.h"
#include "results/report/analysis_record.h"
#include "results/report/html_page.h"
#include "results/report/modes_plots.h"
#include "results/report/state_json.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

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

Json modes_of(const Mechanism& mechanism, const std::vector<VibrationMode>& all) {
  Json modes = Json::array();
  for (const VibrationMode& mode : all) modes.push_back(mode_json(mechanism, mode));
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

// frequency, damping ratio, eigenvalue, kind, largest part
std::vector<std::string> mode_cells(const Mechanism& mechanism, const VibrationMode& mode) {
  const double real = shown(mode.eigenvalue.real(), mode);
  const std::string value = mode.is_free() ? "0"
                            : mode.eigenvalue.imag() != 0
                                ? fmt::format("{:.6g} ± {:.6g}i", real, mode.eigenvalue.imag())
                                : fmt::format("{:.6g}", mode.eigenvalue.real());
  return {fmt::format("{:.6g}", mode.is_free() ? 0.0 : mode.frequency()),
          fmt::format("{:.4g}", real == 0 ? 0 : mode.damping_ratio()), value, mode_kind(mode),
          largest_part(mechanism, mode)};
}

std::string table(const Mechanism& mechanism, const std::vector<VibrationMode>& modes) {
  std::string text = fmt::format("{:>4} {:>13} {:>12} {:>26}   {:<19} {}\n", "", "frequency Hz", "damping",
                                 "eigenvalue 1/s", "", "largest in");
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const std::vector<std::string> cells = mode_cells(mechanism, modes[k]);
    text += fmt::format("{:>4} {:>13} {:>12} {:>26}   {:<19} {}\n", k + 1, cells[0], cells[1], cells[2],
                        cells[3], cells[4]);
  }
  return text;
}

std::string page_table(const Mechanism& mechanism, const std::vector<VibrationMode>& modes) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    rows.push_back(mode_cells(mechanism, modes[k]));
    rows.back().insert(rows.back().begin(), std::to_string(k + 1));
  }
  return html_table({"mode", "frequency [Hz]", "damping ratio", "eigenvalue [1/s]", "", "largest in"}, rows,
                    {4, 5});
}

// What a person must know of the motion that the modes are about; a line each.
std::string modes_remarks(const Modes& found) {
  std::string text;
  if (found.not_steady)
    text += "The motion from the start is not steady, so that the modes are those about rest.\n";
  if (!found.turning.empty())
    text += fmt::format(
        "Frequencies are those seen in axes that turn with '{}'; in standing axes the motion is not "
        "steady.\n",
        fmt::join(found.turning, "', '"));
  if (found.outputs_turn && (!found.linear.inputs.empty() || !found.linear.outputs.empty()))
    text += "Inputs or outputs turn with a body: B, C and the response hold at this moment only.\n";
  return text;
}

std::string modes_text(const Mechanism& mechanism, const Modes& found) {
  std::string text = found.modes.empty() ? "The mechanism has no freedom to vibrate.\n"
                                         : fmt::format("Modes about the {}\n", found.about) +
                                               modes_remarks(found) + table(mechanism, found.modes);
  if (!found.frequencies.empty()) text += response_text(found);
  const std::string unit = model::parameter_unit(mechanism, found.parameter);
  for (const Modes::Varied& at : found.varied) {
    text += fmt::format("\n{} = {:.6g}{}{}\n", found.parameter, at.value, unit.empty() ? "" : " ", unit);
    text += at.report.accepted() ? table(mechanism, at.modes) : "  " + at.report.message + "\n";
  }
  return text;
}

// What the page swings: where bodies rest, and the shape of each mode.
Json swinging(const Mechanism& mechanism, const Modes& found) {
  Json rest = Json::array(), modes = Json::array();
  const Json bodies = bodies_json(mechanism, found.poses);
  for (const Body& body : mechanism.bodies) rest.push_back(bodies[body.name]);
  for (std::size_t k = 0; k < found.modes.size(); ++k) {
    const VibrationMode& mode = found.modes[k];
    Json re = Json::array(), im = Json::array();
    for (const auto& body : mode.shape)
      for (const std::complex<double>& x : body) re.push_back(x.real()), im.push_back(x.imag());
    const std::vector<std::string> cells = mode_cells(mechanism, mode);
    modes.push_back(
        {{"label", fmt::format("{}: {}{}", k + 1, cells[3],
                               mode.eigenvalue.imag() != 0 ? fmt::format(", {} Hz", cells[0]) : "")},
         {"oscillates", mode.eigenvalue.imag() != 0},
         {"real", std::move(re)},
         {"imaginary", std::move(im)}});
  }
  return {{"rest", std::move(rest)}, {"size", found.size}, {"modes", std::move(modes)}};
}

Trajectory modes_table(const Mechanism& mechanism, const std::vector<VibrationMode>& modes) {
  Trajectory out;
  out.channels = {{"", "mode", "", "", "mode"},
                  {"modes", "frequency", "", "Hz", "frequency"},
                  {"modes", "damping_ratio", "", "", "damping_ratio"},
                  {"modes", "eigenvalue", "real", "1/s", "eigenvalue.real"},
                  {"modes", "eigenvalue", "imaginary", "1/s", "eigenvalue.imaginary"},
                  {"modes", "uncertainty", "", "1/s", "uncertainty"},
                  {"modes", "multiplicity", "", "", "multiplicity"}};
  static constexpr const char* kParts[] = {"x", "y", "z", "about_x", "about_y", "about_z"};
  for (const Body& body : mechanism.bodies)
    for (const char* part : {"shape", "shape_imaginary"})
      for (int k = 0; k < 6; ++k)
        out.channels.push_back({"bodies/" + body.name, part, kParts[k], k < 3 ? "m" : "rad",
                                fmt::format("{}.{}.{}", body.name, part, kParts[k])});
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const VibrationMode& mode = modes[m];
    out.values.insert(out.values.end(), {static_cast<double>(m + 1), mode.frequency(), mode.damping_ratio(),
                                         mode.eigenvalue.real(), mode.eigenvalue.imag(), mode.uncertainty,
                                         static_cast<double>(mode.multiplicity)});
    for (const auto& body : mode.shape) {
      for (const std::complex<double>& x : body) out.values.push_back(x.real());
      for (const std::complex<double>& x : body) out.values.push_back(x.imag());
    }
  }
  return out;
}

Trajectory varied_table(const Modes& found, const std::string& unit) {
  Trajectory out;
  out.channels = {{"parameters", found.parameter, "", unit, found.parameter},
                  {"modes", "mode", "", "", "mode"},
                  {"modes", "frequency", "", "Hz", "frequency"},
                  {"modes", "damping_ratio", "", "", "damping_ratio"},
                  {"modes", "eigenvalue", "real", "1/s", "eigenvalue.real"},
                  {"modes", "eigenvalue", "imaginary", "1/s", "eigenvalue.imaginary"}};
  for (const Modes::Varied& at : found.varied)
    for (std::size_t m = 0; m < at.modes.size(); ++m)
      out.values.insert(out.values.end(), {at.value, static_cast<double>(m + 1), at.modes[m].frequency(),
                                           at.modes[m].damping_ratio(), at.modes[m].eigenvalue.real(),
                                           at.modes[m].eigenvalue.imag()});
  return out;
}

Json response_json(const Modes& found) {
  Json response = Json::array();
  for (Eigen::Index o = 0; o < found.linear.C.rows(); ++o)
    for (Eigen::Index i = 0; i < found.linear.B.cols(); ++i) {
      Json re = Json::array(), im = Json::array();
      for (const Eigen::MatrixXcd& G : found.response)
        re.push_back(G(o, i).real()), im.push_back(G(o, i).imag());
      response.push_back({{"input", found.linear.inputs[static_cast<std::size_t>(i)]},
                          {"output", found.linear.outputs[static_cast<std::size_t>(o)]},
                          {"real", std::move(re)},
                          {"imaginary", std::move(im)}});
    }
  return response;
}

Json varied_json(const Mechanism& mechanism, const Modes& found) {
  Json varied = Json::array();
  for (const Modes::Varied& at : found.varied) {
    Json entry = {{"value", at.value}};
    if (at.report.accepted())
      entry["modes"] = modes_of(mechanism, at.modes);
    else
      entry["error"] = at.report.message;
    varied.push_back(std::move(entry));
  }
  return varied;
}

}  // namespace

AnalysisRecord record_of(const Mechanism& mechanism, const Modes& found) {
  AnalysisRecord record;
  const StateSpace& linear = found.linear;
  record.beside.analysis = "modes";
  record.title = "Modes of " + mechanism.name;
  record.text = modes_text(mechanism, found);
  record.summary = {{"about", found.about},      {"not_steady", found.not_steady},
                    {"turning", found.turning},  {"outputs_turn", found.outputs_turn},
                    {"states", linear.states},   {"inputs", linear.inputs},
                    {"outputs", linear.outputs}, {"bodies", bodies_json(mechanism, found.poses)}};
  record.tables = {{"modes", modes_of(mechanism, found.modes)},
                   {"A", matrix_json(linear.A)},
                   {"B", matrix_json(linear.B)},
                   {"C", matrix_json(linear.C)},
                   {"D", matrix_json(linear.D)}};
  record.table = modes_table(mechanism, found.modes);
  record.beside.matrices = {{"A", linear.A, linear.states, linear.states},
                            {"B", linear.B, linear.states, linear.inputs},
                            {"C", linear.C, linear.outputs, linear.states},
                            {"D", linear.D, linear.outputs, linear.inputs}};
  record.figures = {
      {"About", "the " + found.about, found.not_steady ? "the motion from the start is not steady" : ""}};
  for (std::size_t k = 0; k < found.modes.size() && record.figures.size() < 6; ++k) {
    const std::vector<std::string> cells = mode_cells(mechanism, found.modes[k]);
    if (found.modes[k].eigenvalue.imag() != 0)
      record.figures.push_back({fmt::format("Mode {}: {}", k + 1, cells[3]), cells[0] + " Hz",
                                fmt::format("damping ratio {}; largest in {}", cells[1], cells[4])});
  }
  record.plots =
      "<h2>Modes</h2>\n" + html_paragraphs(modes_remarks(found)) + page_table(mechanism, found.modes);
  record.modes = swinging(mechanism, found);
  if (!found.parameter.empty()) {
    record.tables["parameter"] = found.parameter;
    record.tables["varied"] = varied_json(mechanism, found);
    const std::string unit = model::parameter_unit(mechanism, found.parameter);
    record.beside.tables.push_back({"varied", varied_table(found, unit)});
    record.details += varied_plots(found, unit);
  }
  if (!found.frequencies.empty()) {
    record.tables["frequencies_hz"] = found.frequencies;
    record.tables["response"] = response_json(found);
    record.beside.tables.push_back({"response", response_table(found)});
    record.details += bode_plots(found);
  }
  return record;
}

}  // namespace trammel::results
