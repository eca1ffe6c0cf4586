// A parameter study: the time that a pendulum, released at 60 degrees, takes to reach its lowest point.
#include <trammel/model.h>
#include <trammel/run.h>

#include <cstdio>
#include <exception>

namespace {

const char* kModel = R"(
trammel: 1
name: pendulum
plane: xy
gravity: [0, -9.81]
parameters: {L: 1 m}
points:
  O: {at: [0, 0], on: ground}
  A: [L*sin(pi/3), -L*cos(pi/3)]
bodies:
  string: {rod: [O, A], mass: 0, length: L}
  bob: {point: A, mass: 1 kg}
simulate: {duration: 10 s, tolerance: 1e-10, stop-when: A.x < 0}
)";

}  // namespace

int main() try {
  trammel::Mechanism mechanism = trammel::read_model_text(kModel, "pendulum").value();
  for (const double length : {0.25, 0.5, 1.0, 2.0}) {
    mechanism.set_parameter("L", length);  // and everything that depends on it
    trammel::Simulation simulation(mechanism, mechanism.plan);
    const trammel::RunResult result = trammel::run(simulation);
    if (result.summary.status != trammel::RunStatus::ok)
      return std::fprintf(stderr, "%s\n", result.summary.message.c_str()), 3;
    std::printf("L = %g t = %.10f\n", length, result.summary.time);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
