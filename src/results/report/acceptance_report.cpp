#include "results/report/acceptance_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "simulation/plan_check.h"

namespace trammel::results {
namespace {

using Cells = std::vector<const analysis::Acceptance*>;

// Those of one kind of coordinates and, if it is given, of one formulation.
Cells cells_of(const Accepted& subject, const std::string& coordinates, const std::string& formulation = "") {
  Cells found;
  for (const analysis::Acceptance& cell : subject.cells)
    if (cell.coordinates == coordinates && (formulation.empty() || cell.formulation == formulation))
      found.push_back(&cell);
  return found;
}

bool any_accepted(const Cells& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const analysis::Acceptance* c) { return c->accepted(); });
}

// Why the mechanism runs by none of them, if that is one and the same for all that fit each other.
std::optional<std::string> common_reason(const Cells& cells) {
  std::optional<std::string> reason;
  for (const analysis::Acceptance* cell : cells) {
    if (cell->misfits) continue;
    if (cell->accepted() || (reason && *reason != cell->reason)) return std::nullopt;
    reason = cell->reason;
  }
  return reason;
}

// A reason with the name that it begins with, or has in it, replaced: the same words for all that share it.
std::string without(std::string reason, const std::string& name, const std::string& instead) {
  const std::size_t at = reason.find(name);
  if (at != std::string::npos) reason.replace(at, name.size(), instead);
  return reason;
}

std::string rule_name(const analysis::Acceptance& cell) {
  return simulation::is_own_rule(cell.formulation) ? "itself" : cell.integrator;
}

// What rules one formulation takes, and what the mechanism refuses.
std::string formulation_text(const std::string& formulation, const Cells& cells) {
  const auto line = [&](const std::string& words) { return fmt::format("  {:<30}{}\n", formulation, words); };
  if (const auto reason = common_reason(cells)) return line("refused: " + *reason);
  std::vector<std::string> accepted;
  std::string refused;
  for (const analysis::Acceptance* cell : cells) {
    if (cell->accepted())
      accepted.push_back(rule_name(*cell));
    else if (!cell->misfits)
      refused += line(fmt::format("not {}: {}", cell->integrator, cell->reason));
  }
  return accepted.empty() && refused.empty() ? line("refused: " + cells.front()->reason)
                                             : line(fmt::format("{}", fmt::join(accepted, ", "))) + refused;
}

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

// Rules that do not go with formulations, whatever the mechanism, with each reason once.
std::string misfits_text(const std::vector<Accepted>& subjects) {
  struct Misfit {
    std::string reason;
    std::vector<std::string> formulations, rules;
  };
  std::vector<Misfit> misfits;
  for (const Accepted& subject : subjects)
    for (const analysis::Acceptance& cell : subject.cells) {
      if (!cell.misfits || simulation::is_own_rule(cell.formulation)) continue;
      const std::string reason =
          without(without(cell.reason, cell.integrator, "this rule"), cell.formulation, "this formulation");
      auto found =
          std::find_if(misfits.begin(), misfits.end(), [&](const Misfit& m) { return m.reason == reason; });
      if (found == misfits.end()) found = misfits.insert(found, {reason, {}, {}});
      add_once(found->formulations, cell.formulation);
      add_once(found->rules, cell.integrator);
    }
  std::string text;
  for (const Misfit& m : misfits)
    text +=
        fmt::format("{}: not {}: {}\n", fmt::join(m.formulations, ", "), fmt::join(m.rules, ", "), m.reason);
  return text.empty() ? "" : "\nWhatever the mechanism\n" + text;
}

// The mechanism's, if it has one, else that of the plan.
const std::string& reason_of(const Cells& cells) {
  const auto fits =
      std::find_if(cells.begin(), cells.end(), [](const analysis::Acceptance* c) { return !c->misfits; });
  return (fits == cells.end() ? cells.front() : *fits)->reason;
}

// Numbers reasons in the order in which they are met.
class Notes {
 public:
  std::string mark(const std::string& reason) {
    const auto found = std::find(reasons_.begin(), reasons_.end(), reason);
    const auto number = found - reasons_.begin() + 1;
    if (found == reasons_.end()) reasons_.push_back(reason);
    return fmt::format("[{}]", number);
  }
  std::string list() const {
    std::string text;
    for (std::size_t i = 0; i < reasons_.size(); ++i) text += fmt::format("{}. {}\n", i + 1, reasons_[i]);
    return text;
  }

 private:
  std::vector<std::string> reasons_;
};

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string head(const std::vector<std::string>& cells) {
  return row(cells) + row(std::vector<std::string>(cells.size(), "---"));
}

