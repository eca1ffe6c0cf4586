// `trammel describe methods`: the table of methods, simulation/method_table.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "describe.h"
#include "simulation/method_table.h"

namespace trammel::app {
namespace {

const char* form_text(simulation::Form form) {
  switch (form) {
    case simulation::Form::residual:
      return "residual";
    case simulation::Form::ode:
      return "ODE";
    case simulation::Form::own_rule:
      return "its own rule";
  }
  return "";
}

std::string form_text(const simulation::IntegratorEntry& one) {
  return one.residual && one.ode ? "residual, ODE" : one.residual ? "residual" : "ODE";
}

std::string joined(const std::vector<const char*>& words, const char* quote) {
  std::vector<std::string> quoted;
  for (const char* word : words) quoted.push_back(quote + std::string(word) + quote);
  return fmt::format("{}", fmt::join(quoted, ", "));
}

std::string joined(const std::vector<simulation::ReadOption>& options, const char* quote) {
  std::vector<const char*> keys;
  for (const simulation::ReadOption& one : options) keys.push_back(one.key);
  return joined(keys, quote);
}

std::string coordinates_text(const simulation::FormulationEntry& one, const char* quote) {
  if (one.coordinates.size() == simulation::coordinates_table().size()) return "all";
  std::vector<const char*> names;
  for (const CoordinatesKind kind : one.coordinates) names.push_back(name_of(kind));
  return joined(names, quote);
}

const char* control_text(const simulation::FormulationEntry& one) {
  return one.form == simulation::Form::residual ? "with a tolerance"
         : one.form == simulation::Form::ode    ? "by the integrator"
         : one.controls_error                   ? "yes"
                                                : "no";
}

void line(std::string& out, const char* label, const std::string& text) {
  if (!text.empty()) out += fmt::format("  {:<28}  {}: {}\n", "", label, text);
}

const char* availability(bool available) {
  return available ? "" : "not in this build, which has no SUNDIALS";
}

}  // namespace

std::string methods_text() {
  std::string out = "coordinates\n";
  for (const simulation::CoordinatesEntry& one : simulation::coordinates_table()) {
    out += fmt::format("  {:<28}{}\n", one.name(), one.meaning);
    line(out, "reads", joined(one.options, ""));
  }
  out += "\nformulations\n";
  for (const simulation::FormulationEntry& one : simulation::formulation_table()) {
    out += fmt::format("  {:<28}{}\n", one.name(), one.meaning);
    line(out, "form", form_text(one.form));
    line(out, "controls its error", control_text(one));
    line(out, "coordinates", coordinates_text(one, ""));
    line(out, "reads", joined(one.options, ""));
    line(out, "available", availability(one.available));
  }
  out += "\nintegrators\n";
  for (const simulation::IntegratorEntry& one : simulation::integrator_table()) {
    out += fmt::format("  {:<28}{}\n", one.name(), one.meaning);
    line(out, "steps", form_text(one));
    line(out, "controls its error", one.controls_error ? "yes" : one.residual ? "with a tolerance" : "no");
    line(out, "reads", joined(one.options, ""));
    line(out, "available", availability(one.available));
  }
  out += "\nlinear solvers\n";
  for (const simulation::SolverEntry& one : simulation::solver_table())
    out += fmt::format("  {:<28}{}\n", one.name(), one.meaning);
  return out;
}

std::string methods_markdown() {
  std::string out = "| `coordinates:` | | reads |\n| --- | --- | --- |\n";
  for (const simulation::CoordinatesEntry& one : simulation::coordinates_table())
    out += fmt::format("| `{}` | {} | {} |\n", one.name(), one.meaning, joined(one.options, "`"));
  out +=
      "\n| `formulation:` | | form | controls its error | coordinates | reads |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const simulation::FormulationEntry& one : simulation::formulation_table())
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", one.name(), one.meaning, form_text(one.form),
                       control_text(one), coordinates_text(one, "`"), joined(one.options, "`"));
  out += "\n| `integrator:` | | steps | controls its error | reads |\n| --- | --- | --- | --- | --- |\n";
  for (const simulation::IntegratorEntry& one : simulation::integrator_table())
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", one.name(), one.meaning, form_text(one),
                       one.controls_error ? "yes"
                       : one.residual     ? "with a tolerance"
                                          : "no",
                       joined(one.options, "`"));
  out += "\n| `solver:` | |\n| --- | --- |\n";
  for (const simulation::SolverEntry& one : simulation::solver_table())
    out += fmt::format("| `{}` | {} |\n", one.name(), one.meaning);
  return out;
}

}  // namespace trammel::app
