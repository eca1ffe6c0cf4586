// What the joints of a machine carry beside the reactions that are written.
#include "results/report/reaction_report.h"

#include <gtest/gtest.h>

#include "trammel/model.h"

namespace trammel::results::reaction_report_test {
namespace {

using Texts = std::vector<std::string>;

// A planetary gear set whose wheels are coupled by their angles: the bearings of the planets carry the teeth.
constexpr const char* kPlanetary = R"yaml(trammel: 1
name: planetary gear set
plane: xy
parameters: {Ns: 20, Np: 20, Nr: 60, modul: 2 mm, a: modul*(Ns + Np)/2}
bodies:
  sun:     {mass: 0.5 kg, inertia: 1e-4}
  carrier: {mass: 1.5 kg, inertia: 2e-3}
  "planet{i}": {for: {i: 1..3}, mass: 0.4 kg, inertia: 8e-5, at: ["a*cos(2*pi*i/3)", "a*sin(2*pi*i/3)"]}
joints:
  cg: {revolute: [carrier, ground], at: [0, 0]}
  sc: {revolute: [sun, carrier], at: [0, 0]}
  "pc{i}": {for: {i: 1..3}, revolute: ["planet{i}", carrier], at: ["a*cos(2*pi*i/3)", "a*sin(2*pi*i/3)"]}
  "sunmesh{i}": {for: {i: 1..3}, gear: [sc, "pc{i}"], ratio: Np/Ns}
  "ringmesh{i}": {for: {i: 1..3}, gear: ["pc{i}", cg], ratio: Nr/Np}
forces:
  motor: {torque: 1 N.m, on: sun}
  brake: {joint-spring: cg, damping: 0.1}
)yaml";

TEST(ReactionReport, EachGearIsNamedWhoseTeethLoadItsBearings) {
  const Mechanism mechanism = read_model_text(kPlanetary, "test.yaml").value();
  EXPECT_EQ(not_in_reactions(mechanism),
            (Texts{"the force of gear 'sunmesh1' on its bearings, which a gear-pair has",
                   "the force of gear 'sunmesh2' on its bearings, which a gear-pair has",
                   "the force of gear 'sunmesh3' on its bearings, which a gear-pair has",
                   "the force of gear 'ringmesh1' on its bearings, which a gear-pair has",
                   "the force of gear 'ringmesh2' on its bearings, which a gear-pair has",
                   "the force of gear 'ringmesh3' on its bearings, which a gear-pair has",
                   "the counter-torque of 'motor', which acts on 'sun' alone"}));
  EXPECT_EQ(
      lacking_line(mechanism),
      "  reactions lack        the force of gear 'sunmesh1' on its bearings, which a gear-pair has, and "
      "6 more\n");
}

// Of a peak of 25.59 N at the joint `name`.
RunSummary with_peak_at(const std::string& name) {
  RunSummary summary;
  summary.peak_reaction = {.force = 25.59, .joint = name, .t = 1};
  summary.reactions.examined = true;
  return summary;
}

// At 40 rad/s 25.6 N hold a planet in its circle. With the force of its teeth its pin carries 42 N.
TEST(ReactionReport, ThePeakSaysThatItLacksTheForceOfTheTeeth) {
  const Mechanism mechanism = read_model_text(kPlanetary, "test.yaml").value();
  const std::string text = reaction_lines(with_peak_at("pc3"), mechanism);
  EXPECT_TRUE(text.starts_with(
      "  peak reaction         25.59 N (without tooth forces) at 'pc3', t = 1 s, of the rows written\n"))
      << text;
  const auto json = peak_json(with_peak_at("pc3").peak_reaction, mechanism);
  EXPECT_EQ(json["without"], "tooth forces");
  RunSummary unknown = with_peak_at("pc3");
  unknown.peak_reaction.error = 20;
  EXPECT_TRUE(reaction_lines(unknown, mechanism)
                  .starts_with("  peak reaction         not known: 26 N (without tooth forces) at 'pc3', "
                               "t = 1 s, with an error of 20 N;"))
      << reaction_lines(unknown, mechanism);
}

// Two gears and a crank in a frame that swings from a pin. Both bearings of a gear carry its teeth, the
// crank's bearing and the frame's pin do not.
TEST(ReactionReport, OnlyJointsOfCoupledBodiesLackTheirForces) {
  const std::string model = R"(trammel: 1
bodies:
  frame: {mass: 1, inertia: [1, 1, 1]}
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1], at: [3, 0, 0]}
  crank: {mass: 1, inertia: [1, 1, 1], at: [5, 0, 0]}