// Whether a formulation takes a rule wherever it runs at all: yes, never (empty), or not everywhere, with
// why.
std::string pair_cell(const std::vector<Accepted>& subjects, const std::string& formulation,
                      const std::string& integrator, Notes& notes) {
  bool taken = false;
  std::string reason;
  for (const Accepted& subject : subjects)
    for (const std::string& coordinates : simulation::known_coordinates()) {
      const Cells cells = cells_of(subject, coordinates, formulation);
      if (!any_accepted(cells)) continue;
      for (const analysis::Acceptance* cell : cells) {
        if (cell->integrator != integrator) continue;
        taken = taken || cell->accepted();
        if (!cell->accepted() && reason.empty()) reason = cell->reason;
      }
    }
  if (taken && !reason.empty()) return "yes, but " + notes.mark(reason);
  return taken ? "yes" : "";
}

std::string integrator_table(const std::vector<Accepted>& subjects, Notes& notes) {
  std::vector<std::string> columns{"integrator"}, own;
  for (const std::string& formulation : simulation::known_formulations())
    (simulation::is_own_rule(formulation) ? own : columns).push_back("`" + formulation + "`");
  std::string text = head(columns);
  for (const std::string& integrator : simulation::known_integrators()) {
    std::vector<std::string> cells{"`" + integrator + "`"};
    for (const std::string& formulation : simulation::known_formulations())
      if (!simulation::is_own_rule(formulation))
        cells.push_back(pair_cell(subjects, formulation, integrator, notes));
    text += row(cells);
  }
  return text + fmt::format("\n{} bring their own.\n", fmt::join(own, ", "));
}

std::string coordinates_table(const std::vector<Accepted>& subjects, const std::string& coordinates,
                              Notes& notes) {
  std::vector<std::string> columns{"formulation"};
  std::vector<const Accepted*> shown;
  std::map<std::string, std::vector<std::string>> elsewhere;
  for (const Accepted& subject : subjects) {
    if (const auto reason = common_reason(cells_of(subject, coordinates))) {
      elsewhere[*reason].push_back(subject.name);
      continue;
    }
    shown.push_back(&subject);
    columns.push_back(subject.name);
  }
  std::string text;
  if (!shown.empty()) text += head(columns);
  for (const std::string& formulation :
       shown.empty() ? std::vector<std::string>{} : simulation::known_formulations()) {
    std::vector<std::string> cells{"`" + formulation + "`"};
    for (const Accepted* subject : shown) {
      const Cells asked = cells_of(*subject, coordinates, formulation);
      cells.push_back(any_accepted(asked)
                          ? "yes"
                          : notes.mark(without(reason_of(asked), formulation, "this formulation")));
    }
    text += row(cells);
  }
  for (const auto& [reason, names] : elsewhere)
    text += fmt::format("\n{}: {}.\n", fmt::join(names, ", "), reason);
  return text;
}

}  // namespace

std::string acceptance_text(const std::vector<Accepted>& subjects) {
  std::string text;
  for (const Accepted& subject : subjects) {
    text += subject.name + (subject.meaning.empty() ? "" : ": " + subject.meaning) + "\n";
    for (const std::string& coordinates : simulation::known_coordinates()) {
      const auto reason = common_reason(cells_of(subject, coordinates));
      text += fmt::format(" coordinates {}{}\n", coordinates, reason ? ": refused: " + *reason : "");
      if (reason) continue;
      for (const std::string& formulation : simulation::known_formulations())
        text += formulation_text(formulation, cells_of(subject, coordinates, formulation));
    }
  }
  return text + misfits_text(subjects);
}

nlohmann::ordered_json acceptance_json(const std::vector<Accepted>& subjects) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Accepted& subject : subjects)
    for (const analysis::Acceptance& cell : subject.cells)
      all.push_back({{subject.meaning.empty() ? "model" : "kind", subject.name},
                     {"coordinates", cell.coordinates},
                     {"formulation", cell.formulation},
                     {"integrator", rule_name(cell)},
                     {"accepted", cell.accepted()},
                     {"reason", cell.reason}});
  return all;
}

std::string acceptance_markdown(const std::vector<Accepted>& subjects) {
  Notes notes;
  std::string text = integrator_table(subjects, notes);
  for (const std::string& coordinates : simulation::known_coordinates())
    text += fmt::format("\n**`coordinates: {}`**\n\n{}", coordinates,
                        coordinates_table(subjects, coordinates, notes));
  text += "\n";
  for (const Accepted& subject : subjects)
    if (!subject.meaning.empty()) text += fmt::format("- *{}*: {}\n", subject.name, subject.meaning);
  const std::string reasons = notes.list();
  return reasons.empty() ? text : text + "\nWhy not:\n\n" + reasons;
}

}  // namespace trammel::results
