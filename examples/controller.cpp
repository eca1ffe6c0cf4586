// A digital controller: it reads a cart's position every 10 ms and sets the motor's force through an input.
#include <trammel/model_builder.h>
#include <trammel/simulation.h>

#include <cstdio>
#include <exception>

int main() try {
  trammel::ModelBuilder m("cart");
  m.plane();
  m.body("cart").mass("2 kg").inertia(1).at({0, 0});
  m.joint("rail").prismatic("cart", "ground").axis({1, 0});
  m.input("push", 0);
  m.force("motor").force({"push", 0}).at("cart.com");
  m.simulate().step("1 ms");

  const trammel::Mechanism mechanism = m.build().value();
  trammel::Simulation simulation(mechanism, mechanism.plan);
  if (!simulation.assemble().report.accepted()) return std::fprintf(stderr, "cannot be assembled\n"), 3;

  const double target = 1, stiffness = 50, damping = 20;  // m, N/m, N.s/m: critically damped
  for (int sample = 1; sample <= 200; ++sample) {
    const double error = target - simulation.coordinate("rail");
    simulation.set_input("push", stiffness * error - damping * simulation.speed("rail"));
    if (!simulation.advance_to(0.01 * sample).report.accepted())
      return std::fprintf(stderr, "a step failed\n"), 3;
    if (sample % 50 == 0)
      std::printf("t = %g x = %.12f v = %.12f\n", simulation.state().t, simulation.coordinate("rail"),
                  simulation.speed("rail"));
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
