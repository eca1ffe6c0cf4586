// A slider-crank built in C++, driven at 60 rpm: the position of the slider and the torque of the motor.
#include <trammel/model_builder.h>
#include <trammel/simulation.h>

#include <cstdio>
#include <exception>

int main() try {
  trammel::ModelBuilder m("slider-crank");
  m.plane().parameter("L", "0.3 m").parameter("speed", "60 rpm");
  m.point("O", {0, 0}).on("ground");
  m.point("A", {0.3, 0});
  m.point("B", {0.9, 0});
  m.body("crank").rod("O", "A").mass(0).length("L");
  m.body("coupler").rod("A", "B").mass(0).length("2*L");
  m.body("slider").point("B").mass("1 kg");
  m.joint("guide").point_on_line("B").through({0, 0}).along({1, 0});
  m.driver("motor").angle("crank").equals("speed*t");
  m.simulate().duration("1 s").step("1 ms");

  const trammel::Mechanism mechanism = m.build().value();  // throws with all mistakes
  trammel::Simulation simulation(mechanism, mechanism.plan);
  if (!simulation.assemble().report.accepted()) return std::fprintf(stderr, "cannot be assembled\n"), 3;

  for (const double t : {0.125, 0.25, 0.5, 0.875}) {
    if (!simulation.advance_to(t).report.accepted()) return std::fprintf(stderr, "a step failed\n"), 3;
    const trammel::PointMotion slider = simulation.point("B");
    const trammel::JointReaction motor = simulation.reaction("motor");
    std::printf("t = %g x = %.12f v = %.12f torque = %.12f unique = %d\n", simulation.state().t,
                slider.position.x(), slider.velocity.x(), motor.effort, motor.unique() ? 1 : 0);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
