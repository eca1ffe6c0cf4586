// The table of methods: what each formulation, integrator and kind of coordinates needs and offers, which
// options it reads, and how it is made. Checks, `trammel formulations`, `trammel describe methods`, help
// texts and documents come from it. A new method is its name in include/trammel/methods.h and one entry in
// method_table.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/resolved_plan.h"

namespace trammel::forms {
class StepForm;
}  // namespace trammel::forms

namespace trammel::formulations {
class AccelerationForm;
}  // namespace trammel::formulations

namespace trammel::system {
class Dynamics;
}  // namespace trammel::system

namespace trammel::simulation {

// What a formulation offers: a residual and its tangent in each step (forms/residual_form.h), an ordinary
// differential equation (forms/ode_form.h), or steps by a rule of its own (forms/step_form.h).
enum class Form { residual, ode, own_rule };

// What else a plan must choose for a method to read an option.
struct ReadCondition {
  const char* words;  // as they follow "only with"
  bool (*holds)(const ResolvedPlan&);
};

// An option that a method reads: a key of simulation/plan_options.h; "modular" stands for every key below it.
// Options that no entry names are read by every run.
struct ReadOption {
  ReadOption(const char* named, const ReadCondition* condition = nullptr) : key(named), when(condition) {}
  const char* key;
  const ReadCondition* when;  // null: always
};

struct FormulationEntry {
  FormulationKind kind;
  Form form;
  const char* meaning;  // one line
  std::vector<ReadOption> options;
  std::vector<CoordinatesKind> coordinates;  // that it accepts
  bool controls_error = false;               // by itself, with the plan's tolerance
  bool available = true;                     // in this build
  // Form::ode
  std::unique_ptr<formulations::AccelerationForm> (*acceleration_form)(
      std::shared_ptr<const system::Dynamics>, const ResolvedPlan&) = nullptr;
  // Form::own_rule; that of modular needs the mechanism, and is made in simulation/modes.cpp
  std::unique_ptr<forms::StepForm> (*step_form)(std::shared_ptr<const system::Dynamics>,
                                                const ResolvedPlan&) = nullptr;
  // It has a memory of earlier steps that no State holds: a copied State goes on to the tolerance only.
  bool keeps_history = false;

  const char* name() const { return name_of(kind); }
};

struct IntegratorEntry {
  IntegratorKind kind;
  bool residual, ode;  // which forms it steps
  const char* meaning;
  std::vector<ReadOption> options;
  bool controls_error = false;
  bool available = true;
  bool keeps_history = false;  // as above

  const char* name() const { return name_of(kind); }
};

struct CoordinatesEntry {
  CoordinatesKind kind;
  const char* meaning;
  std::vector<ReadOption> options;

  const char* name() const { return name_of(kind); }
};

struct SolverEntry {
  SolverChoice kind;
  const char* meaning;

  const char* name() const { return name_of(kind); }
};

std::span<const FormulationEntry> formulation_table();
std::span<const IntegratorEntry> integrator_table();
std::span<const CoordinatesEntry> coordinates_table();
std::span<const SolverEntry> solver_table();

const FormulationEntry& entry_of(FormulationKind kind);
const IntegratorEntry& entry_of(IntegratorKind kind);
const CoordinatesEntry& entry_of(CoordinatesKind kind);

// Whether an integrator steps what a formulation offers.
bool fits(const FormulationEntry& formulation, const IntegratorEntry& integrator);
// The integrators of this build that fit; none with a formulation that is its own rule.
std::vector<std::string> integrators_of(FormulationKind formulation);
// The integrator where a person chooses none and none is in use.
IntegratorKind usual_integrator(FormulationKind formulation);

// Names, in the order of the tables; integrators of this build only.
const std::vector<std::string>& known_coordinates();
const std::vector<std::string>& known_formulations();
const std::vector<std::string>& known_integrators();
const std::vector<std::string>& known_solvers();
const std::vector<std::string>& residual_integrators();  // of index 3
const std::vector<std::string>& ode_integrators();       // of formulations that give accelerations
// Of formulation modular: how a subsystem may solve its inner constraints, and its coordinates.
const std::vector<std::string>& known_inner_formulations();
const std::vector<std::string>& known_inner_coordinates();

// The kind of that name. Throws std::invalid_argument, with a message for a person, where there is none.
FormulationKind formulation_named(const std::string& name);
IntegratorKind integrator_named(const std::string& name);

// A formulation and integration rule in one, which takes no integrator; false for `automatic`.
bool is_own_rule(const std::string& formulation);
bool is_own_rule(FormulationKind formulation);

// The method of a plan that keeps a history; null: a copied State goes on to the same bits.
const char* history_keeper(const ResolvedPlan& plan);

// Names of the methods that read an option; none: every run does.
std::vector<std::string> readers_of(std::string_view option);
// The same in words: "formulations a, b and integrators c, d".
std::string readers_in_words(std::string_view option);
// Whether a run by this plan reads an option, also in a method that may take over.
bool reads(const ResolvedPlan& plan, std::string_view option);
// What the plan's methods need to read an option that they do not read now; null: they never do.
const ReadCondition* missing_condition(const ResolvedPlan& plan, std::string_view option);

}  // namespace trammel::simulation
