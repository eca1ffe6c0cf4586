// Options and methods as tables: what is read, what is refused, and that the tables tell the truth.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "analysis/acceptance.h"
#include "model/writer/plan_json.h"
#include "results/report/mechanism_kinds.h"
#include "simulation/method_table.h"
#include "simulation/plan_check.h"
#include "simulation/plan_options.h"
#include "simulation/resolve.h"
#include "system/system.h"
#include "trammel/model.h"

namespace trammel::tests::plan_test {
namespace {

const std::string kPendulum =
    "trammel: 1\nplane: xy\ngravity: [0, -9.81]\npoints: {O: {at: [0, 0], on: ground}, A: [1, 0]}\n"
    "bodies: {rod: {rod: [O, A], mass: 1 kg}}\n";

std::vector<std::string> errors_of(const std::string& simulate, const std::vector<std::string>& settings = {},
                                   UnreadOptions unread = UnreadOptions::refused) {
  std::vector<std::string> all;
  const ModelInput input = read_model_text(kPendulum + simulate, "m.yaml", settings, unread);
  for (const InputError& error : input.errors) all.push_back(to_string(error));
  return all;
}

Plan plan_of(const std::string& simulate) {
  const ModelInput input = read_model_text(kPendulum + simulate, "m.yaml", {}, UnreadOptions::allowed);
  EXPECT_TRUE(input.errors.empty()) << simulate << to_string(input.errors.front());
  return input.mechanism.plan;
}

TEST(PlanOptions, AnOptionThatIsNotReadIsAnErrorThatNamesWhoReadsIt) {
  using Errors = std::vector<std::string>;
  EXPECT_EQ(
      errors_of("simulate: {formulation: lagrange, integrator: rk4, omega: 5}\n"),
      Errors{"m.yaml:6:59: omega: lagrange with rk4 does not read this option; leave it out: it is read by "
             "formulations penalty, augmented-lagrangian, canonical-augmented"});
  EXPECT_EQ(errors_of("simulate: {open: [O]}\n"),
            Errors{"m.yaml:6:18: open: natural coordinates do not read this option; leave it out: it is read "
                   "by coordinates relative"});
  EXPECT_EQ(errors_of("simulate: {formulation: algebraic, integrator: trapezoidal}\n"),
            Errors{"m.yaml:6:48: integrator: algebraic is its own integration rule; leave it out"});
  EXPECT_EQ(
      errors_of("", {"--step=0.001", "--projection={every: 3}", "simulate.modular.threads=2"}),
      (Errors{
          "--set simulate.modular.threads=2: modular.threads: augmented-lagrangian-index3 with trapezoidal "
          "does not read this option; leave it out: it is read by formulation modular",
          "--projection={every: 3}: projection.every: augmented-lagrangian-index3 with trapezoidal does "
          "not read this option; leave it out: it is read by formulations lagrange, baumgarte, null-space, "
          "penalty, "
          "augmented-lagrangian, independent, canonical-lagrange, canonical-independent, "
          "canonical-augmented"}));
}

TEST(PlanOptions, TheReadersOfAnOptionAreNamedByWhatTheyAre) {
  EXPECT_EQ(errors_of("simulate: {formulation: algebraic, tolerance: 1e-6, step: 0.01}\n"),
            std::vector<std::string>{
                "m.yaml:6:47: tolerance: algebraic does not read this option; leave it out: it is read by "
                "formulations augmented-lagrangian-index3, dae and integrators dopri5, dop853, radau5, "
                "radau9, cvode-adams, cvode-bdf"});
}

// Each of these is read by the method in another variant only.
TEST(PlanOptions, AnOptionOfAnotherVariantIsAnErrorThatSaysWhatToChoose) {
  const auto only = [](const std::string& simulate) {
    const std::vector<std::string> errors = errors_of("simulate: {" + simulate + "}\n");
    return errors.size() == 1 ? errors[0].substr(errors[0].find(' ') + 1)
                              : fmt::format("{} errors", errors.size());
  };
  const std::string end = "; leave it out, or choose that";
  EXPECT_EQ(
      only("formulation: independent, integrator: rk4, stabilization: joli"),
      "stabilization: independent with rk4 reads this option only with independent.integrate: hybrid" + end);
  // The option is not read, so neither are a and b: one error.
  EXPECT_EQ(
      only("formulation: independent, integrator: rk4, stabilization: {a: 1, b: 1}"),
      "stabilization: independent with rk4 reads this option only with independent.integrate: hybrid" + end);
  EXPECT_EQ(only("formulation: independent, integrator: rk4, independent: {tolerance: 1e-6}"),
            "independent.tolerance: independent with rk4 reads this option only with independent.integrate: "
            "hybrid" +
                end);
  EXPECT_EQ(only("formulation: algebraic, order: 1, gyroscopic: predicted"),
            "gyroscopic: algebraic reads this option only with order: 2" + end);
  EXPECT_EQ(only("formulation: lagrange, integrator: rk4, projection: {every: 3}"),
            "projection.every: lagrange with rk4 reads this option only with projection.positions, "
            "projection.velocities or projection.accelerations: true" +
                end);
  EXPECT_EQ(only("step: 0.001, projection: {velocities: false, accelerations: false, sweeps: 2}"),
            "projection.sweeps: augmented-lagrangian-index3 with trapezoidal reads this option only with "
            "projection.velocities or projection.accelerations: true" +
                end);
  EXPECT_EQ(only("step: 0.001, constraint-scale: 2"),
            "constraint-scale: augmented-lagrangian-index3 with trapezoidal reads this option only with a "
            "number for penalty" +
                end);
  EXPECT_EQ(only("formulation: augmented-lagrangian, integrator: rk4, mu: 2, projection: {positions: true, "
                 "velocities: true}"),
            "mu: augmented-lagrangian with rk4 reads this option only with a number for omega, which is 0 "
            "where every step is projected" +
                end);
  for (const char* read :
       {"formulation: independent, integrator: rk4, independent: {integrate: hybrid}, stabilization: joli",
        "formulation: algebraic, gyroscopic: predicted", "penalty: {rod: 1e7}, constraint-scale: 2",
        "formulation: lagrange, integrator: rk4, projection: {velocities: true, every: 3}"})
    EXPECT_EQ(errors_of(std::string("simulate: {") + read + "}\n"), std::vector<std::string>()) << read;
}

TEST(PlanOptions, AnOptionIsAllowedWhereItIsRead) {
  for (const char* simulate :
       {"simulate: {formulation: penalty, integrator: rk4, omega: 5, mu: 2, penalty: 1e7}\n",
        "simulate: {coordinates: relative, open: [O]}\n",
        "simulate: {formulation: automatic, penalty: automatic}\n",
        "simulate: {formulation: algebraic, integrator: automatic, order: 1}\n",
        // what may take over reads its own options
        "simulate: {tolerance: 1e-6, projection: {sweeps: 3, every: 1}, convergence: 1e-10, omega: 1}\n",
        "simulate: {formulation: modular, modular: {threads: 2}, stabilization: joli}\n"})
    EXPECT_EQ(errors_of(simulate), std::vector<std::string>()) << simulate;
}

TEST(PlanOptions, WhoRunsAModelByManyMethodsMayGiveOptionsOfAny) {
  EXPECT_TRUE(errors_of("simulate: {order: 1, omega: 5, modular: {threads: 2}}\n", {}, UnreadOptions::allowed)
                  .empty());
}

// A value that differs from the default, for every option that a Plan has.
simulation::OptionValue another_value(const simulation::PlanOption& option) {
  switch (option.type) {
    case simulation::OptionType::number:
      return std::isfinite(option.range.high) ? 0.75 * option.range.high + 0.25 * option.range.low : 0.125;
    case simulation::OptionType::whole:
      return option.range.high == 2 ? 1 : 3;
    case simulation::OptionType::flag:
      return option.get(Plan()) != simulation::OptionValue(true);
    case simulation::OptionType::choice:
      for (const std::string& choice : option.choices)
        if (option.get(Plan()) != simulation::OptionValue(choice)) return choice;
      return {};
    case simulation::OptionType::names:
      return std::vector<std::string>{"O"};
    case simulation::OptionType::by_owner:
      return simulation::ByOwner{"", 5.5, {{"rod", 7.25}}};
    default:
      return {};
  }
}

TEST(PlanOptions, EachIsKeptByThePlanAndSurvivesAFile) {
  for (const simulation::PlanOption& option : simulation::plan_options()) {
    const simulation::OptionValue value = another_value(option);
    if (value.index() == 0) continue;
    SCOPED_TRACE(option.key);
    Plan plan;
    option.set(plan, value);
    EXPECT_EQ(option.get(plan), value);
    if (std::string_view(option.key).starts_with("integrator."))
      plan.integrator = simulation::plan_option("integrator").choices[1];
    for (const char* rule : {"newmark", "hht", "generalized-alpha"})
      if (std::string_view(option.key).find(rule) != std::string_view::npos) plan.integrator = rule;
    if (std::string_view(option.key) == "coordinates") continue;  // this model has only some
    const nlohmann::ordered_json file = {{"simulate", model::simulate_options(plan, model::Written::changed)},
                                         {"outputs", model::output_options(plan, model::Written::changed)}};
    const std::string text =
        "simulate: " + file["simulate"].dump() + "\noutputs: " + file["outputs"].dump() + "\n";
    EXPECT_EQ(option.get(plan_of(text)), value) << text;
  }
}

TEST(PlanOptions, EveryOptionSaysWhatItIsAndHasADefault) {
  std::set<std::string> keys;
  for (const simulation::PlanOption& option : simulation::plan_options()) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key;
    EXPECT_NE(std::string(option.meaning), "") << option.key;
    if (option.type != simulation::OptionType::group) {
      EXPECT_NE(option.fallback(), "") << option.key;
    }
  }
  EXPECT_THROW(simulation::plan_option("no-such-key"), std::logic_error);
}

// An option that a method is said to read exists.
TEST(Methods, ReadOptionsThatExist) {
  std::set<std::string> keys;
  for (const simulation::PlanOption& option : simulation::plan_options()) keys.insert(option.key);
  const auto check = [&](const auto& table) {
    for (const auto& entry : table)
      for (const simulation::ReadOption& one : entry.options)
        EXPECT_TRUE(keys.count(one.key)) << entry.name() << ": " << one.key;
  };
  check(simulation::formulation_table());
  check(simulation::integrator_table());
  check(simulation::coordinates_table());
}

TEST(Methods, TheTablesAreInTheOrderOfTheirNames) {
  for (std::size_t k = 0; k < kFormulationNames.size(); ++k)
    EXPECT_STREQ(simulation::formulation_table()[k].name(), kFormulationNames[k]);
  for (std::size_t k = 0; k < kIntegratorNames.size(); ++k)
    EXPECT_STREQ(simulation::integrator_table()[k].name(), kIntegratorNames[k]);
  for (std::size_t k = 0; k < kCoordinatesNames.size(); ++k)
    EXPECT_STREQ(simulation::coordinates_table()[k].name(), kCoordinatesNames[k]);
  for (std::size_t k = 0; k < kSolverNames.size(); ++k)
    EXPECT_STREQ(simulation::solver_table()[k].name(), kSolverNames[k]);
}

// The coordinates that an entry lists are those in which some kind of mechanism runs by it.
TEST(Methods, AcceptTheCoordinatesThatTheyList) {
  std::map<std::pair<std::string, std::string>, bool> runs;
  for (const results::MechanismKind& kind : results::mechanism_kinds())
    for (const analysis::Acceptance& cell : analysis::acceptance(kind.example, kind.example.plan))
      runs[{cell.formulation, cell.coordinates}] |= cell.accepted();
  for (const simulation::FormulationEntry& entry : simulation::formulation_table())
    for (const simulation::CoordinatesEntry& coordinates : simulation::coordinates_table()) {
      const bool listed = std::find(entry.coordinates.begin(), entry.coordinates.end(), coordinates.kind) !=
                          entry.coordinates.end();
      EXPECT_EQ((runs[{entry.name(), coordinates.name()}]), listed && entry.available)
          << entry.name() << " in " << coordinates.name();
    }
}

TEST(Methods, NamesThatDoNotExistAreRefused) {
  const auto words = [](const Plan& plan) {
    try {
      (void)simulation::resolve(plan);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Plan plan;
  plan.formulation = "lagrang";
  EXPECT_EQ(words(plan).find("there is no formulation 'lagrang'; did you mean 'lagrange'?"), 0U)
      << words(plan);
  plan = Plan();
  plan.integrator = "rk5";
  EXPECT_EQ(words(plan).find("there is no integrator 'rk5'; did you mean 'rk4'?"), 0U) << words(plan);
  plan = Plan();
  plan.coordinates = "polar";
  EXPECT_EQ(words(plan), "there are no coordinates 'polar'");
  plan = Plan();
  plan.solver = "qr";
  EXPECT_EQ(words(plan), "there is no linear solver 'qr'");
  EXPECT_THROW(system::Coordinates("polar"), std::invalid_argument);
  plan = Plan();
  plan.projection_metric = "flat";
  EXPECT_EQ(check_plan(plan),
            std::vector<std::string>{"there is no projection metric 'flat'; choose one of: tangent, mass"});
}

TEST(ResolvedPlan, SaysWhyItChose) {
  Plan plan;
  plan.tolerance = 1e-6;
  const ResolvedPlan made = simulation::resolve(plan);
  EXPECT_TRUE(made.falls_back);
  std::map<std::string, std::string> values;
  for (const auto& [option, value, reason] : made.choices) {
    values[option] = value;
    EXPECT_NE(reason, "") << option;
  }
  EXPECT_EQ(values, (std::map<std::string, std::string>{{"formulation", "augmented-lagrangian"},
                                                        {"integrator", "dop853"},
                                                        {"projection.positions", "true"},
                                                        {"projection.velocities", "true"},
                                                        {"omega", "0"}}));
  plan.formulation = "lagrange";
  plan.integrator = "rk4";
  EXPECT_TRUE(simulation::resolve(plan).choices.empty());
  EXPECT_FALSE(simulation::resolve(plan).falls_back);
}

TEST(ResolvedPlan, KeepsTheOptionsThatItReadsAndNoOthers) {
  Plan plan = plan_of(
      "simulate: {formulation: penalty, integrator: rk4, omega: 5, order: 1, open: [O], step: 0.01, "
      "stabilization: {a: 1, b: 2}}\n");
  const Plan left = simulation::without_unread(plan);
  EXPECT_EQ(left.omega, 5);
  EXPECT_EQ(left.step, 0.01);
  EXPECT_EQ(left.algebraic_order, 2);
  EXPECT_EQ(left.stabilization, Plan().stabilization);
  EXPECT_TRUE(left.open.empty());
}

// What results record of a plan is complete: a model with it as its plan runs by the same.
TEST(ResolvedPlan, IsRecordedCompleteForEveryFormulation) {
  for (const simulation::FormulationEntry& entry : simulation::formulation_table()) {
    Plan plan = plan_of("simulate: {step: 0.002, duration: 3}\n");
    plan.formulation = entry.name();
    plan.output_interval = 0.5;
    const nlohmann::ordered_json record = model::plan_json(plan, simulation::resolve(plan));
    const std::string text =
        "simulate: " + record["simulate"].dump() + "\noutputs: " + record["outputs"].dump() + "\n";
    EXPECT_EQ(errors_of(text), std::vector<std::string>()) << text;
    const Plan again = plan_of(text);
    for (const simulation::PlanOption& option : simulation::plan_options())
      if (simulation::reads(simulation::resolve(plan), option.key)) {
        EXPECT_EQ(option.get(again), option.get(plan)) << option.key;
      }
    EXPECT_EQ(record["resolved"]["formulation"], entry.name());
  }
}

// The model with settings in it, as results keep it, reads as the same mechanism.
TEST(Settings, TheTextWithSettingsReadsAsTheSameModel) {
  const std::string model =
      "trammel: 1 # a comment\nname: 'on'\nplane: xy\nparameters: {N: 2, L: 0.5 m, g: -9.81}\ngravity: [0, "
      "g]\n"
      "points:\n  \"A{i}\": {for: {i: 0..N}, at: [i*L, 0], on: ground}\n  \"B{i}\": {for: {i: 0..N}, at: "
      "[i*L, -1]}\n"
      "bodies: {\"rod{i}\": {for: {i: 0..N}, rod: [\"A{i}\", \"B{i}\"], mass: 1 kg}}\n"
      "forces: {pull: {force: [\"3*sin(t)\", \"if(t > 1, 2, -.5)\"], at: B1}}\n"
      "simulate: {duration: 2 s, step: 1e-3}\noutputs:\n";
  const std::vector<std::string> settings = {"parameters.L=0.7 m", "--tolerance=1e-6",
                                             "simulate.strict=true"};
  const ModelInput with = read_model_text(model, "m.yaml", settings);
  ASSERT_TRUE(with.errors.empty()) << to_string(with.errors.front());
  const ModelInput again = read_model_text(with.mechanism.text, "m.yaml");
  ASSERT_TRUE(again.errors.empty()) << to_string(again.errors.front()) << with.mechanism.text;
  EXPECT_EQ(write_model(again.mechanism), write_model(with.mechanism)) << with.mechanism.text;
  EXPECT_EQ(read_model_text(model, "m.yaml").mechanism.text, model);
  EXPECT_EQ(read_model_text(with.mechanism.text, "m.yaml", {"simulate.strict=true"}).mechanism.text,
            with.mechanism.text);
}

}  // namespace
}  // namespace trammel::tests::plan_test
