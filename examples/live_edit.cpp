// Editing a running simulation: the lower rod of a double pendulum is cut off while it swings.
#include <trammel/live.h>
#include <trammel/model_builder.h>

#include <cstdio>
#include <exception>

namespace {

void print(const trammel::Simulation& simulation) {
  const trammel::Pose rod = simulation.pose("lower");
  std::printf("t = %.9f x = %.12f y = %.12f vx = %.12f vy = %.12f\n", simulation.state().t, rod.position.x(),
              rod.position.y(), rod.velocity.x(), rod.velocity.y());
}

}  // namespace

int main() try {
  trammel::ModelBuilder m("double pendulum");
  m.plane().gravity({0, -9.81});
  m.point("O", {0, 0}).on("ground");
  m.point("A", {1, 0});
  m.point("B", {2, 0});
  m.body("upper").rod("O", "A").mass(1);
  m.body("lower").rod("A", "B").mass(1);
  m.simulate().step("1 ms");

  trammel::LiveSimulation live(m.text());
  if (!live.advance_to(0.5).report.accepted()) return std::fprintf(stderr, "a step failed\n"), 3;
  print(live.simulation());

  const trammel::EditReply cut = live.apply(R"({"do": "remove-joint", "name": "A"})");
  if (!cut.ok) return std::fprintf(stderr, "%s\n", cut.error.c_str()), 3;
  std::printf("cut: impulse = %.3g energy = %.3g\n", cut.impulse, cut.energy);

  if (!live.advance_to(1.5).report.accepted()) return std::fprintf(stderr, "a step failed\n"), 3;
  print(live.simulation());

  const trammel::EditReply undone = live.apply(R"({"do": "undo"})");
  std::printf("undo: %s\n", undone.ok ? "joined again" : undone.error.c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