joints:
  pin: {revolute: [frame, ground], at: [0, 1, 0], axis: [0, 0, 1]}
  A: {revolute: [a, frame], at: [0, 0, 0], axis: [0, 0, 1]}
  A2: {cylindrical: [a, frame], at: [0, 0, 1], axis: [0, 0, 1]}
  B: {revolute: [b, frame], at: [3, 0, 0], axis: [0, 0, 1]}
  C: {revolute: [crank, frame], at: [5, 0, 0], axis: [0, 0, 1]}
  teeth: {gear: [A, B], ratio: 2}
)";
  const Mechanism gears = read_model_text(model, "test.yaml").value();
  for (const char* name : {"A", "A2", "B"}) EXPECT_EQ(lacking_in(gears, name), "tooth forces") << name;
  for (const char* name : {"pin", "C"}) EXPECT_EQ(lacking_in(gears, name), "") << name;
  EXPECT_NE(reaction_lines(with_peak_at("C"), gears).find("25.59 N at 'C'"), std::string::npos);
  EXPECT_TRUE(peak_json(with_peak_at("C").peak_reaction, gears)["without"].is_null());
  const Mechanism both =
      read_model_text(model + "  link: {coupler: [C, A], equals: 2*sin(A.angle)}\n", "test.yaml").value();
  EXPECT_EQ(lacking_in(both, "C"), "forces of couplers");
  EXPECT_EQ(lacking_in(both, "A"), "tooth forces and forces of couplers");
}

TEST(ReactionReport, ARackLoadsItsGuidesTooAndItsPairIsNamed) {
  const Mechanism mechanism = read_model_text(R"(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}}
bodies:
  wheel: {mass: 1, inertia: 0.0002, carries: [O]}
  bar: {mass: 0.5, inertia: 0.1, at: [0, 0.02]}
joints:
  slide: {prismatic: [bar, ground], axis: [1, 0]}
  teeth: {rack: [O, slide], radius: 0.02}
)",
                                              "test.yaml")
                                  .value();
  EXPECT_EQ(not_in_reactions(mechanism),
            Texts{"the force of rack 'teeth' on its bearings, which a rack-pair has"});
  EXPECT_EQ(lacking_line(mechanism),
            "  reactions lack        the force of rack 'teeth' on its bearings, which a rack-pair has\n");
}

// No element has what an unspecified mechanism between two joints does to their bearings.
TEST(ReactionReport, ACouplerHasNoPair) {
  const Mechanism mechanism = read_model_text(R"(trammel: 1
plane: xy
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [1, 0]}}
joints:
  A: {revolute: [a, ground], at: [0, 0]}
  B: {revolute: [b, ground], at: [1, 0]}
  link: {coupler: [A, B], equals: 2*sin(B.angle)}
)",
                                              "test.yaml")
                                  .value();
  EXPECT_EQ(not_in_reactions(mechanism), Texts{"the force of coupler 'link' on its bearings"});
}

// The force of a screw is in the reactions of its joint, that of a gear-pair in those of its bearings; a
// torque between two bodies acts on both.
TEST(ReactionReport, WhatReactionsHaveIsNotNamed) {
  const Mechanism screw = read_model_text(R"(trammel: 1
bodies: {nut: {mass: 1, inertia: [1, 1, 1]}}
joints:
  thread: {cylindrical: [nut, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  lead: {screw: thread, pitch: 0.01}
)",
                                          "test.yaml")
                              .value();
  EXPECT_EQ(not_in_reactions(screw), Texts{});
  const Mechanism pair = read_model_text(R"(trammel: 1
plane: xy
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [3, 0]}}
joints:
  A: {revolute: [a, ground], at: [0, 0]}
  B: {revolute: [b, ground], at: [3, 0]}
  teeth: {gear-pair: [a, b], radii: [1, 2]}
forces: {motor: {joint: A, torque: 1}}
)",
                                         "test.yaml")
                             .value();
  EXPECT_EQ(not_in_reactions(pair), Texts{});
  EXPECT_EQ(lacking_line(pair), "");
}

}  // namespace
}  // namespace trammel::results::reaction_report_test
