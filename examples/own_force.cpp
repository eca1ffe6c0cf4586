// A user-defined force: air drag that grows with the square of the speed, on a falling ball.
#include <trammel/model_builder.h>
#include <trammel/run.h>

#include <cstdio>
#include <exception>

namespace {

// f = −c |v| v at the ball's centre. Derivatives are computed by finite differences.
class Drag final : public trammel::UserForce {
 public:
  explicit Drag(double c) : c_(c) {}
  std::vector<trammel::UserPoint> points() const override { return {{"ball", {0, 0, 0}}}; }
  void force(double, Points, Points v, Forces f) const override { f[0] = -c_ * v[0].norm() * v[0]; }

 private:
  double c_;  // kg/m
};

}  // namespace

int main() try {
  trammel::ModelBuilder m("falling ball");
  m.gravity({0, 0, -9.81});
  m.body("ball").mass("0.2 kg").inertia({1e-4, 1e-4, 1e-4}).at({0, 0, 100});
  m.force("drag", std::make_shared<Drag>(0.005));
  m.simulate().duration("5 s").tolerance(1e-10);

  const trammel::Mechanism mechanism = m.build().value();
  trammel::Simulation simulation(mechanism, mechanism.plan);
  const trammel::RunResult result = trammel::run(simulation);
  if (result.summary.status != trammel::RunStatus::ok)
    return std::fprintf(stderr, "%s\n", result.summary.message.c_str()), 3;

  const trammel::Pose ball = simulation.pose("ball");
  std::printf("z = %.9f v = %.9f\n", ball.position.z(), ball.velocity.z());
  const trammel::Energy energy = simulation.energy();
  std::printf("energy = %.9f work = %.9f drift = %.3g\n", energy.kinetic + energy.potential, energy.work,
              result.summary.energy_drift);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
