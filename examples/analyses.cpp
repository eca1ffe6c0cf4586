// Analyses without simulation: where a robot arm rests, how it vibrates there, which torques a motion needs,
// and which places its hand can reach. Every result has a report: accepted, or the reason as text.
#include <trammel/analyses.h>
#include <trammel/model_builder.h>

#include <cstdio>

namespace {

trammel::ModelBuilder arm() {
  trammel::ModelBuilder m("arm");
  m.plane().gravity({0, -9.81}).parameter("L", "0.5 m");
  m.point("O", {0, 0}).on("ground");
  m.point("A", {0.5, 0});
  m.point("P", {1, 0.01});
  m.body("upper").rod("O", "A").mass("2 kg").length("L");
  m.body("lower").rod("A", "P").mass("2 kg").length("L");
  m.simulate().set("duration", "1 s");
  return m;
}

bool told(const trammel::Report& report) {
  if (!report.accepted()) std::fprintf(stderr, "%s\n", report.message.c_str());
  return report.accepted();
}

}  // namespace

int main() {
  const trammel::Mechanism free = arm().build().value();

  const trammel::Equilibria rest = trammel::solve_equilibrium(free, {.stable = true});
  if (!told(rest.report)) return 1;
  std::printf("potential = %.12g  force = %.12g\n", rest.found[0].potential,
              rest.found[0].reactions.at("O").loads[0].force.y());

  const trammel::Modes swing = trammel::solve_modes(free, {.at = trammel::ModesAt::stable});
  if (!told(swing.report)) return 1;
  for (const trammel::VibrationMode& mode : swing.modes) std::printf("frequency = %.12g\n", mode.frequency());

  const trammel::Workspace hand = trammel::solve_workspace(free, {.point = "P"});
  if (!told(hand.report)) return 1;
  std::printf("area = %.12g  error = %.3g\n", hand.area.value(), hand.area_error);

  // Both links turn as one, at a constant rate.
  trammel::ModelBuilder driven = arm();
  driven.driver("shoulder").angle("upper").equals("t");
  driven.driver("elbow").angle("lower").equals("t");
  const trammel::InverseDynamics efforts = trammel::solve_inverse(driven.build().value(), {.rows = 4});
  if (!told(efforts.report)) return 1;
  const std::vector<double> torque = efforts.motion.column("shoulder.effort");
  for (std::size_t row = 0; row < torque.size(); ++row)
    std::printf("t = %.12g  torque = %.12g\n", efforts.motion.row(row)[0], torque[row]);
}
